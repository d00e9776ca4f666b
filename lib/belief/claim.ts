import { BEGIN, FOREVER, type Interval } from '../model/interval.js';

/** Property values of an edge; `null` clears what an earlier claim said. */
export type Properties = Readonly<Record<string, unknown>>;

/** The object of a denial that denies every object of the key. */
export const ANY_OBJECT = '*';

/**
 * What the fold reads of a claim. Objects are equality keys, so two claims speak of the same object
 * exactly when the strings are equal. Instants are epoch milliseconds.
 */
export interface BeliefClaim {
  readonly id: string;
  readonly polarity: 'assert' | 'deny';
  /** Equality key of the object, or `ANY_OBJECT` in a denial. */
  readonly object: string;
  readonly instance: string | null;
  readonly properties: Properties | null;
  /** `null`: the start is unknown. */
  readonly validFrom: number | null;
  readonly validTo: number | 'ongoing' | 'unknown';
  /**
   * Length in milliseconds of one unit of precision: after `validFrom` where the end is unknown,
   * before `validTo` where the start is. Calendar units differ in length, so it is set at acceptance.
   */
  readonly unit: number;
  readonly observedAt: number;
  readonly authority: number;
  /** Where the claim takes no part: withdrawn or corrected, within these intervals. */
  readonly out: readonly Interval[];
}

/** Where a claim speaks, and how sure it is. */
export interface Speech {
  /** Its start for every comparison of rules: `BEGIN` when unknown and not ongoing. */
  readonly from: number;
  /** Its end when bounded, else `FOREVER`. */
  readonly to: number;
  readonly definite: Interval;
  readonly presumed: Interval | null;
  /** A presumption before an end whose start is unknown: it holds only where nothing else does. */
  readonly timid: boolean;
}

/** The table of stretches: `null` when both ends are unknown, which is undated history. */
export function speechOf(c: BeliefClaim): Speech | null {
  const { validFrom: start, validTo: end, observedAt, unit } = c;
  if (typeof end === 'number') {
    if (start !== null) {
      return {
        from: start,
        to: end,
        definite: { from: start, to: end },
        presumed: null,
        timid: false,
      };
    }
    const sure = end - unit;
    return {
      from: BEGIN,
      to: end,
      definite: { from: sure, to: end },
      presumed: { from: BEGIN, to: sure },
      timid: true,
    };
  }
  if (end === 'unknown' && start === null) return null;
  const from = start ?? observedAt;
  const sure = end === 'ongoing' ? Math.max(from, observedAt) + 1 : from + unit;
  return {
    from,
    to: FOREVER,
    definite: { from, to: sure },
    presumed: { from: sure, to: FOREVER },
    timid: false,
  };
}

export const takesPart = (c: BeliefClaim, at: number): boolean => {
  for (const w of c.out) if (at >= w.from && at < w.to) return false;
  return true;
};

/** Ascending precedence: authority, then when it was said, then the id. Arrival plays no part. */
export function byPrecedence(a: BeliefClaim, b: BeliefClaim): number {
  return (
    a.authority - b.authority ||
    a.observedAt - b.observedAt ||
    (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
  );
}
