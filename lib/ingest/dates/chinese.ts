import { civilDate } from '../../model/calendar.js';
import {
  candidatesOf,
  type Candidate,
  fixed,
  NOTHING,
  type Reading,
  type Rule,
  yearless,
} from './candidate.js';
import {
  chineseNumber,
  chineseSeason,
  chineseWeekday,
  chineseYear,
  DAY_FIGURES,
  MONTH_FIGURES,
  NUMERAL,
  SEASON_WORD,
  simplified,
  WEEKDAY_CHARACTERS,
  YEAR_FIGURES,
  YEAR_WORD,
  YEAR_WORDS,
} from './chinese-words.js';
import {
  dateSpan,
  daySpan,
  doubt,
  halfSpan,
  minuteSpan,
  monthFrom,
  monthSpan,
  type Part,
  partOf,
  quarterFrom,
  quarterSpan,
  type Reference,
  seasonSpan,
  type Span,
  weekFrom,
  yearSpan,
} from './span.js';
import { halfYearFrom, namedSeason, type StepUnit, unitFrom } from './steps.js';

const rule = (source: string, read: Rule['read']): Rule => ({
  pattern: new RegExp(source, 'gu'),
  read,
});

const PARTS: Readonly<Record<string, Part>> = {
  初: 'start',
  中: 'mid',
  底: 'end',
  末: 'end',
  上旬: 'early',
  中旬: 'mid',
  下旬: 'late',
};
const MONTH_PART = '(初|中旬|上旬|下旬|中(?=[，。,.、；;就的时]|$)|底|末)?';

const inPart = (span: Span | null, part: string | undefined): Span | null => {
  const known = part === undefined ? undefined : PARTS[part];
  return span === null || known === undefined ? span : partOf(span, known);
};

const numberBefore = (text: string | undefined): number =>
  text === undefined ? NaN : chineseNumber(text.slice(0, -1));

function yearOf(word: string, ref: Reference): number {
  const offset = YEAR_WORDS[word];
  return offset === undefined ? chineseYear(word.slice(0, -1)) : ref.year + offset;
}

const YEAR = `(${YEAR_WORD}|${YEAR_FIGURES})的?`;
const MONTH = `(${MONTH_FIGURES})份?`;
const LATER_MONTH = '((?:1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月)份?';
const QUARTER = '(?:第?([一二三四1-4])季度|Q([1-4]))';

const quarterOf = (m: RegExpMatchArray, at: number): number =>
  m[at] === undefined ? Number(m[at + 1]) : chineseNumber(m[at]);

const YEARS: readonly Rule[] = [
  rule(`${YEAR}${LATER_MONTH}(${DAY_FIGURES})`, (m, ref) =>
    fixed(dateSpan(yearOf(m[1] ?? '', ref), numberBefore(m[2]), numberBefore(m[3]))),
  ),
  rule(`${YEAR}([0-9一二三四五六七八九十]{1,3}月)份?${MONTH_PART}`, (m, ref) =>
    fixed(inPart(monthSpan(yearOf(m[1] ?? '', ref), numberBefore(m[2])), m[3])),
  ),
  rule(`${YEAR}(${SEASON_WORD}|[春夏秋](?![节游耕运假收分至装招]))`, (m, ref) => {
    const season = chineseSeason(m[2] ?? '');
    // Winters lie in two years.
    return season === 'winter' ? NOTHING : fixed(seasonSpan(yearOf(m[1] ?? '', ref), season));
  }),
  rule(`${YEAR}冬`, () => NOTHING),
  rule(`${YEAR}${QUARTER}`, (m, ref) =>
    fixed(quarterSpan(yearOf(m[1] ?? '', ref), quarterOf(m, 2))),
  ),
  rule(`${YEAR}([上下])半年`, (m, ref) =>
    fixed(halfSpan(yearOf(m[1] ?? '', ref), m[2] === '上' ? 1 : 2)),
  ),
  rule(`${YEAR}年?(初|中(?![国旬心央间])|底|末)`, (m, ref) =>
    fixed(inPart(yearSpan(yearOf(m[1] ?? '', ref)), m[2])),
  ),
  rule(`(${YEAR_WORD}|${YEAR_FIGURES})`, (m, ref, text) => {
    const rest = text.slice((m.index ?? 0) + m[0].length);
    const year = yearOf(m[1] ?? '', ref);
    // 2000年前: before that year, or so many years ago. 前后: around it.
    if (/^前后|^左右/u.test(rest) || (rest.startsWith('前') && (year % 100 === 0 || year < 1900)))
      return NOTHING;
    return fixed(yearSpan(year));
  }),
  rule('(?<![每历往常多半当学成天经同整全])年(初|底|末)(?![一二三四])', (m, ref) =>
    fixed(inPart(yearSpan(ref.year), m[1])),
  ),
];

const RELATIVE_MONTHS = String.raw`(上上个?月|上个月|上月(?![亮球光])|这个月|这月|(?<![日根基])本月|下下个?月|下个月|下月(?![亮球光]))`;
const offsetOf = (word: string): number =>
  word.startsWith('上上')
    ? -2
    : word.startsWith('上')
      ? -1
      : word.startsWith('下下')
        ? 2
        : word.startsWith('下')
          ? 1
          : 0;

const MONTHS: readonly Rule[] = [
  rule(`${MONTH}(${DAY_FIGURES})`, (m, ref) => {
    const month = numberBefore(m[1]);
    return { resolve: yearless((year) => dateSpan(year, month, numberBefore(m[2])), ref) };
  }),
  rule(`${MONTH}${MONTH_PART}(?![饼球亮光薪租供经息])`, (m, ref) => {
    const month = numberBefore(m[1]);
    return { resolve: yearless((year) => inPart(monthSpan(year, month), m[2]), ref) };
  }),
  rule(`(?<![晚早])${RELATIVE_MONTHS}的?(${DAY_FIGURES})`, (m, ref) => {
    const span = monthFrom(ref, offsetOf(m[1] ?? ''));
    const day = span.from + numberBefore(m[2]) - 1;
    return fixed(day < span.to ? daySpan(day) : null);
  }),
  rule(`(?<![晚早])${RELATIVE_MONTHS}${MONTH_PART}`, (m, ref) =>
    fixed(inPart(monthFrom(ref, offsetOf(m[1] ?? '')), m[2])),
  ),
  rule('(?<![每个上下本这0-9一二三四五六七八九十])月底', (_, ref) =>
    fixed(partOf(monthFrom(ref, 0), 'end')),
  ),
];

const RELATIVE_WEEKS = String.raw`((?<![马晚早路网线身以])上上(?:个?星期|个?礼拜|周)|(?<![马晚早路网线身以上])上(?:个?星期|个?礼拜|周|一周)|这(?:个?星期|个?礼拜|周)|(?<![日根基])本周|(?<![天楼以下])下(?:个?星期|个?礼拜|周|一周)|下下(?:个?星期|个?礼拜|周))`;
const NO_WEEK = '(?![边围期知密年到转岁刊报])';

const WEEKS: readonly Rule[] = [
  rule(
    `${RELATIVE_WEEKS}(?:的?周|的?星期)?([${WEEKDAY_CHARACTERS}])(?![个家些般起直次样定百千万十]|下(?!午))`,
    (m, ref) =>
      fixed(daySpan(weekFrom(ref, offsetOf(m[1] ?? '')).from + chineseWeekday(m[2] ?? ''))),
  ),
  rule(`${RELATIVE_WEEKS}末`, (m, ref) => {
    const { to } = weekFrom(ref, offsetOf(m[1] ?? ''));
    return fixed({ ...daySpan(to - 2), to });
  }),
  rule(`${RELATIVE_WEEKS}${NO_WEEK}`, (m, ref) => fixed(weekFrom(ref, offsetOf(m[1] ?? '')))),
];

const DAY_OFFSETS: Readonly<Record<string, number>> = {
  大前: -3,
  前: -2,
  昨: -1,
  今: 0,
  明: 1,
  后: 2,
  大后: 3,
};
const TIME_OF_DAY = '(?:早上|上午|中午|下午|晚上|晚间|夜里|凌晨)?';

const DAYS: readonly Rule[] = [
  rule(
    `(大前|大后|(?<![之以目从先提大年月日周天])前|昨|(?<![如至当迄])今|(?<![证说表声透光])明|(?<![之以先今落最大年月日周天])后)天${TIME_OF_DAY}(?![气空性启赋下平文])`,
    (m, ref) => fixed(daySpan(ref.day + (DAY_OFFSETS[m[1] ?? ''] ?? 0))),
  ),
  rule('(昨|(?<![至当迄如])今|明)(?:晚|早|日|夜)(?![报安期])', (m, ref) =>
    fixed(daySpan(ref.day + (DAY_OFFSETS[m[1] ?? ''] ?? 0))),
  ),
];

const UNITS: Readonly<Record<string, StepUnit>> = {
  分钟: 'minute',
  小时: 'hour',
  钟头: 'hour',
  天: 'day',
  日: 'day',
  周: 'week',
  星期: 'week',
  礼拜: 'week',
  月: 'month',
  季度: 'quarter',
  年: 'year',
};
const COUNTED = `(?<![0-9.一二两三四五六七八九十百千万几多第近约上下逾超不到、~-])(${NUMERAL})(?:个(?=小时|钟头|星期|礼拜|月|季度))?(分钟|小时|钟头|天|日|周|星期|礼拜|(?<=个)月|季度|年)`;

function stepped(sign: 1 | -1, m: RegExpMatchArray, ref: Reference): Reading {
  const count = chineseNumber(m[1] ?? '');
  const unit = UNITS[m[2] ?? ''];
  return Number.isNaN(count) || unit === undefined
    ? NOTHING
    : fixed(unitFrom(unit, sign * count, ref));
}

function inYear(year: number, word: string, ref: Reference): Reading {
  if (Number.isNaN(year)) return NOTHING;
  if (word === '今天') return fixed(dateSpan(year, ref.month, civilDate(ref.day).day));
  const season = chineseSeason(word);
  return season === 'winter' ? NOTHING : fixed(seasonSpan(year, season));
}

const SOON =
  /^\s*[，,]?\s*(?:我们|我|他们?|她们?|公司|团队)?(?:将|会|要|就要|打算|计划|准备|预计)/u;

const STEPS: readonly Rule[] = [
  // 三年前的夏天, 去年今天
  rule(`${COUNTED}(?:以前|之前|前)的(今天|${SEASON_WORD})`, (m, ref) => {
    const year = ref.year - chineseNumber(m[1] ?? '');
    return m[2] === '年' ? inYear(year, m[3] ?? '', ref) : NOTHING;
  }),
  rule(`${YEAR}(今天)`, (m, ref) => inYear(yearOf(m[1] ?? '', ref), '今天', ref)),
  rule(`${COUNTED}(?:以前|之前|前)(?!后|[一二三四]天气)`, (m, ref) => stepped(-1, m, ref)),
  // 上线三天后 counts from something else; 三天后会… counts from now.
  rule(`${COUNTED}(?:以后|之后|后)`, (m, ref, text) =>
    SOON.test(text.slice((m.index ?? 0) + m[0].length)) || text.slice(0, m.index).endsWith('再过')
      ? stepped(1, m, ref)
      : NOTHING,
  ),
  rule(
    '(?<![0-9一二两三四五六七八九十上下个大])半(年|个月|小时|个小时)(?:以前|之前|前)',
    (m, ref) => {
      if (m[1] === '年') return fixed(halfYearFrom(-1, ref));
      return m[1] === '个月' ? NOTHING : fixed(unitFrom('minute', -30, ref));
    },
  ),
  rule('刚才|刚刚|方才', (_, ref) => fixed(minuteSpan(ref.at, ref))),
];

const SEASONS: readonly Rule[] = [
  rule(`(上个?|这个?|今|下个?)(${SEASON_WORD})`, (m, ref) => {
    const season = chineseSeason(m[2] ?? '');
    const asked = m[1] ?? '';
    const which = asked.startsWith('上') ? 'last' : asked.startsWith('下') ? 'next' : 'this';
    if (which === 'this' && season === 'winter') return NOTHING;
    return fixed(namedSeason(which, (year) => seasonSpan(year, season), ref));
  }),
  rule(`(${SEASON_WORD})`, (m, ref) => {
    const season = chineseSeason(m[1] ?? '');
    return { weak: 'season', resolve: yearless((year) => seasonSpan(year, season), ref) };
  }),
  rule('(上上个?|上个?|这个?|(?<![日基])本|下个?)季度', (m, ref) =>
    fixed(quarterFrom(ref, offsetOf(m[1] ?? ''))),
  ),
  // As in English, a quarter without its year is one of the reference's year.
  rule('(?:第([一二三四1-4])|(?<![一二三四五六七八九十0-9个每])([一二三四]))季度', (m, ref) =>
    fixed(doubt(quarterSpan(ref.year, chineseNumber(m[1] ?? m[2] ?? '')), 0.7)),
  ),
];

const RULES = [...YEARS, ...MONTHS, ...WEEKS, ...DAYS, ...STEPS, ...SEASONS];

const HINT = /[年月日号天周晚早夜]|星期|礼拜|小时|钟|季|刚|方才/u;

/** The text as `simplified` leaves it, place by place the same. */
export function chineseCandidates(text: string, ref: Reference): readonly Candidate[] {
  const plain = simplified(text);
  return HINT.test(plain) ? candidatesOf(RULES, plain, ref) : [];
}
