import { entitiesIn } from '../../ingest/mentions.js';
import type { Place } from '../../memory/space.js';
import { entitiesMeant } from '../../memory/names.js';
import { isEntityId } from '../../model/ids.js';
import { KEY } from '../../store/resident/claims.js';
import type { BeliefIndex } from '../../store/resident/index.js';
import { NONE, type Tables } from '../../store/resident/tables.js';
import { rowOf, type Believed } from './believed.js';

/** Facts of one entity that are looked at, and that are taken, the newest first. */
const LOOKED_AT = 2_000;
const TAKEN = 200;
/** Neighbours whose facts are looked at, and facts of each. */
const NEIGHBOURS = 24;
const OF_NEIGHBOUR = 8;
/** What a fact of a neighbour counts, where one of a named entity counts 1. */
const FURTHER = 0.3;

export interface GraphFinding {
  /** Ids of the entities that the question names. */
  readonly entities: readonly string[];
  /** From 0 to 1, by row of the fact. */
  readonly scores: ReadonlyMap<number, number>;
  /** Facts of a named entity itself. */
  readonly direct: ReadonlySet<number>;
}

/**
 * Facts about the entities that a question names, and, for less, about what they are connected with as of
 * the asked point.
 */
export function graphLeg(
  index: BeliefIndex,
  place: Place,
  known: number,
  query: string,
  believed: Believed,
): GraphFinding {
  const { tables } = index;
  const named = entitiesIn(index, query, place.visible, known);
  const entities = named.flatMap((id) =>
    isEntityId(id) ? entitiesMeant(index, { id }, place.visible, known) : [],
  );
  const starts = [...new Set(entities)].map((id) => tables.texts.find(`e:${id}`));
  const share = starts.length === 0 ? 0 : 1 / starts.length;
  const scores = new Map<number, number>();
  const give = (row: number, score: number): void => {
    scores.set(row, Math.min(1, (scores.get(row) ?? 0) + score));
  };
  const neighbours = new Set<number>();
  for (const start of starts) {
    for (const row of factsAbout(tables, start, believed, LOOKED_AT, TAKEN)) {
      give(row, share);
      const other = otherEnd(tables, row, start);
      if (other !== null && neighbours.size < NEIGHBOURS) neighbours.add(other);
    }
  }
  const direct = new Set(scores.keys());
  for (const start of starts) neighbours.delete(start);
  for (const neighbour of neighbours) {
    const rows = factsAbout(tables, neighbour, believed, LOOKED_AT / 10, OF_NEIGHBOUR);
    for (const row of rows) if (!direct.has(row)) give(row, FURTHER * share);
  }
  return { entities: [...new Set(entities)], scores, direct };
}

function factsAbout(
  t: Tables,
  entity: number,
  believed: Believed,
  lookedAt: number,
  taken: number,
): ReadonlySet<number> {
  const out = new Set<number>();
  let looked = 0;
  const visit = (row: number): boolean => {
    looked += 1;
    for (const shown of believed.ofFact(row)) out.add(rowOf(shown));
    return out.size >= taken || looked >= lookedAt;
  };
  t.factsOfSubject.some(entity, visit);
  looked = 0;
  t.factsOfObject.some(entity, visit);
  return out;
}

function otherEnd(t: Tables, row: number, entity: number): number | null {
  const subject = t.keys.get(t.fact.key.get(row), KEY.subject);
  if (subject !== entity) return subject;
  const object = t.fact.object.get(row);
  return t.entityOfTerm.get(object) === NONE ? null : object;
}
