import type { BeliefClaim } from '../../lib/belief/claim.js';
import type { ClaimRecord, JournalTransaction } from '../../lib/index.js';
import { ALWAYS, type Interval } from '../../lib/model/interval.js';
import { naiveFold } from '../belief/naive.js';

/**
 * What a journal means, worked out the slow way from its entries and the naive fold: it shares no code
 * with the store. For a journal of one scope, with `is` of one value and `met` an event.
 */

interface Accepted {
  readonly record: ClaimRecord;
  readonly withdrawals: (Interval & { readonly tx: number })[];
}

interface State {
  readonly claims: Map<string, Accepted>;
  /** From → into, of merges that stand. */
  readonly merges: Map<string, string>;
}

export interface ModelFact {
  readonly key: string;
  readonly from: number;
  readonly to: number;
  readonly object: string;
  readonly instance: string | null;
  readonly properties: unknown;
}

const windowOf = (e: {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}): Interval => ({
  from: e.from ?? ALWAYS.from,
  to: e.to ?? ALWAYS.to,
});

const same = (a: Interval, b: Interval): boolean => a.from === b.from && a.to === b.to;

function read(journal: readonly JournalTransaction[]): State {
  const claims = new Map<string, Accepted>();
  const merges = new Map<string, string>();
  const of = (id: string): Accepted => {
    const found = claims.get(id);
    if (found === undefined) throw new Error(`The journal speaks of ${id} before it is told.`);
    return found;
  };
  for (const { tx, entries } of journal) {
    for (const entry of entries) {
      if (entry.op === 'claim')
        claims.set(entry.claim.id, { record: entry.claim, withdrawals: [] });
      else if (entry.op === 'withdraw')
        of(entry.claim).withdrawals.push({ ...windowOf(entry), tx });
      else if (entry.op === 'reinstate') reinstate(of(entry.claim).withdrawals, entry);
      else if (entry.op === 'merge') merges.set(entry.from, entry.into);
      else if (entry.op === 'split') merges.delete(entry.from);
    }
  }
  return { claims, merges };
}

interface Reinstatement {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly withdrawnIn?: number | undefined;
}

function reinstate(withdrawals: Accepted['withdrawals'], entry: Reinstatement): void {
  const { withdrawnIn } = entry;
  const every = entry.from === undefined && entry.to === undefined;
  for (let i = withdrawals.length - 1; i >= 0; i--) {
    const withdrawal = withdrawals[i]!;
    if (withdrawnIn !== undefined && withdrawal.tx !== withdrawnIn) continue;
    if (every || same(withdrawal, windowOf(entry))) withdrawals.splice(i, 1);
  }
}

/** Where each claim is out. A corrector was accepted after its targets, so the newest is settled first. */
function outs({ claims }: State): ReadonlyMap<string, readonly Interval[]> {
  const out = new Map<string, Interval[]>();
  for (const [id, { withdrawals }] of claims) out.set(id, [...withdrawals]);
  for (const [id, { record }] of [...claims].toReversed()) {
    if (out.get(id)!.some((o) => same(o, ALWAYS))) continue;
    for (const target of record.targets ?? []) {
      const { authority } = claims.get(target.claim)!.record;
      if (record.authority >= authority) out.get(target.claim)!.push(windowOf(target));
    }
  }
  return out;
}

function beliefClaim(record: ClaimRecord, object: string, out: readonly Interval[]): BeliefClaim {
  const { validFrom, validTo, polarity } = record;
  const from = validFrom === 'unknown' ? null : Date.parse(validFrom[0]);
  const to = typeof validTo === 'string' ? validTo : Date.parse(validTo[0]);
  const isHappening = record.predicate === 'met' && polarity === 'assert' && from !== null;
  return {
    id: record.id,
    polarity,
    object,
    instance: record.instance ?? null,
    properties: record.properties ?? null,
    validFrom: from,
    validTo: isHappening && typeof to === 'string' ? from + record.unit : to,
    unit: record.unit,
    observedAt: Date.parse(record.observedAt),
    authority: record.authority,
    out,
  };
}

/** Every fact that the journal makes believed at its end. */
export function factsOf(journal: readonly JournalTransaction[]): ModelFact[] {
  const state = read(journal);
  const out = outs(state);
  const root = (id: string): string => {
    const into = state.merges.get(id);
    return into === undefined ? id : root(into);
  };
  const told = [...state.claims].map(([id, { record }]) => {
    const { object } = record;
    const named =
      'any' in object
        ? '*'
        : JSON.stringify('entity' in object ? { entity: root(object.entity) } : object);
    return {
      record,
      claim: beliefClaim(record, named, out.get(id) ?? []),
      group: JSON.stringify([root(record.subject), record.predicate]),
    };
  });
  const keys = new Map<string, BeliefClaim[]>();
  for (const { record, claim, group } of told) {
    if (record.predicate !== 'is' && (claim.object === '*' || claim.polarity === 'deny')) continue;
    const start = record.predicate === 'met' && claim.instance === null ? claim.validFrom : null;
    const key =
      record.predicate === 'is'
        ? group
        : JSON.stringify([group, claim.object, claim.instance, start]);
    const list = keys.get(key);
    if (list !== undefined) {
      list.push(claim);
      continue;
    }
    keys.set(key, [claim]);
    if (record.predicate === 'is') continue;
    for (const other of told) {
      if (other.claim.polarity !== 'deny' || other.group !== group) continue;
      const { object, instance } = other.claim;
      if (object !== '*' && object !== claim.object) continue;
      if (instance === null || instance === claim.instance) keys.get(key)!.push(other.claim);
    }
  }
  return [...keys].flatMap(([key, claims]) =>
    naiveFold(claims).flatMap((s): ModelFact[] =>
      s.polarity === 'deny'
        ? []
        : [
            {
              key,
              from: s.from,
              to: s.to,
              object: s.object,
              instance: s.instance,
              properties: s.properties ?? {},
            },
          ],
    ),
  );
}
