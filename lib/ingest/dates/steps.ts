import { addMonths, civilDate, DAY, MINUTE, mondayOf } from '../../model/calendar.js';
import {
  daySpan,
  doubt,
  minuteSpan,
  monthFrom,
  quarterFrom,
  type Reference,
  type Span,
  weekFrom,
  yearSpan,
} from './span.js';

export type StepUnit = 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';

/** The unit that lies so many units after the reference's own; negative counts lie before. */
export function unitFrom(unit: StepUnit, count: number, ref: Reference): Span {
  switch (unit) {
    case 'minute':
      return minuteSpan(ref.at + count * MINUTE, ref);
    case 'hour':
      // Told to the hour, which is no precision of ours; hours are counted by the clock, not by the wall.
      return doubt(minuteSpan(ref.at + (count * DAY) / 24, ref), 0.8);
    case 'day':
      return daySpan(ref.day + count);
    case 'week':
      return weekFrom(ref, count);
    case 'month':
      return monthFrom(ref, count);
    case 'quarter':
      return quarterFrom(ref, count);
    case 'year':
      return yearSpan(ref.year + count);
  }
}

export type Which = 'last' | 'this' | 'next';

const STEP = { last: -1, this: 0, next: 1 } as const;

export const namedUnit = (which: Which, unit: StepUnit, ref: Reference): Span =>
  unitFrom(unit, STEP[which], ref);

/**
 * "last June" is the latest that is over, "next June" the first that has not begun, "this June" the
 * one of the year that the reference is in.
 */
export function namedSeason(
  which: Which,
  make: (year: number) => Span,
  ref: Reference,
): Span | null {
  if (which === 'this') return make(ref.year);
  const spans = Array.from({ length: 5 }, (_, i) => make(ref.year - 2 + i));
  const found =
    which === 'last'
      ? spans.findLast((span) => span.to <= ref.day)
      : spans.find((span) => span.from > ref.day);
  return found === undefined ? null : doubt(found, 0.8);
}

/**
 * "last Tuesday" is the latest before today. "next Friday" is read only where the first Friday to come
 * is also the one of next week: before that, people mean either.
 */
export function namedWeekday(which: Which, weekday: number, ref: Reference): Span | null {
  const monday = mondayOf(ref.day);
  const ofThisWeek = monday + weekday;
  if (which === 'this') return daySpan(ofThisWeek);
  if (which === 'last')
    return doubt(daySpan(ofThisWeek < ref.day ? ofThisWeek : ofThisWeek - 7), 0.8);
  return ofThisWeek > ref.day ? null : doubt(daySpan(ofThisWeek + 7), 0.9);
}

/** The month half a year away. */
export const halfYearFrom = (sign: 1 | -1, ref: Reference): Span => {
  const { year, month } = civilDate(addMonths(ref.day, sign * 6));
  return doubt(monthFrom({ ...ref, year, month }, 0), 0.8);
};
