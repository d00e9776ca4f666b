import { join } from 'node:path';
import { openJournal } from '../journal/open-journal.js';
import type { Journal } from '../journal/port.js';
import { Lane } from '../store/lane.js';
import { JobSchema, SETTLED, type JobRecord } from './job.js';

/** Settled jobs beyond this many are dropped from the file when it is compacted, the oldest first. */
const SETTLED_KEPT = 10_000;
/** The file is compacted when it has this many records more than there are jobs. */
const SLACK = 5_000;

/**
 * The durable list of jobs: each record is a job as it now stands, and the last one of an id counts.
 * It holds references to events; their text is in the event log or with the host.
 */
export class Outbox {
  readonly #journal: Journal;
  readonly #jobs = new Map<string, JobRecord>();
  /** Those that are not settled, in the order in which they came. */
  readonly #waiting = new Map<string, JobRecord>();
  /** One write at a time: a compaction replaces what a write would add to. */
  readonly #lane = new Lane();
  #records = 0;

  private constructor(journal: Journal) {
    this.#journal = journal;
  }

  static async open(folder: string | null): Promise<Outbox> {
    const jobs: JobRecord[] = [];
    const journal = await openJournal(folder === null ? null : join(folder, 'outbox'), ({ body }) =>
      jobs.push(JobSchema.parse(JSON.parse(body.toString('utf8')))),
    );
    const outbox = new Outbox(journal);
    for (const job of jobs) outbox.#note(job);
    outbox.#records = jobs.length;
    return outbox;
  }

  /** Writes the job as it now stands. Durable when it resolves. */
  put(job: JobRecord): Promise<void> {
    return this.#lane.run(async () => {
      // What could not be read back must not get in.
      await this.#journal.append([line(JobSchema.parse(job))]);
      this.#note(job);
      this.#records += 1;
      if (this.#records > this.#jobs.size + SLACK) await this.#compact((kept) => kept);
    });
  }

  #note(job: JobRecord): void {
    this.#jobs.set(job.id, job);
    if (SETTLED.has(job.state)) this.#waiting.delete(job.id);
    else this.#waiting.set(job.id, job);
  }

  get(id: string): JobRecord | undefined {
    return this.#jobs.get(id);
  }

  /** All jobs, in the order in which they came. */
  list(): readonly JobRecord[] {
    return [...this.#jobs.values()];
  }

  /** Those that are not settled, in the order in which they came; one that was replayed is the last. */
  waiting(): Iterable<JobRecord> {
    return this.#waiting.values();
  }

  /** Puts others in the place of jobs, or `null` to remove them: what they were is gone from the file. */
  rewrite(change: (job: JobRecord) => JobRecord | null): Promise<void> {
    return this.#lane.run(async () => {
      if (this.list().every((job) => change(job) === job)) return;
      await this.#compact(change);
    });
  }

  async #compact(change: (job: JobRecord) => JobRecord | null): Promise<void> {
    const settled = this.list().filter((job) => job.state === 'done');
    const surplus = settled.slice(0, Math.max(0, settled.length - SETTLED_KEPT));
    const old = new Set(surplus.map((job) => job.id));
    const kept = this.list().flatMap((job) => (old.has(job.id) ? [] : (change(job) ?? [])));
    await this.#journal.rewrite(kept.map(line));
    this.#jobs.clear();
    this.#waiting.clear();
    for (const job of kept) this.#note(job);
    this.#records = kept.length;
  }

  close(): Promise<void> {
    return this.#lane.run(() => this.#journal.close());
  }
}

const line = (job: JobRecord): Buffer => Buffer.from(`${JSON.stringify(job)}\n`, 'utf8');
