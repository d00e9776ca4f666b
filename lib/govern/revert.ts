import { z } from 'zod';
import { check } from '../model/check.js';
import { PalimpsestError } from '../model/errors.js';
import type { Entry, EntryOf, Transaction } from '../model/entry.js';
import { BEGIN, FOREVER } from '../model/interval.js';
import { scopeKey } from '../model/scope.js';
import { NONE, PREFIX } from '../store/resident/tables.js';
import type { Draft, VerbOutcome } from '../memory/write/draft.js';
import { outsOf } from '../store/resident/claims.js';
import { canonicalAt, termOfEntity } from '../store/resident/entities.js';

const TxSchema = z
  .number({ error: 'is no number of a transaction' })
  .int({ error: 'is no number of a transaction' })
  .positive({ error: 'is no number of a transaction: they begin at 1' });

/** @throws PalimpsestError `INVALID_INPUT` for what is no number of a transaction. */
const readTx = (input: unknown): number => check(TxSchema, input, 'tx');

/**
 * Undoes a transaction in a new one, entry by entry: claims withdrawn, retractions reinstated,
 * merges split, approvals taken back. Declared entities stay; they say nothing by themselves.
 *
 * @throws PalimpsestError `INVALID_INPUT`; `NOT_FOUND`; `NOT_REVERTIBLE` for an erasure, and for a transaction that
 * touches scopes which cannot be seen from here.
 */
export function draftRevert(draft: Draft, input: unknown): VerbOutcome {
  const { index } = draft;
  const tx = readTx(input);
  if (tx > index.lastTx) {
    throw new PalimpsestError('NOT_FOUND', `There is no transaction ${tx}.`, { field: 'tx' });
  }
  const transaction = draft.space.store.transaction(tx);
  for (const entry of transaction.entries) {
    if (entry.op === 'settings') {
      throw new PalimpsestError(
        'NOT_REVERTIBLE',
        `Transaction ${tx} set what holds for all scopes.`,
        {
          field: 'tx',
          hint: 'Open the memory with the settings that are wanted.',
        },
      );
    }
    if (!isVisible(draft, entry)) {
      throw new PalimpsestError('NOT_REVERTIBLE', `Transaction ${tx} reaches beyond this scope.`, {
        field: 'tx',
        hint: 'Revert it through memory.admin({ org }).',
      });
    }
  }
  for (const entry of [...transaction.entries].reverse()) {
    draft.entries.push(...inverse(draft, entry, transaction));
  }
  return { claims: [], noEffect: null };
}

function inverse(draft: Draft, entry: Entry, transaction: Transaction): readonly Entry[] {
  const { tx } = transaction.header;
  const { side } = draft.index.tables;
  switch (entry.op) {
    case 'claim':
      return isOut(draft, entry.claim.id)
        ? []
        : [{ op: 'withdraw', claim: entry.claim.id, cause: 'revert' }];
    case 'withdraw':
      return [
        { ...windowOf(entry), op: 'reinstate', claim: entry.claim, withdrawnIn: tx },
        ...(entry.source === undefined ? [] : standingAgain(draft, entry.claim, tx)),
      ];
    case 'reinstate':
      return withdrawnAgain(draft, entry, tx);
    case 'merge':
      return [{ ...entry, op: 'split' }];
    case 'split':
      return mergedAgain(draft, entry, tx);
    case 'alias':
      return [{ ...entry, op: 'unalias' }];
    case 'unalias':
      return [{ ...entry, op: 'alias' }];
    case 'hold':
      return side.held.has(entry.claim.id) ? [{ op: 'reject', claim: entry.claim.id }] : [];
    case 'reject':
      return side.rejected.has(entry.claim) ? [{ op: 'unsettle', claim: entry.claim }] : [];
    case 'unsettle':
      return side.held.has(entry.claim) ? [{ op: 'reject', claim: entry.claim }] : [];
    case 'approve': {
      const row = draft.index.claimRow(entry.claim);
      if (row === NONE) return [];
      const claim = draft.space.store.claim(row);
      return [
        { op: 'withdraw', claim: entry.claim, cause: 'revert' },
        { op: 'hold', claim, why: `Its approval in transaction ${tx} was taken back.` },
      ];
    }
    case 'settings':
    case 'entity':
      return [];
    case 'erased':
      throw new PalimpsestError(
        'NOT_REVERTIBLE',
        `Transaction ${tx} erased what is gone for good.`,
        {
          field: 'tx',
        },
      );
  }
}

/** The withdrawals which the transaction had ended, each with its own bounds. */
function withdrawnAgain(
  draft: Draft,
  { claim, withdrawnIn }: EntryOf<'reinstate'>,
  tx: number,
): readonly Entry[] {
  return outsOf(draft.index.tables, draft.index.claimRow(claim))
    .filter((o) => o.cause !== 'corrected' && o.until === tx)
    .filter((o) => withdrawnIn === undefined || o.since === withdrawnIn)
    .map((o) =>
      o.source === undefined
        ? {
            op: 'withdraw',
            claim,
            cause: 'revert',
            ...(o.from === BEGIN ? {} : { from: o.from }),
            ...(o.to === FOREVER ? {} : { to: o.to }),
          }
        : { op: 'withdraw', claim, cause: 'forget', source: o.source },
    );
}

/**
 * A claim that had lost its last source, and now has one of them again: it stands, and what it lost last
 * stays lost.
 */
function standingAgain(draft: Draft, claim: string, tx: number): readonly Entry[] {
  const outs = outsOf(draft.index.tables, draft.index.claimRow(claim)).filter(
    (o) => o.until > draft.index.lastTx && o.cause === 'forget' && o.since !== tx,
  );
  const lastLost = outs.filter((o) => o.source !== undefined);
  return outs
    .filter((o) => o.source === undefined && lastLost.some((lost) => lost.since === o.since))
    .flatMap(({ since }): Entry[] => [
      { op: 'reinstate', claim, withdrawnIn: since },
      ...lastLost
        .filter((lost) => lost.since === since)
        .map(({ source }): Entry => ({ op: 'withdraw', claim, cause: 'forget', source })),
    ]);
}

/** @throws PalimpsestError `CONFLICT` when the entity has been merged into another one since. */
function mergedAgain(draft: Draft, entry: EntryOf<'split'>, tx: number): readonly Entry[] {
  const { tables, lastTx } = draft.index;
  const [from, into] = [entry.from, entry.into].map((id) => termOfEntity(tables, id));
  if (from === undefined || into === undefined) return [];
  const stands = canonicalAt(tables, from, lastTx);
  if (stands === canonicalAt(tables, into, lastTx)) return [];
  if (stands === from) return [{ op: 'merge', from: entry.from, into: entry.into }];
  throw new PalimpsestError(
    'CONFLICT',
    `What transaction ${tx} split stands under another entity now.`,
    {
      field: 'tx',
      hint: 'Split it from that one first.',
    },
  );
}

const windowOf = (entry: {
  from?: number | undefined;
  to?: number | undefined;
}): { from?: number; to?: number } => ({
  ...(entry.from === undefined ? {} : { from: entry.from }),
  ...(entry.to === undefined ? {} : { to: entry.to }),
});

const isOut = (draft: Draft, id: string): boolean => {
  const { side } = draft.index.tables;
  const outs = side.outs.get(draft.index.claimRow(id)) ?? [];
  return outs.some(
    (o) => o.cause === 'revert' && o.source === undefined && o.until > draft.index.lastTx,
  );
};

function isVisible(draft: Draft, entry: Entry): boolean {
  const { tables } = draft.index;
  const seesKey = (key: string): boolean => draft.visible.includes(key);
  const seesClaim = (id: string): boolean => {
    const held = tables.side.held.get(id) ?? tables.side.rejected.get(id);
    if (held !== undefined) return seesKey(scopeKey(held.claim.scope));
    const row = draft.index.claimRow(id);
    if (row === NONE) return false;
    return seesKey(tables.texts.text(tables.claim.scope.get(row)).slice(PREFIX.scope.length));
  };
  const seesEntity = (id: string): boolean => {
    const row = tables.entityOfTerm.get(termOfEntity(tables, id));
    if (row === NONE) return false;
    return seesKey(tables.texts.text(tables.entity.scope.get(row)).slice(PREFIX.scope.length));
  };
  switch (entry.op) {
    case 'claim':
    case 'hold':
      return seesKey(scopeKey(entry.claim.scope));
    case 'entity':
      return seesKey(scopeKey(entry.scope));
    case 'alias':
    case 'unalias':
      return seesEntity(entry.entity);
    case 'merge':
    case 'split':
      return seesEntity(entry.from) && seesEntity(entry.into);
    case 'approve':
    case 'reject':
    case 'unsettle':
    case 'withdraw':
    case 'reinstate':
      return seesClaim(entry.claim);
    case 'settings':
      return false;
    case 'erased':
      return true;
  }
}
