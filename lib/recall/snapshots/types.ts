import type { Scope } from '../../model/scope.js';
import type { Fact, TxStamp } from '../../memory/types.js';
import type { RecallAnswer } from '../types.js';

/** What a model was shown, as it was shown: later changes to the memory do not alter it. */
export interface KeptSnapshot extends Omit<RecallAnswer, 'snapshot' | 'trace'> {
  readonly state: 'kept';
  /** Follows from the content: the same content has the same id. */
  readonly id: string;
  /** When it was first shown, ISO 8601, UTC. */
  readonly at: string;
  /** Of the handle that asked. */
  readonly scope: Scope;
  /** The host's session. */
  readonly session: string | null;
  readonly query: string;
}

/** What an erasure left of a snapshot. */
export interface ErasedSnapshot {
  readonly state: 'erased';
  readonly id: string;
  readonly at: string;
  readonly scope: Scope;
  readonly session: string | null;
  /** ISO 8601, UTC. */
  readonly erasedAt: string;
  /** Says what happened, in a sentence. */
  readonly notice: string;
}

export type Snapshot = KeptSnapshot | ErasedSnapshot;

/** A snapshot without its content. */
export interface SnapshotInfo {
  readonly id: string;
  readonly state: Snapshot['state'];
  readonly at: string;
  readonly scope: Scope;
  readonly session: string | null;
}

/**
 * What became of a fact that was shown. `believed`: it is still shown at the same point. `changed`: the same is
 * said, of other bounds or with other properties. `ended`: it held until some time, and no longer at that
 * point. `corrected`: something else took its place, and it is held to have been wrong. `withdrawn`: nobody
 * stands by it. `forgotten`: it was taken out on somebody's request. `hidden`: a narrower scope says otherwise.
 */
export type Fate =
  | 'believed'
  | 'changed'
  | 'ended'
  | 'corrected'
  | 'withdrawn'
  | 'forgotten'
  | 'hidden';

export interface ComparedFact {
  /** As it was shown. */
  readonly was: Fact;
  readonly fate: Fate;
  /** What is believed now of the same subject and predicate; of a predicate with many values, the same object. */
  readonly now: readonly Fact[];
}

/** What was shown against what is believed now. */
export interface Comparison {
  readonly snapshot: string;
  /** What was shown was known then. */
  readonly shown: TxStamp;
  /** The point at which it is looked at again: that of the snapshot where one was asked for, else now. */
  readonly asOf: {
    readonly validAt: string | null;
    readonly during: { readonly from: string | null; readonly to: string | null } | null;
    readonly knownAt: TxStamp;
  };
  /** Every fact that was shown, in its order. */
  readonly facts: readonly ComparedFact[];
  /** Believed now of the subjects and predicates that were shown, and neither shown nor believed then. */
  readonly fresh: readonly Fact[];
  /** Whether every fact is believed and there is nothing fresh. */
  readonly unchanged: boolean;
}
