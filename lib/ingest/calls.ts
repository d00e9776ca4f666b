import { PalimpsestError } from '../model/errors.js';
import type { JobRecord } from './job.js';

export const DAY = 86_400_000;

/** Calls that scopes have made of an extractor on the day of the clock, UTC. */
export class DailyCalls {
  readonly #most: number;
  readonly #ofScope = new Map<string, { readonly day: number; readonly calls: number }>();

  /** Starts from what the jobs tell: each is counted on the day on which it last changed. */
  constructor(jobs: readonly JobRecord[], most: number, now: number) {
    this.#most = most;
    for (const job of jobs) {
      if (dayOf(job.updatedAt) === dayOf(now)) this.add(job.scope, job.usage.calls, now);
    }
  }

  /** Also on a day before the last one: then the clock has been set back. */
  add(scope: string, calls: number, at: number): void {
    const day = dayOf(at);
    const before = this.#ofScope.get(scope);
    if (calls === 0) return;
    const counted = before?.day === day ? before.calls : 0;
    this.#ofScope.set(scope, { day, calls: counted + calls });
  }

  #on(scope: string, at: number): number {
    const counted = this.#ofScope.get(scope);
    return counted?.day === dayOf(at) ? counted.calls : 0;
  }

  /** @throws CallsSpent when the scope may make no call before tomorrow. */
  ensureLeft(scope: string, at: number): void {
    if (this.#on(scope, at) >= this.#most) throw new CallsSpent((dayOf(at) + 1) * DAY);
  }
}

const dayOf = (at: number): number => Math.floor(at / DAY);

/** No fault of the work's: it goes on when the day is over. */
export class CallsSpent extends PalimpsestError {
  /** When calls may be made again, epoch milliseconds. */
  readonly until: number;

  constructor(until: number) {
    super('QUEUE_FULL', 'The scope has made its calls of the day.', {
      field: 'ingest.dailyCalls',
      hint: 'Wait for tomorrow, UTC, or raise the limit.',
    });
    this.until = until;
  }
}
