import type { Job } from './job.js';

export const DAY = 86_400_000;

/** Calls that scopes have made of an extractor on the day of the clock, UTC. */
export class DailyCalls {
  readonly #ofScope = new Map<string, { readonly day: number; readonly calls: number }>();

  /** Starts from what the jobs tell: each is counted on the day on which it last changed. */
  constructor(jobs: readonly Job[]) {
    for (const job of jobs) this.add(job.scope, job.usage.calls, job.updatedAt);
  }

  add(scope: string, calls: number, at: number): void {
    const day = Math.floor(at / DAY);
    const before = this.#ofScope.get(scope);
    if (calls === 0 || (before !== undefined && before.day > day)) return;
    const counted = before?.day === day ? before.calls : 0;
    this.#ofScope.set(scope, { day, calls: counted + calls });
  }

  on(scope: string, at: number): number {
    const counted = this.#ofScope.get(scope);
    return counted?.day === Math.floor(at / DAY) ? counted.calls : 0;
  }
}
