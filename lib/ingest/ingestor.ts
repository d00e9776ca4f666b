import { jobId } from './job-id.js';
import type { Space } from '../memory/space.js';
import { PalimpsestError } from '../model/errors.js';
import { FOREVER } from '../model/interval.js';
import { scopeKey, type Scope } from '../model/scope.js';
import { Lane } from '../store/lane.js';
import { DailyCalls, DAY } from './calls.js';
import type { SessionEvent } from './event.js';
import { EventLog, type KeptEvent } from './event-log.js';
import { healthOf, SETTLED, type IngestHealth } from './health.js';
import { NO_USAGE, type Job } from './job.js';
import { Outbox } from './outbox.js';
import type { IngestSettings } from './settings.js';
import { afterFailure, afterSuccess } from './outcome.js';
import { runJob, type Step } from './run.js';

export type { IngestHealth } from './health.js';

/** A job as its caller holds it. */
export interface Ingested {
  readonly id: string;
  /** Sequence numbers that are new; those told before are left out. */
  readonly seqs: readonly number[];
  /**
   * Resolves when the job is `done`, `held` or `failed`; when the memory closes before, with the job
   * as it stands then.
   */
  readonly done: Promise<Job>;
}

/** The next attempt of a job whose events are not in the log yet. */
const ARRIVING = FOREVER;

/** Events in, jobs through, claims out: nothing lost, nothing doubled. */
export class Ingestor {
  readonly #space: Space;
  readonly #settings: IngestSettings;
  readonly #log: EventLog;
  readonly #outbox: Outbox;
  readonly #calls: DailyCalls;
  readonly #lane = new Lane();
  readonly #waiters = new Map<string, ((job: Job) => void)[]>();
  readonly #abort = new AbortController();
  #timer: NodeJS.Timeout | null = null;
  /** Never rejects. */
  #working: Promise<void> | null = null;
  #current: { readonly job: Job; readonly abort: AbortController; done: Promise<void> } | null =
    null;
  /** While events are erased no job is begun. */
  #gate: Promise<void> | null = null;
  #trouble: string | null = null;

  private constructor(space: Space, settings: IngestSettings, log: EventLog, outbox: Outbox) {
    this.#space = space;
    this.#settings = settings;
    this.#log = log;
    this.#outbox = outbox;
    this.#calls = new DailyCalls(outbox.list());
  }

  static async open(space: Space, settings: IngestSettings): Promise<Ingestor> {
    const log = await EventLog.open(settings.folder);
    let outbox: Outbox | undefined;
    try {
      outbox = await Outbox.open(settings.folder);
      const ingestor = new Ingestor(space, settings, log, outbox);
      // What was running when the process ended is run again; its commit tells if it had come that far.
      for (const job of outbox.list()) {
        if (job.nextAttemptAt === ARRIVING) await ingestor.#arrived(job);
        else if (job.state === 'running') await outbox.put({ ...job, state: 'queued' });
      }
      ingestor.#wake();
      return ingestor;
    } catch (error) {
      // What failed first is what the caller is to know.
      await log.close().catch(() => undefined);
      await outbox?.close().catch(() => undefined);
      throw error;
    }
  }

  /**
   * Takes in events of one session. They are durable when this resolves; what is made of them is the
   * job's to tell. Events told before are left out; where all were, the job is the one that has the last.
   *
   * @throws PalimpsestError `QUEUE_FULL` while too many events wait.
   */
  ingest(
    scope: Scope,
    events: readonly SessionEvent[],
    options: { readonly root?: boolean } = {},
  ): Promise<Ingested> {
    return this.#lane.run(async () => {
      this.#ensureOpen();
      const key = scopeKey(scope);
      const session = events[0]?.session ?? '';
      const fresh = [...new Map([...events].reverse().map((e) => [e.seq, e])).values()]
        .filter((e) => !this.#log.has(key, session, e.seq))
        .sort((a, b) => a.seq - b.seq);
      const seqs = fresh.map((e) => e.seq);
      if (seqs.length === 0) return this.#toldBefore(key, session, events);
      const waiting = this.#waiting().reduce((n, job) => n + job.seqs.length, 0);
      if (waiting + seqs.length > this.#settings.maxWaiting) {
        throw new PalimpsestError('QUEUE_FULL', `${waiting} events wait to be processed.`, {
          field: 'events',
          hint: 'Wait for jobs to be done, and look at health() for why they are not.',
        });
      }
      const now = this.#settings.clock();
      const job: Job = {
        id: jobId([key, session, seqs]),
        scope: key,
        session,
        seqs,
        turns: turnsOf(fresh),
        root: options.root ?? true,
        state: this.#settings.extractor === null ? 'done' : 'queued',
        queuedAt: now,
        attempts: 0,
        outages: 0,
        nextAttemptAt: now,
        reason: null,
        receipt: null,
        usage: NO_USAGE,
        updatedAt: now,
      };
      // The job first, out of the worker's reach, then its events: a crash in between leaves a job
      // which the next opening completes or drops, and never events that no job knows of.
      await this.#outbox.put({ ...job, nextAttemptAt: ARRIVING });
      await this.#settings.onStep?.('arrive', job);
      await this.#log.add(key, fresh, this.#settings.events === 'keep');
      await this.#settings.onStep?.('arrived', job);
      await this.#outbox.put(job);
      const done = this.settled(job.id);
      this.#wake();
      return { id: job.id, seqs, done };
    });
  }

  #toldBefore(scope: string, session: string, events: readonly SessionEvent[]): Ingested {
    const told = new Set(events.map((e) => e.seq));
    const jobs = this.#outbox.list().filter((j) => j.scope === scope && j.session === session);
    const last = jobs.findLast((j) => j.seqs.some((seq) => told.has(seq)));
    const id = last?.id ?? jobId([scope, session, [...told].sort((a, b) => a - b)]);
    return {
      id,
      seqs: [],
      done: last === undefined ? this.#longDone(scope, session, id) : this.settled(id),
    };
  }

  /** A job that was dropped from the outbox because it was done long ago. */
  #longDone(scope: string, session: string, id: string): Promise<Job> {
    const now = this.#settings.clock();
    return Promise.resolve({
      id,
      scope,
      session,
      seqs: [],
      turns: 0,
      root: true,
      state: 'done',
      queuedAt: now,
      attempts: 0,
      outages: 0,
      nextAttemptAt: now,
      reason: null,
      receipt: null,
      usage: NO_USAGE,
      updatedAt: now,
    });
  }

  /** Completes a job whose arrival was interrupted, or drops it: then its events were never taken in. */
  async #arrived(job: Job): Promise<void> {
    if (job.seqs.every((seq) => this.#log.has(job.scope, job.session, seq))) {
      await this.#outbox.put(this.#moved(job, { nextAttemptAt: job.queuedAt }));
    } else {
      await this.#outbox.rewrite((j) => (j.id === job.id ? null : j));
    }
  }

  /** Resolves when the job is settled, or the memory closes. */
  settled(id: string): Promise<Job> {
    const job = this.#outbox.get(id);
    if (job !== undefined && (SETTLED.has(job.state) || this.isClosed)) {
      return Promise.resolve(this.#shown(job));
    }
    return new Promise((resolve) => {
      this.#waiters.set(id, [...(this.#waiters.get(id) ?? []), resolve]);
    });
  }

  jobs(): readonly Job[] {
    return this.#outbox.list().map((job) => this.#shown(job));
  }

  /** A job whose held claims have all been decided upon is done. */
  #shown(job: Job): Job {
    if (job.state !== 'held') return job;
    const { held } = this.#space.store.index.tables.side;
    return job.receipt?.held.some((id) => held.has(id)) === true ? job : { ...job, state: 'done' };
  }

  get log(): EventLog {
    return this.#log;
  }

  health(): IngestHealth {
    const { clock, extractor } = this.#settings;
    const isOn = extractor !== null;
    return healthOf(this.jobs(), { isOn, trouble: this.#trouble, now: clock() });
  }

  #waiting(): readonly Job[] {
    return this.#outbox.list().filter((j) => !SETTLED.has(j.state));
  }

  /** Puts a dead letter back into the queue. */
  replay(id: string): Promise<Job> {
    return this.#lane.run(async () => {
      this.#ensureOpen();
      const job = this.#outbox.get(id);
      if (job === undefined || job.state !== 'failed') {
        throw new PalimpsestError('NOT_FOUND', 'There is no such failed job.', { field: 'job' });
      }
      const now = this.#settings.clock();
      const again = this.#moved(job, {
        state: 'queued',
        attempts: 0,
        outages: 0,
        nextAttemptAt: now,
      });
      await this.#outbox.put(again);
      this.#wake();
      return again;
    });
  }

  /** Runs those of some jobs that are due, and resolves when they are through. */
  async drain(jobs: ReadonlySet<string>): Promise<readonly Job[]> {
    while (this.#working !== null) await this.#working;
    const through: Job[] = [];
    const working = this.#loop(jobs, through).finally(() => {
      this.#working = null;
      this.#schedule();
    });
    // Whoever waits for its end cares not how it ended: the caller is told.
    this.#working = working.catch(() => undefined);
    await working;
    return through;
  }

  #wake(): void {
    if (this.#settings.when === 'curated' || this.isClosed || this.#working !== null) return;
    this.#working = this.#work();
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

  async #loop(jobs?: ReadonlySet<string>, through?: Job[]): Promise<void> {
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
      through?.push(this.#outbox.get(job.id) ?? job);
    }
  }

  /** The first job that is due, and whose session has none before it. */
  #next(jobs?: ReadonlySet<string>): Job | null {
    const now = this.#settings.clock();
    for (const job of this.#firstOfSessions(jobs)) if (job.nextAttemptAt <= now) return job;
    return null;
  }

  /** Of each session the job that comes first; one that stands as running was broken off. */
  #firstOfSessions(jobs?: ReadonlySet<string>): Job[] {
    const seen = new Set<string>();
    return this.#waiting().filter((job) => {
      const name = JSON.stringify([job.scope, job.session]);
      if (seen.has(name)) return false;
      seen.add(name);
      return jobs === undefined || jobs.has(job.id);
    });
  }

  #schedule(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#settings.when === 'curated' || this.isClosed) return;
    const waiting = this.#firstOfSessions();
    if (waiting.length === 0) return;
    const { backoff, clock } = this.#settings;
    const next = Math.min(...waiting.map((j) => j.nextAttemptAt));
    const soonest = this.#trouble === null ? 1 : backoff.longest;
    this.#timer = setTimeout(() => this.#wake(), Math.min(Math.max(soonest, next - clock()), DAY));
    this.#timer.unref();
  }

  async #run(queued: Job, abort: AbortController): Promise<void> {
    const { extractor, clock, dailyCalls } = this.#settings;
    if (extractor === null) {
      await this.#put(this.#moved(queued, { state: 'done', reason: null }));
      return;
    }
    const now = clock();
    if (this.#calls.on(queued.scope, now) >= dailyCalls) {
      const nextAttemptAt = (Math.floor(now / DAY) + 1) * DAY;
      const reason = 'The scope has made its calls of the day.';
      await this.#outbox.put({ ...queued, state: 'queued', nextAttemptAt, reason });
      return;
    }
    const running = this.#moved(queued, { state: 'running', attempts: queued.attempts + 1 });
    const signal = AbortSignal.any([abort.signal, this.#abort.signal]);
    const onStep = async (step: Step): Promise<void> => this.#settings.onStep?.(step, running);
    await onStep('start');
    await this.#outbox.put(running);
    let change: Partial<Job>;
    try {
      const receipt = await runJob({
        space: this.#space,
        job: running,
        extractor,
        log: this.#log,
        source: this.#settings.source,
        signal,
        onStep,
      });
      change = afterSuccess(running, receipt);
      await onStep('settle');
    } catch (error) {
      // Breaking off is no fault of the job's: it is run again.
      change = signal.aborted
        ? { state: 'queued', attempts: queued.attempts }
        : await afterFailure(running, error, this.#settings);
    }
    const calls = (change.usage ?? running.usage).calls - running.usage.calls;
    this.#calls.add(running.scope, calls, clock());
    await this.#put(this.#moved(running, change));
  }

  async #put(job: Job): Promise<void> {
    await this.#outbox.put(job);
    if (SETTLED.has(job.state)) this.#tell(job);
  }

  #tell(job: Job): void {
    for (const resolve of this.#waiters.get(job.id) ?? []) resolve(job);
    this.#waiters.delete(job.id);
  }

  #moved(job: Job, change: Partial<Job>): Job {
    return { ...job, ...change, updatedAt: this.#settings.clock() };
  }

  get isClosed(): boolean {
    return this.#abort.signal.aborted;
  }

  #ensureOpen(): void {
    if (this.isClosed) throw new PalimpsestError('STORE_CLOSED', 'The memory is closed.');
  }

  /**
   * Removes events from the files: from their jobs too, and jobs that have no other. A job that is
   * being run with one of them is broken off first.
   */
  async erase(
    isMeant: (event: Pick<KeptEvent, 'scope' | 'session' | 'seq'>) => boolean,
  ): Promise<void> {
    await this.#lane.run(async () => {
      this.#ensureOpen();
      const isErased = ({ scope, session }: Job, seq: number): boolean =>
        isMeant({ scope, session, seq });
      let open = (): void => undefined;
      this.#gate = new Promise((resolve) => {
        open = resolve;
      });
      try {
        const current = this.#current;
        if (current !== null && current.job.seqs.some((seq) => isErased(current.job, seq))) {
          current.abort.abort();
          await current.done;
        }
        await this.#log.erase(isMeant);
        const gone: Job[] = [];
        await this.#outbox.rewrite((job) => {
          const seqs = job.seqs.filter((seq) => !isErased(job, seq));
          if (seqs.length === job.seqs.length) return job;
          if (seqs.length > 0) return { ...job, seqs };
          gone.push(job);
          return null;
        });
        const reason = 'Its events were erased.';
        for (const job of gone) this.#tell(this.#moved(job, { state: 'done', seqs: [], reason }));
      } finally {
        this.#gate = null;
        open();
      }
    });
  }

  /** Waits for what is being written; what is being extracted is put back into the queue. */
  async close(): Promise<void> {
    this.#abort.abort();
    if (this.#timer !== null) clearTimeout(this.#timer);
    while (this.#working !== null) await this.#working;
    await this.#lane.run(async () => {
      for (const id of this.#waiters.keys()) {
        const job = this.#outbox.get(id);
        if (job !== undefined) this.#tell(job);
      }
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
