import { setImmediate } from 'node:timers/promises';
import { PalimpsestError } from '../../model/errors.js';
import { Lane } from '../../store/lane.js';
import type { Store } from '../../store/store.js';
import type { SearchDocuments, VectorAnswer, VectorLeg, VectorQuery } from '../ports.js';
import { Calls } from './calls.js';
import { DEFAULT_FLOOR, EmbeddingError, type Embedder } from './embedder.js';
import { keyIn, Numbering } from './numbering.js';
import type { Reembedding, VectorState, VectorStatus } from './types.js';
import { isSameMaker, type StoredVector } from './vector-file.js';
import { VectorSet } from './vector-set.js';
import { Waitlist } from './waiting.js';

/** Texts in one call of the embedder. */
const BATCH = 64;
const FIRST_DELAY = 1_000;
const LONGEST_DELAY = 300_000;

export interface VectorsOptions {
  readonly store: Store;
  readonly embedder: Embedder | null;
  /** What is searched, up to the last commit. */
  readonly documents: () => Promise<SearchDocuments>;
}

const NOTHING: VectorAnswer = { claims: [], events: [], problem: null };

/**
 * Search by meaning. Texts get their vectors in the background, after they are committed; those which
 * another model made stay untouched until `reembed`, which makes new ones beside them and then changes over.
 */
export class Vectors implements VectorLeg {
  readonly #store: Store;
  readonly #embedder: Embedder | null;
  readonly #documents: () => Promise<SearchDocuments>;
  readonly #waitlist = new Waitlist();
  readonly #numbering: Numbering;
  readonly #calls: Calls | null;
  /** What is written to the sets, and what is swept out of them, one at a time. */
  readonly #lane = new Lane();
  readonly #closing = new AbortController();
  #opened: Promise<void> | null = null;
  #live: VectorSet | null = null;
  #next: VectorSet | null = null;
  #running: Promise<void> | null = null;
  #isWanted = false;
  #timer: NodeJS.Timeout | null = null;
  #failures = 0;
  #error: VectorState['error'] = null;
  #sweeps = 0;
  #isSwept = false;
  readonly #stop: () => void;

  constructor({ store, embedder, documents }: VectorsOptions) {
    this.#store = store;
    this.#embedder = embedder;
    this.#documents = documents;
    this.#numbering = new Numbering(store);
    this.#calls = embedder === null ? null : new Calls(embedder, this.#closing.signal);
    this.#stop = embedder === null ? () => undefined : store.onEvent(() => this.wake());
  }

  /** Looks for texts without a vector, soon. Never waited for by who writes. */
  wake(): void {
    if (this.#embedder === null || this.#timer !== null || this.#isOver) return;
    this.#isWanted = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
  }

  get #isOver(): boolean {
    return this.#closing.signal.aborted || this.#store.isClosed;
  }

  async search(query: string, options: VectorQuery): Promise<VectorAnswer> {
    const embedder = this.#embedder;
    const calls = this.#calls;
    if (embedder === null || calls === null) return NOTHING;
    try {
      await this.#open();
      this.wake();
      const live = this.#live;
      if (live !== null && !isSameMaker(live.maker, embedder)) {
        return { ...NOTHING, problem: this.#mismatch(live).message };
      }
      const problem = this.#error?.message ?? null;
      if (live === null || live.table.size === 0) return { ...NOTHING, problem };
      if (embedder.reads?.(query) === false) return { ...NOTHING, problem };
      const vector = await calls.embedQuery(query, options.signal);
      if (vector === undefined) return { ...NOTHING, problem };
      this.#numbering.link(await this.#documents(), this.#sets);
      return {
        ...live.table.search(vector, { ...options, floor: embedder.floor ?? DEFAULT_FLOOR }),
        problem,
      };
    } catch (error) {
      options.signal.throwIfAborted();
      return { ...NOTHING, problem: messageOf(error) };
    }
  }

  /** How far it is. Starts what waits. */
  async state(): Promise<VectorState> {
    await this.#open();
    const embedder = this.#embedder;
    const live = this.#live;
    const target = this.#target;
    const isMismatch = live !== null && embedder !== null && !isSameMaker(live.maker, embedder);
    const pending = target === null ? 0 : this.#pendingIn(target, await this.#documents());
    if (pending > 0) this.wake();
    const base = {
      embedder:
        embedder === null ? null : { model: embedder.model, dimensions: embedder.dimensions },
      stored: live?.maker ?? null,
      embedded: target?.table.size ?? 0,
      pending,
      heldBack: this.#waitlist.heldBack,
      failed: this.#waitlist.refused,
    };
    const of = (status: VectorStatus, error: VectorState['error']): VectorState => ({
      status,
      ...base,
      error,
    });
    if (embedder === null) return of('off', null);
    if (this.#error !== null) return of('failing', this.#error);
    if (isMismatch) {
      const { code, message } = this.#mismatch(live);
      return of(this.#next === null ? 'mismatch' : 'changing', { code, message });
    }
    return of(pending > 0 ? 'embedding' : 'ready', null);
  }

  /** Documents that were numbered anew are looked at once more, and have their vectors all the same. */
  #pendingIn({ table }: VectorSet, documents: SearchDocuments): number {
    const without = documents.claims + documents.events - table.size;
    return Math.max(0, Math.min(this.#waitlist.left(documents), without));
  }

  /**
   * Makes vectors of everything with the embedder that is set, in the background: in the place of another
   * model's when all are there. What was refused is tried again.
   *
   * @throws PalimpsestError `INVALID_INPUT` without an embedder.
   */
  async reembed(): Promise<Reembedding> {
    const embedder = this.#embedder;
    if (embedder === null) {
      throw new PalimpsestError('INVALID_INPUT', 'This memory was opened without an embedder.', {
        field: 'recall.embedder',
        hint: 'Give one to openMemory.',
      });
    }
    await this.#open();
    await this.#lane.run(async () => {
      const { path } = this.#store;
      if (this.#live === null || isSameMaker(this.#live.maker, embedder)) return;
      if (this.#next !== null && isSameMaker(this.#next.maker, embedder)) return;
      this.#next?.remove();
      this.#next = VectorSet.create(path, 'next', makerOf(embedder));
      this.#numbering.forget();
    });
    this.#waitlist.restart();
    this.#calm();
    this.wake();
    return { done: this.#settled() };
  }

  async #settled(): Promise<VectorState> {
    while (this.#running !== null) await this.#running;
    return this.state();
  }

  /** Removes the vectors of what is no more, also from the disk. */
  async sweep(): Promise<void> {
    this.#sweeps += 1;
    await this.#open();
    if (this.#live === null && this.#next === null) return;
    await this.#lane.run(async () => {
      this.#numbering.sweep(await this.#documents(), this.#sets);
    });
  }

  async close(): Promise<void> {
    this.#stop();
    this.#closing.abort();
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#running;
    await this.#lane.run(async () => {
      for (const set of this.#sets) set.close();
      this.#live = null;
      this.#next = null;
    });
  }

  get #sets(): readonly VectorSet[] {
    return [this.#live, this.#next].filter((set) => set !== null);
  }

  /** The set that takes new vectors; `null` while those of another model are there. */
  get #target(): VectorSet | null {
    const embedder = this.#embedder;
    const set = this.#next ?? this.#live;
    return embedder !== null && set !== null && isSameMaker(set.maker, embedder) ? set : null;
  }

  #mismatch({ maker }: VectorSet): PalimpsestError {
    const given = this.#embedder;
    const now = given === null ? 'no embedder' : nameOf(given);
    const message = `The vectors in the store are of ${nameOf(maker)}, and the embedder is ${now}.`;
    const left = this.#next === null ? '' : ` So far ${this.#next.table.size} are made anew.`;
    return new PalimpsestError('EMBEDDER_MISMATCH', `${message}${left}`, {
      hint:
        this.#next === null ? 'Call reembed(), or open with the former embedder.' : 'Wait for it.',
    });
  }

  #open(): Promise<void> {
    this.#opened ??= this.#load().catch((error: unknown) => {
      this.#opened = null;
      throw error;
    });
    return this.#opened;
  }

  async #load(): Promise<void> {
    const { path } = this.#store;
    const embedder = this.#embedder;
    this.#live = VectorSet.open(path, 'live');
    this.#next = VectorSet.open(path, 'next');
    if (embedder === null) return;
    // A change to some other model was begun, and given up.
    if (this.#next !== null && !isSameMaker(this.#next.maker, embedder)) {
      this.#next.remove();
      this.#next = null;
    }
    const isEmpty = this.#live === null || this.#live.table.size === 0;
    if (isEmpty && (this.#live === null || !isSameMaker(this.#live.maker, embedder))) {
      this.#live?.close();
      this.#live = VectorSet.create(path, 'live', makerOf(embedder));
    }
  }

  async #run(): Promise<void> {
    // Whoever has just written goes on first.
    await setImmediate();
    while (this.#isWanted && !this.#isOver) {
      this.#isWanted = false;
      try {
        await this.#open();
        while (!this.#isOver && (await this.#advance())) await setImmediate();
        if (!this.#isOver) this.#calm();
      } catch (error) {
        if (this.#isOver) return;
        this.#failed(error);
        return;
      }
    }
  }

  /** Embeds what is next; false when nothing is. */
  async #advance(): Promise<boolean> {
    const target = this.#target;
    const embedder = this.#embedder;
    const calls = this.#calls;
    if (target === null || embedder === null || calls === null) return false;
    const { index } = this.#store;
    const sweeps = this.#sweeps;
    const isCurrent = (): boolean => index === this.#store.index && sweeps === this.#sweeps;
    const documents = await this.#documents();
    const keyOf = keyIn(this.#store, documents);
    try {
      const { waiting, advance } = await this.#waitlist.next(
        documents,
        embedder,
        keyOf,
        (key) => target.table.has(key),
        BATCH,
      );
      if (waiting.length === 0) {
        advance();
        return await this.#finish(target);
      }
      const keep = (vectors: readonly StoredVector[]): Promise<void> =>
        this.#lane.run(async () => {
          // What was erased meanwhile is not to come back by this.
          if (!isCurrent()) return;
          target.add(vectors);
          for (const { key, number } of waiting) target.table.link(key, number);
        });
      await calls.embedPart(waiting, keep, ({ key }) => this.#waitlist.refuse(key));
      if (isCurrent()) advance();
      return true;
    } catch (error) {
      if (isCurrent()) throw error;
      return true;
    }
  }

  /** When every text has its vector. */
  async #finish(target: VectorSet): Promise<boolean> {
    if (!this.#isSwept) {
      // What an erasure that was cut short has left.
      await this.#lane.run(async () => {
        this.#numbering.sweep(await this.#documents(), this.#sets);
      });
      this.#isSwept = true;
    }
    if (target !== this.#next) return false;
    await this.#lane.run(async () => {
      this.#live?.close();
      target.promote(this.#store.path);
      this.#live = target;
      this.#next = null;
    });
    return false;
  }

  #failed(error: unknown): void {
    this.#error = { code: 'EMBEDDER_FAILED', message: messageOf(error) };
    const asked = error instanceof EmbeddingError ? error.retryAfterMs : null;
    const delay = asked ?? Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** this.#failures);
    this.#failures += 1;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.wake();
    }, delay);
    this.#timer.unref();
  }

  #calm(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#failures = 0;
    this.#error = null;
  }
}

const makerOf = ({ model, dimensions }: Embedder) => ({ model, dimensions });

const nameOf = ({ model, dimensions }: { model: string; dimensions: number }): string =>
  `${model} (${dimensions} dimensions)`;

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
