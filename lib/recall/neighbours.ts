import { byRank, type Scored } from './top.js';

/** What a neighbour gets of the score of a matching event: an answer often stands beside the words asked for. */
export const NEIGHBOUR_SHARE = 0.3;

/**
 * Raises what stands beside a hit by a share of the hit's own score, and takes it in where it was no hit.
 * `neighboursOf` gives the events said just before and after, as far as the asker may see them.
 */
export function raiseNeighbours(
  hits: readonly Scored[],
  neighboursOf: (id: number) => readonly number[],
  share = NEIGHBOUR_SHARE,
): Scored[] {
  const raised = new Map(hits.map(({ id, score }) => [id, score]));
  for (const { id, score } of hits) {
    for (const neighbour of neighboursOf(id)) {
      raised.set(neighbour, (raised.get(neighbour) ?? 0) + share * score);
    }
  }
  return [...raised].map(([id, score]) => ({ id, score })).sort(byRank);
}
