import type { SessionEvent } from './event.js';

/** Where a host keeps the events that claims refer to. */
export interface EventSource {
  /** The event, or `null` when it is gone: a normal answer. */
  read(session: string, seq: number, signal?: AbortSignal): Promise<SessionEvent | null>;
  /**
   * The host's own search of its events' text, the best first, with scores above 0 in any measure. Without
   * it events whose text the memory does not keep are not found. What the asker may not see is left out of
   * the answer.
   */
  search?(
    query: string,
    options: { readonly limit: number; readonly signal: AbortSignal },
  ): Promise<readonly FoundEvent[]>;
}

/** An event that a host's search has found. */
export interface FoundEvent {
  readonly session: string;
  readonly seq: number;
  readonly score: number;
}
