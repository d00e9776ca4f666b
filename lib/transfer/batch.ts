import type { Settings } from '../store/resident/side.js';
import type { StreamEvent } from './event.js';

/** Events without a time of their own, so many to a transaction. */
export const BATCH = 1000;

/**
 * The events which become one transaction: those of one instant, or, where they have none, as many as may
 * go together without one of them speaking of another.
 */
export class Batch {
  readonly events: StreamEvent[] = [];
  /** Lines of the stream up to and with the last of them. */
  position = 0;
  readonly #keys = new Set<string>();
  readonly #sayings = new Set<string>();

  /** Known time of all of them; `null` for that of the commit. */
  get at(): number | null {
    return this.events[0]?.at ?? null;
  }

  get isEmpty(): boolean {
    return this.events.length === 0;
  }

  add(event: StreamEvent): void {
    this.events.push(event);
    this.position = event.line;
    if (event.at !== null) return;
    if (event.key !== null) this.#keys.add(event.key);
    const saying = sayingOf(event);
    if (saying !== null) this.#sayings.add(saying);
  }

  takes(event: StreamEvent, limit: number, settings: Settings): boolean {
    if (this.isEmpty) return true;
    if (event.at !== null || this.at !== null) return event.at === this.at;
    if (this.events.length >= limit || event.op === 'end') return false;
    if (event.key !== null && this.#keys.has(event.key)) return false;
    // A second value of the same time would leave it to chance which of the two is the later one.
    const saying = sayingOf(event);
    if (saying === null || event.op === 'retract' || !this.#sayings.has(saying)) return true;
    return settings.predicates.get(event.said.predicate)?.cardinality !== 'one';
  }
}

function sayingOf(event: StreamEvent): string | null {
  if (event.op === 'retract' || event.op === 'end' || event.said.observedAt !== undefined)
    return null;
  return JSON.stringify([event.said.subject, event.said.predicate]);
}
