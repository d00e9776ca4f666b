import type { z } from 'zod';
import type { CloseReason, Supersession } from '../belief/reasons.js';
import type { EvidenceRecord, Origin } from '../model/entry.js';
import type { ClaimId, EntityId, FactId } from '../model/ids.js';
import type { InstantInput } from '../model/instant.js';
import type {
  EntityObject,
  InstantObject,
  OntologyDefinition,
  PredicateDefinition,
} from '../model/ontology.js';
import type { Precision } from '../model/precision.js';
import type { Scope } from '../model/scope.js';
import type { OutCause } from '../store/rows.js';

/** An entity as answers show it. */
export interface EntityRef {
  readonly id: EntityId;
  readonly type: string;
  readonly name: string;
}

export interface InstantValue {
  /** ISO 8601, UTC. */
  readonly instant: string;
  readonly precision: Precision;
}

export interface JsonValue {
  readonly json: unknown;
}

/** The object of a fact whose predicate declares no type. */
export type ObjectValue = string | number | boolean | EntityRef | InstantValue | JsonValue;

/** The type of the objects that facts of a declared predicate have. */
export type ObjectOf<P extends PredicateDefinition> = P extends { readonly object: infer S }
  ? S extends EntityObject
    ? EntityRef
    : S extends InstantObject
      ? InstantValue
      : S extends z.ZodType
        ? z.output<S>
        : ObjectValue
  : ObjectValue;

export type PredicateOf<O extends OntologyDefinition> = keyof O['predicates'] & string;

/** Any name, while those that the ontology declares are offered by an editor. */
export type PredicateName<O extends OntologyDefinition> =
  | PredicateOf<O>
  | (string & Record<never, never>);

/** The object type of a predicate by name, as far as the ontology tells. */
export type ObjectByName<O extends OntologyDefinition, Name extends string> =
  Name extends PredicateOf<O> ? ObjectOf<O['predicates'][Name]> : ObjectValue;

/** A transaction: its number, and the instant of its commit as ISO 8601, UTC. */
export interface TxStamp {
  readonly tx: number;
  readonly at: string;
}

/**
 * What the memory believes: an edge with the interval in which it holds in the world and the
 * interval in which it was believed. Intervals are half-open, ISO 8601 in UTC; `null` is an open end.
 */
export interface Fact<T = ObjectValue> {
  readonly id: FactId;
  readonly subject: EntityRef;
  readonly predicate: string;
  readonly object: T;
  /** Tells apart what holds between the same two several times; `null` for most. */
  readonly instance: string | null;
  readonly properties: Readonly<Record<string, unknown>>;
  /** `null`: nobody knows since when. */
  readonly validFrom: string | null;
  /** `null`: no end is known. */
  readonly validTo: string | null;
  readonly precision: { readonly from: Precision; readonly to: Precision };
  /** The interval as a person reads it, in the space's time zone and at its precision. */
  readonly valid: string;
  /** `validFrom` is when it was said, or nothing at all: the true start is not known. */
  readonly startUnknown: boolean;
  /** At the asked instant: said for sure, or presumed to go on. `null` when no instant was asked. */
  readonly certainty: 'definite' | 'presumed' | null;
  /** The latest event which says so, ISO 8601. */
  readonly lastConfirmedAt: string | null;
  /** Presumed, and confirmed longer ago than the predicate's `staleAfter`. */
  readonly stale: boolean;
  readonly knownFrom: TxStamp;
  /** `null`: still believed (as of the asked known time). */
  readonly knownTo: TxStamp | null;
  readonly closedAs: CloseReason | null;
  readonly scope: Scope;
  /** Facts of broader scopes that this one hides. */
  readonly shadows: readonly FactId[];
}

export type EntityInput =
  | string
  | { readonly id: string }
  | {
      readonly name: string;
      readonly type?: string | undefined;
      /** Tells apart two of one name, such as a person's department. */
      readonly distinct?: string | undefined;
    };

export type ObjectInput =
  | string
  | number
  | boolean
  | Date
  | { readonly id: string }
  | {
      readonly entity: string;
      readonly type?: string | undefined;
      readonly distinct?: string | undefined;
    }
  | { readonly instant: InstantInput; readonly precision?: Precision | undefined }
  | { readonly json: unknown }
  | EntityRef;

/** What `assert` takes for the object of a declared predicate. */
export type ObjectInputOf<P extends PredicateDefinition> = P extends { readonly object: infer S }
  ? S extends EntityObject
    ? EntityInput | EntityRef
    : S extends InstantObject
      ? InstantInput
      : S extends z.ZodType
        ? z.input<S>
        : ObjectInput
  : ObjectInput;

export type ObjectInputByName<O extends OntologyDefinition, Name extends string> =
  Name extends PredicateOf<O> ? ObjectInputOf<O['predicates'][Name]> : ObjectInput;

/** A point in known time: an instant (the last transaction at or before it) or a transaction. */
export type KnownInput = InstantInput | { readonly tx: number };

export type ScopeInput = Scope;

/** One thing said about the world. */
export interface AssertInput<
  O extends OntologyDefinition = OntologyDefinition,
  P extends string = string,
> {
  readonly subject: EntityInput | EntityRef;
  readonly predicate: P;
  /** `'*'` in a denial denies every object of the key. */
  readonly object: ObjectInputByName<O, P> | '*';
  /** `deny`: it does not hold. Default `assert`. */
  readonly polarity?: 'assert' | 'deny' | undefined;
  /** Default `'unknown'`: it holds at `observedAt`, and nobody knows since when. */
  readonly validFrom?: InstantInput | 'unknown' | undefined;
  /** Exclusive. Default `'ongoing'`. */
  readonly validTo?: InstantInput | 'ongoing' | 'unknown' | undefined;
  /** When it was said. Default: the latest event among the evidence, else now. */
  readonly observedAt?: InstantInput | undefined;
  /** Who said it. Default: the role of the first evidence, else `api`. */
  readonly origin?: Origin | undefined;
  /** Default by origin. Higher wins. */
  readonly authority?: number | undefined;
  /** 0 to 1. */
  readonly confidence?: number | undefined;
  /** The sentence that people and search read. */
  readonly statement?: string | undefined;
  /** Required unless the origin is `api`. */
  readonly evidence?: readonly EvidenceInput[] | undefined;
  /** Facts and claims which this one says were wrong. */
  readonly corrects?: readonly string[] | undefined;
  readonly properties?: Readonly<Record<string, unknown>> | undefined;
  readonly instance?: string | undefined;
  /** Makes a call without evidence safe to repeat. */
  readonly idempotencyKey?: string | undefined;
  /** Write to this scope, which the handle sees, instead of its own. */
  readonly to?: ScopeInput | undefined;
  /** Who extracted it, such as a model and its version. */
  readonly extractor?: string | undefined;
}

export interface EvidenceInput {
  readonly session: string;
  /** Sequence number of the event in its session. */
  readonly seq: number;
  readonly quote?: string | undefined;
  readonly role?: EvidenceRecord['role'] | undefined;
  /** When the event happened. */
  readonly at?: InstantInput | undefined;
}

export interface WriteOptions {
  /** Say what it would open and close, and change nothing. */
  readonly dryRun?: boolean | undefined;
  /** Refuse with `CONFLICT` when belief about a key that this touches has changed after the transaction. */
  readonly ifTx?: number | undefined;
  readonly reason?: string | undefined;
  readonly actor?: string | undefined;
}

export interface ClosedFact {
  readonly fact: Fact;
  readonly reason: CloseReason;
  readonly supersededBy: readonly { readonly fact: FactId; readonly kind: Supersession }[];
}

/** Why a write changed no belief. */
export type NoEffect =
  /** The very same claim was told before. */
  | { readonly why: 'already-told' }
  /** What it says is believed already; it was confirmed once more. */
  | { readonly why: 'confirms'; readonly fact: FactId }
  /** Another claim has precedence wherever it speaks. */
  | { readonly why: 'shadowed'; readonly by: ClaimId }
  /** Neither start nor end is known: kept as history, never current. */
  | { readonly why: 'undated' }
  /** It waits for approval. */
  | { readonly why: 'held'; readonly reason: string }
  /** It, or every event it rests on, was erased on somebody's request. */
  | { readonly why: 'erased' }
  /** It denies or withdraws what was not believed. */
  | { readonly why: 'nothing-to-change' };

export interface WriteResult {
  /** The transaction, or the last one when nothing was written. */
  readonly tx: number;
  /** Its commit instant, ISO 8601. */
  readonly at: string;
  /** False for a dry run and for a write which had nothing to write. */
  readonly committed: boolean;
  /** Ids of the claims, in the order of the verbs. */
  readonly claims: readonly ClaimId[];
  readonly opened: readonly Fact[];
  readonly closed: readonly ClosedFact[];
  /** Set when no belief changed. */
  readonly noEffect: NoEffect | null;
}

/** What became of a claim's standing. */
export interface ClaimOut {
  /** ISO 8601, `null` for an open end; both `null` when it is out as a whole. */
  readonly from: string | null;
  readonly to: string | null;
  readonly since: TxStamp;
  readonly until: TxStamp | null;
  readonly cause: OutCause;
  readonly by: ClaimId | null;
}

/** What somebody said, with where they said it. */
export interface Claim {
  readonly id: ClaimId;
  readonly subject: EntityRef;
  readonly predicate: string;
  readonly object: ObjectValue | '*';
  readonly polarity: 'assert' | 'deny';
  readonly validFrom: string | 'unknown';
  readonly validTo: string | 'ongoing' | 'unknown';
  /** The interval as a person reads it. */
  readonly valid: string;
  readonly observedAt: string;
  readonly origin: Origin;
  readonly authority: number;
  readonly confidence: number | null;
  readonly statement: string | null;
  readonly instance: string | null;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly evidence: readonly EvidenceRecord[];
  readonly extractor: string | null;
  readonly scope: Scope;
  readonly accepted: TxStamp;
  readonly outs: readonly ClaimOut[];
}

/** A claim that is not accepted yet. */
export interface ProposedClaim extends Omit<Claim, 'accepted' | 'outs'> {
  /** Claims which it would take out, wholly or within a stretch of valid time. */
  readonly corrects: readonly ClaimId[];
}

export interface FactSelector<
  O extends OntologyDefinition = OntologyDefinition,
  P extends string = string,
> {
  readonly subject?: EntityInput | EntityRef | undefined;
  readonly predicate?: P | readonly P[] | undefined;
  readonly object?: ObjectInputByName<O, P> | undefined;
  /** Facts that hold at some time within; takes the place of `validAt`. */
  readonly during?:
    | { readonly from?: InstantInput | undefined; readonly to?: InstantInput | undefined }
    | undefined;
  /** Default: now. */
  readonly validAt?: InstantInput | undefined;
  /** Default: the latest transaction. */
  readonly knownAt?: KnownInput | undefined;
  readonly orderBy?: 'validFrom' | 'knownFrom' | 'subject' | 'predicate' | undefined;
  /** Default `desc` for times, `asc` for names. */
  readonly order?: 'asc' | 'desc' | undefined;
  readonly limit?: number | undefined;
  /** Start after this fact of the same order: the id of the last one of the page before. */
  readonly after?: string | undefined;
}

export interface ChangeSet extends TxStamp {
  readonly actor: string | null;
  readonly reason: string | null;
  readonly opened: readonly Fact[];
  readonly closed: readonly ClosedFact[];
}

export interface Why {
  readonly fact: Fact;
  /** Every claim that supports it, as known at the asked transaction. */
  readonly claims: readonly Claim[];
  readonly supersedes: readonly { readonly fact: Fact; readonly kind: Supersession }[];
  readonly supersededBy: readonly { readonly fact: Fact; readonly kind: Supersession }[];
  /** The chain in sentences. */
  readonly text: string;
}

export interface History {
  /** Facts of all known times, by the transaction which opened them. */
  readonly facts: readonly Fact[];
  /** Claims of the key with neither start nor end: known to have been, never current. */
  readonly undated: readonly Claim[];
}
