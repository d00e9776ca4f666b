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
  isName,
  MONTH,
  monthNumber,
  NUMBER,
  numberOf,
  ordinal,
  SEASON,
  seasonOf,
  WEEKDAY,
  weekdayNumber,
} from './english-words.js';
import {
  daySpan,
  doubt,
  halfSpan,
  minuteSpan,
  monthSpan,
  monthsSpan,
  quarterSpan,
  type Reference,
  seasonSpan,
  yearSpan,
} from './span.js';
import {
  halfYearFrom,
  namedSeason,
  namedUnit,
  namedWeekday,
  type StepUnit,
  unitFrom,
  type Which,
} from './steps.js';

const START = String.raw`(?<![\p{Script=Latin}\p{N}_/.@#]|(?<!\b(?:early|mid|late))-)`;
const END = String.raw`(?![\p{Script=Latin}\p{N}_@/]|-[\p{Script=Latin}\p{N}]|\.\p{N})`;
const rule = (source: string, read: Rule['read'], flags = 'giu'): Rule => ({
  pattern: new RegExp(START + source + END, flags),
  read,
});

/** A year, and not the start of a range of its own such as 2023/24. */
const YEAR = String.raw`((?:19|20)\d\d)(?![/’']|\s*(?:AD|BC)\b)`;
const UNIT = '(minutes?|mins?|hours?|hrs?|days?|weeks?|months?|quarters?|years?)';

const unitOf = (word: string): StepUnit => {
  const one = word.toLowerCase().replace(/s$/u, '');
  if (one === 'min' || one === 'minute') return 'minute';
  if (one === 'hr' || one === 'hour') return 'hour';
  return one === 'day' || one === 'week' || one === 'month' || one === 'quarter' ? one : 'year';
};

const which = (word: string): Which => {
  const lower = word.toLowerCase();
  return lower === 'last' || lower === 'next' ? lower : 'this';
};

const before = (m: RegExpMatchArray, text: string): string =>
  text.slice(Math.max(0, (m.index ?? 0) - 60), m.index);
const after = (m: RegExpMatchArray, text: string): string =>
  text.slice((m.index ?? 0) + m[0].length, (m.index ?? 0) + m[0].length + 24);

/** "three or four years ago", "2.5 years ago", "more than a year ago": no one time. */
const VAGUE =
  /(?:\d[.,]|\d\s?[-–]\s?|\b(?:or|than|over|under|least|most|and|hundred|thousand|half|every|within))\s*$/iu;
const FUTURE =
  /\b(?:will|won't|shall|going to|gonna|due|plans?|planned|scheduled|expect\w*)\b|['’]ll\b/iu;

function stepped(sign: 1 | -1, m: RegExpMatchArray, ref: Reference, text: string): Reading {
  const count = numberOf(m[1] ?? '');
  const anchored = /^\s+(?:today|tomorrow|yesterday|(?:last|this|next)\b|on\b)/iu.test(
    after(m, text),
  );
  if (VAGUE.test(before(m, text)) || anchored) return NOTHING;
  return fixed(unitFrom(unitOf(m[2] ?? ''), sign * count, ref));
}

const STEPS: readonly Rule[] = [
  rule(String.raw`(${NUMBER})\s+${UNIT}\s+ago`, (m, ref, text) => stepped(-1, m, ref, text)),
  rule(String.raw`half\s+an?\s+(hour|year)\s+ago`, (m, ref, text) =>
    VAGUE.test(before(m, text))
      ? NOTHING
      : fixed(
          m[1]?.toLowerCase() === 'hour' ? unitFrom('minute', -30, ref) : halfYearFrom(-1, ref),
        ),
  ),
  rule(String.raw`(${NUMBER})\s+${UNIT}\s+from\s+now`, (m, ref, text) => stepped(1, m, ref, text)),
  rule(String.raw`in\s+(${NUMBER})\s+${UNIT}['’]?s?\s+time`, (m, ref, text) =>
    stepped(1, m, ref, text),
  ),
  // "We built it in two weeks" tells how long it took: only a future says that it tells when.
  rule(String.raw`in\s+(${NUMBER})\s+${UNIT}`, (m, ref, text) => {
    const sentence =
      before(m, text)
        .split(/[.!?;\n]/u)
        .at(-1) ?? '';
    return FUTURE.test(sentence) && !/^\s+(?:or|to)\b/iu.test(after(m, text))
      ? stepped(1, m, ref, text)
      : NOTHING;
  }),
  rule('just now', (_, ref) => fixed(minuteSpan(ref.at, ref))),
  rule(
    String.raw`(?<=\b(?:until|till|as of|up to|from|between\s[^.\n]{1,40}\sand)\s)now`,
    (_, ref) => fixed(minuteSpan(ref.at, ref)),
  ),
];

/** The words before or after which "yesterday" counts from itself, or is a name. */
const NAMED = /(?:\bago\s|\bUSA\s|\bRussia\s)$/iu;
const day =
  (offset: number): Rule['read'] =>
  (m, ref, text) =>
    NAMED.test(before(m, text)) ? NOTHING : fixed(daySpan(ref.day + offset));

const DAYS: readonly Rule[] = [
  rule(String.raw`the\s+day\s+before\s+yesterday`, day(-2)),
  rule(String.raw`the\s+day\s+after\s+tomorrow`, day(2)),
  rule(String.raw`yesterday(?:\s+(?:morning|afternoon|evening|night))?`, day(-1)),
  rule(String.raw`last\s+night`, day(-1)),
  rule(String.raw`today|tonight|this\s+(?:morning|afternoon|evening)`, day(0)),
  rule(String.raw`tomorrow(?:\s+(?:morning|afternoon|evening|night))?`, day(1)),
];

const WHICH = String.raw`(?<!\bat\s)(last|this|next)`;

const NAMED_UNITS: readonly Rule[] = [
  rule(String.raw`the\s+(week|month|quarter|year)\s+before\s+last(?!\s+\w)`, (m, ref) =>
    fixed(unitFrom(unitOf(m[1] ?? ''), -2, ref)),
  ),
  rule(String.raw`the\s+(week|month|quarter|year)\s+after\s+next(?!\s+\w)`, (m, ref) =>
    fixed(unitFrom(unitOf(m[1] ?? ''), 2, ref)),
  ),
  // "the last week of March" is another one.
  rule(
    String.raw`${WHICH}\s+(week|month|quarter|year)(?!\s+(?:of|in|before|after)\b)`,
    (m, ref, text) =>
      /\b(?:before|after)\s$/iu.test(before(m, text)) &&
      /\b(?:week|month|quarter|year|time)s?\s+(?:before|after)\s$/iu.test(before(m, text))
        ? NOTHING
        : fixed(namedUnit(which(m[1] ?? ''), unitOf(m[2] ?? ''), ref)),
  ),
  rule(`${WHICH} (${SEASON})`, (m, ref) => {
    const season = seasonOf(m[2] ?? '');
    return fixed(namedSeason(which(m[1] ?? ''), (year) => seasonSpan(year, season), ref));
  }),
  rule(
    `(?<![Aa]t )([Ll]ast|[Tt]his|[Nn]ext) (${MONTH})(?! ?\\d)`,
    (m, ref) => {
      const month = monthNumber(m[2] ?? '');
      return fixed(namedSeason(which(m[1] ?? ''), (year) => monthsSpan(year, month, 1), ref));
    },
    'gu',
  ),
  rule(`${WHICH} (${WEEKDAY})`, (m, ref) =>
    fixed(namedWeekday(which(m[1] ?? ''), weekdayNumber(m[2] ?? ''), ref)),
  ),
];

const ORDINAL = '(first|second|third|fourth|1st|2nd|3rd|4th)';

const QUARTERS: readonly Rule[] = [
  rule(
    String.raw`Q([1-4])(?:[ /-]?|\s+of\s+)${YEAR}`,
    (m) => fixed(quarterSpan(Number(m[2]), Number(m[1]))),
    'gu',
  ),
  rule(
    String.raw`${YEAR}[ -]?Q([1-4])`,
    (m) => fixed(quarterSpan(Number(m[1]), Number(m[2]))),
    'gu',
  ),
  rule(String.raw`${ORDINAL}\s+quarter\s+(?:of\s+)?${YEAR}`, (m) =>
    fixed(quarterSpan(Number(m[2]), ordinal(m[1] ?? ''))),
  ),
  rule(String.raw`H([12])[ /-]?${YEAR}`, (m) => fixed(halfSpan(Number(m[2]), Number(m[1]))), 'gu'),
  rule(String.raw`(first|second)\s+half\s+of\s+${YEAR}`, (m) =>
    fixed(halfSpan(Number(m[2]), ordinal(m[1] ?? ''))),
  ),
  rule('Q([1-4])', readBareQuarter, 'gu'),
];

/**
 * A quarter without a year is one of the reference's year, as in plans and reports, unless "since" or
 * "until" asks for another. "Q1: What …" opens a question, and `Q3 '24` has a year that we do not read.
 */
function readBareQuarter(m: RegExpMatchArray, ref: Reference, text: string): Reading {
  const opens = /(?:^|\n)\s*$/u.test(before(m, text)) && /^\s*[:.)]\s*\S/u.test(after(m, text));
  if (opens || /^\s*(?:FY|['’\d&-])/u.test(after(m, text))) return NOTHING;
  const make = (year: number) => doubt(quarterSpan(year, Number(m[1])), 0.7);
  const near = yearless(make, ref);
  return { resolve: (lean) => (Object.keys(lean).length === 0 ? make(ref.year) : near(lean)) };
}

/** Counted things follow a number; a date is followed by anything else. */
const COUNTED =
  /^\s+(?:of|and\s+\d|people|users?|customers?|cases?|rows?|files?|items?|times|points?|records?|entries|requests?|lines|words|tokens|households|metres|meters|miles|km|kg|dollars|euros|yuan|bytes|years|days|hours)\b|^\s?%/iu;

const CALENDAR: readonly Rule[] = [
  rule(
    String.raw`(${MONTH})\.?,?\s+(?:of\s+)?${YEAR}`,
    (m, _, text) =>
      // A day before it that nobody could read: "31 April 2024" is not April.
      /\d(?:st|nd|rd|th)?(?:\s+of)?\s+$/iu.test(before(m, text))
        ? NOTHING
        : fixed(monthSpan(Number(m[2]), monthNumber(m[1] ?? ''))),
    'gu',
  ),
  // Winters lie in two years.
  rule(String.raw`(${SEASON})\s+(?:of\s+)?${YEAR}`, (m) => {
    const season = seasonOf(m[1] ?? '');
    return season === 'winter' ? NOTHING : fixed(seasonSpan(Number(m[2]), season));
  }),
  rule(YEAR, (m, _, text) => {
    const { resolve } = fixed(yearSpan(Number(m[1])));
    return COUNTED.test(after(m, text)) ? NOTHING : { weak: 'year', resolve };
  }),
  rule(
    String.raw`(${MONTH})(?!['’]|\.?\s*\d)`,
    (m, ref) => {
      const month = monthNumber(m[1] ?? '');
      const resolve = yearless((year) => monthSpan(year, month), ref);
      return { weak: isName(m[1] ?? '') ? 'name' : 'month', resolve };
    },
    'gu',
  ),
  rule(`(${SEASON})`, (m, ref) => {
    const season = seasonOf(m[1] ?? '');
    return { weak: 'season', resolve: yearless((year) => seasonSpan(year, season), ref) };
  }),
  rule(`(${WEEKDAY})`, (m) => {
    const weekday = weekdayNumber(m[1] ?? '');
    return {
      weak: 'weekday',
      resolve: ({ begunBy, notOverOn }) => {
        if (begunBy !== undefined)
          return daySpan(begunBy - ((((begunBy + 3 - weekday) % 7) + 7) % 7));
        if (notOverOn === undefined) return null;
        return daySpan(notOverOn + ((((weekday - notOverOn - 3) % 7) + 7) % 7));
      },
    };
  }),
];

const RULES = [...STEPS, ...DAYS, ...NAMED_UNITS, ...QUARTERS, ...CALENDAR];

/** Any word that a rule could start from: most text has none, and costs one scan. */
const HINT = new RegExp(
  String.raw`\d{4}|Q[1-4]|${MONTH}|${WEEKDAY}|${SEASON}|\b(?:ago|now|today|tonight|morning|afternoon|evening|tomorrow|yesterday|last|next|this|in)\b`,
  'iu',
);

export const englishCandidates = (text: string, ref: Reference): readonly Candidate[] =>
  HINT.test(text) ? candidatesOf(RULES, text, ref) : [];
