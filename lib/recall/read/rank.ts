import { fuse, type FusedHit, type FusionMethod, type Leg } from '../fuse.js';
import type { LegName, LegScores } from '../types.js';
import type { Scored } from '../top.js';
import type { Finding } from './candidates.js';

export type Weights = Readonly<Record<LegName, number>>;

/** Words and meaning count the same; being connected with what is named counts half of that. */
export const DEFAULT_WEIGHTS: Weights = { lexical: 0.5, vector: 0.5, graph: 0.25 };

/** What the best text of a large collection has to match of a question for the answer to be more than noise. */
const FLOOR = 0.15;
const LARGE = 1_000;

/** In a small collection every word is rare, and one in common says more. */
export const defaultFloor = (documents: number): number =>
  FLOOR * Math.min(1, Math.log(Math.max(1, documents)) / Math.log(LARGE));

/** What the other texts have to match, as a share of what the best one has to. */
export const FLOOR_OF_OTHERS = 1 / 3;

export interface Ranked {
  readonly kind: 'fact' | 'event';
  /** Row of the fact, or number of the document. */
  readonly id: number;
  readonly score: number;
  readonly scores: LegScores;
  readonly strength: number;
}

export interface KindFound {
  readonly lexical: Finding;
  readonly vector: readonly Scored[];
  readonly graph: readonly Scored[];
  /** How much of the question the words of a hit match; 0 where another leg found it. */
  readonly strength: (id: number) => number;
}

export interface Ranking {
  readonly weights: Weights;
  readonly fusion: FusionMethod;
}

/**
 * Facts and events in one list. Each kind is normalised by itself, since their scores are of different
 * collections, and the kind whose best text matches less of the question is held back by as much.
 */
export function rank(facts: KindFound, events: KindFound, ranking: Ranking): Ranked[] {
  const best = ({ lexical, strength }: KindFound): number =>
    lexical.hits.reduce((most, { id }) => Math.max(most, strength(id)), 0);
  const strongest = Math.max(best(facts), best(events));
  const share = (found: KindFound): number =>
    ranking.fusion === 'rank' || strongest === 0 ? 1 : best(found) / strongest;
  const inUse = (leg: 'vector' | 'graph'): boolean =>
    facts[leg].length > 0 || events[leg].length > 0;
  const { weights } = ranking;
  const total =
    weights.lexical + (inUse('vector') ? weights.vector : 0) + (inUse('graph') ? weights.graph : 0);
  const all = [
    ...ranked('fact', facts, { ...ranking, share: share(facts), total }),
    ...ranked('event', events, { ...ranking, share: share(events), total }),
  ];
  return all.sort(byScore);
}

function ranked(
  kind: Ranked['kind'],
  { lexical, vector, graph, strength }: KindFound,
  { weights, fusion, share, total }: Ranking & { readonly share: number; readonly total: number },
): Ranked[] {
  const legs: Leg[] = [
    {
      name: 'lexical',
      weight: weights.lexical * share,
      hits: lexical.hits,
      ...(lexical.least === null ? {} : { least: lexical.least }),
    },
    { name: 'vector', weight: weights.vector, hits: vector },
    // What is named is named: the least connected counts as well.
    { name: 'graph', weight: weights.graph, hits: graph, least: 0 },
  ];
  return fuse(legs, fusion).map((hit) => ({
    kind,
    id: hit.id,
    score: total === 0 ? 0 : rounded(hit.score / total),
    scores: scoresOf(hit),
    strength: rounded(strength(hit.id)),
  }));
}

const scoresOf = ({ legs }: FusedHit): LegScores => ({
  lexical: roundedOrNull(legs['lexical']),
  vector: roundedOrNull(legs['vector']),
  graph: roundedOrNull(legs['graph']),
});

/** So that no digit hangs on the order in which numbers were added. */
const rounded = (score: number): number => Math.round(score * 1e9) / 1e9;
const roundedOrNull = (score: number | undefined): number | null =>
  score === undefined ? null : rounded(score);

/** Beliefs before evidence, and of equals the newer. */
function byScore(a: Ranked, b: Ranked): number {
  if (a.score !== b.score) return b.score - a.score;
  if (a.kind !== b.kind) return a.kind === 'fact' ? -1 : 1;
  return b.id - a.id;
}
