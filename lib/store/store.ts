import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { StoreLock } from '../journal/lock.js';
import type { Journal, Locator } from '../journal/port.js';
import type { Clock } from '../model/clock.js';
import { PalimpsestError } from '../model/errors.js';
import type { ClaimRecord, Transaction } from '../model/entry.js';
import { toIso } from '../model/instant.js';
import type { Checkpoints } from './checkpoints.js';
import { transactionOf, type Draft, type Outcome } from './draft.js';
import { GraphProjection } from './graph-projection.js';
import type { GraphState } from './graph.js';
import { checkSecrets } from '../secrets/secrets.js';
import { isBlank, retimed, rewritten } from './histories.js';
import { Lane } from './lane.js';
import { textsOf } from './texts.js';
import { openFolder, type Replayed, type StoreOptions } from './opening.js';
import { decodeLine, decodeRecord, encodeRecord } from './record.js';
import { replay, Successor, transactionsOf } from './replay.js';
import { BeliefIndex, type Pending } from './resident/index.js';

/** The journal with its projections: one writer at a time, readers whenever they like. */
export class Store {
  readonly #options: StoreOptions;
  readonly #lock: StoreLock | null;
  readonly #journal: Journal;
  readonly #lane = new Lane();
  readonly #listeners = new Set<() => void>();
  #index: BeliefIndex;
  readonly #graph: GraphProjection;
  #last: Locator | null;
  readonly #checkpoints: Checkpoints | null;
  #isClosed = false;
  #isShut = false;
  #closing: Promise<void> | null = null;

  private constructor(
    options: StoreOptions,
    lock: StoreLock | null,
    journal: Journal,
    replayed: Replayed,
    readonly id: string,
    /** Bytes of an unfinished commit that a crash had left. */
    readonly tornBytes: number,
  ) {
    this.#options = options;
    this.#lock = lock;
    this.#journal = journal;
    this.#index = replayed.index;
    this.#last = replayed.last;
    this.#checkpoints = replayed.checkpoints;
    this.#graph = this.#project();
  }

  /**
   * @throws PalimpsestError `STORE_LOCKED`, `JOURNAL_DAMAGED`, `JOURNAL_TOO_NEW`, `STORE_READ_ONLY`,
   * `STORE_FULL`; `STORE_FAILED`, also for a folder that is something else.
   */
  static async open(options: StoreOptions): Promise<Store> {
    const { lock, journal, replayed, id, tornBytes } = await openFolder(options);
    return new Store(options, lock, journal, replayed, id, tornBytes);
  }

  get index(): BeliefIndex {
    return this.#index;
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  get path(): string | null {
    return this.#options.path;
  }

  get journalBytes(): number {
    return this.#journal.size;
  }

  /**
   * Tells the history up to a transaction from any other: what was derived from it holds as long as this is
   * the same.
   */
  markOf(tx: number): string {
    const { generation } = this.#journal;
    const sum = tx === 0 ? 0 : crc32(this.#journal.read(this.#index.locatorOf(tx)));
    return `${this.id}:${generation}:${sum}`;
  }

  /** Why the last checkpoint of the index could not be written; nothing is lost by that but time. */
  get checkpointFailure(): string | null {
    return this.#checkpoints?.failure ?? null;
  }

  /** The graph at rest. */
  get graph(): GraphProjection {
    return this.#graph;
  }

  get readsFromGraph(): boolean {
    return !this.#options.resident;
  }

  /** Commits what `work` drafts. `inspect` sees the tables with the transaction in them. */
  write<T>(
    work: (index: BeliefIndex) => Draft,
    inspect: (pending: Pending | null, index: BeliefIndex) => T,
  ): Promise<Outcome<T>> {
    return this.#inLane(async () => {
      const draft = work(this.#index);
      const { lastTx } = this.#index;
      if (draft.entries.length === 0 && draft.cursor === undefined) {
        const at = lastTx === 0 ? this.clock() : this.#index.at(lastTx);
        return { tx: lastTx, at, committed: false, value: inspect(null, this.#index) };
      }
      // The one door to the journal: no credential passes it, whoever drafted the transaction.
      await checkSecrets(textsOf(draft));
      const transaction = this.#transaction(draft);
      const at = Date.parse(transaction.header.at);
      const pending = this.#index.begin(transaction);
      let value: T;
      try {
        value = inspect(pending, this.#index);
        if (draft.dryRun === true) {
          pending.rollback();
          return { tx: lastTx, at, committed: false, value };
        }
        await this.#append(transaction, pending);
      } catch (error) {
        pending.rollback();
        throw error;
      }
      this.#committed();
      return { tx: pending.tx, at, committed: true, value };
    });
  }

  #transaction(draft: Draft): Transaction {
    const { lastTx } = this.#index;
    const at = lastTx === 0 ? null : this.#index.at(lastTx);
    return transactionOf(draft, { tx: lastTx, at }, this.clock());
  }

  async #append(transaction: Transaction, pending: Pending): Promise<void> {
    const { body, lines } = encodeRecord(transaction);
    const [at] = await this.#journal.append([body]);
    if (at === undefined) throw new Error('The journal has lost an append.');
    pending.publish(at, lines);
    this.#last = at;
  }

  #committed(): void {
    for (const listener of this.#listeners) listener();
    this.#graph.wake();
    if (this.#checkpoints?.isDue(this.#journal.size) === true) this.#checkpoint();
  }

  /** Calls back after each commit and when the store begins to close; returns what ends that. */
  onEvent(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The claim as it was written, read back from the journal. */
  claim(row: number): ClaimRecord {
    const { segment, offset, length } = this.#index.tables.claim;
    const entry = decodeLine(
      this.#journal.read({
        segment: segment.get(row),
        offset: offset.get(row),
        length: length.get(row),
      }),
    );
    if (entry.op !== 'claim' && entry.op !== 'hold') {
      throw new PalimpsestError('STORE_FAILED', 'The index points at a line which is no claim.', {
        hint: 'Run `palimpsest doctor --rebuild`.',
      });
    }
    return entry.claim;
  }

  /** A transaction as it was written. */
  transaction(tx: number): Transaction {
    return decodeRecord(Buffer.from(this.#journal.read(this.#index.locatorOf(tx))));
  }

  /**
   * Replaces the whole history by what `rewrite` makes of it, transaction by transaction, and adds
   * `last`. What is left out is gone from every file when this resolves. When it throws, the history is
   * as it was, unless the message says that only old files could not be removed.
   */
  rewrite(
    plan: (index: BeliefIndex) => {
      readonly rewrite: (transaction: Transaction) => Transaction;
      readonly last: Omit<Draft, 'dryRun' | 'cursor'>;
    },
  ): Promise<{ readonly tx: number; readonly at: number }> {
    return this.#inLane(async () => {
      const { rewrite, last } = plan(this.#index);
      const final = this.#transaction(last);
      await this.#replaceJournal((history) => rewritten(history, rewrite, final));
      return { tx: final.header.tx, at: Date.parse(final.header.at) };
    });
  }

  /**
   * Makes room for a history that begins earlier than this store was opened. Works on a store which
   * holds nothing but settings: they are told from `at` on, or, for `null`, dropped.
   */
  makeRoom(at: number | null): Promise<void> {
    return this.#inLane(async () => {
      if (!isBlank(this.#index)) {
        throw new PalimpsestError('CONFLICT', 'The store holds more than settings.');
      }
      await this.#replaceJournal((history) => (at === null ? [] : retimed(history, toIso(at))));
    });
  }

  /**
   * Adds a transaction as it was written elsewhere: its number must be the next one.
   *
   * @throws PalimpsestError `CONFLICT` for a number or an instant that does not follow the last.
   */
  restore(transaction: Transaction): Promise<Pending> {
    return this.#inLane(async () => {
      const { header } = transaction;
      const { lastTx } = this.#index;
      if (
        header.tx !== lastTx + 1 ||
        (lastTx > 0 && Date.parse(header.at) < this.#index.at(lastTx))
      ) {
        throw new PalimpsestError(
          'CONFLICT',
          `Transaction ${header.tx} of ${header.at} does not follow transaction ${lastTx}.`,
        );
      }
      await checkSecrets(textsOf({ entries: transaction.entries, ...header }));
      const pending = this.#index.begin(transaction);
      try {
        await this.#append(transaction, pending);
      } catch (error) {
        pending.rollback();
        throw error;
      }
      this.#committed();
      return pending;
    });
  }

  /** Puts other transactions in the place of all that there are, and projects them anew. */
  async #replaceJournal(
    change: (
      history: AsyncIterable<Transaction>,
    ) => AsyncIterable<Transaction> | Iterable<Transaction>,
  ): Promise<void> {
    const next = new Successor(this.#options.onProgress);
    const bodies = next.bodies(change(transactionsOf(this.#journal)));
    try {
      await this.#graph.replace(async () => {
        this.#checkpoints?.drop();
        await this.#journal.rewrite(bodies, {
          placed: (at) => next.placed(at),
          swapped: () => {
            this.#index = next.index;
            this.#last = next.last;
          },
        });
      });
    } finally {
      this.#checkpoint();
      if (this.#index === next.index) this.#committed();
    }
  }

  /** Builds index and graph anew from the journal. */
  async rebuild(): Promise<void> {
    await this.#inLane(async () => {
      const index = new BeliefIndex();
      const last = await replay(index, this.#journal, null, this.#options.onProgress);
      await this.#graph.replace(async () => {
        this.#index = index;
        this.#last = last;
      });
      this.#checkpoints?.drop();
      this.#checkpoint();
    });
    await this.#graph.catchUp();
  }

  /** Writes the index to disk, so that the next opening need not replay the journal. */
  #checkpoint(): void {
    if (this.#last !== null) this.#checkpoints?.save(this.#index, this.#journal, this.#last);
  }

  graphState(): GraphState {
    return this.#graph.status();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Waits for what is being written, brings the graph up to date, and lets go of the folder. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#closing ??= this.#lane
      .run(() => this.#shut())
      .catch((error: unknown) => {
        // The next call tries again to give back the lock.
        this.#closing = null;
        throw error;
      });
    for (const listener of this.#listeners) listener();
    return this.#closing;
  }

  async #shut(): Promise<void> {
    try {
      if (this.#isShut) return;
      this.#isShut = true;
      await this.#graph.close();
      this.#checkpoint();
      await this.#journal.close();
    } finally {
      await this.#lock?.release();
    }
  }

  /**
   * Makes an answer again when an erasure came between its parts, so that none mixes two histories.
   *
   * @throws PalimpsestError `STORE_CLOSED`, and what `answer` throws.
   */
  async read<T>(answer: () => Promise<T>): Promise<T> {
    this.ensureOpen();
    for (;;) {
      const index = this.#index;
      try {
        const found = await answer();
        if (index === this.#index) return found;
      } catch (error) {
        if (index === this.#index) throw error;
      }
    }
  }

  /**
   * Passes items on, as long as the history that they are read from is the same.
   *
   * @throws PalimpsestError `STORE_CLOSED`; `CONFLICT` after an erasure.
   */
  async *stream<T>(items: AsyncIterable<T>): AsyncIterable<T> {
    this.ensureOpen();
    const index = this.#index;
    for await (const item of items) {
      if (index !== this.#index) {
        throw new PalimpsestError('CONFLICT', 'Something was erased while the memory was read.', {
          hint: 'Read again from the start.',
        });
      }
      yield item;
    }
  }

  /** @throws PalimpsestError `STORE_CLOSED` */
  ensureOpen(): void {
    if (this.#isClosed) {
      throw new PalimpsestError('STORE_CLOSED', 'The memory is closed.', {
        hint: 'Open it again with openMemory.',
      });
    }
  }

  async #inLane<T>(work: () => Promise<T>): Promise<T> {
    this.ensureOpen();
    return this.#lane.run(work);
  }

  #project(): GraphProjection {
    const { path, graph, bufferPoolBytes, onProgress } = this.#options;
    return new GraphProjection({
      folder: path === null ? null : join(path, 'graph'),
      storeId: this.id,
      choice: graph,
      index: () => this.#index,
      cold: (row) => this.claim(row),
      bufferPoolBytes,
      onProgress,
    });
  }
}
