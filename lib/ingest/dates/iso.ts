import {
  DAY,
  dayNumber,
  daysInMonth,
  isoWeekStart,
  MINUTE,
  weeksInYear,
} from '../../model/calendar.js';
import { parseOffset, readWall } from '../../model/zone.js';
import { fixed, NOTHING, type Reading, type Rule } from './candidate.js';
import { dateSpan, exactSpan, monthSpan, type Reference, type Span } from './span.js';

/** Numbers that go on to either side are versions, ids or addresses. */
const BEFORE = String.raw`(?<![\p{Script=Latin}\p{N}_.\-/:#@+])`;
const AFTER = String.raw`(?![\p{Script=Latin}\p{N}_\-/:#@+]|[.,]\p{N})`;

const DATE_TIME =
  String.raw`(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?` +
  String.raw`(Z|[ ]?UTC|[+-]\d\d:?\d\d)?`;

/** An instant in the reference's zone; `null` where its clocks left it out or showed it twice. */
export function wallSpan(
  wall: number,
  offset: number | null,
  exact: boolean,
  ref: Reference,
): Span | null {
  const size = exact ? 1 : MINUTE;
  const precision = exact ? 'millisecond' : 'minute';
  if (offset !== null) return exactSpan(wall - offset, wall - offset + size, precision);
  const reading = readWall(wall, ref.timeZone);
  return reading.kind === 'one' ? exactSpan(reading.at, reading.at + size, precision) : null;
}

function readDateTime(m: RegExpMatchArray, ref: Reference): Reading {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = m
    .slice(1, 7)
    .map((digits) => Number(digits ?? 0));
  const real = day >= 1 && day <= daysInMonth(year, month) && year > 0;
  if (!real || hour > 23 || minute > 59 || second > 59) return NOTHING;
  const fraction = Number((m[7] ?? '').slice(0, 3).padEnd(3, '0'));
  const time = ((hour * 60 + minute) * 60 + second) * 1000 + fraction;
  const zone = m[8]?.trim();
  const offset = zone === undefined ? null : /[ZU]/u.test(zone) ? 0 : parseOffset(zone);
  if (Number.isNaN(offset)) return NOTHING;
  return fixed(wallSpan(dayNumber(year, month, day) * DAY + time, offset, m[6] !== undefined, ref));
}

function readWeek(m: RegExpMatchArray): Reading {
  const year = Number(m[1]);
  const week = Number(m[2]);
  if (year === 0 || week < 1 || week > weeksInYear(year)) return NOTHING;
  const from = isoWeekStart(year, week);
  return fixed({
    unit: 'days',
    from,
    to: from + 7,
    precision: 'week',
    confidence: 1,
    isEnd: false,
  });
}

const inCentury = (year: number): boolean => year >= 1900 && year < 2100;

/** Dates in figures, the year first. With the year last nobody knows which of the others is the month. */
export const ISO_RULES: readonly Rule[] = [
  { pattern: new RegExp(BEFORE + DATE_TIME + AFTER, 'gu'), read: readDateTime },
  {
    pattern: new RegExp(String.raw`${BEFORE}(\d{4})([-/])(\d{1,2})\2(\d{1,2})${AFTER}`, 'gu'),
    read: (m) => fixed(dateSpan(Number(m[1]), Number(m[3]), Number(m[4]))),
  },
  { pattern: new RegExp(String.raw`${BEFORE}(\d{4})-W(\d\d)${AFTER}`, 'gu'), read: readWeek },
  {
    pattern: new RegExp(String.raw`${BEFORE}(\d{4})-(\d\d)${AFTER}`, 'gu'),
    read: (m) => (inCentury(Number(m[1])) ? fixed(monthSpan(Number(m[1]), Number(m[2]))) : NOTHING),
  },
];
