import type { Space } from '../memory/space.js';
import { PalimpsestError } from '../model/errors.js';
import { scopeKey, type Scope } from '../model/scope.js';
import { wasEventErased } from '../store/erased.js';
import type { SessionEvent } from './event.js';
import type { EventLog } from './event-log.js';
import { jobId } from './job-id.js';
import { ARRIVING, isArriving, NO_USAGE, type JobRecord } from './job.js';
import type { Outbox } from './outbox.js';
import type { IngestSettings } from './settings.js';

/** Takes in events: a job for those that are new, durable before anybody hears of it. */
export class Arrivals {
  readonly #space: Space;
  readonly #settings: IngestSettings;
  readonly #log: EventLog;
  readonly #outbox: Outbox;

  constructor(space: Space, settings: IngestSettings, log: EventLog, outbox: Outbox) {
    this.#space = space;
    this.#settings = settings;
    this.#log = log;
    this.#outbox = outbox;
  }

  /**
   * One call at a time. Events told before are left out; where all were, the job is the one that has
   * the last.
   *
   * @throws PalimpsestError `QUEUE_FULL` while too many events wait.
   */
  async take(
    scope: Scope,
    events: readonly SessionEvent[],
    isRoot: boolean,
  ): Promise<{ readonly job: JobRecord; readonly seqs: readonly number[] }> {
    const key = scopeKey(scope);
    const session = events[0]?.session ?? '';
    // What an earlier call had to leave half done, since the disk was full, comes first.
    for (const job of this.#of(key, session)) if (isArriving(job)) await this.complete(job);
    const fresh = [...new Map([...events].reverse().map((e) => [e.seq, e])).values()]
      .filter((e) => !this.#log.has(key, session, e.seq))
      // What was erased on request does not come back from the host's log.
      .filter((e) => !wasEventErased(this.#space.store.index, scope, e))
      .sort((a, b) => a.seq - b.seq);
    const seqs = fresh.map((e) => e.seq);
    if (seqs.length === 0) return { job: this.#toldBefore(key, session, events), seqs };
    this.#ensureRoom(seqs.length);
    const job = this.#jobOf(key, session, seqs, {
      turns: turnsOf(fresh),
      root: isRoot,
      state: this.#settings.extractor === null ? 'done' : 'queued',
    });
    // The job first, out of the worker's reach, then its events: a crash in between leaves a job
    // which the next opening completes or drops, and never events that no job knows of.
    const arriving: JobRecord = { ...job, nextAttemptAt: ARRIVING };
    try {
      await this.#outbox.put(arriving);
      await this.#settings.onStep?.('arrive', job);
      await this.#log.add(key, fresh, this.#settings.events === 'keep', job.queuedAt);
      await this.#settings.onStep?.('arrived', job);
      await this.#outbox.put(job);
    } catch (error) {
      // What failed first is what the caller is to know; the next call or opening tidies up, if not this.
      await this.complete(arriving).catch(() => undefined);
      throw error;
    }
    return { job, seqs };
  }

  /** Completes a job whose arrival was interrupted, or drops it: then its events were never taken in. */
  async complete(job: JobRecord): Promise<void> {
    if (job.seqs.every((seq) => this.#log.has(job.scope, job.session, seq))) {
      const updatedAt = this.#settings.clock();
      await this.#outbox.put({ ...job, nextAttemptAt: job.queuedAt, updatedAt });
    } else {
      await this.#outbox.rewrite((j) => (j.id === job.id ? null : j));
    }
  }

  #of(scope: string, session: string): JobRecord[] {
    return this.#outbox.list().filter((j) => j.scope === scope && j.session === session);
  }

  #ensureRoom(events: number): void {
    let waiting = 0;
    for (const job of this.#outbox.waiting()) waiting += job.seqs.length;
    if (waiting + events <= this.#settings.maxWaiting) return;
    throw new PalimpsestError('QUEUE_FULL', `${waiting} events wait to be processed.`, {
      field: 'events',
      hint:
        events > this.#settings.maxWaiting
          ? `No more than ${this.#settings.maxWaiting} may wait: tell them in several calls.`
          : 'Wait for jobs to be done, and look at health() for why they are not.',
    });
  }

  #toldBefore(scope: string, session: string, events: readonly SessionEvent[]): JobRecord {
    const told = new Set(events.map((e) => e.seq));
    const last = this.#of(scope, session).findLast((j) => j.seqs.some((seq) => told.has(seq)));
    if (last !== undefined) return last;
    // Its job was done long ago and is not listed any more, or its events were erased.
    const seqs = [...told].sort((a, b) => a - b);
    const job = this.#jobOf(scope, session, seqs, { turns: 0, root: true, state: 'done' });
    return { ...job, seqs: [] };
  }

  #jobOf(
    scope: string,
    session: string,
    seqs: readonly number[],
    rest: Pick<JobRecord, 'turns' | 'root' | 'state'>,
  ): JobRecord {
    const now = this.#settings.clock();
    return {
      id: jobId([scope, session, seqs]),
      scope,
      session,
      seqs: [...seqs],
      ...rest,
      queuedAt: now,
      attempts: 0,
      outages: 0,
      nextAttemptAt: now,
      reason: null,
      through: null,
      receipt: null,
      usage: NO_USAGE,
      updatedAt: now,
    };
  }
}

/** Turns by their numbers, or by what a person said where the log has none. */
function turnsOf(events: readonly SessionEvent[]): number {
  const said = events.filter((e) => e.role === 'user');
  const numbered = new Set(said.flatMap((e) => (e.turn === null ? [] : [e.turn])));
  return numbered.size + said.filter((e) => e.turn === null).length;
}
