import type { Place } from '../memory/space.js';
import type { Role } from '../model/entry.js';
import type { RecallAnswer } from './types.js';
import type { Scored } from './top.js';

/**
 * The documents that are searched, by dense numbers: claims by their row in the index of the store, events
 * by the order in which they were taken in. Numbers only grow, until `generation` changes: then all of them
 * are given anew.
 */
export interface SearchDocuments {
  readonly generation: number;
  /** Claims are 0 to this, without it. */
  readonly claims: number;
  readonly events: number;
  /** What of a claim is searched; the same for ever. */
  claimText(row: number): string;
  /** `null` for an event whose text is not kept. */
  eventText(document: number): string | null;
  event(document: number): EventName;
}

/** An event as others name it; `scope` is a scope's key. */
export interface EventName {
  readonly scope: string;
  readonly session: string;
  readonly seq: number;
}

export interface VectorQuery {
  readonly limit: number;
  /** Asked before a document takes a place. */
  readonly acceptClaim: (row: number) => boolean;
  /** What a claim stands for: of claims that stand for the same the best takes a place, and no other. */
  readonly standsFor: (row: number) => unknown;
  readonly acceptEvent: (document: number) => boolean;
  readonly signal: AbortSignal;
}

export interface VectorAnswer {
  /** Best first, scores from 0 to 1. */
  readonly claims: readonly Scored[];
  readonly events: readonly Scored[];
  /** Why there is less than there could be; `null` when all is well. */
  readonly problem: string | null;
}

/** Search by likeness of meaning. It answers with a `problem` where it cannot; only an abort throws. */
export interface VectorLeg {
  search(query: string, options: VectorQuery): Promise<VectorAnswer>;
}

/** A host which keeps the text of events that the memory only refers to. */
export interface EventHost {
  /** Names of events, the best first. It may name more than the asker sees. */
  search(
    query: string,
    options: { readonly limit: number; readonly signal: AbortSignal },
  ): Promise<readonly { readonly session: string; readonly seq: number; readonly score: number }[]>;
  /** `null` when it is gone. */
  read(session: string, seq: number, signal: AbortSignal): Promise<string | null>;
}

/** What was shown, on its way to be kept. */
export interface Shown {
  readonly query: string;
  readonly place: Place;
  /** The host's session. */
  readonly session: string | null;
  readonly answer: Omit<RecallAnswer, 'snapshot'>;
}

/** Keeps what was shown, and says under which id. */
export interface SnapshotKeeper {
  keep(shown: Shown): Promise<string>;
}

/** An event with its text, as the event log keeps it. */
export interface EventText extends EventName {
  /** Epoch milliseconds. */
  readonly at: number | null;
  readonly role: Role;
  readonly speaker: string | null;
  /** `null`: kept by the host. */
  readonly text: string | null;
  /** When it was taken in, epoch milliseconds; `null` where nobody noted it. */
  readonly told: number | null;
}

/** Where the texts of events are read, in the order in which they were taken in. */
export interface EventTexts {
  /** Changes when events were taken out. */
  readonly generation: number;
  /** Grows with each event. */
  readonly bytes: number;
  /** Events after a position, each with the position after it. */
  after(position: string | null): AsyncIterable<{
    readonly events: readonly EventText[];
    readonly position: string;
  }>;
  /** Tells what came up to a position from any other history. */
  markOf(position: string): string;
  read(name: EventName): EventText | null;
}
