import { jobId } from './job-id.js';
import type { Space } from '../memory/space.js';
import type { Clock } from '../model/clock.js';
import { PalimpsestError } from '../model/errors.js';
import { FOREVER } from '../model/interval.js';
import { scopeKey, type Scope } from '../model/scope.js';
import { Lane } from '../store/lane.js';
import type { SessionEvent } from './event.js';
import { EventLog, type KeptEvent } from './event-log.js';
import { ExtractionError, type Extractor } from './extract/port.js';
import { addUsage, NO_USAGE, type Job, type JobReceipt, type Usage } from './job.js';
import { Outbox } from './outbox.js';
import { runJob, type Step } from './run.js';
import type { EventSource } from './source.js';

export interface IngestSettings {
  /** Folder of the store; `null` keeps everything in memory. */
  readonly folder: string | null;
  readonly clock: Clock;
  /** Without one, events are kept and nothing is extracted. */
  readonly extractor: Extractor | null;
  /** `keep` the text of events, or only a reference to what the host keeps. */
  readonly events: 'keep' | 'reference';
  readonly source: EventSource | null;
  /** `now`: jobs run as they come; `curated`: when the curator says so. */
  readonly when: 'now' | 'curated';
  /** Attempts after which a job is a dead letter; outages of the provider do not count. */
  readonly attempts: number;
  /** First delay of a retry and the longest, in milliseconds. */
  readonly backoff: { readonly first: number; readonly longest: number };
  /** Events that may wait; more are refused until there is room. */
  readonly maxWaiting: number;
  /** Calls of the extractor a scope may make on one day, UTC. */
  readonly dailyCalls: number;
  /** Sees each step of the pipeline, before it is taken. */
  readonly onStep?: ((step: Step, job: Job) => void | Promise<void>) | undefined;
}

export interface IngestHealth {
  /** `off`: no extractor; `degraded`: something failed, or waits for a provider that is away. */
  readonly state: 'ok' | 'degraded' | 'off';
  readonly queued: number;
  readonly running: number;
  readonly held: number;
  readonly failed: number;
  /** Age in milliseconds of the oldest event that is not processed; `null` when there is none. */
  readonly oldestWaiting: number | null;
  /** What went wrong last, of a job that is not done. */
  readonly reason: string | null;
}

/** A job as its caller holds it. */
export interface Ingested {
  readonly id: string;
  /** Sequence numbers that are new; those told before are left out. */
  readonly seqs: readonly number[];
  /** Resolves when the job is `done`, `held` or `failed`. */
  readonly done: Promise<Job>;
}

const DAY = 86_400_000;
/** The next attempt of a job whose events are not in the log yet. */
const ARRIVING = FOREVER;
const SETTLED = new Set<Job['state']>(['done', 'held', 'failed']);

/** Events in, jobs through, claims out: nothing lost, nothing doubled. */
export class Ingestor {
  readonly #space: Space;
  readonly #settings: IngestSettings;
  readonly #log: EventLog;
  readonly #outbox: Outbox;
  readonly #lane = new Lane();
  readonly #waiters = new Map<string, ((job: Job) => void)[]>();
  readonly #abort = new AbortController();
  #timer: NodeJS.Timeout | null = null;
  #working: Promise<void> | null = null;

  private constructor(space: Space, settings: IngestSettings, log: EventLog, outbox: Outbox) {
    this.#space = space;
    this.#settings = settings;
    this.#log = log;
    this.#outbox = outbox;
  }

  static async open(space: Space, settings: IngestSettings): Promise<Ingestor> {
    const log = await EventLog.open(settings.folder);
    const outbox = await Outbox.open(settings.folder);
    const ingestor = new Ingestor(space, settings, log, outbox);
    // What was running when the process ended is run again; its commit tells if it had come that far.
    for (const job of outbox.list()) {
      if (job.state === 'running') await outbox.put({ ...job, state: 'queued' });
      if (job.nextAttemptAt === ARRIVING) await ingestor.#arrived(job);
    }
    ingestor.#wake();
    return ingestor;
  }

  /**
   * Takes in events of one session. They are durable when this resolves; what is made of them is the
   * job's to tell.
   *
   * @throws PalimpsestError `QUEUE_FULL` while too many events wait.
   */
  ingest(
    scope: Scope,
    events: readonly SessionEvent[],
    options: { readonly root?: boolean } = {},
  ): Promise<Ingested> {
    return this.#lane.run(async () => {
      const key = scopeKey(scope);
      const waiting = this.#waiting().reduce((n, job) => n + job.seqs.length, 0);
      if (waiting + events.length > this.#settings.maxWaiting) {
        throw new PalimpsestError('QUEUE_FULL', `${waiting} events wait to be processed.`, {
          field: 'events',
          hint: 'Wait for jobs to be done, and look at health() for why they are not.',
        });
      }
      const session = events[0]?.session ?? '';
      const fresh = events.filter((e) => !this.#log.has(key, session, e.seq));
      const seqs = [...new Set(fresh.map((e) => e.seq))].sort((a, b) => a - b);
      const now = this.#settings.clock();
      const job: Job = {
        id: jobId([key, session, seqs]),
        scope: key,
        session,
        seqs,
        turns: turnsOf(fresh),
        root: options.root ?? true,
        state: seqs.length === 0 || this.#settings.extractor === null ? 'done' : 'queued',
        queuedAt: now,
        attempts: 0,
        nextAttemptAt: now,
        reason: null,
        receipt: null,
        usage: NO_USAGE,
        updatedAt: now,
      };
      if (seqs.length > 0) {
        // The job first, out of the worker's reach, then its events: a crash in between leaves a job
        // which the next opening completes or drops, and never events that no job knows of.
        await this.#outbox.put({ ...job, nextAttemptAt: ARRIVING });
        await this.#log.add(key, fresh, this.#settings.events === 'keep');
        await this.#outbox.put(job);
      }
      const done = SETTLED.has(job.state) ? Promise.resolve(job) : this.settled(job.id);
      if (this.#settings.when === 'now') this.#wake();
      return { id: job.id, seqs, done };
    });
  }

  /** Completes a job whose arrival was interrupted, or drops it: then its events were never taken in. */
  async #arrived(job: Job): Promise<void> {
    if (job.seqs.every((seq) => this.#log.has(job.scope, job.session, seq))) {
      await this.#outbox.put(this.#moved(job, { nextAttemptAt: job.queuedAt }));
    } else {
      await this.#outbox.erase((j) => j.id === job.id);
    }
  }

  /** Resolves when the job is settled. */
  settled(id: string): Promise<Job> {
    const job = this.#outbox.get(id);
    if (job !== undefined && SETTLED.has(job.state)) return Promise.resolve(job);
    return new Promise((resolve) => {
      this.#waiters.set(id, [...(this.#waiters.get(id) ?? []), resolve]);
    });
  }

  jobs(): readonly Job[] {
    return this.#outbox.list();
  }

  get log(): EventLog {
    return this.#log;
  }

  health(): IngestHealth {
    const jobs = this.#outbox.list();
    const count = (state: Job['state']): number => jobs.filter((j) => j.state === state).length;
    const waiting = this.#waiting();
    const oldest = waiting.reduce((t, j) => Math.min(t, j.queuedAt), Number.POSITIVE_INFINITY);
    const troubled = jobs.filter(
      (j) => j.state === 'failed' || (j.reason !== null && !SETTLED.has(j.state)),
    );
    return {
      state:
        this.#settings.extractor === null ? 'off' : troubled.length > 0 ? 'degraded' : 'ok',
      queued: count('queued'),
      running: count('running'),
      held: count('held'),
      failed: count('failed'),
      oldestWaiting: waiting.length === 0 ? null : this.#settings.clock() - oldest,
      reason: troubled.at(-1)?.reason ?? null,
    };
  }

  #waiting(): readonly Job[] {
    return this.#outbox.list().filter((j) => j.state === 'queued' || j.state === 'running');
  }

  /** Puts a dead letter back into the queue. */
  async replay(id: string): Promise<Job> {
    const job = this.#outbox.get(id);
    if (job === undefined || job.state !== 'failed') {
      throw new PalimpsestError('NOT_FOUND', `There is no failed job ${id}.`, { field: 'job' });
    }
    const again = this.#moved(job, { state: 'queued', attempts: 0, nextAttemptAt: this.#settings.clock() });
    await this.#outbox.put(again);
    this.#wake();
    return again;
  }

  /** Runs those of some jobs that are due, and resolves when they are through. */
  async drain(jobs: ReadonlySet<string>): Promise<readonly Job[]> {
    while (this.#working !== null) await this.#working;
    const through: Job[] = [];
    const work = async (): Promise<void> => {
      for (let job = this.#next(jobs); job !== null; job = this.#next(jobs)) {
        if (this.#abort.signal.aborted) return;
        await this.#run(job);
        through.push(this.#outbox.get(job.id) ?? job);
      }
    };
    const working = work().finally(() => {
      this.#working = null;
    });
    this.#working = working;
    await working;
    return through;
  }

  #wake(): void {
    if (this.#settings.when === 'curated' || this.#abort.signal.aborted) return;
    if (this.#working !== null) return;
    this.#working = this.#work();
  }

  async #work(): Promise<void> {
    try {
      for (let job = this.#next(); job !== null; job = this.#next()) {
        if (this.#abort.signal.aborted) return;
        await this.#run(job);
      }
    } finally {
      this.#working = null;
      this.#schedule();
    }
  }

  /** The first job that is due, and whose session has none before it. */
  #next(jobs?: ReadonlySet<string>): Job | null {
    const now = this.#settings.clock();
    const blocked = new Set<string>();
    for (const job of this.#outbox.list()) {
      if (job.state !== 'queued') continue;
      const name = JSON.stringify([job.scope, job.session]);
      if (blocked.has(name)) continue;
      if (job.nextAttemptAt <= now && (jobs === undefined || jobs.has(job.id))) return job;
      blocked.add(name);
    }
    return null;
  }

  #schedule(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#settings.when === 'curated' || this.#abort.signal.aborted) return;
    const waiting = this.#outbox.list().filter((j) => j.state === 'queued');
    if (waiting.length === 0) return;
    const next = Math.min(...waiting.map((j) => j.nextAttemptAt));
    const delay = Math.max(1, next - this.#settings.clock());
    this.#timer = setTimeout(() => this.#wake(), Math.min(delay, DAY));
    this.#timer.unref();
  }

  async #run(queued: Job): Promise<void> {
    const { extractor, clock } = this.#settings;
    if (extractor === null) return;
    if (this.#callsToday(queued.scope) >= this.#settings.dailyCalls) {
      const midnight = (Math.floor(clock() / DAY) + 1) * DAY;
      const reason = 'The scope has made its calls of the day.';
      await this.#outbox.put(this.#moved(queued, { nextAttemptAt: midnight, reason }));
      return;
    }
    const running = this.#moved(queued, { state: 'running', attempts: queued.attempts + 1 });
    await this.#step('start', running);
    await this.#outbox.put(running);
    try {
      const receipt = await runJob({
        space: this.#space,
        job: running,
        extractor,
        log: this.#log,
        source: this.#settings.source,
        signal: this.#abort.signal,
        onStep: (step) => this.#step(step, running),
      });
      await this.#settle(running, receipt);
    } catch (error) {
      await this.#failed(running, error);
    }
  }

  async #step(step: Step, job: Job): Promise<void> {
    await this.#settings.onStep?.(step, job);
  }

  async #settle(running: Job, receipt: JobReceipt): Promise<void> {
    const state = receipt.held.length > 0 ? 'held' : 'done';
    const usage = addUsage(running.usage, receipt.usage);
    await this.#step('settle', running);
    await this.#put(this.#moved(running, { state, receipt, usage, reason: null }));
  }

  async #failed(running: Job, error: unknown): Promise<void> {
    if (this.#abort.signal.aborted) {
      // Closing is no fault of the job's: it is run again at the next opening.
      await this.#outbox.put(this.#moved(running, { state: 'queued', attempts: running.attempts - 1 }));
      return;
    }
    const { attempts, backoff, clock } = this.#settings;
    const reason = error instanceof Error ? error.message : String(error);
    const isExtraction = error instanceof ExtractionError;
    const usage: Usage = addUsage(running.usage, (isExtraction ? error.usage : null) ?? NO_USAGE);
    const later = isExtraction && error.retry === 'later';
    if (!later && running.attempts >= attempts) {
      await this.#put(this.#moved(running, { state: 'failed', reason, usage }));
      return;
    }
    const wait = Math.min(backoff.longest, backoff.first * 2 ** Math.min(20, running.attempts - 1));
    const asked = (isExtraction ? error.retryAfterMs : null) ?? 0;
    const nextAttemptAt = clock() + Math.max(wait, asked);
    await this.#put(this.#moved(running, { state: 'queued', reason, usage, nextAttemptAt }));
  }

  async #put(job: Job): Promise<void> {
    await this.#outbox.put(job);
    if (!SETTLED.has(job.state)) return;
    for (const resolve of this.#waiters.get(job.id) ?? []) resolve(job);
    this.#waiters.delete(job.id);
  }

  #moved(job: Job, change: Partial<Job>): Job {
    return { ...job, ...change, updatedAt: this.#settings.clock() };
  }

  #callsToday(scope: string): number {
    const today = Math.floor(this.#settings.clock() / DAY);
    return this.#outbox
      .list()
      .filter((j) => j.scope === scope && Math.floor(j.updatedAt / DAY) === today)
      .reduce((n, j) => n + j.usage.calls, 0);
  }

  get isClosed(): boolean {
    return this.#abort.signal.aborted;
  }

  /** Removes events and the jobs that refer to them from the files. */
  async erase(isMeant: (event: Pick<KeptEvent, 'scope' | 'session' | 'seq'>) => boolean): Promise<void> {
    await this.#lane.run(async () => {
      await this.#log.erase(isMeant);
      await this.#outbox.erase((job) =>
        job.seqs.some((seq) => isMeant({ scope: job.scope, session: job.session, seq })),
      );
    });
  }

  /** Waits for what is being written; what is being extracted is put back into the queue. */
  async close(): Promise<void> {
    this.#abort.abort();
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#working;
    await this.#lane.run(async () => {
      await this.#log.close();
      await this.#outbox.close();
    });
  }
}

/** Turns by their numbers, or by what a person said where the log has none. */
function turnsOf(events: readonly SessionEvent[]): number {
  const said = events.filter((e) => e.role === 'user');
  const numbered = new Set(said.flatMap((e) => (e.turn === null ? [] : [e.turn])));
  return numbered.size + said.filter((e) => e.turn === null).length;
}
