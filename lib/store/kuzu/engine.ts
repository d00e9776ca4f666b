import { mkdir, realpath, stat } from 'node:fs/promises';
import { PalimpsestError } from '../../model/errors.js';
import type { CypherValue, GraphEngine, GraphSource, GraphState } from '../graph.js';
import type { ClaimRow, FactRow, RowQuery } from '../rows.js';
import { applyBatch } from './apply.js';
import { batches, rowCount } from './batch.js';
import type { Progress } from './build.js';
import { checkCypher } from './cypher.js';
import type { GraphDatabase } from './driver.js';
import { logFile } from './generation.js';
import { Home, type HomeOptions } from './home.js';
import { loadEngine, type EngineName } from './module.js';
import type { Row } from './native.js';
import { checkParams } from './params.js';
import { readFact, readRows, readSupports, readSupportsOf } from './read.js';

export interface GraphOptions {
  /** A folder of the graph's own; made when missing. */
  readonly folder: string;
  readonly source: GraphSource;
  /** Default: Kuzu where installed, else LadybugDB. */
  readonly engine?: EngineName;
  /** Default 256 MiB; 1 GiB suits a million facts. */
  readonly bufferPoolBytes?: number;
  /** Address space reserved for the file. Default 1 TiB. */
  readonly maxDbBytes?: number;
  /** Called while a graph is built, with facts written and facts in all. */
  readonly onProgress?: Progress;
  /** After which a `cypher` query is stopped, in milliseconds. Default 30 seconds. */
  readonly cypherTimeoutMs?: number;
}

const MIB = 2 ** 20;
/** Rows a transaction. */
const BATCH = 1_000;
/** Rows behind from which building anew by `COPY` is sooner done: a row takes about 0.7 ms alone, 0.02 ms there. */
const farBehind = (facts: number): number => 500 + facts / 30;
/** Of log, in bytes: what is applied stays in memory and is replayed at the next open. */
const LONG_LOG = 64 * MIB;

/**
 * Opens the graph at rest, and builds it anew from `source` where it is missing, damaged, of another engine or store, or ahead.
 * The caller holds the store's lock: two processes must not open one folder.
 *
 * @throws PalimpsestError `ENGINE_UNAVAILABLE` when no engine can be loaded, `STORE_LOCKED` when the folder is open already,
 * `ENGINE_FAILED` when the graph can be neither opened nor built
 *
 * @example
 * const graph = await openGraph({ folder: join(store, 'graph'), source });
 * await graph.rows({ scopes: [scope], subjects: ['shop'], valid: null, known: 'ever', polarity: 'assert' });
 * await graph.close();
 */
export async function openGraph(options: GraphOptions): Promise<GraphEngine> {
  const engine = await loadEngine(options.engine);
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  const settings: HomeOptions = {
    engine,
    folder: await realpath(options.folder),
    source: options.source,
    bufferPoolBytes: options.bufferPoolBytes ?? 256 * MIB,
    maxDbBytes: options.maxDbBytes ?? 2 ** 40,
  };
  try {
    return new KuzuGraph(await Home.open(settings, options.onProgress), options);
  } catch (error) {
    throw asEngineError(error, 'The graph could not be opened');
  }
}

class KuzuGraph implements GraphEngine {
  readonly name: EngineName;
  readonly #home: Home;
  readonly #source: GraphSource;
  readonly #onProgress: Progress | undefined;
  readonly #cypherTimeoutMs: number;
  #failure: unknown = null;
  #writes: Promise<void> = Promise.resolve();
  #closed: Promise<void> | null = null;

  constructor(home: Home, options: GraphOptions) {
    this.#home = home;
    this.name = home.engine.name;
    this.#source = options.source;
    this.#onProgress = options.onProgress;
    this.#cypherTimeoutMs = options.cypherTimeoutMs ?? 30_000;
  }

  status(): GraphState {
    const { appliedTx, rebuiltBecause: why } = this.#home;
    if (this.#failure !== null)
      return { state: 'failed', engine: this.name, why: messageOf(this.#failure) };
    return why === null
      ? { state: 'ready', engine: this.name, appliedTx }
      : { state: 'rebuilt', engine: this.name, appliedTx, why };
  }

  async catchUp(): Promise<void> {
    this.#check();
    if (this.#home.appliedTx >= this.#source.lastTx) return;
    await this.#queue(() => this.#catchUp());
  }

  async rows(query: RowQuery, newest?: number): Promise<readonly FactRow[]> {
    return this.#ask((database) => readRows(database, query, newest));
  }

  async supports(facts: readonly string[]): Promise<ReadonlyMap<string, readonly ClaimRow[]>> {
    return this.#ask((database) => readSupports(database, facts));
  }

  async supportsOf(
    facts: readonly Pick<FactRow, 'id' | 'subject'>[],
  ): Promise<ReadonlyMap<string, readonly ClaimRow[]>> {
    return this.#ask((database) => readSupportsOf(database, facts));
  }

  async factById(id: string): Promise<FactRow | null> {
    return this.#ask((database) => readFact(database, id));
  }

  async cypher(
    text: string,
    params: Readonly<Record<string, CypherValue>> = {},
  ): Promise<readonly Row[]> {
    checkCypher(text, params);
    checkParams(params);
    return this.#ask((database) => database.readOnly(text, params, this.#cypherTimeoutMs));
  }

  async rebuild(
    options: { readonly why?: string; readonly onProgress?: Progress } = {},
  ): Promise<void> {
    this.#checkOpen();
    await this.#queue(() => this.#rebuild(options.why ?? 'it was asked for', options.onProgress));
  }

  close(): Promise<void> {
    this.#closed ??= this.#writes.then(() => this.#home.close());
    return this.#closed;
  }

  async #ask<T>(question: (database: GraphDatabase) => Promise<T>): Promise<T> {
    await this.catchUp();
    try {
      return await this.#home.use(question);
    } catch (error) {
      throw asEngineError(error, 'The graph did not answer');
    }
  }

  /** Writers one after the other; a failed one does not stop the next. */
  #queue(job: () => Promise<void>): Promise<void> {
    const done = this.#writes.then(job);
    this.#writes = done.catch(() => undefined);
    return done;
  }

  async #catchUp(): Promise<void> {
    this.#check(true);
    const most = farBehind(this.#source.factCount);
    const behind = this.#rowsBehind(most);
    if (behind === 0) return;
    if (behind > most) return this.#rebuild('it was far behind');
    try {
      await this.#apply();
    } catch {
      // The transaction was left open. Reopening drops it; what was committed before it stays.
      try {
        await this.#home.reopen();
        await this.#apply();
      } catch (again) {
        await this.#rebuild(`a change could not be applied: ${messageOf(again)}`);
      }
    }
    const log = await stat(logFile(this.#home.folder, this.#home.generation)).catch(() => null);
    if (log !== null && log.size > LONG_LOG) await this.#rebuild('its log was long');
  }

  async #apply(): Promise<void> {
    for (const batch of batches(this.#source.changes(this.#home.appliedTx), BATCH)) {
      await this.#home.use((database) => applyBatch(database, batch));
      this.#home.appliedTx = batch.lastTx;
    }
  }

  /** Stops counting past `most`. */
  #rowsBehind(most: number): number {
    let rows = 0;
    for (const change of this.#source.changes(this.#home.appliedTx)) {
      rows += 1 + rowCount(change);
      if (rows > most) break;
    }
    return rows;
  }

  async #rebuild(why: string, onProgress = this.#onProgress): Promise<void> {
    try {
      await this.#home.rebuild(why, onProgress);
      this.#failure = null;
    } catch (error) {
      this.#failure = error;
      throw asEngineError(error, 'The graph could not be built');
    }
  }

  #check(queued = false): void {
    if (!queued) this.#checkOpen();
    if (this.#failure === null) return;
    throw new PalimpsestError('ENGINE_FAILED', `The graph failed: ${messageOf(this.#failure)}.`, {
      hint: 'Rebuild it.',
      cause: this.#failure,
    });
  }

  #checkOpen(): void {
    if (this.#closed !== null) throw new PalimpsestError('STORE_CLOSED', 'The graph is closed.');
  }
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

function asEngineError(error: unknown, what: string): PalimpsestError {
  if (PalimpsestError.isInstance(error)) return error;
  return new PalimpsestError('ENGINE_FAILED', `${what}: ${messageOf(error)}`, { cause: error });
}
