import type { Scored } from './top.js';

export interface Diversity {
  /** Terms of a hit, repeats allowed. */
  readonly termsOf: (id: number) => readonly string[];
  readonly limit: number;
  /** How much likeness to what is chosen already costs: 0 keeps the order, 1 takes the whole score of a copy. */
  readonly strength: number;
}

/**
 * Chooses hits one by one, each time the best after a fine for saying what a chosen one says. Likeness is
 * the share of the smaller hit's terms that the other has, squared, so that a common subject is cheap and
 * a repetition dear.
 */
export function diversify<H extends Scored>(hits: readonly H[], options: Diversity): H[] {
  const { termsOf, limit, strength } = options;
  if (strength === 0) return hits.slice(0, limit);
  const left = hits.map((hit) => ({ hit, terms: new Set(termsOf(hit.id)), likeness: 0 }));
  const chosen: H[] = [];
  while (chosen.length < limit && left.length > 0) {
    let best = 0;
    for (let i = 1; i < left.length; i++) {
      if (worth(left[i]!, strength) > worth(left[best]!, strength)) best = i;
    }
    const [taken] = left.splice(best, 1);
    if (taken === undefined) break;
    chosen.push(taken.hit);
    for (const other of left) {
      other.likeness = Math.max(other.likeness, likeness(taken.terms, other.terms));
    }
  }
  return chosen;
}

interface Candidate {
  readonly hit: Scored;
  readonly likeness: number;
}

const worth = ({ hit, likeness: like }: Candidate, strength: number): number =>
  hit.score * (1 - strength * like ** 2);

/** The share of the terms of the smaller set which the other has; 0 when one is empty. */
export function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  if (small.size === 0) return 0;
  let shared = 0;
  for (const term of small) if (large.has(term)) shared++;
  return shared / small.size;
}
