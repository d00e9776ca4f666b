import type { ClaimRow, CloseReason, EntityRow, SupersessionRow, TxChanges } from '../rows.js';
import { openedFact, type StoredFact } from './records.js';

export interface Closing {
  readonly id: string;
  readonly knownTo: number;
  /** Commit instant of the closing transaction. */
  readonly knownToAt: number;
  readonly reason: CloseReason;
}

/** The net of several transactions: a row that was added and changed within it is added once, as it ends. */
export interface Batch {
  readonly lastTx: number;
  readonly entities: ReadonlyMap<string, EntityRow>;
  readonly claims: ReadonlyMap<string, ClaimRow>;
  readonly reconsidered: ReadonlyMap<string, ClaimRow>;
  readonly opened: ReadonlyMap<string, StoredFact>;
  readonly closed: ReadonlyMap<string, Closing>;
  readonly supersedes: readonly SupersessionRow[];
  readonly supports: readonly { readonly fact: string; readonly claim: string }[];
}

export const rowCount = (c: TxChanges): number =>
  c.entities.length +
  c.claims.length +
  c.reconsidered.length +
  c.opened.length +
  c.closed.length +
  c.supersedes.length +
  c.supports.length;

/** Whole transactions, in groups of about `size` rows. */
export function* batches(changes: Iterable<TxChanges>, size: number): Generator<Batch> {
  let group: TxChanges[] = [];
  let rows = 0;
  for (const change of changes) {
    group.push(change);
    rows += rowCount(change);
    if (rows < size) continue;
    yield netOf(group);
    group = [];
    rows = 0;
  }
  if (group.length > 0) yield netOf(group);
}

export function netOf(changes: readonly TxChanges[]): Batch {
  const entities = new Map<string, EntityRow>();
  const claims = new Map<string, ClaimRow>();
  const reconsidered = new Map<string, ClaimRow>();
  const opened = new Map<string, StoredFact>();
  const closed = new Map<string, Closing>();
  const supersedes: SupersessionRow[] = [];
  const supports: { readonly fact: string; readonly claim: string }[] = [];
  for (const change of changes) {
    for (const e of change.entities) entities.set(e.id, e);
    for (const c of change.claims) claims.set(c.id, c);
    for (const c of change.reconsidered) (claims.has(c.id) ? claims : reconsidered).set(c.id, c);
    for (const f of change.opened) opened.set(f.id, openedFact(f, change.at));
    for (const { id, knownTo, reason } of change.closed) {
      const own = opened.get(id);
      if (own === undefined) closed.set(id, { id, knownTo, knownToAt: change.at, reason });
      else opened.set(id, { ...own, fact: { ...own.fact, knownTo, reason }, knownToAt: change.at });
    }
    supersedes.push(...change.supersedes);
    supports.push(...change.supports);
  }
  return {
    lastTx: changes.at(-1)?.tx ?? 0,
    entities,
    claims,
    reconsidered,
    opened,
    closed,
    supersedes,
    supports,
  };
}
