import { PalimpsestError } from '../model/errors.js';
import { checkBody, encodeCall, frameLine, HEADER } from './frame.js';
import type { Journal, JournalRecord, Locator, RewriteWatch } from './port.js';

/**
 * A journal in memory, for tests and for stores that need not last. It has the one segment that a file
 * journal without a size limit would have, at the same offsets.
 *
 * @example
 * const journal = memoryJournal();
 * await journal.append([Buffer.from('{"tx":1}\n')]);
 */
export function memoryJournal(): Journal {
  return new MemoryJournal();
}

class MemoryJournal implements Journal {
  #bodies: Buffer[] = [];
  #offsets: number[] = [];
  #size = HEADER.length;
  #generation = 1;
  #closed = false;
  #rewriting: Promise<void> | null = null;

  get size(): number {
    return this.#size;
  }

  get generation(): number {
    return this.#generation;
  }

  async append(bodies: readonly Buffer[]): Promise<readonly Locator[]> {
    while (this.#rewriting !== null) await this.#rewriting;
    this.#check();
    const { bytes, bodyOffsets } = encodeCall(bodies);
    const start = this.#size;
    const locators = bodies.map((body, index) => ({
      segment: 1,
      offset: start + (bodyOffsets[index] ?? 0),
      length: body.length,
    }));
    for (const { offset, length } of locators) {
      this.#bodies.push(bytes.subarray(offset - start, offset - start + length));
      this.#offsets.push(offset);
    }
    this.#size += bytes.length;
    return locators;
  }

  read(at: Locator): Buffer {
    this.#check();
    const index = this.#indexAt(at.offset);
    const from = at.offset - (this.#offsets[index] ?? 0);
    const body = this.#bodies[index];
    if (at.segment !== 1 || body === undefined || at.length < 0 || from + at.length > body.length) {
      throw notInJournal(at);
    }
    return Buffer.from(body.subarray(from, from + at.length));
  }

  async *records(
    from?: Locator,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<JournalRecord, void, undefined> {
    this.#check();
    const generation = this.#generation;
    if (from !== undefined && (from.segment !== 1 || from.offset + from.length > this.#size)) {
      throw notInJournal(from);
    }
    for (let index = from === undefined ? 0 : this.#indexAt(from.offset) + 1; ; index += 1) {
      this.#check();
      if (signal?.aborted === true) {
        throw new PalimpsestError('ABORTED', 'Reading the journal was aborted.', {
          cause: signal.reason,
        });
      }
      if (generation !== this.#generation) {
        throw new PalimpsestError('CONFLICT', 'The journal was rewritten while it was read.', {
          hint: 'Read it again from the start.',
        });
      }
      const body = this.#bodies[index];
      if (body === undefined) return;
      yield { body, at: { segment: 1, offset: this.#offsets[index] ?? 0, length: body.length } };
    }
  }

  async rewrite(
    next: AsyncIterable<Buffer> | Iterable<Buffer>,
    watch?: RewriteWatch,
  ): Promise<void> {
    this.#check();
    if (this.#rewriting !== null) {
      throw new PalimpsestError('CONFLICT', 'The journal is being rewritten already.');
    }
    const work = this.#rewrite(next, watch);
    this.#rewriting = work.then(
      () => undefined,
      () => undefined,
    );
    try {
      await work;
    } finally {
      this.#rewriting = null;
    }
  }

  async close(): Promise<void> {
    while (this.#rewriting !== null) await this.#rewriting;
    this.#closed = true;
  }

  async #rewrite(
    next: AsyncIterable<Buffer> | Iterable<Buffer>,
    watch: RewriteWatch | undefined,
  ): Promise<void> {
    const bodies: Buffer[] = [];
    const offsets: number[] = [];
    let size = HEADER.length;
    for await (const body of next) {
      checkBody(body);
      size += frameLine(body, false).length;
      offsets.push(size);
      bodies.push(Buffer.from(body));
      watch?.placed({ segment: 1, offset: size, length: body.length });
      size += body.length;
    }
    this.#bodies = bodies;
    this.#offsets = offsets;
    this.#size = size;
    this.#generation += 1;
    watch?.swapped();
  }

  #check(): void {
    if (this.#closed) throw new PalimpsestError('STORE_CLOSED', 'The journal is closed.');
  }

  /** The last body that begins at or before `offset`; −1 when none does. */
  #indexAt(offset: number): number {
    let low = 0;
    let high = this.#offsets.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#offsets[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

function notInJournal(at: Locator): PalimpsestError {
  return new PalimpsestError(
    'INVALID_INPUT',
    `No record has the bytes ${at.offset} to ${at.offset + at.length}.`,
    { field: 'at' },
  );
}
