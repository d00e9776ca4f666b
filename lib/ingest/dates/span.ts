import {
  addMonths,
  civilDate,
  DAY,
  dayNumber,
  daysInMonth,
  MINUTE,
  mondayOf,
} from '../../model/calendar.js';
import { type Precision, startOfUnit } from '../../model/precision.js';
import { wallAt } from '../../model/zone.js';

/** When and where the text was said. Nothing is ever read against the clock of the machine. */
export interface Reference {
  /** Epoch milliseconds, UTC. */
  readonly at: number;
  readonly timeZone: string;
  /** Day number of what the calendar on the speaker's wall shows. */
  readonly day: number;
  readonly year: number;
  readonly month: number;
}

export function referenceOf(at: number, timeZone: string): Reference {
  const day = Math.floor(wallAt(at, timeZone) / DAY);
  const { year, month } = civilDate(day);
  return { at, timeZone, day, year, month };
}

/** Half-open: day numbers of the calendar (`days`), or instants in epoch milliseconds (`exact`). */
export interface Span {
  readonly unit: 'days' | 'exact';
  readonly from: number;
  readonly to: number;
  readonly precision: Precision;
  readonly confidence: number;
  /** "the end of …": what lasts until then lasts to the very end. */
  readonly isEnd: boolean;
}

const days = (from: number, to: number, precision: Precision, confidence = 1): Span => ({
  unit: 'days',
  from,
  to,
  precision,
  confidence,
  isEnd: false,
});

export const yearSpan = (year: number): Span =>
  days(dayNumber(year, 1, 1), dayNumber(year + 1, 1, 1), 'year');

/** Months are counted on beyond December, so that winter needs no case. */
export function monthsSpan(year: number, month: number, count: number): Span {
  const from = addMonths(dayNumber(year, 1, 1), month - 1);
  return days(from, addMonths(from, count), 'month');
}

/** `null` for a month that does not exist. */
export const monthSpan = (year: number, month: number): Span | null =>
  month >= 1 && month <= 12 ? monthsSpan(year, month, 1) : null;

/** The month that lies so many months after the reference's. */
export const monthFrom = (ref: Reference, offset: number): Span =>
  monthsSpan(ref.year, ref.month + offset, 1);

export const quarterSpan = (year: number, quarter: number): Span =>
  monthsSpan(year, quarter * 3 - 2, 3);

export const halfSpan = (year: number, half: number): Span => monthsSpan(year, half * 6 - 5, 6);

/** The quarter that lies so many quarters after the reference's. */
export const quarterFrom = (ref: Reference, offset: number): Span =>
  monthsSpan(ref.year, Math.floor((ref.month - 1) / 3) * 3 + 1 + offset * 3, 3);

/** Monday to Sunday. */
export function weekFrom(ref: Reference, offset: number): Span {
  const from = mondayOf(ref.day) + offset * 7;
  return days(from, from + 7, 'week');
}

export const daySpan = (day: number): Span => days(day, day + 1, 'day');

/** `null` for a date that does not exist, such as 30 February. */
export const dateSpan = (year: number, month: number, day: number): Span | null =>
  day >= 1 && day <= daysInMonth(year, month) ? daySpan(dayNumber(year, month, day)) : null;

export const minuteSpan = (at: number, ref: Reference): Span => {
  const from = startOfUnit(at, 'minute', ref.timeZone);
  return exactSpan(from, from + MINUTE, 'minute');
};

export const exactSpan = (from: number, to: number, precision: Precision): Span => ({
  unit: 'exact',
  from,
  to,
  precision,
  confidence: 1,
  isEnd: false,
});

export type Season = 'spring' | 'summer' | 'autumn' | 'winter';

const FIRST_MONTH = { spring: 3, summer: 6, autumn: 9, winter: 12 } as const;

/**
 * Three whole months, as in the north; a winter is that of the December in which it starts. Less than
 * sure, because seasons start at other dates elsewhere.
 */
export const seasonSpan = (year: number, season: Season): Span =>
  doubt(monthsSpan(year, FIRST_MONTH[season], 3), 0.8);

export const doubt = (span: Span, by: number): Span => ({
  ...span,
  confidence: Math.round(span.confidence * by * 100) / 100,
});

export type Part = 'early' | 'mid' | 'late' | 'start' | 'end';

/**
 * A part of a stretch. Early, mid and late are thirds of it; the start and the end of something longer
 * than a month are its first and its last month. `null` where a third means nothing.
 */
export function partOf(span: Span, part: Part): Span | null {
  if (span.unit === 'exact' || span.precision === 'day') return null;
  const isEnd = part === 'end';
  if (span.precision === 'week') return { ...doubt(span, 0.8), isEnd };
  const { year, month } = civilDate(span.from);
  const last = civilDate(span.to);
  const count = last.year * 12 + last.month - (year * 12 + month);
  if (count === 1) {
    const from = part === 'early' || part === 'start' ? 0 : part === 'mid' ? 10 : 20;
    const to = part === 'early' || part === 'start' ? 10 : part === 'mid' ? 20 : Infinity;
    const inside = days(span.from + from, Math.min(span.from + to, span.to), 'day', 0.8);
    return { ...doubt(inside, span.confidence), isEnd };
  }
  const third = part === 'start' || isEnd ? 1 : Math.max(1, Math.floor(count / 3));
  const skipped = part === 'early' || part === 'start' ? 0 : part === 'mid' ? third : count - third;
  return { ...doubt(monthsSpan(year, month + skipped, third), span.confidence * 0.8), isEnd };
}
