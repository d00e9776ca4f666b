import { describe, expect, test } from 'vitest';
import { readDates, type DateMention } from '../../lib/ingest/dates/read-dates.js';
import { formatInstant, type TimePoint } from '../../lib/model/instant.js';

/** A Wednesday morning in Shanghai. */
const EVENT = '2025-06-18T10:00+08:00';
const SHANGHAI = 'Asia/Shanghai';

const read = (text: string, said: string, timeZone: string): readonly DateMention[] =>
  readDates(text, { at: Date.parse(said), timeZone });

/** `point 2024-03 → 2024-04`: the ends are shown in the precision that they have. */
function shown(mentions: readonly DateMention[], timeZone: string): string {
  const end = (point: TimePoint | null): string =>
    point === null ? '…' : formatInstant(point, timeZone);
  return mentions.map((m) => `${m.kind} ${end(m.from)} → ${end(m.to)}`).join('; ');
}

type Row = readonly [text: string, expected: string, said?: string, timeZone?: string];

const check = (rows: readonly Row[]): void => {
  for (const [text, expected, said = EVENT, timeZone = SHANGHAI] of rows) {
    test(`${text} (${said}, ${timeZone})`, () => {
      const mentions = read(text, said, timeZone);
      expect(shown(mentions, timeZone)).toBe(expected);
      for (const m of mentions) expect(text.slice(m.index, m.index + m.text.length)).toBe(m.text);
    });
  }
};

describe('English', () => {
  check([
    ['We moved yesterday.', 'point 2025-06-17 → 2025-06-18'],
    ['It broke the day before yesterday', 'point 2025-06-16 → 2025-06-17'],
    ['Ana starts tomorrow', 'point 2025-06-19 → 2025-06-20'],
    ['Release the day after tomorrow', 'point 2025-06-20 → 2025-06-21'],
    ['last night the job failed', 'point 2025-06-17 → 2025-06-18'],
    ['this morning we met', 'point 2025-06-18 → 2025-06-19'],
    ['I just now restarted it', 'point 2025-06-18 10:00+08:00 → 2025-06-18 10:01+08:00'],
    ['last week', 'point 2025-W24 → 2025-W25'],
    ['the week before last', 'point 2025-W23 → 2025-W24'],
    ['next week', 'point 2025-W26 → 2025-W27'],
    ['last month', 'point 2025-05 → 2025-06'],
    ['the month before last', 'point 2025-04 → 2025-05'],
    ['last year', 'point 2024 → 2025'],
    ['next year', 'point 2026 → 2027'],
    ['last quarter', 'range 2025-01 → 2025-04'],
    ['two years ago', 'point 2023 → 2024'],
    ['twenty-two years ago', 'point 2003 → 2004'],
    ['three weeks ago', 'point 2025-W22 → 2025-W23'],
    ['5 months ago', 'point 2025-01 → 2025-02'],
    ['10 days ago', 'point 2025-06-08 → 2025-06-09'],
    ['10 minutes ago', 'point 2025-06-18 09:50+08:00 → 2025-06-18 09:51+08:00'],
    ['half an hour ago', 'point 2025-06-18 09:30+08:00 → 2025-06-18 09:31+08:00'],
    ['We will ship in two weeks', 'point 2025-W27 → 2025-W28'],
    ['three days from now', 'point 2025-06-21 → 2025-06-22'],
    ['last Tuesday', 'point 2025-06-17 → 2025-06-18'],
    ['this Friday', 'point 2025-06-20 → 2025-06-21'],
    ['next Monday', 'point 2025-06-23 → 2025-06-24'],
    ['next June', 'point 2026-06 → 2026-07'],
    ['next June', 'point 2025-06 → 2025-07', '2025-03-01T10:00+08:00'],
    ['last June', 'point 2024-06 → 2024-07'],
    ['last summer', 'range 2024-06 → 2024-09'],
    ['last summer', 'range 2025-06 → 2025-09', '2025-11-01T10:00Z', 'UTC'],
    ['last winter', 'range 2024-12 → 2025-03'],
    ['next spring', 'range 2026-03 → 2026-06'],
    ['summer 2023', 'range 2023-06 → 2023-09'],
    ['since spring', 'since 2025-03 → …'],
    ['since spring', 'since 2024-03 → …', '2025-02-01T10:00Z', 'UTC'],
    ['since March', 'since 2025-03 → …'],
    ['since March', 'since 2024-03 → …', '2025-02-01T10:00Z', 'UTC'],
    ['since Monday', 'since 2025-06-16 → …'],
    ['until Friday', 'until … → 2025-06-20'],
    ['by Friday', 'before … → 2025-06-21'],
    ['In 2023 we moved', 'point 2023 → 2024'],
    ['until 2024', 'until … → 2024'],
    ['through 2024', 'until … → 2025'],
    ['before 2020', 'before … → 2020'],
    ['after 2020', 'after 2021 → …'],
    ['since 2019', 'since 2019 → …'],
    ['as of yesterday', 'since 2025-06-17 → …'],
    ['until the end of March', 'until … → 2025-04-01', '2025-02-01T10:00Z', 'UTC'],
    ['end of March', 'range 2025-03-21 → 2025-04-01'],
    ['mid 2024', 'range 2024-05 → 2024-09'],
    ['mid-March 2024', 'range 2024-03-11 → 2024-03-21'],
    ['early 2025', 'range 2025-01 → 2025-05'],
    ['late 2024', 'range 2024-09 → 2025-01'],
    ['the end of 2024', 'point 2024-12 → 2025-01'],
    ['since early 2024', 'since 2024-01 → …'],
    ['March 2024', 'point 2024-03 → 2024-04'],
    ['in May', 'point 2025-05 → 2025-06'],
    ['in May 2024', 'point 2024-05 → 2024-06'],
    ['Q3 2025', 'range 2025-07 → 2025-10'],
    ['2024 Q1', 'range 2024-01 → 2024-04'],
    ['Q3', 'range 2025-07 → 2025-10'],
    ['We ship in Q3.', 'range 2025-07 → 2025-10'],
    ['since Q3', 'since 2024-07 → …'],
    ['third quarter of 2024', 'range 2024-07 → 2024-10'],
    ['second half of 2024', 'range 2024-07 → 2025-01'],
    ['between March and May 2024', 'range 2024-03 → 2024-06'],
    ['between November and February 2024', 'range 2023-11 → 2024-03'],
    ['from March 2024 to May', 'range 2024-03 → 2024-06'],
    ['from 2020 to 2024', 'range 2020 → 2025'],
    ['from late 2023 to early 2024', 'range 2023-09 → 2024-05'],
    ['between last year and now', 'range 2024 → 2025-06-18 10:01+08:00'],
    ['between 2019 and 2021', 'range 2019 → 2022'],
    ['On March 5, 2024 we met', 'point 2024-03-05 → 2024-03-06'],
    ['on Thursday, February 27th', 'point 2025-02-27 → 2025-02-28'],
    ['5 March 2024', 'point 2024-03-05 → 2024-03-06'],
    ['the 5th of June', 'point 2025-06-05 → 2025-06-06'],
    ['from 2020 on', 'since 2020 → …'],
    ['until March 5, 2024', 'until … → 2024-03-05'],
    ['March 5 to 9, 2024', 'range 2024-03-05 → 2024-03-10'],
    ['from March 5, 2024 to April 2, 2024', 'range 2024-03-05 → 2024-04-03'],
    [
      'Today it will restart in 5 minutes',
      'point 2025-06-18 → 2025-06-19; point 2025-06-18 10:05+08:00 → 2025-06-18 10:06+08:00',
    ],
    ['yesterday at 3pm', 'point 2025-06-17 15:00+08:00 → 2025-06-17 15:01+08:00'],
    ['on March 5, 2024 at 10:30', 'point 2024-03-05 10:30+08:00 → 2024-03-05 10:31+08:00'],
    ['2024-03-05', 'point 2024-03-05 → 2024-03-06'],
    ['in 2024-03', 'point 2024-03 → 2024-04'],
    ['2024-W10', 'point 2024-W10 → 2024-W11'],
    ['from 2024-03-05 to 2024-03-09', 'range 2024-03-05 → 2024-03-10'],
    ['2024-03-05T10:00Z', 'point 2024-03-05 18:00+08:00 → 2024-03-05 18:01+08:00'],
    ['2024-03-05 10:00:30', 'point 2024-03-05T10:00:30.000+08:00 → 2024-03-05T10:00:30.001+08:00'],
    ['last year and this year', 'point 2024 → 2025; point 2025 → 2026'],
    ['It ran in 2021, and again since March 2024.', 'point 2021 → 2022; since 2024-03 → …'],
  ]);
});

describe('Chinese', () => {
  check([
    ['昨天换了数据库', 'point 2025-06-17 → 2025-06-18'],
    ['前天', 'point 2025-06-16 → 2025-06-17'],
    ['大前天', 'point 2025-06-15 → 2025-06-16'],
    ['后天开会', 'point 2025-06-20 → 2025-06-21'],
    ['今天早上', 'point 2025-06-18 → 2025-06-19'],
    ['昨晚', 'point 2025-06-17 → 2025-06-18'],
    ['去年', 'point 2024 → 2025'],
    ['前年', 'point 2023 → 2024'],
    ['今年', 'point 2025 → 2026'],
    ['明年', 'point 2026 → 2027'],
    ['上个月', 'point 2025-05 → 2025-06'],
    ['下个月', 'point 2025-07 → 2025-08'],
    ['上上个月', 'point 2025-04 → 2025-05'],
    ['前年夏天', 'range 2023-06 → 2023-09'],
    ['去年的春天', 'range 2024-03 → 2024-06'],
    ['春天以来', 'since 2025-03 → …'],
    ['自去年夏天以来', 'since 2024-06 → …'],
    ['刚才', 'point 2025-06-18 10:00+08:00 → 2025-06-18 10:01+08:00'],
    ['上周', 'point 2025-W24 → 2025-W25'],
    ['上周二', 'point 2025-06-10 → 2025-06-11'],
    ['上星期天', 'point 2025-06-15 → 2025-06-16'],
    ['上周五下午三点', 'point 2025-06-13 → 2025-06-14'],
    ['三年前的夏天', 'range 2022-06 → 2022-09'],
    ['去年的今天', 'point 2024-06-18 → 2024-06-19'],
    ['一年前的今天', 'point 2024-06-18 → 2024-06-19'],
    ['本周五', 'point 2025-06-20 → 2025-06-21'],
    ['下周', 'point 2025-W26 → 2025-W27'],
    ['上上周', 'point 2025-W23 → 2025-W24'],
    ['上週二', 'point 2025-06-10 → 2025-06-11'],
    ['三个星期前', 'point 2025-W22 → 2025-W23'],
    ['三個星期前', 'point 2025-W22 → 2025-W23'],
    ['三天前天气很好', 'point 2025-06-15 → 2025-06-16'],
    ['两年前', 'point 2023 → 2024'],
    ['十二个月以前', 'point 2024-06 → 2024-07'],
    ['半年前', 'point 2024-12 → 2025-01'],
    ['十分钟前', 'point 2025-06-18 09:50+08:00 → 2025-06-18 09:51+08:00'],
    ['三天后将交付', 'point 2025-06-21 → 2025-06-22'],
    ['2024年3月', 'point 2024-03 → 2024-04'],
    ['二〇二四年三月五日', 'point 2024-03-05 → 2024-03-06'],
    ['2024年3月5日', 'point 2024-03-05 → 2024-03-06'],
    ['2024年', 'point 2024 → 2025'],
    ['去年十二月', 'point 2024-12 → 2025-01'],
    ['三月', 'point 2025-03 → 2025-04'],
    ['5月1号', 'point 2025-05-01 → 2025-05-02'],
    ['上个月5号', 'point 2025-05-05 → 2025-05-06'],
    ['2024年第三季度', 'range 2024-07 → 2024-10'],
    ['去年下半年', 'range 2024-07 → 2025-01'],
    ['上个季度', 'range 2025-01 → 2025-04'],
    ['去年年底', 'point 2024-12 → 2025-01'],
    ['2024年初', 'point 2024-01 → 2024-02'],
    ['上个月底', 'range 2025-05-21 → 2025-06-01'],
    ['从2020年到2024年', 'range 2020 → 2025'],
    ['2024年3月至5月', 'range 2024-03 → 2024-06'],
    ['在去年和今年之间', 'range 2024 → 2026'],
    ['自2023年以来', 'since 2023 → …'],
    ['从去年起', 'since 2024 → …'],
    ['2023年至今', 'since 2023 → …'],
    ['2020年之前', 'before … → 2020'],
    ['去年之后', 'after 2025 → …'],
    ['直到2024年', 'until … → 2024'],
    ['截至昨天', 'until … → 2025-06-18'],
    ['到去年为止', 'until … → 2025'],
    ['昨天下午三点', 'point 2025-06-17 15:00+08:00 → 2025-06-17 15:01+08:00'],
  ]);
});

describe('edges of the calendar and of the clocks', () => {
  const NEW_YORK = 'America/New_York';
  check([
    ['昨天', 'point 2025-02-28 → 2025-03-01', '2025-03-01T00:30+08:00'],
    ['yesterday', 'point 2025-02-27 → 2025-02-28', '2025-03-01T00:30+08:00', 'UTC'],
    ['今天', 'point 2025-03-01 → 2025-03-02', '2025-03-01T00:30+08:00'],
    ['去年', 'point 2024 → 2025', '2025-01-01T00:10+08:00'],
    ['last year', 'point 2023 → 2024', '2025-01-01T00:10+08:00', 'UTC'],
    ['yesterday', 'point 2024-12-31 → 2025-01-01', '2025-01-01T09:00Z', 'UTC'],
    ['last month', 'point 2024-12 → 2025-01', '2025-01-31T09:00Z', 'UTC'],
    ['next month', 'point 2025-02 → 2025-03', '2025-01-31T09:00Z', 'UTC'],
    ['last week', 'point 2024-W52 → 2025-W01', '2025-01-01T09:00Z', 'UTC'],
    ['上周', 'point 2020-W53 → 2021-W01', '2021-01-05T09:00+08:00'],
    ['yesterday', 'point 2024-02-29 → 2024-03-01', '2024-03-01T09:00Z', 'UTC'],
    ['a year ago', 'point 2023 → 2024', '2024-02-29T09:00Z', 'UTC'],
    ['February 29, 2024', 'point 2024-02-29 → 2024-03-01'],
    ['in February 2024', 'point 2024-02 → 2024-03'],
    ['end of February 2024', 'range 2024-02-21 → 2024-03-01'],
    // Clocks go ahead on 9 March 2025 and back on 2 November 2025.
    ['yesterday', 'point 2025-03-09 → 2025-03-10', '2025-03-10T12:00Z', NEW_YORK],
    [
      '12 hours ago',
      'point 2025-03-08 23:00-05:00 → 2025-03-08 23:01-05:00',
      '2025-03-09T16:00Z',
      NEW_YORK,
    ],
    ['yesterday at 2:30 am', '', '2025-03-10T12:00Z', NEW_YORK],
    [
      'yesterday at 3:30 am',
      'point 2025-03-09 03:30-04:00 → 2025-03-09 03:31-04:00',
      '2025-03-10T12:00Z',
      NEW_YORK,
    ],
    ['2025-03-09 02:30', '', '2025-03-10T12:00Z', NEW_YORK],
    ['2025-11-02 01:30', '', '2025-11-03T12:00Z', NEW_YORK],
    [
      '2025-11-02 01:30-05:00',
      'point 2025-11-02 01:30-05:00 → 2025-11-02 01:31-05:00',
      '2025-11-03T12:00Z',
      NEW_YORK,
    ],
    ['2011-12-30', '', '2012-01-05T00:00Z', 'Pacific/Apia'],
    ['last week', 'point 2025-W10 → 2025-W11', '2025-03-10T12:00Z', NEW_YORK],
  ]);

  test('a day on which clocks go ahead has 23 hours, and one on which they go back 25', () => {
    const hours = (text: string): number => {
      const [mention] = read(text, '2025-12-01T12:00Z', NEW_YORK);
      return ((mention?.to?.at ?? NaN) - (mention?.from?.at ?? NaN)) / 3_600_000;
    };
    expect(hours('2025-03-09')).toBe(23);
    expect(hours('March 9, 2025')).toBe(23);
    expect(hours('2025-11-02')).toBe(25);
    expect(hours('2025年11月2日')).toBe(25);
  });
});

describe('what tells no date, or more than one', () => {
  test.each([
    'version 3.5.2024 is out',
    'Node 20.20.2 and v2024.3.1',
    '3/5/2024',
    '03-05-2024',
    'You may go, May said.',
    'May is our designer.',
    'This may take a while',
    'The march on Washington',
    'March on!',
    'They march in step',
    'Spring Boot and the summer intern',
    'a spring, a fall and a summary',
    'The fall of Rome',
    'call +86 138 2024 0305 or 555-2024',
    'tel 2024-555-0199',
    '一天到晚',
    'give me a second',
    'second thoughts, first things',
    'SR-2023-052',
    'SR-2023-052 and INV-2024-03-001',
    'ISBN 978-7-2024-0305-1',
    'commit 2024ab3f',
    '/logs/2024/03/05/app.log',
    'https://example.com/2024-03-05/post',
    'February 30, 2024',
    '31 April 2024',
    '2024-02-30',
    '2023-02-29',
    '2024年2月30日',
    '2024年13月',
    '2024-13-05',
    '2024-W60',
    'a few days ago',
    'some time ago',
    'three or four years ago',
    '2-3 weeks ago',
    '2.5 years ago',
    'more than two years ago',
    'two weeks before March 5, 2024',
    'on Monday, February 27th',
    'the day after the release',
    'on Monday',
    'every Monday, each March and every summer',
    'We built it in two weeks',
    'in 2023 cases',
    '2024 users',
    'the 2020s',
    'FY2024',
    'winter 2024',
    'FAQ3, EQ3 and Q33',
    'Q1: What is a fold?',
    'the last week of the trial',
    'at last',
    'next to the door',
    'Sat on the sun',
    'page 12 of 2024',
    'at 10:30',
    'in July or August',
    'last week or this week',
    '昨天或者前天',
    'it is all healed up now',
    'recently, soon, lately',
    '几天前',
    '好几年前',
    '三四年前',
    '十几年前',
    '两年多前',
    '两三天后再说',
    '上线三天后崩了',
    '每年三月和每月底',
    '农历三月',
    '如今年轻人',
    '以前年轻的时候',
    '晚上月亮很圆',
    '马上周全考虑',
    '后天性免疫',
    '日本周边',
    '春天来了',
    '5号楼',
    '2000年前',
    '三个月',
    '明天下',
    '去年级组开会',
    '',
  ])('%s', (text) => {
    expect(read(text, EVENT, SHANGHAI)).toEqual([]);
  });
});

test('what is left to the reader is less than sure', () => {
  const confidence = (text: string): number | undefined =>
    read(text, EVENT, SHANGHAI)[0]?.confidence;
  expect(confidence('in 2023')).toBeUndefined();
  expect(confidence('Q3')).toBeLessThan(1);
  expect(confidence('last summer')).toBeLessThan(1);
  expect(confidence('in May')).toBeLessThan(1);
});

test('the text of a mention holds the words that bind it', () => {
  const [mention] = read('He has lived there since early 2024, I think.', EVENT, SHANGHAI);
  expect(mention).toMatchObject({ text: 'since early 2024', index: 19 });
});

test('an unknown zone is refused', () => {
  expect(() => readDates('yesterday', { at: 0, timeZone: 'Mars/Base' })).toThrow(/time zone/u);
});

test('a long text is read in a bearable time', () => {
  const text = 'On March 5, 2024 at 10:30 we met; 昨天下午三点 as well. '.repeat(2_000);
  const started = performance.now();
  expect(read(text, EVENT, SHANGHAI)).toHaveLength(4_000);
  expect(performance.now() - started).toBeLessThan(20_000);
});
