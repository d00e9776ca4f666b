import type { Ingestor, Taken } from '../ingest/ingestor.js';
import { isArriving, type JobReceipt, type JobRecord, type Usage } from '../ingest/job.js';
import { toIso } from '../model/instant.js';
import { scopeOfKey, type Scope } from '../model/scope.js';

/** Work on events of one session: what became of them, or why nothing has yet. */
export interface Job {
  readonly id: string;
  readonly scope: Scope;
  readonly session: string;
  /** Sequence numbers of its events, ascending. */
  readonly seqs: readonly number[];
  /** How many turns of a person its events hold. */
  readonly turns: number;
  /** Of a session that a person leads, and not of a sub-agent's. */
  readonly root: boolean;
  /** `held`: some of its claims wait for approval, the rest is in. `failed`: a dead letter. */
  readonly state: JobRecord['state'];
  /** Why it failed, or why its last attempt did. */
  readonly reason: string | null;
  /** Attempts that failed or are under way; those that found the provider busy or away do not count. */
  readonly attempts: number;
  /** Attempts in a row that found the provider busy or away. */
  readonly outages: number;
  /** When it came, ISO 8601 in UTC. */
  readonly queuedAt: string;
  /** While it is `queued`: not before this instant, ISO 8601 in UTC. */
  readonly nextAttemptAt: string | null;
  /** When it last changed, ISO 8601 in UTC. */
  readonly updatedAt: string;
  /** What came of it; `null` until it is `held` or `done`, and where nothing was extracted. */
  readonly receipt: JobReceipt | null;
  /** Of all attempts together. */
  readonly usage: Usage;
}

/** A job as its caller holds it. */
export interface Ingested {
  readonly id: string;
  /** Sequence numbers that are new; those told before are left out. */
  readonly seqs: readonly number[];
  /**
   * Resolves when the job is `done`, `held` or `failed`; when the memory closes before, with the job
   * as it stands then. Whoever asks for it keeps the process alive until then.
   */
  readonly done: Promise<Job>;
}

export function presentIngested(ingestor: Ingestor, { job, seqs }: Taken): Ingested {
  let done: Promise<Job> | null = null;
  return {
    id: job.id,
    seqs,
    get done() {
      done ??= ingestor.settled(job).then(presentJob);
      return done;
    },
  };
}

export function presentJob(job: JobRecord): Job {
  return {
    id: job.id,
    scope: scopeOfKey(job.scope),
    session: job.session,
    seqs: job.seqs,
    turns: job.turns,
    root: job.root,
    state: job.state,
    reason: job.reason,
    attempts: job.attempts,
    outages: job.outages,
    queuedAt: toIso(job.queuedAt),
    nextAttemptAt: job.state === 'queued' && !isArriving(job) ? toIso(job.nextAttemptAt) : null,
    updatedAt: toIso(job.updatedAt),
    receipt: job.receipt,
    usage: job.usage,
  };
}
