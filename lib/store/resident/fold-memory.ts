import { Bounds, instantsOf } from '../../belief/bounds.js';
import { stretchesIn } from '../../belief/fold.js';
import { changeBetween, foldIn, longFold, type LongFold } from '../../belief/long-fold.js';
import type { Stretch } from '../../belief/stretch.js';
import type { Interval } from '../../model/interval.js';
import type { ResidentClaim } from './claims.js';
import type { NextRow } from './next-row.js';

/** Keys with fewer claims are folded from scratch: that is faster than remembering. */
export const WORTH_REMEMBERING = 48;
/** So many claims are remembered in all keys together; about half a kilobyte each. */
const REMEMBERED = 100_000;

/** An open fact with the stretch that it stands for. */
export interface Standing {
  readonly stretch: Stretch;
  readonly next: NextRow;
  readonly row: number;
}

/** What is believed of a key with many claims, ready to take another one. */
export interface LongKey {
  readonly fold: LongFold<ResidentClaim>;
  readonly bounds: Bounds;
  /** By their start. */
  readonly standing: readonly Standing[];
}

/** Folds of keys with many claims, so that the next claim does not fold them all again. */
export class FoldMemory {
  readonly #keys = new Map<number, LongKey>();
  #claims = 0;

  get(key: number): LongKey | undefined {
    return this.#keys.get(key);
  }

  set(key: number, value: LongKey): void {
    this.forget(key);
    this.#keys.set(key, value);
    this.#claims += value.fold.claims.length;
    for (const oldest of this.#keys.keys()) {
      if (this.#claims <= REMEMBERED || oldest === key) break;
      this.forget(oldest);
    }
  }

  forget(key: number): void {
    this.#claims -= this.#keys.get(key)?.fold.claims.length ?? 0;
    this.#keys.delete(key);
  }
}

/** What a claim changes of a key: some open facts, and what is to stand in their place. */
export interface Revision {
  readonly fold: LongFold<ResidentClaim>;
  readonly old: readonly Standing[];
  readonly next: readonly { readonly stretch: Stretch; readonly row: NextRow }[];
}

export const firstFold = (
  claims: readonly ResidentClaim[],
): { fold: LongFold<ResidentClaim>; bounds: Bounds } => {
  const bounds = new Bounds();
  for (const claim of claims) bounds.note(claim);
  return { fold: longFold(claims), bounds };
};

/**
 * Adds claims to a key. What lies outside the valid time that they change is left alone, but for facts
 * whose bounds they make better known.
 */
export function revise(
  key: LongKey,
  added: readonly ResidentClaim[],
  rowOf: (stretch: Stretch, bounds: Bounds) => NextRow,
): Revision {
  const { bounds, standing } = key;
  const fold = foldIn(key.fold, added);
  const named = new Set<number>();
  for (const claim of added) {
    bounds.note(claim);
    for (const at of instantsOf(claim)) named.add(at);
  }
  const change = changeBetween(key.fold.state, fold.state);
  const first = change === null ? standing.length : firstNotBefore(standing, change.from);
  const until = change?.to ?? Number.NEGATIVE_INFINITY;
  let end = first;
  while (end < standing.length && standing[end]!.next.from <= until) end++;
  const stretches =
    change === null ? [] : stretchesWithin(fold, span(change, standing, first, end));
  const touched = standing.filter(
    ({ next }, i) => (i < first || i >= end) && (named.has(next.from) || named.has(next.to)),
  );
  const untouched = (s: Standing): { stretch: Stretch; row: NextRow } => ({
    stretch: s.stretch,
    row: rowOf(s.stretch, bounds),
  });
  const middle = stretches.map((stretch) => ({ stretch, row: rowOf(stretch, bounds) }));
  const isBefore = (s: Standing): boolean => change === null || s.next.from < change.from;
  return {
    fold,
    old: [
      ...touched.filter(isBefore),
      ...standing.slice(first, end),
      ...touched.filter((s) => !isBefore(s)),
    ],
    next: [
      ...touched.filter(isBefore).map(untouched),
      ...middle,
      ...touched.filter((s) => !isBefore(s)).map(untouched),
    ],
  };
}

/** Index of the first fact which ends at an instant or after it: one that touches it may grow. */
function firstNotBefore(standing: readonly Standing[], at: number): number {
  let low = 0;
  let high = standing.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (standing[middle]!.next.to < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The change with the facts that it touches. */
function span(
  change: Interval,
  standing: readonly Standing[],
  first: number,
  end: number,
): Interval {
  if (first === end) return change;
  return {
    from: Math.min(change.from, standing[first]!.next.from),
    to: Math.max(change.to, standing[end - 1]!.next.to),
  };
}

function stretchesWithin(fold: LongFold<ResidentClaim>, within: Interval): Stretch[] {
  const { pieces } = fold.state;
  let low = 0;
  let high = pieces.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (pieces[middle]!.from < within.from) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (end < pieces.length && pieces[end]!.to <= within.to) end++;
  return stretchesIn(pieces.slice(low, end));
}
