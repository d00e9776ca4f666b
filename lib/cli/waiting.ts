import { setTimeout as sleep } from 'node:timers/promises';
import type { Job, Memory } from '../index.js';
import { systemClock } from '../model/clock.js';
import type { ShowProgress } from './options.js';

/** Milliseconds between two looks. */
const OFTEN = 100;
/** What tries again no sooner than in so many milliseconds is not waited for. */
const PATIENCE = 60_000;

const isOpen = (job: Job): boolean => job.state === 'queued' || job.state === 'running';
const sessionOf = (job: Job): string => JSON.stringify([job.scope, job.session]);

/**
 * Waits until some jobs are settled, as long as any of them gets on: not for a provider that is away for
 * long, or for tomorrow's calls.
 */
export async function untilSettled(
  memory: Memory,
  ids: ReadonlySet<string>,
  signal: AbortSignal,
  onProgress: ShowProgress | undefined,
): Promise<readonly Job[]> {
  for (;;) {
    const all = await memory.jobs();
    const jobs = all.filter((job) => ids.has(job.id));
    const open = jobs.filter(isOpen);
    onProgress?.({ what: 'jobs', done: jobs.length - open.length, all: jobs.length });
    if (open.length === 0 || signal.aborted || !getsOn(all, open)) return jobs;
    await sleep(OFTEN);
  }
}

/** Of a session one job is run after the other, so the first that is open counts. */
function getsOn(all: readonly Job[], open: readonly Job[]): boolean {
  const sessions = new Set(open.map(sessionOf));
  const firsts = new Map<string, Job>();
  for (const job of all.filter(isOpen)) {
    const session = sessionOf(job);
    if (sessions.has(session) && !firsts.has(session)) firsts.set(session, job);
  }
  const soon = systemClock() + PATIENCE;
  return [...firsts.values()].some(
    ({ nextAttemptAt }) => nextAttemptAt === null || Date.parse(nextAttemptAt) < soon,
  );
}
