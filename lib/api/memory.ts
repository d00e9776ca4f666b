import type { OntologyDefinition } from '../model/ontology.js';
import { readScope, type Scope } from '../model/scope.js';
import { settingsNow, type Space } from '../memory/space.js';
import type { GraphState } from '../store/graph.js';
import { STILL } from '../store/rows.js';
import { Admin } from './admin.js';
import { Handle } from './handle.js';

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
  readonly graph: GraphState;
  readonly timeZone: string;
  readonly predicates: readonly string[];
  /** Bytes of an unfinished commit that was cut off when the store was opened; 0 after a clean close. */
  readonly tornBytes: number;
  /** Why the index could not be saved; `null` when all is well. The next opening is slower, no more. */
  readonly checkpointFailure: string | null;
}

/** A store, opened. Everything that reads or writes does so through a handle on a scope. */
export class Memory<O extends OntologyDefinition = OntologyDefinition> implements AsyncDisposable {
  readonly #space: Space;

  constructor(space: Space) {
    this.#space = space;
  }

  /**
   * A handle on a scope.
   *
   * @throws PalimpsestError `INVALID_SCOPE` for a missing org, empty values and unknown dimensions.
   * @example memory.in({ org: 'acme', project: 'shop', user: 'ana' })
   */
  in(scope: Scope): Handle<O> {
    this.#space.store.ensureOpen();
    return new Handle<O>(this.#space, readScope(scope));
  }

  /** What crosses the scopes of an org. */
  admin(scope: { readonly org: string }): Admin {
    this.#space.store.ensureOpen();
    return new Admin(this.#space, readScope(scope).org);
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
    const engine = await this.#space.store.graph.engine();
    return engine.cypher(text, params);
  }

  async stats(): Promise<Stats> {
    const { store } = this.#space;
    store.ensureOpen();
    const { tables, lastTx } = store.index;
    let believed = 0;
    for (let row = 0; row < tables.factCount; row++) {
      if (tables.fact.knownTo.get(row) === STILL && (tables.fact.flags.get(row) & 1) === 0) believed += 1;
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
      graph: store.graphState(),
      timeZone: settings.timeZone,
      predicates: [...settings.predicates.keys()],
      tornBytes: store.tornBytes,
      checkpointFailure: store.checkpointFailure,
    };
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
    await this.#space.store.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
