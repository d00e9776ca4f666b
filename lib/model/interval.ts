/** Before everything: an unknown start. Fits 64-bit columns and `Date` alike. */
export const BEGIN = -8_640_000_000_000_000;
/** After everything: an open end. */
export const FOREVER = 8_640_000_000_000_000;

/** Half-open `[from, to)` in epoch milliseconds, UTC; `BEGIN` and `FOREVER` are its open ends. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

export const ALWAYS: Interval = { from: BEGIN, to: FOREVER };

export const contains = (i: Interval, at: number): boolean => i.from <= at && at < i.to;

export const overlaps = (a: Interval, b: Interval): boolean => a.from < b.to && b.from < a.to;

export function intersect(a: Interval, b: Interval): Interval | null {
  const from = Math.max(a.from, b.from);
  const to = Math.min(a.to, b.to);
  return from < to ? { from, to } : null;
}
