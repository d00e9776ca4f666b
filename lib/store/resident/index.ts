import { PalimpsestError } from '../../model/errors.js';
import type { Entry, Transaction } from '../../model/entry.js';
import type { Locator } from '../../journal/port.js';
import type { Line } from '../record.js';
import type { FactRow, RowQuery } from '../rows.js';
import { Acceptance } from './accept.js';
import { claimsBehind, type ResidentClaim } from './claims.js';
import { ResidentFact } from './facts.js';
import { findFacts } from './find.js';
import { idCells } from './hex.js';
import { NewestFirst } from './newest.js';
import { settle, type Settled } from './settle.js';
import { FoldMemory } from './fold-memory.js';
import { NONE, Tables } from './tables.js';
import { Undo } from './undo.js';

/** A transaction that is in the tables, and not yet visible to readers. */
export interface Pending extends Settled {
  readonly tx: number;
  /** Commit instant, epoch milliseconds. */
  readonly at: number;
  /** Makes it visible. `at` is where the record's body lies, `lines` where its entries do in it. */
  publish(at: Locator, lines: readonly Line[]): void;
  /** Takes it back without a trace. */
  rollback(): void;
}

/** The projection of the journal in memory. */
export class BeliefIndex {
  readonly tables: Tables;
  readonly #memory = new FoldMemory();
  readonly #newest = new NewestFirst();
  #pending = false;

  constructor(tables = new Tables()) {
    this.tables = tables;
  }

  get lastTx(): number {
    return this.tables.lastTx;
  }

  /** Instant of a transaction. */
  at(tx: number): number {
    return this.tables.tx.at.get(tx - 1);
  }

  /** The last transaction committed at or before an instant; 0 when there is none. */
  txAt(instant: number): number {
    let low = 0;
    let high = this.lastTx;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.at(middle) <= instant) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Applies a transaction which follows the last; one at a time. */
  begin({ header, entries }: Transaction): Pending {
    const t = this.tables;
    const { tx } = header;
    if (this.#pending) throw new Error('A transaction is pending already.');
    if (tx !== t.lastTx + 1) {
      throw new PalimpsestError(
        'JOURNAL_DAMAGED',
        `Transaction ${tx} follows transaction ${t.lastTx} in the journal.`,
      );
    }
    const undo = new Undo(t);
    const acceptance = new Acceptance(t, tx, undo);
    const rows: { readonly row: number; readonly entry: number }[] = [];
    const rollback = (): void => {
      undo.rollback();
      this.#pending = false;
    };
    this.#pending = true;
    try {
      entries.forEach((entry, i) => {
        const before = t.claimCount;
        acceptance.accept(entry, null);
        if (entry.op === 'claim' && t.claimCount > before) rows.push({ row: before, entry: i });
      });
      const settled = settle(t, acceptance.dirty, tx, this.#memory, undo);
      if (header.cursor !== undefined) {
        undo.put(t.side.cursors, header.cursor.source, header.cursor.position);
      }
      return {
        ...settled,
        tx,
        at: Date.parse(header.at),
        rollback,
        publish: (at, lines) => {
          this.#locate(rows, entries, at, lines);
          this.#publish(tx, Date.parse(header.at), at);
          this.#pending = false;
        },
      };
    } catch (error) {
      rollback();
      throw error;
    }
  }

  #locate(
    rows: readonly { readonly row: number; readonly entry: number }[],
    entries: readonly Entry[],
    at: Locator,
    lines: readonly Line[],
  ): void {
    const { claim, side } = this.tables;
    for (const { row, entry } of rows) {
      const line = lines[entry]!;
      claim.segment.set(row, at.segment);
      claim.offset.set(row, at.offset + line.offset);
      claim.length.set(row, line.length);
    }
    entries.forEach((entry, i) => {
      if (entry.op !== 'hold') return;
      const held = side.held.get(entry.claim.id);
      const line = lines[i]!;
      if (held === undefined) return;
      const place = { segment: at.segment, offset: at.offset + line.offset, length: line.length };
      side.held.set(entry.claim.id, { ...held, at: place });
    });
  }

  #publish(tx: number, instant: number, at: Locator): void {
    const t = this.tables;
    t.tx.at.push(instant);
    t.tx.segment.push(at.segment);
    t.tx.offset.push(at.offset);
    t.tx.length.push(at.length);
    t.tx.claims.push(t.claimCount);
    t.tx.facts.push(t.factCount);
    t.tx.closures.push(t.closures.length);
    t.tx.entities.push(t.entity.term.length);
    t.publish(tx);
  }

  /** Where the record of a transaction lies in the journal. */
  locatorOf(tx: number): Locator {
    const { segment, offset, length } = this.tables.tx;
    return {
      segment: segment.get(tx - 1),
      offset: offset.get(tx - 1),
      length: length.get(tx - 1),
    };
  }

  rows(query: RowQuery): ResidentFact[] {
    return findFacts(this.tables, query);
  }

  /** The facts of one subject that start last; see `NewestFirst`. */
  newest(query: RowQuery, count: number): ResidentFact[] | null {
    return this.#newest.find(this.tables, query, count);
  }

  factById(id: string): ResidentFact | null {
    const row = this.tables.factIds.find(idCells(id));
    if (row === NONE || this.tables.fact.knownFrom.get(row) > this.lastTx) return null;
    return new ResidentFact(this.tables, row);
  }

  /** Row of a claim, or -1. */
  claimRow(id: string): number {
    const row = this.tables.claimIds.find(idCells(id));
    return row === NONE || this.tables.claim.tx.get(row) > this.lastTx ? NONE : row;
  }

  /** The claims that support a fact, as known at a transaction. */
  supportOf(fact: FactRow, known: number): ResidentClaim[] {
    const resident = fact instanceof ResidentFact ? fact : this.factById(fact.id);
    if (resident === null) return [];
    return claimsBehind(this.tables, resident, known);
  }
}
