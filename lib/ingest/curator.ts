import type { Clock } from '../model/clock.js';
import { scopeOfKey, type Scope } from '../model/scope.js';
import { Lane } from '../store/lane.js';
import type { Ingestor } from './ingestor.js';
import type { Job } from './job.js';

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

/** What made the curator run. */
export type CuratorCause = 'turns' | 'session-start' | 'asked' | 'idle';

/** What a run did. */
export interface CuratorRun {
  readonly cause: CuratorCause;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly sessions: number;
  readonly jobs: number;
  /** Sessions whose job failed; they keep their turns for a later run. */
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
  #last: CuratorRun | null = null;
  #failure: string | null = null;

  constructor(ingestor: Ingestor, settings: CuratorSettings, clock: Clock) {
    this.#ingestor = ingestor;
    this.#settings = settings;
    this.#clock = clock;
  }

  get last(): CuratorRun | null {
    return this.#last;
  }

  /** Why the last run that nobody waited for broke off. */
  get failure(): string | null {
    return this.#failure;
  }

  /** Turns of a project that wait. */
  waitingTurns(scope: Pick<Scope, 'org' | 'project'>): number {
    return this.#waiting(scope).reduce((n, job) => n + (job.root ? job.turns : 0), 0);
  }

  #waiting(scope: Pick<Scope, 'org' | 'project'>): Job[] {
    const project = projectOf(scope);
    return this.#ingestor
      .jobs()
      .filter((job) => job.state === 'queued' && projectOf(scopeOfKey(job.scope)) === project);
  }

  /** Says that events of a project have come in. Resolves at once; a run goes on in the background. */
  noticed(scope: Scope): void {
    this.#rest(scope);
    if (this.waitingTurns(scope) >= this.#settings.turns) this.#background(scope, 'turns');
  }

  /** Says that a session has begun. A session that is resumed is no reason to run. */
  sessionStarted(scope: Scope, session: { readonly resumed: boolean }): void {
    if (!session.resumed) this.#background(scope, 'session-start');
  }

  /** Runs now, because somebody asks for it. */
  curate(scope: Scope): Promise<CuratorRun> {
    return this.#run(scope, 'asked');
  }

  #rest(scope: Scope): void {
    const project = projectOf(scope);
    const before = this.#idle.get(project);
    if (before !== undefined) clearTimeout(before);
    const timer = setTimeout(() => {
      this.#idle.delete(project);
      this.#background(scope, 'idle');
    }, this.#settings.idleMs);
    timer.unref();
    this.#idle.set(project, timer);
  }

  #background(scope: Scope, cause: CuratorCause): void {
    const attempt = async (): Promise<void> => {
      try {
        await this.#run(scope, cause);
        this.#failure = null;
      } catch (error) {
        this.#failure = error instanceof Error ? error.message : String(error);
      }
    };
    void attempt();
  }

  #run(scope: Scope, cause: CuratorCause): Promise<CuratorRun> {
    return this.#lane.run(async () => {
      const { sessionsPerBatch, batchesPerRun } = this.#settings;
      // What arrives from now on waits for the next run.
      const bySession = new Map<string, Job[]>();
      for (const job of this.#waiting(scope)) {
        const name = JSON.stringify([job.scope, job.session]);
        bySession.set(name, [...(bySession.get(name) ?? []), job]);
      }
      const oldestFirst = [...bySession.values()].sort(
        (a, b) => (a[0]?.queuedAt ?? 0) - (b[0]?.queuedAt ?? 0),
      );
      const chosen = oldestFirst.slice(0, sessionsPerBatch * batchesPerRun);
      const failed = new Set<string>();
      let jobs = 0;
      for (let i = 0; i < chosen.length; i += sessionsPerBatch) {
        if (this.#ingestor.isClosed) break;
        const batch = chosen.slice(i, i + sessionsPerBatch).flat();
        for (const job of await this.#ingestor.drain(new Set(batch.map((j) => j.id)))) {
          jobs += 1;
          if (job.state === 'queued' || job.state === 'failed') failed.add(job.session);
        }
      }
      const run: CuratorRun = {
        cause,
        at: this.#clock(),
        sessions: chosen.length,
        jobs,
        failed: [...failed],
        deferred: oldestFirst.length - chosen.length,
      };
      this.#last = run;
      return run;
    });
  }

  close(): void {
    for (const timer of this.#idle.values()) clearTimeout(timer);
    this.#idle.clear();
  }
}
