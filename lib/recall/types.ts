import type { EvidenceRecord, Role } from '../model/entry.js';
import type { InstantInput } from '../model/instant.js';
import type { Scope } from '../model/scope.js';
import type { Fact, KnownInput, TxStamp } from '../memory/types.js';

/** Ways of finding something; each gives its own score, from 0 to 1. */
export const LEGS = ['lexical', 'vector', 'graph'] as const;
export type LegName = (typeof LEGS)[number];

/** What each leg gave; `null` where it did not find the hit. */
export type LegScores = Readonly<Record<LegName, number | null>>;

/** An interval of valid time, half-open, ISO 8601; what is left out is open. */
export interface DuringInput {
  readonly from?: InstantInput | undefined;
  readonly to?: InstantInput | undefined;
}

export interface SearchOptions {
  /** The instant at which facts have to hold. Default: what the question says, else now. */
  readonly validAt?: InstantInput | undefined;
  /** What was known then. Default: the latest transaction. */
  readonly knownAt?: KnownInput | undefined;
  /** Facts that hold at some time within, and events said within; takes the place of `validAt`. */
  readonly during?: DuringInput | undefined;
  /** Hits at most. Default 20. */
  readonly limit?: number | undefined;
  /**
   * How much of the question the best text has to match, from 0 to 1, for the answer to be more than noise;
   * the others have to match a third of it. Default 0.15, and less where there are few texts; 0 lets
   * everything through.
   */
  readonly floor?: number | undefined;
  /** Shares of the legs in a hit's score. */
  readonly weights?: Partial<Readonly<Record<LegName, number>>> | undefined;
  /** `scores` (the default) sets the best of each leg to 1 and its worst to 0; `ranks` counts places only. */
  readonly fusion?: 'scores' | 'ranks' | undefined;
  /** Search the text of events, too. Default true. */
  readonly events?: boolean | undefined;
  /** Read the time from the question where none is given. Default true. */
  readonly timeFromQuery?: boolean | undefined;
  /** Facts, by their ids, and events of one session that the asker has before it already. */
  readonly except?:
    | { readonly facts?: readonly string[] | undefined; readonly session?: string | undefined }
    | undefined;
  /** Milliseconds after which the answer is `timed-out`, with what was found until then. */
  readonly deadlineMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Say how each hit came about, and what was left out. */
  readonly trace?: boolean | undefined;
}

export interface RecallOptions extends SearchOptions {
  /** Tokens that the text may take, never exceeded. Default 1,000. */
  readonly maxTokens?: number | undefined;
  /** Counts the tokens of a text. Default: an estimate. */
  readonly countTokens?: ((text: string) => number) | undefined;
  /** The host's session that the answer is for: kept with the snapshot. */
  readonly session?: string | undefined;
  /** Keep what was shown. Default true. */
  readonly snapshot?: boolean | undefined;
}

/** The point on each axis that an answer is about, and where it came from. */
export interface AsOfRead {
  /** ISO 8601, UTC; `null` where an interval was asked. */
  readonly validAt: string | null;
  /** Half-open, ISO 8601, UTC; `null` for an open end. */
  readonly during: { readonly from: string | null; readonly to: string | null } | null;
  readonly knownAt: TxStamp;
  /** `given` by the caller or the view, read from the `question`, or `now`. */
  readonly from: 'given' | 'question' | 'now';
  /** The words of the question that name a time. */
  readonly read: readonly string[];
}

/** An event on which a fact rests. */
export interface HitSource {
  readonly session: string;
  readonly seq: number;
  readonly role: EvidenceRecord['role'];
  /** ISO 8601, UTC. */
  readonly at: string | null;
  readonly quote: string | null;
}

/** Something believed at the asked point. */
export interface FactHit {
  readonly kind: 'fact';
  readonly fact: Fact;
  /** What people read: the statement of the latest claim that says so; `null` where none was given. */
  readonly statement: string | null;
  readonly score: number;
  readonly scores: LegScores;
  /** The latest first. */
  readonly sources: readonly HitSource[];
}

/** What an event said and is not believed any more, with the facts believed in its place, if any. */
export interface Superseded {
  readonly fact: Fact;
  readonly by: readonly Fact[];
}

/** Something said in a session: evidence, never belief. */
export interface EventHit {
  readonly kind: 'event';
  readonly session: string;
  readonly seq: number;
  /** ISO 8601, UTC. */
  readonly at: string | null;
  readonly role: Role;
  readonly speaker: string | null;
  readonly text: string;
  readonly scope: Scope;
  readonly score: number;
  readonly scores: LegScores;
  readonly superseded: readonly Superseded[];
}

export type Hit = FactHit | EventHit;

/** `timed-out`: the deadline came first, and more may be there than was found. */
export type AnswerStatus = 'found' | 'no-evidence' | 'timed-out';

/** What a term of the question gave to a hit. */
export interface TracedTerm {
  readonly term: string;
  readonly score: number;
}

export interface TracedHit {
  /** Id of the fact, or `session#seq`. */
  readonly id: string;
  readonly terms: readonly TracedTerm[];
  /** Share of the question's weight that the best text matched. */
  readonly strength: number;
  readonly scores: LegScores;
}

export interface CutHit {
  readonly id: string;
  readonly score: number;
  readonly why: 'floor' | 'limit' | 'budget';
}

/** How an answer came about. */
export interface Trace {
  /** Terms looked for. */
  readonly terms: readonly string[];
  /** Entities that the question names. */
  readonly entities: readonly string[];
  /** Documents that each way of searching gave. */
  readonly candidates: {
    readonly claims: number;
    readonly events: number;
    readonly vectors: number;
    readonly graph: number;
  };
  readonly hits: readonly TracedHit[];
  readonly cut: readonly CutHit[];
}

export interface SearchAnswer {
  readonly status: AnswerStatus;
  readonly asOf: AsOfRead;
  readonly hits: readonly Hit[];
  /** What went wrong without ending the search, such as an embedder that is away. */
  readonly problems: readonly string[];
  readonly trace: Trace | null;
}

export interface RecallAnswer extends SearchAnswer {
  /** What the model is to read: facts and events as quoted data, with their sources. */
  readonly text: string;
  /** Tokens of the text, by the counter in use. */
  readonly tokens: number;
  /** Id of the snapshot; `null` where none is kept. */
  readonly snapshot: string | null;
}
