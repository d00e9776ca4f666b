import type { Space } from '../memory/space.js';
import { PalimpsestError } from '../model/errors.js';
import { scopeOfKey, type Scope } from '../model/scope.js';
import { Lane } from '../store/lane.js';
import { Arrivals } from './arrivals.js';
import { DailyCalls } from './calls.js';
import type { SessionEvent } from './event.js';
import { EventLog, type KeptEvent } from './event-log.js';
import { healthOf, type IngestHealth } from './health.js';
import { isArriving, SETTLED, type JobRecord, type Usage } from './job.js';
import { Outbox } from './outbox.js';
import type { IngestSettings } from './settings.js';
import { Worker } from './worker.js';

/** What became of events that were told. */
export interface Taken {
  readonly job: JobRecord;
  /** Sequence numbers that are new; those told before are left out. */
  readonly seqs: readonly number[];
}

const FORGOTTEN = 'The reason was forgotten when something was erased.';

/** Events in, jobs through, claims out: nothing lost, nothing doubled. */
export class Ingestor {
  readonly #space: Space;
  readonly #settings: IngestSettings;
  readonly #log: EventLog;
  readonly #outbox: Outbox;
  readonly #arrivals: Arrivals;
  readonly #calls: DailyCalls;
  readonly #worker: Worker;
  readonly #lane = new Lane();
  readonly #waiters = new Map<string, ((job: JobRecord) => void)[]>();

  private constructor(space: Space, settings: IngestSettings, log: EventLog, outbox: Outbox) {
    this.#space = space;
    this.#settings = settings;
    this.#log = log;
    this.#outbox = outbox;
    this.#arrivals = new Arrivals(space, settings, log, outbox);
    this.#calls = new DailyCalls(outbox.list(), settings.dailyCalls, settings.clock());
    this.#worker = new Worker({
      space,
      settings,
      log,
      outbox,
      calls: this.#calls,
      onSettled: (job) => this.#tell(job),
      isAwaited: () => this.#waiters.size > 0,
    });
  }

  static async open(space: Space, settings: IngestSettings): Promise<Ingestor> {
    const log = await EventLog.open(settings.folder);
    let outbox: Outbox | undefined;
    try {
      outbox = await Outbox.open(settings.folder);
      const ingestor = new Ingestor(space, settings, log, outbox);
      // What was running when the process ended is run again; its commits tell how far it had come.
      for (const job of outbox.list()) {
        if (isArriving(job)) await ingestor.#arrivals.complete(job);
        else if (job.state === 'running') await outbox.put({ ...job, state: 'queued' });
      }
      ingestor.#worker.wake();
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
   * job's to tell.
   *
   * @throws PalimpsestError `QUEUE_FULL` while too many events wait.
   */
  ingest(scope: Scope, events: readonly SessionEvent[], isRoot: boolean): Promise<Taken> {
    return this.#lane.run(async () => {
      this.#ensureOpen();
      const taken = await this.#arrivals.take(scope, events, isRoot);
      this.#worker.wake();
      return taken;
    });
  }

  /** Resolves when the job is settled, or the memory closes. */
  settled(job: JobRecord): Promise<JobRecord> {
    const now = this.#outbox.get(job.id);
    // One that is not listed was done long ago.
    if (now === undefined || SETTLED.has(now.state) || this.isClosed) {
      return Promise.resolve(this.#shown(now ?? job));
    }
    return new Promise((resolve) => {
      this.#waiters.set(job.id, [...(this.#waiters.get(job.id) ?? []), resolve]);
      this.#worker.hold();
    });
  }

  jobs(): readonly JobRecord[] {
    return this.#outbox.list().map((job) => this.#shown(job));
  }

  /** Jobs that are not settled and not being run. */
  queued(): readonly JobRecord[] {
    return [...this.#outbox.waiting()].filter((job) => job.state === 'queued');
  }

  /** A job whose held claims have all been decided upon is done. */
  #shown(job: JobRecord): JobRecord {
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
    return healthOf(this.jobs(), { isOn, trouble: this.#worker.trouble, now: clock() });
  }

  /** @throws CallsSpent when the scope may make no call before tomorrow. */
  ensureCallLeft(scope: string): void {
    this.#calls.ensureLeft(scope, this.#settings.clock());
  }

  /** Counts calls that were made for no job. */
  countCalls(scope: string, usage: Usage): void {
    this.#calls.add(scope, usage.calls, this.#settings.clock());
  }

  /** Puts a dead letter back into the queue. */
  replay(id: string): Promise<JobRecord> {
    return this.#lane.run(async () => {
      this.#ensureOpen();
      const job = this.#outbox.get(id);
      if (job === undefined || job.state !== 'failed') {
        throw new PalimpsestError('NOT_FOUND', 'There is no such failed job.', { field: 'job' });
      }
      const now = this.#settings.clock();
      const again: JobRecord = {
        ...job,
        state: 'queued',
        attempts: 0,
        outages: 0,
        nextAttemptAt: now,
        updatedAt: now,
      };
      await this.#outbox.put(again);
      this.#worker.wake();
      return again;
    });
  }

  /** Runs those of some jobs that are due, and resolves when they are through. */
  drain(jobs: ReadonlySet<string>): Promise<readonly JobRecord[]> {
    return this.#worker.drain(jobs);
  }

  #tell(job: JobRecord): void {
    for (const resolve of this.#waiters.get(job.id) ?? []) resolve(this.#shown(job));
    this.#waiters.delete(job.id);
  }

  get isClosed(): boolean {
    return this.#worker.isClosed;
  }

  #ensureOpen(): void {
    if (this.isClosed) throw new PalimpsestError('STORE_CLOSED', 'The memory is closed.');
  }

  /**
   * Removes events from the files: from their jobs too, and jobs that have no other. A job that is
   * being run with one of them is broken off first. Why jobs of the org failed is forgotten with them,
   * because a provider quotes what it was shown.
   */
  async erase(
    isMeant: (event: Pick<KeptEvent, 'scope' | 'session' | 'seq'>) => boolean,
    org: string,
  ): Promise<void> {
    await this.#lane.run(async () => {
      this.#ensureOpen();
      const isErased = ({ scope, session }: JobRecord, seq: number): boolean =>
        isMeant({ scope, session, seq });
      const isTouched = (job: JobRecord): boolean => job.seqs.some((seq) => isErased(job, seq));
      await this.#worker.pausedFor(isTouched, async () => {
        await this.#log.erase(isMeant);
        const gone: JobRecord[] = [];
        await this.#outbox.rewrite((job) => {
          const isTold = job.reason !== null && scopeOfKey(job.scope).org === org;
          if (!isTouched(job)) return isTold ? { ...job, reason: FORGOTTEN } : job;
          const seqs = job.seqs.filter((seq) => !isErased(job, seq));
          if (seqs.length > 0) return { ...job, seqs, reason: isTold ? FORGOTTEN : job.reason };
          gone.push(job);
          return null;
        });
        const rest = { state: 'done' as const, seqs: [], reason: 'Its events were erased.' };
        const updatedAt = this.#settings.clock();
        for (const job of gone) this.#tell({ ...job, ...rest, updatedAt });
      });
    });
  }

  /** Waits for what is being written; what is being extracted is put back into the queue. */
  async close(): Promise<void> {
    await this.#worker.close();
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
