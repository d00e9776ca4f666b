import { byRank, type Scored } from './top.js';

/** One way of searching and what it found. */
export interface Leg {
  readonly name: string;
  /** Its share in the fused score; shares need not add up to one. */
  readonly weight: number;
  readonly hits: readonly Scored[];
  /** The score that counts as 0 where it is not the worst hit's: of a list that was not cut. */
  readonly least?: number;
}

/**
 * `min-max` sets the best hit of a leg to 1 and its worst to 0. `rank` counts places only: with a weak leg
 * beside a good one it does worse.
 */
export type FusionMethod = 'min-max' | 'rank';

export interface FusedHit extends Scored {
  /** What each leg gave, before its weight: 0 to 1. Legs that did not find it are missing. */
  readonly legs: Readonly<Record<string, number>>;
}

/** How slowly a hit counts less with its rank. */
const RANK_DAMPING = 60;

/**
 * One list out of several, best first, and of equal hits the one with the larger number.
 *
 * @example
 * fuse([
 *   { name: 'text', weight: 0.5, hits: [{ id: 1, score: 9 }, { id: 2, score: 3 }] },
 *   { name: 'vector', weight: 0.5, hits: [{ id: 2, score: 0.8 }] },
 * ]) // [{ id: 2, score: 0.5, … }, { id: 1, score: 0.5, … }]
 */
export function fuse(legs: readonly Leg[], method: FusionMethod = 'min-max'): FusedHit[] {
  const found = new Map<number, { score: number; legs: Record<string, number> }>();
  for (const { name, weight, hits, least } of legs) {
    const shares = method === 'rank' ? byPlace(hits) : normalised(hits, least);
    for (const { id, score } of shares) {
      const hit = found.get(id) ?? { score: 0, legs: {} };
      hit.score += weight * score;
      hit.legs[name] = score;
      found.set(id, hit);
    }
  }
  return [...found].map(([id, hit]) => ({ id, ...hit })).sort(byRank);
}

/** Scores from 0, the worst or `least`, to 1, the best; hits that are all alike get 1. */
export function normalised(hits: readonly Scored[], least = Infinity): Scored[] {
  let low = least;
  let high = -Infinity;
  for (const { score } of hits) {
    low = Math.min(low, score);
    high = Math.max(high, score);
  }
  const range = high - low;
  return hits.map(({ id, score }) => ({ id, score: range === 0 ? 1 : (score - low) / range }));
}

function byPlace(hits: readonly Scored[]): Scored[] {
  return hits
    .toSorted(byRank)
    .map(({ id }, place) => ({ id, score: (RANK_DAMPING + 1) / (RANK_DAMPING + 1 + place) }));
}
