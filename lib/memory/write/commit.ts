import { check } from '../../model/check.js';
import { PalimpsestError } from '../../model/errors.js';
import { toIso } from '../../model/instant.js';
import { speechOf } from '../../belief/claim.js';
import { foldState, stretchesOf } from '../../belief/fold.js';
import { byPrecedence } from '../../belief/claim.js';
import { CLOSE_REASONS } from '../../belief/reasons.js';
import { supports } from '../../belief/bounds.js';
import { claimsOfKey } from '../../store/resident/claims.js';
import { copyFact, ResidentFact, successorsOf } from '../../store/resident/facts.js';
import { idCells, idText } from '../../store/resident/hex.js';
import type { BeliefIndex, Pending } from '../../store/resident/index.js';
import { CLAIM, NONE } from '../../store/resident/tables.js';
import type { FactRow } from '../../store/rows.js';
import { claimId, factId, Presenter } from '../present.js';
import type { Place, Space } from '../space.js';
import type { ClosedFact, Fact, NoEffect, WriteResult } from '../types.js';
import { Draft, type VerbOutcome } from './draft.js';
import { WriteOptionsSchema, type ReadWriteOptions } from './input.js';

/** One verb of a transaction, to be run when its turn in the write lane has come. */
export type Verb = (draft: Draft) => VerbOutcome;

/** What else the journal's header is to say. */
export interface HeaderExtras {
  readonly reverts?: number;
  readonly at?: number;
  readonly cursor?: { readonly source: string; readonly position: number };
}

/** Runs verbs as one transaction: all of them are in, or none. */
export async function commit(
  space: Space,
  place: Place,
  verbs: readonly Verb[],
  options: unknown,
  extras: HeaderExtras = {},
): Promise<WriteResult> {
  const { dryRun, ifTx, reason, actor } = check(WriteOptionsSchema, options ?? {}, 'options');
  let draft: Draft | null = null;
  const { tx, at, committed, value } = await space.store.write(
    (index) => {
      draft = new Draft(space, place, index, extras.at ?? space.store.clock());
      for (const verb of verbs) draft.outcomes.push(verb(draft));
      return { entries: draft.entries, reason, actor, dryRun, ...extras };
    },
    (pending, index) => {
      if (draft === null) throw new Error('A write was inspected before it was drafted.');
      if (pending !== null) ensureUnmoved(index, pending, ifTx);
      return inspect(draft, pending, index);
    },
  );
  return { tx, at: toIso(at), committed, ...value };
}

function ensureUnmoved(index: BeliefIndex, pending: Pending, ifTx: ReadWriteOptions['ifTx']): void {
  if (ifTx === undefined) return;
  for (const last of pending.touched.values()) {
    if (last <= ifTx) continue;
    throw new PalimpsestError('CONFLICT', `Belief has changed in transaction ${last}.`, {
      field: 'ifTx',
      hint: `Read again and decide anew; the latest transaction is ${index.lastTx}.`,
    });
  }
}

/** What a transaction opens and closes, while it is in the tables and not yet visible. */
function inspect(
  draft: Draft,
  pending: Pending | null,
  index: BeliefIndex,
): Omit<WriteResult, 'tx' | 'at' | 'committed'> {
  const claims = draft.outcomes.flatMap((o) => o.claims).map(claimId);
  if (pending === null) {
    return { claims, opened: [], closed: [], noEffect: foldedAway(draft) };
  }
  const { tables } = index;
  const { tx } = pending;
  const presenter = new Presenter(index, tx, pending.at);
  const rows = (list: readonly number[]): ResidentFact[] =>
    list
      .map((row) => new ResidentFact(tables, row))
      .filter((f) => f.polarity === 'assert' && draft.visible.includes(f.scope));
  const opened = rows(pending.opened).map((row) =>
    presenter.fact(row, { at: null, support: index.supportOf(row, tx) }),
  );
  const closed = rows(pending.closed).map((row): ClosedFact => {
    const reason = CLOSE_REASONS[tables.fact.reason.get(row.row) - 1] ?? 'revised';
    const shut: FactRow = { ...copyFact(row), knownTo: tx, reason };
    return {
      fact: presenter.fact(shut, { at: null, support: index.supportOf(row, tx - 1) }),
      reason,
      supersededBy: successorsOf(tables, row.row, tx).map((s) => ({
        fact: factId(s.from),
        kind: s.kind,
      })),
    };
  });
  // A denial of what nobody believed opens a row of its own, and changes no belief.
  const unchanged = opened.length + closed.length === 0;
  return {
    claims,
    opened,
    closed,
    noEffect: unchanged ? (foldedAway(draft) ?? explain(draft, index, tx)) : null,
  };
}

/** What was known of a lone verb before the fold. */
function foldedAway(draft: Draft): NoEffect | null {
  const told = draft.outcomes.find((o) => o.noEffect !== null)?.noEffect ?? null;
  if (told !== null) return told;
  return draft.entries.length === 0 ? { why: 'nothing-to-change' } : null;
}

/** Why accepted claims changed no belief. */
function explain(draft: Draft, index: BeliefIndex, tx: number): NoEffect {
  const { tables } = index;
  for (const id of draft.accepted) {
    const row = tables.claimIds.find(idCells(id));
    if (row === NONE) continue;
    const flags = tables.claim.flags.get(row);
    const key = tables.claim.key.get(row);
    if ((flags & CLAIM.startUnknown) !== 0 && (flags & CLAIM.endUnknown) !== 0)
      return { why: 'undated' };
    const claims = claimsOfKey(tables, key, tx);
    const own = claims.find((c) => c.row === row);
    const speech = own === undefined ? null : speechOf(own);
    if (own === undefined || speech === null) continue;
    for (const stretch of stretchesOf(foldState(claims))) {
      if (stretch.to <= speech.from || stretch.from >= speech.to) continue;
      if (supports(stretch, own) && stretch.polarity === 'assert') {
        const fact = openFact(index, key, stretch.from);
        if (fact !== null) return { why: 'confirms', fact: factId(fact.id) };
      }
      const winner = claims
        .filter((c) => c.row !== row && byPrecedence(c, own) > 0)
        .find((c) => c.id === stretch.claim.id);
      if (winner !== undefined) {
        return { why: 'shadowed', by: claimId(idText('c', tables.claimIds, winner.row)) };
      }
    }
  }
  return { why: 'nothing-to-change' };
}

function openFact(index: BeliefIndex, key: number, from: number): Fact | ResidentFact | null {
  let found: ResidentFact | null = null;
  index.tables.factsOfKey.each(key, (row) => {
    const fact = new ResidentFact(index.tables, row);
    if (fact.validFrom === from && fact.reason === null && fact.polarity === 'assert') found = fact;
  });
  return found;
}
