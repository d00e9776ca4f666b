import { supports } from '../belief/bounds.js';
import type { BeliefClaim, Properties } from '../belief/claim.js';
import type { GraphEngine } from './graph.js';
import { isWhollyOut } from './resident/claims.js';
import type { BeliefIndex } from './resident/index.js';
import type { ClaimRow, FactRow, RowQuery } from './rows.js';

/** Where reads get facts and their support from; every implementation gives the same answers. */
export interface Reader {
  rows(query: RowQuery): Promise<readonly FactRow[]> | readonly FactRow[];
  /**
   * The claims that support each fact, as known at a transaction, or, for a fact that was closed
   * before, as known when it was last believed.
   */
  support(
    facts: readonly FactRow[],
    known: number,
  ): Promise<(fact: FactRow) => readonly BeliefClaim[]> | ((fact: FactRow) => readonly BeliefClaim[]);
}

const lastBelieved = (fact: FactRow, known: number): number => Math.min(known, fact.knownTo - 1);

export const residentReader = (index: BeliefIndex): Reader => ({
  rows: (query) => index.rows(query),
  support: (_facts, known) => (fact) => index.supportOf(fact, lastBelieved(fact, known)),
});

/** Reads from the graph at rest, which is brought up to date before it answers. */
export const graphReader = (engine: () => Promise<GraphEngine>): Reader => ({
  rows: async (query) => (await engine()).rows(query),
  support: async (facts, known) => {
    const byFact = await (await engine()).supports(facts.map((f) => f.id));
    return (fact) => {
      const at = lastBelieved(fact, known);
      const seen = new Set<string>();
      return (byFact.get(fact.id) ?? []).flatMap((row) => {
        if (row.tx > at || seen.has(row.id)) return [];
        seen.add(row.id);
        const claim = claimAsOf(row, fact, at);
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

/** The claim as the fold read it then: the edge of the fact, and what was known against it. */
function claimAsOf(row: ClaimRow, fact: FactRow, known: number): BeliefClaim {
  return {
    id: row.id,
    polarity: row.polarity,
    object: fact.object,
    instance: row.instance,
    properties: row.properties === null ? null : propertiesOf(row.properties),
    validFrom: row.validFrom,
    validTo: row.validTo,
    unit: row.unit,
    observedAt: row.observedAt,
    authority: row.authority,
    out: row.outs.filter((o) => o.since <= known && known < o.until),
  };
}

function propertiesOf(json: string): Properties | null {
  const value: unknown = JSON.parse(json);
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : null;
}
