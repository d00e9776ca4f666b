import type { OntologyDefinition } from '../model/ontology.js';
import { z } from 'zod';
import { check } from '../model/check.js';
import { readScope, ScopeSchema, type Scope } from '../model/scope.js';
import { fieldsOf } from '../secrets/fields.js';
import { ensureNoSecrets } from '../secrets/secrets.js';
import { settingsNow, type Space } from '../memory/space.js';
import type { IngestHealth } from '../ingest/health.js';
import type { GraphState } from '../store/graph.js';
import { STILL } from '../store/rows.js';
import { exportLines } from '../transfer/export.js';
import { importLines, type ImportOptions, type ImportReport } from '../transfer/import.js';
import { linesOf, type LineSource } from '../transfer/lines.js';
import { Admin } from './admin.js';
import { Handle } from './handle.js';
import type { Ingestion } from './ingestion.js';
import type { Job } from './job.js';
import type { Recall } from './recall.js';
import type { Reembedding, VectorState } from '../recall/vectors/types.js';
import { Stream } from './stream.js';

export interface Stats {
  readonly transactions: number;
  readonly claims: number;
  readonly entities: number;
  /** Facts of all known times. */
  readonly facts: number;
  /** Facts believed now. */
  readonly believed: number;
  readonly held: number;
  readonly journalBytes: number;
  /** Bytes of the index in memory. */
  readonly indexBytes: number;
  /** Bytes of the search index in memory; 0 before the first search. */
  readonly searchBytes: number;
  readonly graph: GraphState;
  readonly timeZone: string;
  readonly predicates: readonly string[];
  /** Bytes of an unfinished commit that was cut off when the store was opened; 0 after a clean close. */
  readonly tornBytes: number;
  /** Why the index could not be saved; `null` when all is well. The next opening is slower, no more. */
  readonly checkpointFailure: string | null;
}

export interface Health extends IngestHealth {
  /** How far the vectors are, and what is wrong with them. */
  readonly vectors: VectorState;
}

const AdminSchema = z.strictObject({ org: ScopeSchema.unwrap().shape.org });

/** A store, opened. Everything that reads or writes does so through a handle on a scope. */
export class Memory<O extends OntologyDefinition = OntologyDefinition> implements AsyncDisposable {
  readonly #space: Space;
  readonly #ingestion: Ingestion;
  readonly #recall: Recall;

  constructor(space: Space, ingestion: Ingestion, recall: Recall) {
    this.#space = space;
    this.#ingestion = ingestion;
    this.#recall = recall;
  }

  /**
   * A handle on a scope.
   *
   * @throws PalimpsestError `INVALID_SCOPE` for a missing org, empty values and unknown dimensions.
   * @example memory.in({ org: 'acme', project: 'shop', user: 'ana' })
   */
  in(scope: Scope): Handle<O> {
    this.#space.store.ensureOpen();
    ensureNoSecrets(fieldsOf(scope, 'scope'));
    return new Handle<O>(this.#space, readScope(scope), this.#ingestion, this.#recall);
  }

  /** What crosses the scopes of an org. */
  admin(scope: { readonly org: string }): Admin {
    this.#space.store.ensureOpen();
    ensureNoSecrets(fieldsOf(scope, 'scope'));
    return new Admin(
      this.#space,
      check(AdminSchema, scope, 'scope').org,
      this.#ingestion,
      this.#recall,
    );
  }

  /**
   * Runs a read-only Cypher query on the graph at rest, which is brought up to date first. It sees
   * every scope and every known time: the walls between scopes are not in it.
   *
   * @throws PalimpsestError `ENGINE_UNAVAILABLE`, `ENGINE_FAILED`, `INVALID_INPUT` for a query that writes.
   */
  async cypher(
    text: string,
    params: Readonly<Record<string, string | number | boolean | null>> = {},
  ): Promise<readonly Record<string, unknown>[]> {
    this.#space.store.ensureOpen();
    return this.#space.store.graph.ask((engine) => engine.cypher(text, params));
  }

  /**
   * Imports JSON Lines, given as lines or as the path of a file: a stream of events with known times of
   * their own, into one scope, or an export, which brings its scopes and goes into an empty store. Each
   * transaction is durable before the next is begun; a second run goes on where the first one stopped.
   * An empty store takes a history of the past; after that known time runs forwards only.
   *
   * @throws PalimpsestError `IMPORT_FAILED` naming the line and the field: what stands before it is
   * committed; `ABORTED`; `INVALID_SCOPE` for a stream without a scope.
   * @example await memory.import('roster.jsonl', { scope: { org: 'acme' } });
   */
  async import(lines: LineSource, options?: ImportOptions): Promise<ImportReport> {
    return importLines(this.#space, linesOf(lines), options);
  }

  /**
   * The whole store as lines of JSON: its transactions, and the facts of all known times that follow
   * from them. Imported into an empty store it gives the same answers on both axes.
   *
   * @example for await (const line of memory.export()) file.write(`${line}\n`);
   */
  export(): Stream<string> {
    this.#space.store.ensureOpen();
    return new Stream(() => exportLines(this.#space));
  }

  async stats(): Promise<Stats> {
    const { store } = this.#space;
    store.ensureOpen();
    const { tables, lastTx } = store.index;
    let believed = 0;
    for (let row = 0; row < tables.factCount; row++) {
      if (tables.fact.knownTo.get(row) === STILL && (tables.fact.flags.get(row) & 1) === 0)
        believed += 1;
    }
    const settings = settingsNow(this.#space);
    return {
      transactions: lastTx,
      claims: tables.claimCount,
      entities: tables.entity.term.length,
      facts: tables.factCount,
      believed,
      held: tables.side.held.size,
      journalBytes: store.journalBytes,
      indexBytes: tables.memory,
      searchBytes: this.#recall.memory,
      graph: store.graphState(),
      timeZone: settings.timeZone,
      predicates: [...settings.predicates.keys()],
      tornBytes: store.tornBytes,
      checkpointFailure: store.checkpointFailure ?? this.#recall.failure,
    };
  }

  /** The jobs of everything that was ingested, in the order in which it came. */
  async jobs(filter: { readonly state?: Job['state'] } = {}): Promise<readonly Job[]> {
    this.#space.store.ensureOpen();
    const jobs = await this.#ingestion.jobs();
    return jobs.filter((job) => filter.state === undefined || job.state === filter.state);
  }

  /**
   * Puts a job that failed for good back into the queue.
   *
   * @throws PalimpsestError `NOT_FOUND`
   */
  async replay(job: string): Promise<Job> {
    this.#space.store.ensureOpen();
    return this.#ingestion.replay(job);
  }

  /** Whether what comes in is processed, what waits, how old it is, and what went wrong. */
  async health(): Promise<Health> {
    this.#space.store.ensureOpen();
    const [health, vectors] = await Promise.all([
      this.#ingestion.health(),
      this.#recall.vectors.state(),
    ]);
    return { ...health, vectors };
  }

  /**
   * Makes vectors of everything with the embedder that is set, in the background. Those of another model stay
   * until the new ones are complete; a process that ends in between goes on when it is opened again.
   *
   * @throws PalimpsestError `INVALID_INPUT` without an embedder.
   * @example
   * const { done } = await memory.reembed();
   * console.log((await done).status);
   */
  async reembed(): Promise<Reembedding> {
    this.#space.store.ensureOpen();
    return this.#recall.vectors.reembed();
  }

  /** Builds the index and the graph anew from the journal. */
  async rebuild(): Promise<void> {
    await this.#space.store.rebuild();
  }

  /** Brings the graph at rest up to date now. What came of it is in `stats().graph`. */
  async syncGraph(): Promise<GraphState> {
    this.#space.store.ensureOpen();
    await this.#space.store.graph.catchUp();
    return this.#space.store.graphState();
  }

  /** Waits for what is being written, brings the graph up to date and lets go of the folder. */
  async close(): Promise<void> {
    try {
      await this.#recall.close();
      await this.#ingestion.close();
    } finally {
      await this.#space.store.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
