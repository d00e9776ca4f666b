import type { Space } from '../memory/space.js';
import { DAY, type DailyCalls } from './calls.js';
import type { EventLog } from './event-log.js';
import { addUsage, isDue, SETTLED, type JobRecord } from './job.js';
import type { Outbox } from './outbox.js';
import { afterFailure, afterSuccess } from './outcome.js';
import { runJob, type Step } from './run.js';
import type { IngestSettings } from './settings.js';

export interface WorkerParts {
  readonly space: Space;
  readonly settings: IngestSettings;
  readonly log: EventLog;
  readonly outbox: Outbox;
  readonly calls: DailyCalls;
  /** Told of each job that is settled. */
  readonly onSettled: (job: JobRecord) => void;
  /** Whether somebody waits for a job: then the process is not to end before its next attempt. */
  readonly isAwaited: () => boolean;
}

/** Runs jobs, one at a time: of each session in the order in which they came. */
export class Worker {
  readonly #parts: WorkerParts;
  readonly #abort = new AbortController();
  #timer: NodeJS.Timeout | null = null;
  /** Never rejects. */
  #working: Promise<void> | null = null;
  #current: {
    readonly job: JobRecord;
    readonly abort: AbortController;
    done: Promise<void>;
  } | null = null;
  /** While events are erased no job is begun. */
  #gate: Promise<void> | null = null;
  #trouble: string | null = null;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
  }

  /** Why the store could not take in what became of a job. */
  get trouble(): string | null {
    return this.#trouble;
  }

  get isClosed(): boolean {
    return this.#abort.signal.aborted;
  }

  /** Runs what is due, unless the curator decides when. */
  wake(): void {
    const { extractor, when } = this.#parts.settings;
    // What an earlier opening had queued waits for one that has an extractor.
    if (extractor === null || when === 'curated') return;
    if (this.isClosed || this.#working !== null) return;
    this.#working = this.#work();
  }

  /** Keeps the process alive until the next attempt. */
  hold(): void {
    this.#timer?.ref();
  }

  /** Runs those of some jobs that are due, and resolves when they are through. */
  async drain(jobs: ReadonlySet<string>): Promise<readonly JobRecord[]> {
    while (this.#working !== null) await this.#working;
    if (this.#parts.settings.extractor === null) return [];
    const through: JobRecord[] = [];
    const working = this.#loop(jobs, through).finally(() => {
      this.#working = null;
      this.#schedule();
    });
    // Whoever waits for its end cares not how it ended: the caller is told.
    this.#working = working.catch(() => undefined);
    await working;
    return through;
  }

  /** Does some work while no job runs that is touched by it, and none begins. */
  async pausedFor<T>(isTouched: (job: JobRecord) => boolean, work: () => Promise<T>): Promise<T> {
    let open = (): void => undefined;
    this.#gate = new Promise((resolve) => {
      open = resolve;
    });
    try {
      const current = this.#current;
      if (current !== null && isTouched(current.job)) {
        current.abort.abort();
        await current.done;
      }
      return await work();
    } finally {
      this.#gate = null;
      open();
    }
  }

  /** What is being extracted is put back into the queue. */
  async close(): Promise<void> {
    this.#abort.abort();
    if (this.#timer !== null) clearTimeout(this.#timer);
    while (this.#working !== null) await this.#working;
  }

  async #work(): Promise<void> {
    try {
      await this.#loop();
      this.#trouble = null;
    } catch (error) {
      // The store could not take in what became of a job. Nothing is lost: the job is run again.
      this.#trouble = error instanceof Error ? error.message : String(error);
    } finally {
      this.#working = null;
      this.#schedule();
    }
  }

  async #loop(jobs?: ReadonlySet<string>, through?: JobRecord[]): Promise<void> {
    for (;;) {
      while (this.#gate !== null) await this.#gate;
      const job = this.isClosed ? null : this.#next(jobs);
      if (job === null) return;
      const current = { job, abort: new AbortController(), done: Promise.resolve() };
      const running = this.#run(job, current.abort);
      current.done = running.catch(() => undefined);
      this.#current = current;
      try {
        await running;
      } finally {
        this.#current = null;
      }
      through?.push(this.#parts.outbox.get(job.id) ?? job);
    }
  }

  /** The first job that is due, and whose session has none before it. */
  #next(jobs?: ReadonlySet<string>): JobRecord | null {
    const now = this.#parts.settings.clock();
    for (const job of this.#firstOfSessions(jobs)) if (isDue(job, now)) return job;
    return null;
  }

  /** Of each session the job that comes first; one that stands as running was broken off. */
  *#firstOfSessions(jobs?: ReadonlySet<string>): Iterable<JobRecord> {
    const seen = new Set<string>();
    for (const job of this.#parts.outbox.waiting()) {
      const name = JSON.stringify([job.scope, job.session]);
      if (seen.has(name)) continue;
      seen.add(name);
      if (jobs === undefined || jobs.has(job.id)) yield job;
    }
  }

  #schedule(): void {
    const { backoff, clock, extractor, when } = this.#parts.settings;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (extractor === null || when === 'curated' || this.isClosed) return;
    let next = Number.POSITIVE_INFINITY;
    const now = clock();
    for (const job of this.#firstOfSessions()) {
      next = Math.min(next, isDue(job, now) ? now : job.nextAttemptAt);
    }
    if (next === Number.POSITIVE_INFINITY) return;
    const soonest = this.#trouble === null ? 1 : backoff.longest;
    this.#timer = setTimeout(() => this.wake(), Math.min(Math.max(soonest, next - now), DAY));
    if (!this.#parts.isAwaited()) this.#timer.unref();
  }

  async #run(queued: JobRecord, abort: AbortController): Promise<void> {
    const { space, settings, log, outbox, calls } = this.#parts;
    const { extractor, source, clock } = settings;
    if (extractor === null) throw new Error('A job was run without an extractor.');
    let job = this.#moved(queued, { state: 'running', attempts: queued.attempts + 1 });
    const signal = AbortSignal.any([abort.signal, this.#abort.signal]);
    const onStep = async (step: Step): Promise<void> => settings.onStep?.(step, job);
    await onStep('start');
    await outbox.put(job);
    let portions = 0;
    let change: Partial<JobRecord>;
    try {
      const unread = await runJob({
        space,
        job,
        extractor,
        log,
        source,
        signal,
        onStep,
        beforeCall: () => calls.ensureLeft(job.scope, clock()),
        onProgress: async ({ through, receipt, used }) => {
          calls.add(job.scope, used.calls, clock());
          const usage = addUsage(job.usage, used);
          job = this.#moved(job, { through, receipt, usage, outages: 0 });
          portions += 1;
          if (isWrittenDown(portions)) await outbox.put(job);
        },
      });
      change = afterSuccess(job, unread);
      await onStep('settle');
    } catch (error) {
      // Breaking off is no fault of the job's: it is run again.
      change = signal.aborted
        ? { state: 'queued', attempts: job.attempts - 1 }
        : // Whoever has come further than before has not failed before.
          await afterFailure(portions > 0 ? { ...job, attempts: 1 } : job, error, settings);
      calls.add(job.scope, (change.usage ?? job.usage).calls - job.usage.calls, clock());
    }
    await this.#put(this.#moved(job, change));
  }

  async #put(job: JobRecord): Promise<void> {
    await this.#parts.outbox.put(job);
    if (SETTLED.has(job.state)) this.#parts.onSettled(job);
  }

  #moved(job: JobRecord, change: Partial<JobRecord>): JobRecord {
    return { ...job, ...change, updatedAt: this.#parts.settings.clock() };
  }
}

/**
 * A long job's record grows with each portion, and is not to be written as often: the store's own
 * cursor knows what is committed, so that a crash costs no more than a few words of the receipt.
 */
const isWrittenDown = (portions: number): boolean =>
  portions <= 16 || (portions & (portions - 1)) === 0;
