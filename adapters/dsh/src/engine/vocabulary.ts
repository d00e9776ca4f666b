/**
 * The words in which plugins speak of memory. They say nothing of how it is kept: an engine may be a graph, a
 * table or a service elsewhere. Instants are ISO 8601 in UTC, intervals half-open, `null` an open end.
 */

/** Whose memory. A memory is seen from every scope that has its dimensions, and never from another org. */
export interface Scope {
  readonly org: string;
  readonly project?: string | undefined;
  readonly user?: string | undefined;
  readonly agent?: string | undefined;
}

export type Role = 'user' | 'assistant' | 'tool' | 'document' | 'system';

/** One entry of a session's log, by which everything that is remembered can be traced. */
export interface EventRef {
  readonly session: string;
  readonly seq: number;
}

export interface CapturedEvent extends EventRef {
  readonly role: Role;
  readonly text: string;
  /** Epoch milliseconds. */
  readonly at: number | null;
  readonly turn?: number | null;
}

export interface Evidence extends EventRef {
  readonly role: Role;
  readonly at: string | null;
  readonly quote: string | null;
}

/** A point on both axes: when it holds, and what was known by then. */
export interface AsOf {
  readonly validAt?: string | undefined;
  readonly knownAt?: string | { readonly tx: number } | undefined;
}

/** A point at which an answer was given. */
export interface Moment {
  readonly validAt: string | null;
  readonly knownAt: { readonly tx: number; readonly at: string };
}

export interface MemoryFact {
  readonly id: string;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  /** The interval as a person reads it. */
  readonly valid: string;
  readonly validFrom: string | null;
  readonly validTo: string | null;
  readonly knownFrom: string;
  /** `null`: believed still, as of the asked point. */
  readonly knownTo: string | null;
  readonly certainty: 'definite' | 'presumed' | null;
  readonly scope: Scope;
  readonly statement: string | null;
  readonly evidence: readonly Evidence[];
}

/** What somebody wants to be remembered. */
export interface Statement {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly validFrom?: string | undefined;
  readonly validTo?: string | undefined;
  readonly statement?: string | undefined;
  /** It does not hold. */
  readonly denied?: boolean | undefined;
  /** Ids of facts that this one says were wrong. */
  readonly corrects?: readonly string[] | undefined;
  /** A broader scope than that of the asker. */
  readonly to?: Scope | undefined;
}

/** Who writes, and the event it rests on. */
export interface Author {
  readonly actor: string;
  readonly evidence: {
    readonly session: string;
    readonly seq: number;
    readonly role: Role;
    readonly quote?: string | undefined;
    readonly at?: number | undefined;
  } | null;
}

export interface Outcome {
  readonly tx: number;
  readonly committed: boolean;
  readonly claims: readonly string[];
  readonly opened: readonly MemoryFact[];
  readonly closed: readonly { readonly fact: MemoryFact; readonly reason: string }[];
  /** Why nothing changed; `null` when something did. */
  readonly noEffect: string | null;
}

export interface Held {
  readonly id: string;
  readonly why: string;
  readonly since: string;
  readonly text: string;
  readonly evidence: readonly Evidence[];
}

export interface RecallRequest {
  readonly question: string;
  readonly session: string;
  readonly maxTokens: number;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** Facts that the asker has before it already. */
  readonly known: readonly string[];
}

/** What was found for a model to read, and is kept as it was shown. */
export interface Recollection {
  readonly status: 'found' | 'no-evidence' | 'timed-out';
  readonly text: string;
  readonly snapshot: string | null;
  readonly asOf: Moment;
  readonly facts: readonly { readonly id: string; readonly evidence: readonly EventRef[] }[];
  readonly events: readonly EventRef[];
}

export interface ProfileText {
  readonly text: string;
  readonly facts: readonly string[];
  readonly asOf: Moment;
}

export type ForgetWhat =
  | { readonly fact: string }
  | { readonly entity: string }
  | { readonly session: string }
  | { readonly event: EventRef };

export interface Forgotten {
  readonly committed: boolean;
  readonly claims: number;
  readonly facts: number;
  readonly events: number;
  /** Sessions whose logs, kept by the host, still hold what was said or shown. */
  readonly sessions: readonly string[];
}

export interface Why {
  readonly fact: MemoryFact;
  readonly text: string;
  readonly claims: readonly {
    readonly id: string;
    readonly text: string;
    readonly evidence: readonly Evidence[];
  }[];
}

export interface Curation {
  readonly sessions: number;
  readonly jobs: number;
  readonly failed: readonly string[];
}

export interface EngineHealth {
  /** `off`: nothing makes claims of what is captured. */
  readonly state: 'ok' | 'degraded' | 'off';
  readonly queued: number;
  readonly running: number;
  readonly held: number;
  readonly failed: number;
  /** Milliseconds. */
  readonly oldestWaiting: number | null;
  readonly reason: string | null;
  readonly facts: number;
  readonly transactions: number;
}

export interface Imported {
  readonly taken: number;
  /** What an earlier run of the same source had taken. */
  readonly skipped: number;
  readonly keepsKnownTime: boolean;
}
