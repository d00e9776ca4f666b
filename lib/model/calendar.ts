/**
 * The proleptic Gregorian calendar as plain arithmetic on day numbers (1970-01-01 is 0). It knows no
 * time zone. `Date` is left out on purpose: it moves years below 100 into the twentieth century.
 */
export interface CivilDate {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
}

export interface IsoWeek {
  /** The year that the week belongs to, which at its edges is not the year of its Monday. */
  readonly year: number;
  readonly week: number;
}

/** Length of a day without a time change, in milliseconds. */
export const DAY = 86_400_000;
export const MINUTE = 60_000;

const MONTH_LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

/** 0 for a month that does not exist. */
export const daysInMonth = (year: number, month: number): number =>
  month === 2 && isLeap(year) ? 29 : (MONTH_LENGTHS[month - 1] ?? 0);

/** Counts years from 1 March, so that the leap day is the last of its year and needs no case. */
export function dayNumber(year: number, month: number, day: number): number {
  const y = month > 2 ? year : year - 1;
  const century = Math.floor(y / 100);
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  return y * 365 + Math.floor(y / 4) - century + Math.floor(century / 4) + dayOfYear - 719_468;
}

export function civilDate(number: number): CivilDate {
  const days = number + 719_468;
  const era = Math.floor(days / 146_097);
  const inEra = days - era * 146_097;
  const yearOfEra = Math.floor(
    (inEra - Math.floor(inEra / 1460) + Math.floor(inEra / 36_524) - Math.floor(inEra / 146_096)) /
      365,
  );
  const dayOfYear =
    inEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  return {
    year: yearOfEra + era * 400 + (month > 2 ? 0 : 1),
    month,
    day: dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1,
  };
}

/** The Monday on or before the day. */
export const mondayOf = (number: number): number => number - ((((number + 3) % 7) + 7) % 7);

/** The week is of the year that its Thursday is in. */
export function isoWeek(number: number): IsoWeek {
  const thursday = mondayOf(number) + 3;
  const { year } = civilDate(thursday);
  return { year, week: Math.floor((thursday - dayNumber(year, 1, 1)) / 7) + 1 };
}

/** 52 or 53. 28 December is always in the last week. */
export const weeksInYear = (year: number): number => isoWeek(dayNumber(year, 12, 28)).week;

/** The Monday on which the week starts. 4 January is always in the first week. */
export const isoWeekStart = (year: number, week: number): number =>
  mondayOf(dayNumber(year, 1, 4)) + (week - 1) * 7;

/** The same day so many months on, or the last day of that month where it has no such day. */
export function addMonths(number: number, months: number): number {
  const { year, month, day } = civilDate(number);
  const count = year * 12 + (month - 1) + months;
  const toYear = Math.floor(count / 12);
  const toMonth = count - toYear * 12 + 1;
  return dayNumber(toYear, toMonth, Math.min(day, daysInMonth(toYear, toMonth)));
}
