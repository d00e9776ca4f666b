import { join } from 'node:path';
import { openFileJournal } from '../journal/file-journal.js';
import { memoryJournal } from '../journal/memory-journal.js';
import type { Journal } from '../journal/port.js';
import { Lane } from '../store/lane.js';
import { JobSchema, type Job } from './job.js';

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
  readonly #jobs = new Map<string, Job>();
  /** One write at a time: a compaction replaces what a write would add to. */
  readonly #lane = new Lane();
  #records = 0;

  private constructor(journal: Journal) {
    this.#journal = journal;
  }

  static async open(folder: string | null): Promise<Outbox> {
    const journal =
      folder === null ? memoryJournal() : await openFileJournal(join(folder, 'outbox'));
    const outbox = new Outbox(journal);
    try {
      for await (const { body } of journal.records()) {
        const job = JobSchema.parse(JSON.parse(body.toString('utf8')));
        outbox.#jobs.set(job.id, job);
        outbox.#records += 1;
      }
    } catch (error) {
      // What failed first is what the caller is to know.
      await journal.close().catch(() => undefined);
      throw error;
    }
    return outbox;
  }

  /** Writes the job as it now stands. Durable when it resolves. */
  put(job: Job): Promise<void> {
    return this.#lane.run(async () => {
      // What could not be read back must not get in.
      await this.#journal.append([line(JobSchema.parse(job))]);
      this.#jobs.set(job.id, job);
      this.#records += 1;
      if (this.#records > this.#jobs.size + SLACK) await this.#compact((kept) => kept);
    });
  }

  get(id: string): Job | undefined {
    return this.#jobs.get(id);
  }

  /** All jobs, in the order in which they came. */
  list(): readonly Job[] {
    return [...this.#jobs.values()];
  }

  /** Puts others in the place of jobs, or `null` to remove them: what they were is gone from the file. */
  rewrite(change: (job: Job) => Job | null): Promise<void> {
    return this.#lane.run(async () => {
      if (this.list().every((job) => change(job) === job)) return;
      await this.#compact(change);
    });
  }

  async #compact(change: (job: Job) => Job | null): Promise<void> {
    const settled = this.list().filter((job) => job.state === 'done');
    const surplus = settled.slice(0, Math.max(0, settled.length - SETTLED_KEPT));
    const old = new Set(surplus.map((job) => job.id));
    const kept = this.list().flatMap((job) => (old.has(job.id) ? [] : (change(job) ?? [])));
    await this.#journal.rewrite(kept.map(line));
    this.#jobs.clear();
    for (const job of kept) this.#jobs.set(job.id, job);
    this.#records = kept.length;
  }

  close(): Promise<void> {
    return this.#lane.run(() => this.#journal.close());
  }
}

const line = (job: Job): Buffer => Buffer.from(`${JSON.stringify(job)}\n`, 'utf8');
