import type { RowQuery } from '../rows.js';
import { isEntity, KEY } from './claims.js';
import { wantedBy } from './find.js';
import { NONE, PREFIX, type Tables } from './tables.js';

export type Direction = 'out' | 'in' | 'both';

/** An entity that a walk has come to, as numbers of the tables. */
export interface Reached {
  readonly entity: number;
  readonly from: number;
  /** The fact by which it was reached first. */
  readonly fact: number;
  readonly hops: number;
}

export interface Reach {
  readonly reached: readonly Reached[];
  readonly cut: boolean;
}

/**
 * Entities within some edges of others, the nearest first. `null` where several of the scopes hold
 * something: then one may hide what another says, and an entity may stand in several.
 */
export function walk(
  t: Tables,
  start: readonly string[],
  edges: Omit<RowQuery, 'subjects' | 'objects' | 'polarity'>,
  direction: Direction,
  hops: number,
  limit: number,
): Reach | null {
  const scopes = edges.scopes.filter((scope) => t.texts.findWith(PREFIX.scope, scope) !== NONE);
  if (scopes.length > 1) return null;
  const wanted = wantedBy(t, { ...edges, scopes, polarity: 'assert' });
  const reached: Reached[] = [];
  if (wanted === null) return { reached, cut: false };
  const { accepts } = wanted;
  let frontier = start.map((id) => t.texts.find(`e:${id}`));
  const seen = new Set(frontier);
  let cut = false;
  for (let hop = 1; hop <= hops && frontier.length > 0; hop++) {
    const next: number[] = [];
    const arrive = (entity: number, from: number, fact: number): boolean => {
      if (seen.has(entity)) return false;
      cut = reached.length >= limit;
      if (cut) return true;
      seen.add(entity);
      next.push(entity);
      reached.push({ entity, from, fact, hops: hop });
      return false;
    };
    if (direction !== 'in') {
      for (const from of frontier) {
        t.factsOfSubject.some(from, (fact) => {
          if (!accepts(fact)) return false;
          const object = t.fact.object.get(fact);
          return isEntity(t, object) && arrive(object, from, fact);
        });
        if (cut) break;
      }
    }
    if (direction !== 'out' && !cut) {
      for (const from of frontier) {
        t.factsOfObject.some(
          from,
          (fact) =>
            accepts(fact) && arrive(t.keys.get(t.fact.key.get(fact), KEY.subject), from, fact),
        );
        if (cut) break;
      }
    }
    if (cut) break;
    frontier = next;
  }
  return { reached, cut };
}
