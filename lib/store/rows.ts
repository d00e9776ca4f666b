import type { Precision } from '../model/precision.js';
import {
  CLOSE_REASONS,
  SUPERSESSIONS,
  type CloseReason,
  type Supersession,
} from '../belief/reasons.js';

import type { Interval } from '../model/interval.js';

export { CLOSE_REASONS, SUPERSESSIONS, type CloseReason, type Supersession };

/**
 * What every projection of the journal holds, as plain rows. Instants are epoch milliseconds with
 * `BEGIN` and `FOREVER` as open ends; known times are transaction numbers.
 */

/** The transaction number of "not closed yet". Fits 32-bit columns. */
export const STILL = 2_147_483_647;

export interface EntityRow {
  readonly id: string;
  /** Canonical key of the scope, as `scopeKey` writes it. */
  readonly scope: string;
  readonly type: string;
  readonly name: string;
  /** The transaction which declared it. */
  readonly tx: number;
}

export interface EvidenceRow {
  readonly session: string;
  readonly seq: number;
  readonly role: string;
  readonly quote: string | null;
  /** When the event happened. */
  readonly at: number | null;
}

export type OutCause = 'retract' | 'reject' | 'revert' | 'forget' | 'corrected';

/** A stretch of valid time in which a claim takes no part, and the transactions for which that holds. */
export interface OutRow {
  readonly from: number;
  readonly to: number;
  readonly since: number;
  /** `STILL` while it holds. */
  readonly until: number;
  readonly cause: OutCause;
  /** The correcting claim, where the cause is a correction. */
  readonly by: string | null;
}

export interface ClaimRow {
  readonly id: string;
  readonly scope: string;
  readonly subject: string;
  readonly predicate: string;
  readonly polarity: 'assert' | 'deny';
  /** Equality key of the object, as `termKey` writes it, or `*`. */
  readonly object: string;
  /** The object as it was said, in the same notation. */
  readonly shown: string;
  readonly instance: string | null;
  /** Canonical JSON. */
  readonly properties: string | null;
  readonly validFrom: number | null;
  readonly validTo: number | 'ongoing' | 'unknown';
  readonly unit: number;
  readonly fromPrecision: Precision;
  readonly toPrecision: Precision;
  readonly observedAt: number;
  readonly authority: number;
  readonly origin: string;
  readonly confidence: number | null;
  readonly statement: string | null;
  readonly evidence: readonly EvidenceRow[];
  /** The transaction which accepted it. */
  readonly tx: number;
  readonly outs: readonly OutRow[];
}

export interface FactRow {
  readonly id: string;
  /** Names the key: facts of equal `key` are alternatives in time. */
  readonly key: string;
  readonly scope: string;
  /** Canonical entity id at the time of opening. */
  readonly subject: string;
  readonly predicate: string;
  /** A denial is a row too, for shadowing between scopes; it is no fact, and no verb lists it. */
  readonly polarity: 'assert' | 'deny';
  /** Equality key of the object: `e:<entity id>`, `s:<string>`, `n:<number>`, `b:<boolean>`, `t:<ms>:<precision>`, `j:<JSON>`, or `*`. */
  readonly object: string;
  /** The object as it was said, in the same notation. */
  readonly shown: string;
  readonly instance: string | null;
  /** Canonical JSON. */
  readonly properties: string | null;
  readonly validFrom: number;
  readonly validTo: number;
  readonly fromPrecision: Precision;
  readonly toPrecision: Precision;
  readonly startUnknown: boolean;
  readonly knownFrom: number;
  /** `STILL` while believed. */
  readonly knownTo: number;
  /** `null` while believed. */
  readonly reason: CloseReason | null;
}

export interface SupersessionRow {
  /** The fact that took the place. */
  readonly from: string;
  /** The fact that was closed. */
  readonly to: string;
  readonly kind: Supersession;
}

/** What one transaction did to the projections, in an order in which it can be applied. */
export interface TxChanges {
  readonly tx: number;
  /** Commit instant. */
  readonly at: number;
  readonly entities: readonly EntityRow[];
  /** Accepted in this transaction; their `outs` are those of now, not only of this transaction. */
  readonly claims: readonly ClaimRow[];
  /** Older claims whose `outs` changed here. */
  readonly reconsidered: readonly ClaimRow[];
  readonly opened: readonly FactRow[];
  readonly closed: readonly {
    readonly id: string;
    readonly knownTo: number;
    readonly reason: CloseReason;
  }[];
  readonly supersedes: readonly SupersessionRow[];
  /** Which claims support which facts, newly so in this transaction. */
  readonly supports: readonly { readonly fact: string; readonly claim: string }[];
}

/** Which rows a reader wants. Every given field must match; lists are alternatives. */
export interface RowQuery {
  /** Visible scopes; an empty list matches nothing. */
  readonly scopes: readonly string[];
  readonly subjects?: readonly string[] | undefined;
  /** The same subjects as numbers of the index, where the caller has them: that spares looking them up. */
  readonly subjectTerms?: readonly number[] | undefined;
  readonly objects?: readonly string[] | undefined;
  readonly predicates?: readonly string[] | undefined;
  /** Rows whose valid interval overlaps; `null` for any. A point `t` is `[t, t + 1)`. */
  readonly valid: Interval | null;
  /** Rows believed at this transaction, or of all known times. */
  readonly known: number | 'ever';
  readonly polarity: 'assert' | 'deny' | 'both';
}
