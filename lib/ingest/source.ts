import type { SessionEvent } from './event.js';

/** Where a host keeps the events that claims refer to. */
export interface EventSource {
  /** The event, or `null` when it is gone: a normal answer. */
  read(session: string, seq: number, signal?: AbortSignal): Promise<SessionEvent | null>;
}
