import { supports } from '../belief/bounds.js';
import type { BeliefClaim, Properties } from '../belief/claim.js';
import type { GraphProjection } from './graph-projection.js';
import { isWhollyOut } from './resident/claims.js';
import type { BeliefIndex } from './resident/index.js';
import { settingsAt } from './resident/settings.js';
import type { ClaimRow, FactRow, RowQuery } from './rows.js';

/** Where reads get facts and their support from; every implementation gives the same answers. */
export interface Reader {
  rows(query: RowQuery): Promise<readonly FactRow[]> | readonly FactRow[];
  /**
   * Of the facts about one subject those that start last: at least `count`, and all that start together
   * with the last of them. `null` when they stand in several scopes, which may hide one another.
   */
  newest(
    query: RowQuery,
    count: number,
  ): Promise<readonly FactRow[] | null> | readonly FactRow[] | null;
  /**
   * The claims that support each fact, as known at a transaction, or, for a fact that was closed
   * before, as known when it was last believed.
   */
  support(
    facts: readonly FactRow[],
    known: number,
  ):
    | Promise<(fact: FactRow) => readonly BeliefClaim[]>
    | ((fact: FactRow) => readonly BeliefClaim[]);
}

const lastBelieved = (fact: FactRow, known: number): number => Math.min(known, fact.knownTo - 1);

export const residentReader = (index: BeliefIndex): Reader => ({
  rows: (query) => index.rows(query),
  newest: (query, count) => index.newest(query, count),
  support: (_facts, known) => (fact) => index.supportOf(fact, lastBelieved(fact, known)),
});

/** Reads from the graph at rest, which is brought up to date before it answers. `index` lends order and settings. */
export const graphReader = (graph: GraphProjection, index: BeliefIndex): Reader => ({
  rows: async (query) => inOrder(index, query, await graph.ask((engine) => engine.rows(query))),
  newest: (query, count) =>
    query.scopes.length === 1 ? graph.ask((engine) => engine.rows(query, count)) : null,
  support: async (facts, known) => {
    const byFact = await graph.ask((engine) => engine.supportsOf(facts));
    return (fact) => {
      const at = lastBelieved(fact, known);
      const seen = new Set<string>();
      return (byFact.get(fact.id) ?? []).flatMap((row) => {
        if (row.tx > at || seen.has(row.id)) return [];
        seen.add(row.id);
        const claim = claimAsOf(index, row, fact, at);
        const stretch = {
          from: fact.validFrom,
          to: fact.validTo,
          object: fact.object,
          instance: fact.instance,
        };
        return isWhollyOut(claim.out) || !supports(stretch, claim) ? [] : [claim];
      });
    };
  },
});

/** The order in which the index gives the rows, so that whatever follows the order goes the same way. */
function inOrder(
  index: BeliefIndex,
  query: RowQuery,
  rows: readonly FactRow[],
): readonly FactRow[] {
  const { subjects, objects, predicates } = query;
  const starts = subjects ?? objects ?? predicates ?? [];
  const ranks = new Map([...new Set(starts)].map((start, rank) => [start, rank]));
  const startOf = (row: FactRow): string =>
    subjects !== undefined ? row.subject : objects !== undefined ? row.object : row.predicate;
  const isByKey = subjects === undefined && objects === undefined && predicates !== undefined;
  const places = rows.map((row) => {
    const place = index.factById(row.id)?.row ?? 0;
    const key = isByKey ? index.tables.fact.key.get(place) : 0;
    return { row, rank: ranks.get(startOf(row)) ?? 0, key, place };
  });
  // The newest first, but for a look at all there is.
  const sign = starts.length === 0 ? -1 : 1;
  places.sort((a, b) => a.rank - b.rank || b.key - a.key || sign * (b.place - a.place));
  return places.map(({ row }) => row);
}

/** The claim as the fold read it then: the edge of the fact, and what was known against it. */
function claimAsOf(index: BeliefIndex, row: ClaimRow, fact: FactRow, known: number): BeliefClaim {
  const { predicates } = settingsAt(index.tables, known);
  const isEvent = predicates.get(row.predicate)?.kind === 'event';
  return {
    id: row.id,
    polarity: row.polarity,
    object: fact.object,
    instance: row.instance,
    properties: row.properties === null ? null : propertiesOf(row.properties),
    validFrom: row.validFrom,
    validTo: isEvent ? endOfEvent(row) : row.validTo,
    unit: row.unit,
    observedAt: row.observedAt,
    authority: row.authority,
    out: row.outs.filter((o) => o.since <= known && known < o.until && o.from < o.to),
  };
}

/** An event that names no end has one all the same. */
const endOfEvent = ({ validFrom, validTo, unit, polarity }: ClaimRow): ClaimRow['validTo'] =>
  typeof validTo === 'number' || validFrom === null || polarity === 'deny'
    ? validTo
    : validFrom + unit;

function propertiesOf(json: string): Properties | null {
  const value: unknown = JSON.parse(json);
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value))
    : null;
}
