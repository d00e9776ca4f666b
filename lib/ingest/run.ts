import { scopeOfKey, scopeKey, visibleScopes } from '../model/scope.js';
import { commit } from '../memory/write/commit.js';
import { settingsNow, type Place, type Space } from '../memory/space.js';
import type { EventLog } from './event-log.js';
import type { SessionEvent } from './event.js';
import type { Extractor } from './extract/port.js';
import { NO_USAGE, type Job, type JobReceipt, type Refusal, type Usage } from './job.js';
import { requestFor } from './request.js';
import { isSmallTalk } from './small-talk.js';
import type { EventSource } from './source.js';
import { secretIn } from './credentials.js';
import { resolveTimes } from './times.js';
import { checkCandidate, draftVerified, isOrdering, refusal, type Verified } from './verify.js';

/** Steps of a job, each named before it is taken: a crash before any of them loses nothing. */
export const STEPS = ['start', 'extract', 'verify', 'commit', 'settle'] as const;
export type Step = (typeof STEPS)[number];

/** Events before the first of a job that an extractor is shown, for the meaning of "it". */
const CONTEXT = 6;

export interface JobRun {
  readonly space: Space;
  readonly job: Job;
  readonly extractor: Extractor;
  readonly log: EventLog;
  readonly source: EventSource | null;
  readonly signal: AbortSignal;
  readonly onStep: (step: Step) => void | Promise<void>;
}

export const placeOfKey = (key: string): Place => {
  const scope = scopeOfKey(key);
  return { scope, visible: visibleScopes(scope).map(scopeKey) };
};

/** The mark in the journal that says that a job's claims are in. */
const markOf = (job: Job): string => `job ${job.id}`;

/** Extracts, verifies and commits the claims of one job. */
export async function runJob(run: JobRun): Promise<JobReceipt> {
  const { space, job, extractor, onStep } = run;
  const name = `${extractor.name} ${extractor.version}`;
  const empty = { tx: null, claims: [], held: [], refused: [], usage: NO_USAGE, extractor: name };
  if (space.store.index.tables.side.cursors.has(markOf(job))) return empty;
  const place = placeOfKey(job.scope);
  const extracted = await extractAndVerify({
    ...run,
    place,
    scope: job.scope,
    session: job.session,
    seqs: job.seqs,
  });
  const { verified, usage } = extracted;
  const refused = [...extracted.refused];
  if (usage.calls === 0 && verified.length === 0 && refused.length === 0) return empty;
  await onStep('commit');
  const held: string[] = [];
  const result = await commit(
    space,
    place,
    verified.map((v) => (draft) => {
      const outcome = draftVerified(draft, v, name, refused);
      if (outcome.noEffect?.why === 'held') held.push(...outcome.claims);
      return outcome;
    }),
    { actor: name, reason: `Extracted from ${job.session}.` },
    { cursor: { source: markOf(job), position: 1 } },
  );
  return {
    tx: result.tx,
    claims: result.claims.filter((id) => !held.includes(id)),
    held,
    refused,
    usage,
    extractor: name,
  };
}

/** Where events are read from, and which. */
interface Reading {
  readonly log: EventLog;
  readonly source: EventSource | null;
  readonly scope: string;
  readonly session: string;
  readonly seqs: readonly number[];
  readonly signal: AbortSignal;
}

export interface ExtractionRun extends Reading {
  readonly space: Space;
  readonly place: Place;
  readonly extractor: Extractor;
  readonly onStep?: ((step: Step) => void | Promise<void>) | undefined;
}

/** Candidates of some events, with what code alone can check of them. Makes no call for small talk. */
export async function extractAndVerify(run: ExtractionRun): Promise<{
  readonly verified: readonly Verified[];
  readonly refused: readonly Refusal[];
  readonly usage: Usage;
}> {
  const { space, place, extractor, signal, onStep } = run;
  const events = await eventsOf(run, run.seqs);
  const worth = events.filter((e) => e.role !== 'system' && !isSmallTalk(e.text));
  if (worth.length === 0) return { verified: [], refused: [], usage: NO_USAGE };
  await onStep?.('extract');
  const request = requestFor(space, place, events, await contextOf(run));
  const { candidates, usage } = await extractor.extract(request, signal);
  await onStep?.('verify');
  const refused: Refusal[] = [];
  const verified: Verified[] = [];
  const bySeq = new Map(events.map((e) => [e.seq, e]));
  const { timeZone } = settingsNow(space);
  for (const [position, candidate] of candidates.entries()) {
    const event = checkCandidate(candidate, position, bySeq);
    if ('code' in event) {
      refused.push(event);
      continue;
    }
    const secret = await secretIn(candidate);
    if (secret !== null) {
      refused.push(refusal(position, 'SECRET_REFUSED', secret));
      continue;
    }
    const times = resolveTimes(candidate, { at: event.at, timeZone });
    verified.push({ candidate, position, event, times, ordering: isOrdering(candidate) });
  }
  return { verified, refused, usage };
}

async function eventsOf(run: Reading, seqs: readonly number[]): Promise<SessionEvent[]> {
  const out: SessionEvent[] = [];
  for (const seq of seqs) {
    const event = await readEvent(run, seq);
    if (event !== null) out.push(event);
  }
  return out;
}

async function readEvent(
  { log, source, scope, session, signal }: Reading,
  seq: number,
): Promise<SessionEvent | null> {
  const kept = log.read(scope, session, seq);
  if (kept === null) return null;
  const { at, role, speaker, turn, text } = kept;
  if (text !== null) return { session, seq, at, role, speaker, turn, text };
  return source === null ? null : source.read(session, seq, signal);
}

async function contextOf(run: Reading): Promise<SessionEvent[]> {
  const first = run.seqs[0] ?? 0;
  const before = run.log
    .session(run.scope, run.session)
    .filter((e) => e.seq < first)
    .slice(-CONTEXT)
    .map((e) => e.seq);
  return eventsOf(run, before);
}
