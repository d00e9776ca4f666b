import type { Journal, Locator } from '../journal/port.js';
import type { Transaction } from '../model/entry.js';
import type { OnProgress, Progress } from './progress.js';
import { decodeRecord, encodeRecord, type Line } from './record.js';
import { BeliefIndex } from './resident/index.js';

const PROGRESS_EVERY = 1000;

/** Applies the records after `from`, and says where the last one lies. */
export async function replay(
  index: BeliefIndex,
  journal: Journal,
  from: Locator | null,
  onProgress: OnProgress | undefined,
): Promise<Locator | null> {
  let last = from;
  for await (const record of journal.records(from ?? undefined)) {
    const transaction = decodeRecord(record.body);
    index.begin(transaction).publish(record.at, transaction.lines);
    last = record.at;
    tell(onProgress, 'replaying the journal', index.lastTx);
  }
  return last;
}

/** The journal's transactions, one by one. */
export async function* transactionsOf(journal: Journal): AsyncIterable<Transaction> {
  for await (const { body } of journal.records()) {
    const { header, entries } = decodeRecord(body);
    yield { header, entries };
  }
}

/**
 * The index of a history while it is written anew: each record is applied as it finds its place, so that a
 * history which cannot be replayed never becomes the journal.
 */
export class Successor {
  readonly index = new BeliefIndex();
  readonly #onProgress: OnProgress | undefined;
  #waiting: { readonly transaction: Transaction; readonly lines: readonly Line[] } | null = null;
  #last: Locator | null = null;

  constructor(onProgress: OnProgress | undefined) {
    this.#onProgress = onProgress;
  }

  /** Where the last record lies. */
  get last(): Locator | null {
    return this.#last;
  }

  async *bodies(
    history: AsyncIterable<Transaction> | Iterable<Transaction>,
  ): AsyncIterable<Buffer> {
    for await (const transaction of history) {
      const { body, lines } = encodeRecord(transaction);
      this.#waiting = { transaction, lines };
      yield body;
    }
  }

  placed(at: Locator): void {
    if (this.#waiting === null) throw new Error('A record has a place before it was written.');
    const { transaction, lines } = this.#waiting;
    this.index.begin(transaction).publish(at, lines);
    this.#last = at;
    tell(this.#onProgress, 'rewriting the journal', this.index.lastTx);
  }
}

function tell(onProgress: OnProgress | undefined, what: Progress['what'], tx: number): void {
  if (tx % PROGRESS_EVERY === 0) onProgress?.({ what, done: tx, all: null });
}
