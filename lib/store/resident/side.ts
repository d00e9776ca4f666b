import type { Locator } from '../../journal/port.js';
import type { ClaimRecord, EntityRecord, Origin } from '../../model/entry.js';
import type { PredicateRecord } from '../../model/ontology.js';
import type { OutCause } from '../rows.js';

/** A stretch in which a claim takes no part; `by` is the row of the correcting claim. */
export interface Out {
  readonly from: number;
  readonly to: number;
  readonly since: number;
  readonly until: number;
  readonly cause: OutCause;
  readonly by: number | null;
  /** The source which the claim has lost; then the stretch is empty, and the claim takes part by its others. */
  readonly source?: { readonly session: string; readonly seq: number | null } | undefined;
}

export interface Settings {
  readonly since: number;
  readonly timeZone: string;
  readonly authority: Readonly<Record<Origin, number>>;
  readonly predicates: ReadonlyMap<string, PredicateRecord>;
}

export interface HeldClaim {
  readonly claim: ClaimRecord;
  readonly why: string;
  readonly tx: number;
  /** Where its line lies in the journal. */
  readonly at: Locator | null;
  /** Those that it names and nobody had declared. */
  readonly entities?: readonly EntityRecord[] | undefined;
}

/** Where a claim stood until a merge, a split or a change of settings moved it. */
export interface FormerPlace {
  readonly until: number;
  readonly key: number;
  readonly object: number;
}

export interface Merge {
  readonly from: number;
  readonly into: number;
  readonly since: number;
  readonly until: number;
}

/** The rare parts of the index, as maps of immutable values. */
export interface Side {
  readonly outs: Map<number, readonly Out[]>;
  /** Corrector → what it takes out. */
  readonly targets: Map<
    number,
    readonly { readonly claim: number; readonly from: number; readonly to: number }[]
  >;
  readonly held: Map<string, HeldClaim>;
  readonly rejected: Map<string, HeldClaim>;
  readonly places: Map<number, readonly FormerPlace[]>;
  merges: readonly Merge[];
  /** Canonical entities over known time, by term. */
  readonly canonicals: Map<number, readonly { readonly since: number; readonly term: number }[]>;
  settings: readonly Settings[];
  /** Salted hashes of what was erased. */
  readonly erased: Map<string, Set<string>>;
  /** How far each import has come. */
  readonly cursors: Map<string, number>;
}

export const DEFAULT_AUTHORITY: Readonly<Record<Origin, number>> = {
  user: 30,
  tool: 30,
  document: 20,
  assistant: 10,
  api: 30,
};

export const FIRST_SETTINGS: Settings = {
  since: 0,
  timeZone: 'UTC',
  authority: DEFAULT_AUTHORITY,
  predicates: new Map(),
};

export const emptySide = (): Side => ({
  outs: new Map(),
  targets: new Map(),
  held: new Map(),
  rejected: new Map(),
  places: new Map(),
  merges: [],
  canonicals: new Map(),
  settings: [FIRST_SETTINGS],
  erased: new Map(),
  cursors: new Map(),
});
