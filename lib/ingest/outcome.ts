import { withoutSecrets } from './credentials.js';
import { ExtractionError } from './extract/port.js';
import { addUsage, NO_USAGE, readUsage, type Job, type JobReceipt } from './job.js';
import type { IngestSettings } from './settings.js';

/** Of a reason, in characters: providers quote whole requests in their errors. */
const REASON = 500;

/** What a job becomes when its claims are in. */
export const afterSuccess = (running: Job, receipt: JobReceipt): Partial<Job> => ({
  state: receipt.held.length > 0 ? 'held' : 'done',
  receipt,
  usage: addUsage(running.usage, receipt.usage),
  reason: null,
  outages: 0,
});

/**
 * What a job becomes when its attempt failed: it waits for longer and longer, or is a dead letter. A
 * provider that is busy or away is no fault of the job's.
 */
export async function afterFailure(
  running: Job,
  error: unknown,
  { attempts, backoff, clock }: Pick<IngestSettings, 'attempts' | 'backoff' | 'clock'>,
): Promise<Partial<Job>> {
  const message = error instanceof Error ? error.message : String(error);
  // A provider may quote the key that it does not accept.
  const reason = (await withoutSecrets(message)).slice(0, REASON);
  const failure = error instanceof ExtractionError ? error : null;
  const usage = addUsage(running.usage, readUsage(failure?.usage ?? NO_USAGE));
  const isAway = failure?.retry === 'later';
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
