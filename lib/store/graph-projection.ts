import type { ClaimRecord } from '../model/entry.js';
import { PalimpsestError } from '../model/errors.js';
import { rm } from 'node:fs/promises';
import type { GraphEngine, GraphSource, GraphState } from './graph.js';
import { changesAfter } from './resident/changes.js';
import type { BeliefIndex } from './resident/index.js';
import type { OnProgress } from './progress.js';

/** Which engine keeps the graph: `auto` takes Kuzu where it is installed, `none` does without. */
export type GraphChoice = 'auto' | 'kuzu' | 'ladybug' | 'none';

export interface ProjectionOptions {
  /** `null` for a store in memory, which has no graph at rest. */
  readonly folder: string | null;
  readonly choice: GraphChoice;
  readonly storeId: string;
  readonly index: BeliefIndex;
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
  #background: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: ProjectionOptions) {
    this.#options = options;
    const { index, cold, storeId } = options;
    this.#source = {
      storeId,
      get lastTx() {
        return index.lastTx;
      },
      get factCount() {
        return index.tables.factCount;
      },
      changes: (after) => changesAfter(index.tables, after, cold),
    };
  }

  /** True when there can be no graph. */
  get isAbsent(): boolean {
    return this.#options.folder === null || this.#options.choice === 'none';
  }

  status(): GraphState {
    if (this.#options.folder === null) {
      return { state: 'unavailable', why: 'the store is in memory only' };
    }
    if (this.#options.choice === 'none') {
      return { state: 'unavailable', why: 'it was opened with graph: none' };
    }
    return this.#failure ?? this.#opened?.status() ?? { state: 'unavailable', why: 'not opened yet' };
  }

  /** @throws PalimpsestError `ENGINE_UNAVAILABLE` */
  engine(): Promise<GraphEngine> {
    const { folder, choice, bufferPoolBytes, onProgress } = this.#options;
    if (folder === null || choice === 'none' || this.#closed) {
      return Promise.reject(
        new PalimpsestError('ENGINE_UNAVAILABLE', 'This store has no graph.', {
          hint: 'Open it with a path and with graph: "kuzu" or "ladybug".',
        }),
      );
    }
    this.#engine ??= import('./kuzu/engine.js')
      .then(({ openGraph }) =>
        openGraph({
          folder,
          source: this.#source,
          ...(choice === 'auto' ? {} : { engine: choice }),
          ...(bufferPoolBytes === undefined ? {} : { bufferPoolBytes }),
          onProgress: (done, all) => onProgress?.({ what: 'rebuilding the graph', done, all }),
        }),
      )
      .then(
        (engine) => {
          this.#opened = engine;
          this.#failure = null;
          return engine;
        },
        (error: unknown) => {
          this.#engine = null;
          this.#failure = { state: 'unavailable', why: reasonOf(error) };
          throw error;
        },
      );
    return this.#engine;
  }

  /** Brings the graph up to date, as soon as nothing has been committed for a moment. */
  wake(): void {
    if (this.isAbsent || this.#closed) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#background = this.catchUp();
    }, QUIET);
    this.#timer.unref();
  }

  /** Never throws: whether it worked is in `status()`. */
  async catchUp(): Promise<void> {
    if (this.isAbsent) return;
    try {
      const engine = await this.engine();
      await engine.catchUp();
    } catch (error) {
      this.#failure ??= { state: 'failed', engine: this.#options.choice, why: reasonOf(error) };
    }
  }

  async close(): Promise<void> {
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
      this.#timer = null;
      // Somebody has written since the last catching up, so the file is left complete.
      this.#background = this.#background.then(() => this.catchUp());
    }
    await this.#background;
    this.#closed = true;
    await this.#opened?.close();
  }

  /** Closes the graph and removes its files. */
  async destroy(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#background;
    this.#closed = true;
    await this.#opened?.close();
    const { folder } = this.#options;
    if (folder !== null) await rm(folder, { recursive: true, force: true });
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
