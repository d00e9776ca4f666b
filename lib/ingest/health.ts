import { SETTLED, type JobRecord } from './job.js';

export interface IngestHealth {
  /** `off`: no extractor; `degraded`: something failed, or waits for a provider that is away. */
  readonly state: 'ok' | 'degraded' | 'off';
  readonly queued: number;
  readonly running: number;
  readonly held: number;
  readonly failed: number;
  /** Age in milliseconds of the oldest event that is not processed; `null` when there is none. */
  readonly oldestWaiting: number | null;
  /** What went wrong last, of a job that is not done. */
  readonly reason: string | null;
}

/** How ingestion is, by its jobs. `trouble`: why the store could not take in what became of one. */
export function healthOf(
  jobs: readonly JobRecord[],
  { isOn, trouble, now }: { isOn: boolean; trouble: string | null; now: number },
): IngestHealth {
  const count = (state: JobRecord['state']): number => jobs.filter((j) => j.state === state).length;
  const waiting = jobs.filter((j) => !SETTLED.has(j.state));
  const oldest = waiting.reduce((t, j) => Math.min(t, j.queuedAt), Number.POSITIVE_INFINITY);
  const troubled = [...waiting, ...jobs.filter((j) => j.state === 'failed')]
    .filter((j) => j.reason !== null)
    .sort((a, b) => b.updatedAt - a.updatedAt);
  const reason = trouble ?? troubled[0]?.reason ?? null;
  return {
    state: !isOn ? 'off' : reason === null ? 'ok' : 'degraded',
    queued: count('queued'),
    running: count('running'),
    held: count('held'),
    failed: count('failed'),
    oldestWaiting: waiting.length === 0 ? null : Math.max(0, now - oldest),
    reason,
  };
}
