import { supports } from '../../belief/bounds.js';
import { PREFIX, CLAIM, NONE, type Tables } from './tables.js';
import type { ClaimRecord } from '../../model/entry.js';
import { PRECISIONS } from '../../model/precision.js';
import { STILL, type ClaimRow, type EntityRow, type OutRow, type TxChanges } from '../rows.js';
import { claimsOfKey, keyAt, outsOf, type ResidentClaim } from './claims.js';
import { entityIdOf, entityRow } from './entities.js';
import { closedIn, copyFact, openedIn, ResidentFact, successorsOf } from './facts.js';
import { idText } from './hex.js';

/** Reads the cold part of a claim from the journal. */
export type ColdReader = (claim: number) => ClaimRecord;

/** What each transaction in `(after, lastTx]` did, in order; what is committed meanwhile is left to the next call. */
export function* changesAfter(t: Tables, after: number, cold: ColdReader): Iterable<TxChanges> {
  const last = t.lastTx;
  const reconsidered = reconsideredByTx(t, after);
  const moved = movedByTx(t, after);
  for (let tx = after + 1; tx <= last; tx++) {
    yield changesOf(
      t,
      tx,
      { reconsidered: reconsidered.get(tx) ?? [], moved: moved.get(tx) ?? [] },
      cold,
    );
  }
}

/** Claims that came into another key, and may support what is open there. */
function movedByTx(t: Tables, after: number): ReadonlyMap<number, readonly number[]> {
  const out = new Map<number, number[]>();
  for (const [claim, places] of t.side.places) {
    for (const { until: tx } of places) {
      if (tx <= after || tx > t.lastTx) continue;
      const list = out.get(tx);
      if (list === undefined) out.set(tx, [claim]);
      else list.push(claim);
    }
  }
  return out;
}

function reconsideredByTx(t: Tables, after: number): ReadonlyMap<number, readonly number[]> {
  const out = new Map<number, number[]>();
  for (const [claim, outs] of t.side.outs) {
    for (const tx of new Set(outs.flatMap((o) => [o.since, o.until]))) {
      if (tx <= after || tx > t.lastTx || tx === t.claim.tx.get(claim)) continue;
      const list = out.get(tx);
      if (list === undefined) out.set(tx, [claim]);
      else list.push(claim);
    }
  }
  return out;
}

function changesOf(
  t: Tables,
  tx: number,
  {
    reconsidered,
    moved,
  }: { readonly reconsidered: readonly number[]; readonly moved: readonly number[] },
  cold: ColdReader,
): TxChanges {
  const claims = range(tx > 1 ? t.tx.claims.get(tx - 2) : 0, t.tx.claims.get(tx - 1));
  const opened = range(...openedIn(t, tx));
  const closed = range(...closedIn(t, tx)).map((i) => t.closures.get(i));
  return {
    tx,
    at: t.tx.at.get(tx - 1),
    entities: entitiesOf(t, tx),
    claims: claims.map((row) => claimRowOf(t, row, cold)),
    reconsidered: reconsidered.map((row) => claimRowOf(t, row, cold)),
    opened: opened.map((row) => copyFact(new ResidentFact(t, row))),
    closed: closed.flatMap((row) => {
      const { id, knownTo, reason } = new ResidentFact(t, row);
      return reason === null ? [] : [{ id, knownTo, reason }];
    }),
    supersedes: closed.flatMap((row) => successorsOf(t, row)),
    supports: supportsOf(t, tx, opened, [...claims, ...reconsidered, ...moved]),
  };
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);

function entitiesOf(t: Tables, tx: number): EntityRow[] {
  const first = tx > 1 ? t.tx.entities.get(tx - 2) : 0;
  return range(first, t.tx.entities.get(tx - 1)).map((row) => entityRow(t, row));
}

/** New support: all of it for new facts, and that of changed claims for facts which stayed open. */
function supportsOf(
  t: Tables,
  tx: number,
  opened: readonly number[],
  changed: readonly number[],
): { fact: string; claim: string }[] {
  const out = new Map<string, { fact: string; claim: string }>();
  const note = (fact: ResidentFact, claims: readonly ResidentClaim[]): void => {
    const stretch = {
      from: fact.validFrom,
      to: fact.validTo,
      object: String(fact.objectTerm),
      instance: fact.instanceTerm === NONE ? null : String(fact.instanceTerm),
    };
    for (const claim of claims) {
      if (!supports(stretch, claim)) continue;
      const pair = { fact: fact.id, claim: claim.id };
      out.set(`${pair.fact} ${pair.claim}`, pair);
    }
  };
  for (const row of opened) {
    const fact = new ResidentFact(t, row);
    note(fact, claimsOfKey(t, fact.keyRow, tx));
  }
  const added = new Set(changed);
  for (const key of new Set(changed.map((row) => keyAt(t, row, tx)))) {
    const claims = claimsOfKey(t, key, tx).filter((c) => added.has(c.row));
    if (claims.length === 0) continue;
    t.factsOfKey.each(key, (row) => {
      if (t.fact.knownFrom.get(row) < tx && t.fact.knownTo.get(row) > tx) {
        note(new ResidentFact(t, row), claims);
      }
    });
  }
  return [...out.values()];
}

/** A claim with its evidence, and with what is known against it now. */
export function claimRowOf(t: Tables, row: number, cold: ColdReader): ClaimRow {
  const { claim, texts } = t;
  const record = cold(row);
  const flags = claim.flags.get(row);
  const instance = claim.instance.get(row);
  const properties = claim.properties.get(row);
  return {
    id: idText('c', t.claimIds, row),
    scope: texts.text(claim.scope.get(row)).slice(PREFIX.scope.length),
    subject: entityIdOf(t, claim.subject.get(row)),
    predicate: texts.text(claim.predicate.get(row)).slice(PREFIX.predicate.length),
    polarity: (flags & CLAIM.deny) === 0 ? 'assert' : 'deny',
    object: texts.text(claim.object.get(row)),
    shown: texts.text(claim.shown.get(row)),
    instance: instance === NONE ? null : texts.text(instance).slice(PREFIX.instance.length),
    properties: properties === NONE ? null : texts.text(properties).slice(PREFIX.properties.length),
    validFrom: (flags & CLAIM.startUnknown) === 0 ? claim.from.get(row) : null,
    validTo:
      (flags & CLAIM.ongoing) !== 0
        ? 'ongoing'
        : (flags & CLAIM.endUnknown) !== 0
          ? 'unknown'
          : claim.to.get(row),
    unit: claim.unit.get(row),
    fromPrecision: PRECISIONS[claim.fromPrecision.get(row)] ?? 'millisecond',
    toPrecision: PRECISIONS[claim.toPrecision.get(row)] ?? 'millisecond',
    observedAt: claim.observed.get(row),
    authority: claim.authority.get(row),
    origin: record.origin,
    confidence: record.confidence ?? null,
    statement: record.statement ?? null,
    evidence: (record.evidence ?? []).map((e) => ({
      session: e.session,
      seq: e.seq,
      role: e.role,
      quote: e.quote ?? null,
      at: e.at === undefined ? null : Date.parse(e.at),
    })),
    tx: claim.tx.get(row),
    outs: outsOf(t, row)
      .filter((o) => o.since <= t.lastTx)
      .map((o): OutRow => ({
        from: o.from,
        to: o.to,
        since: o.since,
        until: o.until > t.lastTx ? STILL : o.until,
        cause: o.cause,
        by: o.by === null ? null : idText('c', t.claimIds, o.by),
      })),
  };
}
