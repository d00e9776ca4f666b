import { FOLD_VERSION, type Entry, type Header, type Transaction } from '../model/entry.js';
import { toIso } from '../model/instant.js';

/** What a write wants to put into the journal. */
export interface Draft {
  readonly entries: readonly Entry[];
  readonly actor?: string | undefined;
  readonly reason?: string | undefined;
  readonly reverts?: number | undefined;
  readonly cursor?: { readonly source: string; readonly position: number } | undefined;
  /** Commit instant of a replay, epoch milliseconds; never before the last transaction's. */
  readonly at?: number | undefined;
  /** Say what would happen, and change nothing. */
  readonly dryRun?: boolean | undefined;
}

export interface Outcome<T> {
  readonly tx: number;
  readonly at: number;
  readonly committed: boolean;
  readonly value: T;
}

/** The transaction that a draft becomes after the last one, whose instant known time never goes behind. */
export function transactionOf(
  draft: Draft,
  last: { readonly tx: number; readonly at: number | null },
  now: number,
): Transaction {
  const at = Math.max(draft.at ?? now, last.at ?? Number.NEGATIVE_INFINITY);
  const header: Header = {
    tx: last.tx + 1,
    at: toIso(at),
    fold: FOLD_VERSION,
    ...(draft.actor === undefined ? {} : { actor: draft.actor }),
    ...(draft.reason === undefined ? {} : { reason: draft.reason }),
    ...(draft.reverts === undefined ? {} : { reverts: draft.reverts }),
    ...(draft.cursor === undefined ? {} : { cursor: draft.cursor }),
  };
  return { header, entries: draft.entries };
}
