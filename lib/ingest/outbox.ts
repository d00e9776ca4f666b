import { join } from 'node:path';
import { openFileJournal } from '../journal/file-journal.js';
import { memoryJournal } from '../journal/memory-journal.js';
import type { Journal } from '../journal/port.js';
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
  #records = 0;

  private constructor(journal: Journal) {
    this.#journal = journal;
  }

  static async open(folder: string | null): Promise<Outbox> {
    const journal =
      folder === null ? memoryJournal() : await openFileJournal(join(folder, 'outbox'));
    const outbox = new Outbox(journal);
    for await (const { body } of journal.records()) {
      const job = JobSchema.parse(JSON.parse(body.toString('utf8')));
      outbox.#jobs.set(job.id, job);
      outbox.#records += 1;
    }
    return outbox;
  }

  /** Writes the job as it now stands. Durable when it resolves. */
  async put(job: Job): Promise<void> {
    await this.#journal.append([line(job)]);
    this.#jobs.set(job.id, job);
    this.#records += 1;
    if (this.#records > this.#jobs.size + SLACK) await this.#compact(() => true);
  }

  get(id: string): Job | undefined {
    return this.#jobs.get(id);
  }

  /** All jobs, in the order in which they came. */
  list(): readonly Job[] {
    return [...this.#jobs.values()];
  }

  /** Removes jobs from the file. Returns how many. */
  async erase(isMeant: (job: Job) => boolean): Promise<number> {
    const before = this.#jobs.size;
    await this.#compact((job) => !isMeant(job));
    return before - this.#jobs.size;
  }

  async #compact(keep: (job: Job) => boolean): Promise<void> {
    const settled = this.list().filter((job) => job.state === 'done');
    const surplus = settled.slice(0, Math.max(0, settled.length - SETTLED_KEPT));
    const old = new Set(surplus.map((job) => job.id));
    const kept = this.list().filter((job) => keep(job) && !old.has(job.id));
    await this.#journal.rewrite(kept.map(line));
    this.#jobs.clear();
    for (const job of kept) this.#jobs.set(job.id, job);
    this.#records = kept.length;
  }

  close(): Promise<void> {
    return this.#journal.close();
  }
}

const line = (job: Job): Buffer => Buffer.from(`${JSON.stringify(job)}\n`, 'utf8');
