import { addMonths, civilDate, DAY, dayNumber, MINUTE, mondayOf } from './calendar.js';
import { firstAt, wallAt } from './zone.js';

/** How exactly an instant was told, coarse to fine. */
export const PRECISIONS = ['year', 'month', 'week', 'day', 'minute', 'millisecond'] as const;

export type Precision = (typeof PRECISIONS)[number];

/** An instant with the precision it was told in: `at` is where that unit starts. */
export interface TimePoint {
  /** Epoch milliseconds, UTC. */
  readonly at: number;
  readonly precision: Precision;
}

type CalendarUnit = Exclude<Precision, 'minute' | 'millisecond'>;

function firstDay(day: number, unit: CalendarUnit): number {
  switch (unit) {
    case 'year':
      return dayNumber(civilDate(day).year, 1, 1);
    case 'month':
      return day - civilDate(day).day + 1;
    case 'week':
      return mondayOf(day);
    case 'day':
      return day;
  }
}

function step(day: number, unit: CalendarUnit, count: number): number {
  switch (unit) {
    case 'year':
      return addMonths(day, count * 12);
    case 'month':
      return addMonths(day, count);
    case 'week':
      return day + count * 7;
    case 'day':
      return day + count;
  }
}

/**
 * The day to count units from, and the time of day to keep. A start of a unit counts from that unit's
 * first date at midnight, even where the clocks jumped over that midnight and show something later.
 */
function anchor(at: number, unit: CalendarUnit, timeZone: string): { day: number; time: number } {
  const wall = wallAt(at, timeZone);
  const day = Math.floor(wall / DAY);
  const first = firstDay(day, unit);
  return firstAt(first * DAY, timeZone) === at
    ? { day: first, time: 0 }
    : { day, time: wall - day * DAY };
}

/**
 * Where the unit that holds the instant starts, by the calendar of the time zone. Where clocks went back
 * over midnight, the old date is shown again after the new one has begun: it is still the old date.
 */
export function startOfUnit(at: number, precision: Precision, timeZone: string): number {
  if (precision === 'millisecond') return at;
  const wall = wallAt(at, timeZone);
  if (precision === 'minute') return at - (((wall % MINUTE) + MINUTE) % MINUTE);
  return firstAt(firstDay(Math.floor(wall / DAY), precision) * DAY, timeZone);
}

/**
 * The exclusive end, in epoch milliseconds, of the unit that starts at the point: one year, month, week
 * or day on by the calendar of the time zone, a minute or a millisecond on by the clock. The end of the
 * year 9999 is past the last instant that can be read.
 *
 * @example
 * const march = readInstant('2024-03', { timeZone: 'UTC', field: 'validFrom' });
 * toIso(precisionEnd(march, 'UTC')) // '2024-04-01T00:00:00.000Z'
 */
export function precisionEnd(point: TimePoint, timeZone: string): number {
  const { at, precision } = point;
  if (precision === 'millisecond') return at + 1;
  if (precision === 'minute') return at + MINUTE;
  const { day, time } = anchor(at, precision, timeZone);
  return firstAt(step(day, precision, 1) * DAY + time, timeZone);
}

/**
 * The start, in epoch milliseconds, of the one unit that ends (exclusive) at `end`.
 *
 * @example
 * // "until 2024-01" is sure of the month before
 * toIso(precisionStart(Date.UTC(2024, 0), 'month', 'UTC')) // '2023-12-01T00:00:00.000Z'
 */
export function precisionStart(end: number, precision: Precision, timeZone: string): number {
  if (precision === 'millisecond') return end - 1;
  if (precision === 'minute') return end - MINUTE;
  const { day, time } = anchor(end, precision, timeZone);
  const start = firstAt(step(day, precision, -1) * DAY + time, timeZone);
  // A date that the zone left out starts where the next one does: the day before it is the one meant.
  return start < end ? start : firstAt(step(day, precision, -2) * DAY + time, timeZone);
}
