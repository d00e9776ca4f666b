import { isDate } from 'node:util/types';
import { z } from 'zod';
import {
  civilDate,
  DAY,
  dayNumber,
  daysInMonth,
  isoWeek,
  isoWeekStart,
  MINUTE,
  weeksInYear,
} from './calendar.js';
import { PalimpsestError } from './errors.js';
import { type Precision, PRECISIONS, startOfUnit, type TimePoint } from './precision.js';
import { firstAt, formatOffset, isUtc, offsetAt, parseOffset, readWall, wallAt } from './zone.js';

export {
  type Precision,
  PRECISIONS,
  precisionEnd,
  precisionStart,
  type TimePoint,
} from './precision.js';
export { checkTimeZone } from './zone.js';

/** The first and the last instant that can be told: years 0001 to 9999, UTC. */
export const FIRST_INSTANT = -62_135_596_800_000;
export const LAST_INSTANT = 253_402_300_799_999;

const PlainInstantSchema = z.union([z.date(), z.number(), z.string()]);

/** The shape of an instant in a call; `readInstant` checks what it says. */
export const InstantInputSchema = z.union([
  PlainInstantSchema,
  z.strictObject({ at: PlainInstantSchema, precision: z.enum(PRECISIONS) }),
]);

/**
 * An instant as callers write it: a `Date`, epoch milliseconds, or a string, which is ISO 8601 with an
 * offset or `Z`, a local date-time, or a plain date, month, ISO week or year. With `{ at, precision }`
 * the caller names the precision, and the unit that holds `at` is meant.
 */
export type InstantInput = z.infer<typeof InstantInputSchema>;

export interface InstantReading {
  /** IANA zone in which dates and times without an offset are read. */
  readonly timeZone: string;
  /** Path of the field, for errors. */
  readonly field: string;
}

const ACCEPTED =
  'Write ISO 8601 with an offset or Z (2024-03-05T10:00Z), a date, month, ISO week or year ' +
  '(2024-03-05, 2024-03, 2024-W10, 2024), a Date, epoch milliseconds, or { at, precision }.';
const RANGE = 'Instants reach from year 0001 to 9999, UTC.';

function show(input: unknown): string {
  if (typeof input === 'string') {
    // JSON escapes what a terminal or a log should not see raw.
    return JSON.stringify(input.length > 40 ? `${input.slice(0, 40)}…` : input);
  }
  if (typeof input === 'number') return String(input);
  if (isDate(input))
    return Number.isNaN(input.getTime()) ? 'an invalid Date' : toIso(input.getTime());
  return input === null ? 'null' : Array.isArray(input) ? 'an array' : typeof input;
}

function refuse(field: string, input: unknown, reason: string, hint = ACCEPTED): never {
  throw new PalimpsestError('INVALID_INSTANT', `${field} ${reason}: ${show(input)}.`, {
    field,
    hint,
  });
}

/**
 * Reads an instant from outside. The only door: everything behind it counts in epoch milliseconds.
 *
 * Dates, months, weeks (from Monday) and years start at the first instant of their first date in
 * `timeZone`. A `Date`, a number and a time with seconds are exact to the millisecond; digits of a
 * fraction beyond that are cut off.
 *
 * @throws PalimpsestError `INVALID_INSTANT`, naming the field, for anything that is no instant from year
 * 0001 to 9999, and for a local time that the zone's clocks left out (gap) or showed twice (fold).
 * `INVALID_INPUT` for an unknown `timeZone`.
 * @example
 * readInstant('2024-03', { timeZone: 'Asia/Shanghai', field: 'validFrom' })
 * // { at: Date.UTC(2024, 1, 29, 16), precision: 'month' }
 */
export function readInstant(input: unknown, reading: InstantReading): TimePoint {
  if (typeof input !== 'object' || input === null || isDate(input))
    return readPlain(input, reading);
  const { timeZone, field } = reading;
  if (!('at' in input) || !('precision' in input) || Object.keys(input).length !== 2) {
    return refuse(field, input, 'is not an instant');
  }
  const precision = PRECISIONS.find((known) => known === input.precision);
  if (precision === undefined) {
    const hint = `Use one of ${PRECISIONS.join(', ')}.`;
    return refuse(`${field}.precision`, input.precision, 'is not a precision', hint);
  }
  const { at } = readPlain(input.at, { timeZone, field: `${field}.at` });
  return inRange(startOfUnit(at, precision, timeZone), precision, input.at, `${field}.at`);
}

function readPlain(input: unknown, reading: InstantReading): TimePoint {
  const { field } = reading;
  if (typeof input === 'string') return readText(input, reading);
  const at = isDate(input) ? input.getTime() : input;
  if (typeof at !== 'number' || Number.isNaN(at)) return refuse(field, input, 'is not an instant');
  if (!Number.isInteger(at)) {
    return refuse(field, input, 'is not a whole number of epoch milliseconds');
  }
  // Adding zero turns -0 into 0.
  return inRange(at + 0, 'millisecond', input, field);
}

function inRange(at: number, precision: Precision, input: unknown, field: string): TimePoint {
  if (at >= FIRST_INSTANT && at <= LAST_INSTANT) return { at, precision };
  return refuse(field, input, 'is out of range', RANGE);
}

const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(Z|[+-]\d\d(?:\d\d|:\d\d(?::\d\d)?)?)?$/;
const CALENDAR_DATE = /^(\d{4})(?:-(?:W(\d\d)|(\d\d)(?:-(\d\d))?))?$/;

function readText(text: string, reading: InstantReading): TimePoint {
  const time = DATE_TIME.exec(text);
  if (time !== null) return readDateTime(text, time, reading);
  const date = CALENDAR_DATE.exec(text);
  if (date !== null) return readCalendarDate(text, date, reading);
  return refuse(reading.field, text, 'is not an instant');
}

function readDateTime(text: string, parts: RegExpExecArray, reading: InstantReading): TimePoint {
  const { timeZone, field } = reading;
  const day = readDay(text, Number(parts[1]), Number(parts[2]), Number(parts[3]), field);
  const hour = Number(parts[4]);
  const minute = Number(parts[5]);
  const second = Number(parts[6] ?? 0);
  if (hour > 23 || minute > 59 || second > 59) {
    return refuse(
      field,
      text,
      'is a time that does not exist',
      'Times run from 00:00:00 to 23:59:59.',
    );
  }
  const fraction = parts[7] === undefined ? 0 : Number(parts[7].slice(0, 3).padEnd(3, '0'));
  const wall = day * DAY + ((hour * 60 + minute) * 60 + second) * 1000 + fraction;
  const precision = parts[6] === undefined ? 'minute' : 'millisecond';
  const offset = parts[8];
  if (offset === undefined) {
    return inRange(readLocal(text, wall, timeZone, field), precision, text, field);
  }
  const ahead = offset === 'Z' ? 0 : parseOffset(offset);
  if (Number.isNaN(ahead)) {
    return refuse(field, text, 'has an offset that does not exist', 'Offsets look like +08:00.');
  }
  return inRange(wall - ahead, precision, text, field);
}

function readLocal(text: string, wall: number, timeZone: string, field: string): number {
  const found = readWall(wall, timeZone);
  if (found.kind === 'one') return found.at;
  if (found.kind === 'gap') {
    const reason = `falls in a gap, where the clocks of ${timeZone} jumped ahead`;
    return refuse(field, text, reason, 'Write a time that the clocks showed, or an offset.');
  }
  const choices = [found.at, found.later].map((at) => formatOffset(offsetAt(at, timeZone)));
  const reason = `falls in a fold, which the clocks of ${timeZone} showed twice`;
  return refuse(field, text, reason, `An offset is needed: ${choices.join(' or ')}.`);
}

function readCalendarDate(
  text: string,
  parts: RegExpExecArray,
  reading: InstantReading,
): TimePoint {
  const { timeZone, field } = reading;
  const [, y, w, m, d] = parts;
  const year = Number(y);
  if (w !== undefined) {
    const week = Number(w);
    if (year === 0) return refuse(field, text, 'is out of range', RANGE);
    if (week < 1 || week > weeksInYear(year)) {
      return refuse(
        field,
        text,
        'is a week that does not exist',
        `${y} has ${weeksInYear(year)} weeks.`,
      );
    }
    return inRange(firstAt(isoWeekStart(year, week) * DAY, timeZone), 'week', text, field);
  }
  const day = readDay(text, year, Number(m ?? 1), Number(d ?? 1), field);
  const at = firstAt(day * DAY, timeZone);
  if (d === undefined) return inRange(at, m === undefined ? 'year' : 'month', text, field);
  if (Math.floor(wallAt(at, timeZone) / DAY) !== day) {
    const reason = `falls in a gap, a date that ${timeZone} left out`;
    return refuse(field, text, reason, 'Write the date before or after.');
  }
  return inRange(at, 'day', text, field);
}

function readDay(text: string, year: number, month: number, day: number, field: string): number {
  if (year === 0) return refuse(field, text, 'is out of range', RANGE);
  if (day < 1 || day > daysInMonth(year, month)) {
    return refuse(field, text, 'is a date that does not exist', 'Check the month and the day.');
  }
  return dayNumber(year, month, day);
}

/** ISO 8601 in UTC with milliseconds, `2024-03-05T10:00:00.000Z`. Not for the open ends of an interval. */
export function toIso(at: number): string {
  const day = Math.floor(at / DAY);
  let date = dates.get(day);
  if (date === undefined) {
    date = new Date(at).toISOString().slice(0, -'00:00:00.000Z'.length);
    if (dates.size >= DATES) dates.clear();
    dates.set(day, date);
  }
  const time = at - day * DAY;
  const second = Math.floor(time / 1000);
  const minute = Math.floor(second / 60);
  const clock = `${two(Math.floor(minute / 60))}:${two(minute % 60)}:${two(second % 60)}`;
  return `${date}${clock}.${digits(time % 1000, 3)}Z`;
}

/** Writing out the date takes most of the time, and answers name the same days again and again. */
const DATES = 4096;
const dates = new Map<number, string>();

const TWO = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'));
const two = (n: number): string => TWO[n] ?? '';

/**
 * The point as a person reads it, in `timeZone`, and never more exact than it was told: `2023`,
 * `2023-05`, `2023-W10`, `2023-05-01`, `2023-05-01 10:30Z`, `2023-05-01T10:30:00.000+08:00`. Reading
 * the text in the same zone gives the point back.
 *
 * @throws PalimpsestError `INVALID_INPUT` for an unknown `timeZone`.
 * @example
 * formatInstant({ at: Date.UTC(2023, 0), precision: 'year' }, 'UTC') // '2023'
 */
export function formatInstant(point: TimePoint, timeZone: string): string {
  const { at, precision } = point;
  if (precision === 'minute' || precision === 'millisecond') {
    const zone = clockFor(point, timeZone);
    const offset = offsetAt(at, zone);
    const text = toIso(at + offset).slice(0, -1) + (isUtc(zone) ? 'Z' : formatOffset(offset));
    return precision === 'minute'
      ? `${text.slice(0, 10)} ${text.slice(11, 16)}${text.slice(23)}`
      : text;
  }
  const day = Math.floor(wallAt(at, timeZone) / DAY);
  if (precision === 'week') {
    const { year, week } = isoWeek(day);
    return `${digits(year, 4)}-W${digits(week, 2)}`;
  }
  const { year, month, day: date } = civilDate(day);
  if (precision === 'year') return digits(year, 4);
  if (precision === 'month') return `${digits(year, 4)}-${digits(month, 2)}`;
  return `${digits(year, 4)}-${digits(month, 2)}-${digits(date, 2)}`;
}

/**
 * UTC where the zone's clocks cannot say it: seconds off the minute before standard time, or a local
 * year 0 or 10000 at the ends of the range.
 */
function clockFor({ at, precision }: TimePoint, timeZone: string): string {
  const wall = wallAt(at, timeZone);
  if (wall < FIRST_INSTANT || wall > LAST_INSTANT) return 'UTC';
  return precision === 'minute' && wall % MINUTE !== 0 ? 'UTC' : timeZone;
}

function digits(value: number, width: number): string {
  return String(value).padStart(width, '0');
}
