import { PalimpsestError, type ErrorCode } from '../model/errors.js';
import { withoutSecrets } from '../secrets/without.js';
import { ExtractionError } from './extract/port.js';
import { CallsSpent } from './calls.js';
import { addUsage, NO_USAGE, readUsage, type JobRecord } from './job.js';
import type { IngestSettings } from './settings.js';

/** Of a reason, in characters: providers quote whole requests in their errors. */
const REASON = 500;

/** The store's troubles: another attempt may find them gone, and nothing is wrong with the job. */
const PASSING: ReadonlySet<ErrorCode> = new Set([
  'STORE_FAILED',
  'STORE_FULL',
  'STORE_READ_ONLY',
  'STORE_CLOSED',
]);

/** What a job becomes when all of its events are through. */
export const afterSuccess = (running: JobRecord, unread: number): Partial<JobRecord> => ({
  state: (running.receipt?.held.length ?? 0) > 0 ? 'held' : 'done',
  reason: unread === 0 ? null : `${unread} of its events could not be read any more.`,
  outages: 0,
});

/**
 * What a job becomes when its attempt failed: it waits for longer and longer, or is a dead letter. A
 * provider that is busy or away is no fault of the job's, and neither is a limit on calls.
 */
export async function afterFailure(
  running: JobRecord,
  error: unknown,
  { attempts, backoff, clock }: Pick<IngestSettings, 'attempts' | 'backoff' | 'clock'>,
): Promise<Partial<JobRecord>> {
  if (error instanceof CallsSpent) {
    const { message, until } = error;
    return {
      state: 'queued',
      reason: message,
      attempts: running.attempts - 1,
      nextAttemptAt: until,
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  // A provider may quote the key that it does not accept.
  const reason = (await withoutSecrets(message)).slice(0, REASON);
  const failure = error instanceof ExtractionError ? error : null;
  const usage = addUsage(running.usage, readUsage(failure?.usage ?? NO_USAGE));
  const isAway =
    failure?.retry === 'later' || (PalimpsestError.isInstance(error) && PASSING.has(error.code));
  if (failure?.retry === 'never' || (!isAway && running.attempts >= attempts)) {
    return { state: 'failed', reason, usage };
  }
  const outages = isAway ? running.outages + 1 : 0;
  const counted = isAway ? running.attempts - 1 : running.attempts;
  const times = isAway ? outages : counted;
  const wait = Math.min(backoff.longest, backoff.first * 2 ** Math.min(20, times - 1));
  const nextAttemptAt = clock() + Math.max(wait, failure?.retryAfterMs ?? 0);
  return { state: 'queued', reason, usage, attempts: counted, outages, nextAttemptAt };
}
