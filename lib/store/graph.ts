import type { ClaimRow, FactRow, RowQuery, TxChanges } from './rows.js';

/** Where a graph engine reads what it lacks: the journal's projection in memory. */
export interface GraphSource {
  /** Names the store, so that a graph of another one is never taken for its own. */
  readonly storeId: string;
  /** Number of the last committed transaction; 0 for an empty store. */
  readonly lastTx: number;
  /** Changes of the transactions in `(after, lastTx]`, in order. */
  changes(after: number): Iterable<TxChanges>;
  /** How many facts of all known times there are, for progress. */
  readonly factCount: number;
}

export type GraphState =
  | { readonly state: 'ready'; readonly engine: string; readonly appliedTx: number }
  | {
      readonly state: 'rebuilt';
      readonly engine: string;
      readonly appliedTx: number;
      readonly why: string;
    }
  | { readonly state: 'unavailable'; readonly why: string }
  | { readonly state: 'failed'; readonly engine: string; readonly why: string };

export type CypherValue = string | number | boolean | null;

/** The graph at rest: a projection which can be asked, thrown away and rebuilt. */
export interface GraphEngine {
  readonly name: string;
  status(): GraphState;
  /** Applies what the source has and the graph lacks; resolves when the graph answers as of `source.lastTx`. */
  catchUp(): Promise<void>;
  /**
   * Facts by query, in no particular order. Calls `catchUp` first. With `newest` those that start last are
   * enough, so many of them.
   */
  rows(query: RowQuery, newest?: number): Promise<readonly FactRow[]>;
  /** The claims that support each of these facts, of all known times. */
  supports(facts: readonly string[]): Promise<ReadonlyMap<string, readonly ClaimRow[]>>;
  /** The same without their evidence, which is much faster for facts of few subjects. */
  supportsOf(
    facts: readonly Pick<FactRow, 'id' | 'subject'>[],
  ): Promise<ReadonlyMap<string, readonly ClaimRow[]>>;
  factById(id: string): Promise<FactRow | null>;
  /** Runs a read-only Cypher query of the caller's over the graph as of now. */
  cypher(
    text: string,
    params?: Readonly<Record<string, CypherValue>>,
  ): Promise<readonly Record<string, unknown>[]>;
  /** Builds the graph anew beside the old one and swaps them. */
  rebuild(options?: {
    readonly why?: string;
    readonly onProgress?: (done: number, all: number) => void;
  }): Promise<void>;
  close(): Promise<void>;
}
