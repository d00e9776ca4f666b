import type { Clock } from '../model/clock.js';
import { toIso } from '../model/instant.js';
import { scopeOfKey, type Scope } from '../model/scope.js';
import { Lane } from '../store/lane.js';
import type { Ingestor } from './ingestor.js';
import { isDue, type JobRecord } from './job.js';

export interface CuratorSettings {
  /** Unprocessed turns, over all root sessions of a project, at which it runs. */
  readonly turns: number;
  /** Runs when nothing has come in for so many milliseconds. */
  readonly idleMs: number;
  readonly sessionsPerBatch: number;
  readonly batchesPerRun: number;
}

export const DEFAULT_CURATOR: CuratorSettings = {
  turns: 20,
  idleMs: 10 * 60_000,
  sessionsPerBatch: 8,
  batchesPerRun: 8,
};

/** What a timer can be set to at most, in milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** What made the curator run. */
export type CuratorCause = 'turns' | 'session-start' | 'asked' | 'idle' | 'retry';

/** What a run did. */
export interface CuratorRun {
  readonly cause: CuratorCause;
  /** ISO 8601 in UTC. */
  readonly at: string;
  readonly sessions: number;
  readonly jobs: number;
  /** Sessions of which a job failed; what waits of them waits for a later run. */
  readonly failed: readonly string[];
  /** Sessions that were left for the next run. */
  readonly deferred: number;
}

/** A project: everything of one org under one project, whoever the user and the agent are. */
const projectOf = (scope: Pick<Scope, 'org' | 'project'>): string =>
  JSON.stringify([scope.org, scope.project ?? null]);

/**
 * Decides when what sessions said is turned into claims: not at every turn, and not too late. One run
 * at a time; the folder's lock keeps other processes out, and a crash lets go of it.
 */
export class Curator {
  readonly #ingestor: Ingestor;
  readonly #settings: CuratorSettings;
  readonly #clock: Clock;
  readonly #lane = new Lane();
  readonly #idle = new Map<string, NodeJS.Timeout>();
  /** Of scopes by their keys. */
  readonly #projects = new Map<string, string>();
  #failure: string | null = null;

  constructor(ingestor: Ingestor, settings: CuratorSettings, clock: Clock) {
    this.#ingestor = ingestor;
    this.#settings = settings;
    this.#clock = clock;
    // What was left when the process ended is not to wait until somebody speaks again.
    for (const job of ingestor.queued()) this.#rest(scopeOfKey(job.scope));
  }

  /** Why the last run that nobody waited for broke off. */
  get failure(): string | null {
    return this.#failure;
  }

  #projectOfKey(scope: string): string {
    const known = this.#projects.get(scope);
    if (known !== undefined) return known;
    const project = projectOf(scopeOfKey(scope));
    this.#projects.set(scope, project);
    return project;
  }

  #waiting(scope: Pick<Scope, 'org' | 'project'>): JobRecord[] {
    const project = projectOf(scope);
    return this.#ingestor.queued().filter((job) => this.#projectOfKey(job.scope) === project);
  }

  /** Says that events of a project have come in. Resolves at once; a run goes on in the background. */
  noticed(scope: Scope): void {
    this.#rest(scope);
    if (this.#isFull(scope)) this.#background(scope, 'turns');
  }

  /** Whether there are turns enough, without those that wait for their next attempt. */
  #isFull(scope: Scope): boolean {
    const now = this.#clock();
    const due = this.#waiting(scope).filter((job) => job.root && isDue(job, now));
    return due.reduce((n, job) => n + job.turns, 0) >= this.#settings.turns;
  }

  /** Says that a session has begun. A session that is resumed is no reason to run. */
  sessionStarted(scope: Scope, session: { readonly resumed: boolean }): void {
    if (!session.resumed) this.#background(scope, 'session-start');
  }

  /** Runs now, because somebody asks for it. */
  curate(scope: Scope): Promise<CuratorRun> {
    return this.#lane.run(() => this.#run(scope, 'asked'));
  }

  #rest(scope: Scope, cause: 'idle' | 'retry' = 'idle', delay = this.#settings.idleMs): void {
    if (this.#ingestor.isClosed) return;
    const project = projectOf(scope);
    const before = this.#idle.get(project);
    if (before !== undefined) clearTimeout(before);
    const timer = setTimeout(
      () => {
        this.#idle.delete(project);
        this.#background(scope, cause);
      },
      Math.min(delay, LONGEST_TIMER),
    );
    timer.unref();
    this.#idle.set(project, timer);
  }

  /** What a run has left comes again: when its next attempt is due, or after the idle time. */
  #comeBack(scope: Scope): void {
    const waiting = this.#waiting(scope);
    if (waiting.length === 0) {
      clearTimeout(this.#idle.get(projectOf(scope)));
      this.#idle.delete(projectOf(scope));
      return;
    }
    const now = this.#clock();
    let next = this.#settings.idleMs;
    for (const job of waiting) {
      if (!isDue(job, now)) next = Math.min(next, job.nextAttemptAt - now);
    }
    this.#rest(scope, next < this.#settings.idleMs ? 'retry' : 'idle', next);
  }

  #background(scope: Scope, cause: CuratorCause): void {
    const attempt = async (): Promise<void> => {
      try {
        await this.#lane.run(async () => {
          // A run that was under way may have taken the turns which were enough for another.
          if (this.#ingestor.isClosed || (cause === 'turns' && !this.#isFull(scope))) return;
          await this.#run(scope, cause);
        });
      } catch (error) {
        this.#failure = error instanceof Error ? error.message : String(error);
      }
    };
    void attempt();
  }

  async #run(scope: Scope, cause: CuratorCause): Promise<CuratorRun> {
    const { sessionsPerBatch, batchesPerRun } = this.#settings;
    // What arrives from now on waits for the next run.
    const bySession = new Map<string, JobRecord[]>();
    for (const job of this.#waiting(scope)) {
      const name = JSON.stringify([job.scope, job.session]);
      const jobs = bySession.get(name);
      if (jobs === undefined) bySession.set(name, [job]);
      else jobs.push(job);
    }
    const now = this.#clock();
    // A session whose first job waits for its next attempt takes no place in a batch.
    const oldestFirst = [...bySession.values()]
      .filter(([first]) => first !== undefined && isDue(first, now))
      .sort((a, b) => (a[0]?.queuedAt ?? 0) - (b[0]?.queuedAt ?? 0));
    const chosen = oldestFirst.slice(0, sessionsPerBatch * batchesPerRun);
    const failed = new Set<string>();
    let jobs = 0;
    try {
      for (let i = 0; i < chosen.length && !this.#ingestor.isClosed; i += sessionsPerBatch) {
        const batch = chosen.slice(i, i + sessionsPerBatch).flat();
        for (const job of await this.#ingestor.drain(new Set(batch.map((j) => j.id)))) {
          jobs += 1;
          if (job.state === 'queued' || job.state === 'failed') failed.add(job.session);
        }
      }
    } finally {
      this.#comeBack(scope);
    }
    this.#failure = null;
    return {
      cause,
      at: toIso(this.#clock()),
      sessions: chosen.length,
      jobs,
      failed: [...failed],
      deferred: oldestFirst.length - chosen.length,
    };
  }

  close(): void {
    for (const timer of this.#idle.values()) clearTimeout(timer);
    this.#idle.clear();
  }
}
