import type { Season } from './span.js';

/** Monday is 0, as the first day of an ISO week. */
const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Capital letters only: "may", "march" and "mar" are other words. */
export const MONTH =
  '(?:January|February|March|April|May|June|July|August|September|October|November|December|' +
  'JANUARY|FEBRUARY|MARCH|APRIL|MAY|JUNE|JULY|AUGUST|SEPTEMBER|OCTOBER|NOVEMBER|DECEMBER|' +
  'Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec)';

export const WEEKDAY =
  '(?:[Mm]onday|[Tt]uesday|[Ww]ednesday|[Tt]hursday|[Ff]riday|[Ss]aturday|[Ss]unday)';

export const SEASON = '(?:[Ss]pring|[Ss]ummer|[Aa]utumn|[Ff]all|[Ww]inter)';

export const monthNumber = (word: string): number =>
  MONTHS.indexOf(word.slice(0, 3).toLowerCase()) + 1;

/** Months that are also what people are called. */
export const isName = (word: string): boolean => /^(?:April|May|June|August|Jan)$/iu.test(word);

export const weekdayNumber = (word: string): number => WEEKDAYS.indexOf(word.toLowerCase());

export function seasonOf(word: string): Season {
  const lower = word.toLowerCase();
  if (lower === 'spring' || lower === 'summer' || lower === 'winter') return lower;
  return 'autumn';
}

const SMALL = [
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen',
  'sixteen seventeen eighteen nineteen',
]
  .join(' ')
  .split(' ');
const TENS = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];

/** Whole numbers from one to 999 in figures, to ninety-nine in words; "a" and "an" are one. */
export const NUMBER = String.raw`(?:\d{1,3}|an?|(?:${TENS.join('|')})(?:[- ](?:${SMALL.slice(1, 10).join('|')}))?|${SMALL.slice(1).toReversed().join('|')})`;

export function numberOf(text: string): number {
  const lower = text.toLowerCase();
  if (lower === 'a' || lower === 'an') return 1;
  const [first = '', second] = lower.split(/[- ]/u);
  const ten = TENS.indexOf(first);
  if (ten < 0) return SMALL.includes(first) ? SMALL.indexOf(first) : Number(first);
  return (ten + 2) * 10 + (second === undefined ? 0 : SMALL.indexOf(second));
}

export const ordinal = (word: string): number =>
  ['first', 'second', 'third', 'fourth'].findIndex((name) => word.toLowerCase().startsWith(name)) +
    1 || Number(/\d/u.exec(word)?.[0] ?? 0);
