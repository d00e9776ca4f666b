import { describe, expect, test } from 'vitest';
import { BEGIN, FOREVER } from '../../lib/model/interval.js';
import { questionTime } from '../../lib/recall/question-time.js';

const NOW = Date.parse('2026-04-10T12:00:00Z');
const at = (text: string): number => Date.parse(`${text}Z`);
const read = (question: string, timeZone = 'UTC'): ReturnType<typeof questionTime> =>
  questionTime(question, { now: NOW, timeZone });

describe('a day is a point', () => {
  test.each([
    ['What did we decide on 5 March?', '2026-03-05T00:00', '2026-03-06T00:00'],
    ['三月五日我们决定了什么？', '2026-03-05T00:00', '2026-03-06T00:00'],
    ['What did I do yesterday?', '2026-04-09T00:00', '2026-04-10T00:00'],
    ['Who led the team as of 2024-03-01?', '2024-03-01T00:00', '2024-03-02T00:00'],
  ])('%s', (question, from, to) => {
    const time = read(question);
    expect(time?.kind).toBe('point');
    expect(time?.window).toEqual({ from: at(from), to: at(to) });
    expect(time?.asOf).toBe(at(to) - 1);
  });
});

describe('more than a day is a window', () => {
  test.each([
    ['Which database did we use last year?', '2025-01-01T00:00', '2026-01-01T00:00'],
    ['去年我们用什么数据库？', '2025-01-01T00:00', '2026-01-01T00:00'],
    ['Who owned the shop in March?', '2026-03-01T00:00', '2026-04-01T00:00'],
  ])('%s', (question, from, to) => {
    const time = read(question);
    expect(time?.kind).toBe('window');
    expect(time?.window).toEqual({ from: at(from), to: at(to) });
    expect(time?.asOf).toBe(at(to) - 1);
  });

  test('one that is not over stands now', () => {
    expect(read('What changed this year?')?.asOf).toBe(NOW);
    expect(read('What changed since January?')).toMatchObject({
      kind: 'window',
      asOf: NOW,
      window: { from: at('2026-01-01T00:00'), to: FOREVER },
    });
  });

  test('before a year stands at the end of the one before', () => {
    expect(read('Which database did we use before 2024?')).toMatchObject({
      asOf: at('2024-01-01T00:00') - 1,
      window: { from: BEGIN, to: at('2024-01-01T00:00') },
    });
  });

  test('several times make one around all', () => {
    const time = read('What changed between 2026-02-01 and now, and what on 2025-12-24?');
    expect(time?.kind).toBe('window');
    expect(time?.window.from).toBe(at('2025-12-24T00:00'));
    expect(time?.words.length).toBeGreaterThan(1);
  });
});

describe('which year', () => {
  test('a day ahead in the calendar is last year’s', () => {
    expect(read('What did I cook on 5 May?')?.window.from).toBe(at('2025-05-05T00:00'));
    expect(read('5月5号我做了什么菜？')?.window.from).toBe(at('2025-05-05T00:00'));
  });

  test('unless the question looks ahead or tells the year', () => {
    expect(read('What will we ship on 5 May?')?.window.from).toBe(at('2026-05-05T00:00'));
    expect(read('Who was on call on 5 May 2026?')?.window.from).toBe(at('2026-05-05T00:00'));
    expect(read('What is on tomorrow?')?.window.from).toBe(at('2026-04-11T00:00'));
  });
});

test('the calendar is that of the asker', () => {
  expect(read('昨天换了什么？', 'Asia/Shanghai')?.window).toEqual({
    from: at('2026-04-08T16:00'),
    to: at('2026-04-09T16:00'),
  });
});

test('the answer can say which words were used', () => {
  expect(read('What did we use last year?')?.words).toEqual(['last year']);
});

test.each([
  'Who owns the shop?',
  'What happened on the day I met Ann?',
  'How many days ago did I read the March 15th issue?',
  'What does our 2023 report say?',
  '谁负责部署？',
  'Who may deploy?',
])('no time is asked about in: %s', (question) => {
  expect(read(question)).toBeNull();
});
