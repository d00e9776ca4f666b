import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { realFiles, storeFailure } from '../journal/files.js';
import type { ClaimRecord } from '../model/entry.js';
import { PalimpsestError } from '../model/errors.js';
import type { GraphEngine, GraphSource, GraphState } from './graph.js';
import type { OnProgress } from './progress.js';
import { changesAfter } from './resident/changes.js';
import type { BeliefIndex } from './resident/index.js';

/** Which engine keeps the graph: `auto` takes Kuzu where it is installed, `none` does without. */
export type GraphChoice = 'auto' | 'kuzu' | 'ladybug' | 'none';

export interface ProjectionOptions {
  /** `null` for a store in memory, which has no graph at rest. */
  readonly folder: string | null;
  readonly choice: GraphChoice;
  readonly storeId: string;
  /** The index of now: an erasure puts another one in its place. */
  readonly index: () => BeliefIndex;
  readonly cold: (claimRow: number) => ClaimRecord;
  readonly bufferPoolBytes?: number | undefined;
  readonly onProgress?: OnProgress | undefined;
}

/** Milliseconds without a commit after which the graph takes in what it lacks. */
const QUIET = 250;

/** The graph engine behind the journal: opened when first needed, caught up when it is quiet. */
export class GraphProjection {
  readonly #options: ProjectionOptions;
  readonly #source: GraphSource;
  #engine: Promise<GraphEngine> | null = null;
  #opened: GraphEngine | null = null;
  #failure: GraphState | null = null;
  #timer: NodeJS.Timeout | null = null;
  #background: Promise<unknown> = Promise.resolve();
  /** Resolves when the files are there to be opened again. Never rejects. */
  #replacing: Promise<void> | null = null;
  #isClosed = false;
  #closing: Promise<void> | null = null;

  constructor(options: ProjectionOptions) {
    this.#options = options;
    const { index, cold, storeId } = options;
    this.#source = {
      storeId,
      get lastTx() {
        return index().lastTx;
      },
      get factCount() {
        return index().tables.factCount;
      },
      changes: (after) => changesAfter(index().tables, after, cold),
    };
  }

  status(): GraphState {
    const why = this.#absence();
    if (why !== null) return { state: 'unavailable', why };
    return (
      this.#failure ?? this.#opened?.status() ?? { state: 'unavailable', why: 'not opened yet' }
    );
  }

  /** Why there can be no graph, or `null`. */
  #absence(): string | null {
    if (this.#options.folder === null) return 'the store is in memory only';
    return this.#options.choice === 'none' ? 'it was opened with graph: none' : null;
  }

  /**
   * Puts a question to the engine, opened where it is not yet. Waits while the graph is being replaced.
   *
   * @throws PalimpsestError `ENGINE_UNAVAILABLE`, `ENGINE_FAILED`, `STORE_CLOSED`
   */
  async ask<T>(question: (engine: GraphEngine) => Promise<T>): Promise<T> {
    for (;;) {
      const engine = await this.#current();
      try {
        return await question(engine);
      } catch (error) {
        const wasReplaced = engine !== this.#opened && !this.#isClosed;
        if (!wasReplaced || !isClosedError(error)) throw error;
      }
    }
  }

  async #current(): Promise<GraphEngine> {
    while (this.#replacing !== null) await this.#replacing;
    if (this.#isClosed) throw new PalimpsestError('STORE_CLOSED', 'The memory is closed.');
    const { folder } = this.#options;
    const why = this.#absence();
    if (folder === null || why !== null) {
      throw new PalimpsestError('ENGINE_UNAVAILABLE', `This memory has no graph: ${why}.`, {
        hint: 'Open it with a path and with graph: "kuzu" or "ladybug".',
      });
    }
    this.#engine ??= this.#open(folder);
    return this.#engine;
  }

  async #open(folder: string): Promise<GraphEngine> {
    const { choice, bufferPoolBytes, onProgress } = this.#options;
    try {
      const { openGraph } = await import('./kuzu/engine.js');
      this.#opened = await openGraph({
        folder,
        source: this.#source,
        ...(choice === 'auto' || choice === 'none' ? {} : { engine: choice }),
        ...(bufferPoolBytes === undefined ? {} : { bufferPoolBytes }),
        onProgress: (done, all) => onProgress?.({ what: 'rebuilding the graph', done, all }),
      });
      this.#failure = null;
      return this.#opened;
    } catch (error) {
      this.#engine = null;
      this.#failure = { state: 'unavailable', why: reasonOf(error) };
      throw storeFailure(error, `The graph in ${folder} could not be opened`);
    }
  }

  /** Brings the graph up to date, as soon as nothing has been committed for a moment. */
  wake(): void {
    // What could not be opened is tried again when somebody asks, not after every commit.
    const isHopeless = this.#opened === null && this.#failure !== null;
    if (this.#absence() !== null || this.#isClosed || isHopeless) return;
    this.#stopTimer();
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#background = Promise.all([this.#background, this.catchUp()]);
    }, QUIET);
    this.#timer.unref();
  }

  /** Whether a catching up was due. */
  #stopTimer(): boolean {
    if (this.#timer === null) return false;
    clearTimeout(this.#timer);
    this.#timer = null;
    return true;
  }

  /** Never throws: whether it worked is in `status()`. */
  async catchUp(): Promise<void> {
    if (this.#absence() !== null) return;
    try {
      await this.ask((engine) => engine.catchUp());
      this.#failure = null;
    } catch (error) {
      if (this.#opened === null) return;
      this.#failure = { state: 'failed', engine: this.#opened.name, why: reasonOf(error) };
    }
  }

  /**
   * Closes the graph, removes its files and runs `work`, which may change what the graph is made from.
   * Questions wait meanwhile; the next one builds it anew.
   *
   * @throws PalimpsestError `STORE_READ_ONLY`, `STORE_FAILED` when the files cannot be removed: `work`
   * has not run then. And what `work` throws.
   */
  async replace<T>(work: () => Promise<T>): Promise<T> {
    let reopen: () => void = () => undefined;
    this.#replacing = new Promise((resolve) => {
      reopen = resolve;
    });
    try {
      this.#stopTimer();
      await this.#letGo();
      this.#failure = null;
      await this.#remove();
      return await work();
    } finally {
      this.#replacing = null;
      reopen();
    }
  }

  async #remove(): Promise<void> {
    const { folder } = this.#options;
    if (folder === null) return;
    try {
      await rm(folder, { recursive: true, force: true });
      realFiles.flushFolder(dirname(folder));
    } catch (error) {
      throw storeFailure(error, `The graph in ${folder} could not be removed`);
    }
  }

  /** Also one that is just being opened: it would outlive the lock of the store. */
  async #letGo(): Promise<void> {
    const engine = await this.#engine?.catch(() => null);
    this.#engine = null;
    this.#opened = null;
    // A graph that was not closed in order is repaired or built anew when it is opened: nothing is lost by that.
    await engine?.close().catch(() => undefined);
  }

  /** Catches up with what was written in the last moment, so that the files are left complete. Never throws. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const isBehind = this.#stopTimer();
    await this.#background;
    if (isBehind) await this.catchUp();
    this.#isClosed = true;
    await this.#letGo();
  }
}

const isClosedError = (error: unknown): boolean =>
  PalimpsestError.isInstance(error) && error.code === 'STORE_CLOSED';

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
