import { scopeOfKey, scopeKey, visibleScopes } from '../model/scope.js';
import { commit } from '../memory/write/commit.js';
import { settingsNow, type Place, type Space } from '../memory/space.js';
import { CandidateSchema } from './candidate.js';
import { secretIn, withoutSecrets } from './credentials.js';
import type { EventLog } from './event-log.js';
import type { SessionEvent } from './event.js';
import { ExtractionError, type Extraction, type Extractor } from './extract/port.js';
import {
  addUsage,
  NO_USAGE,
  readUsage,
  type Job,
  type JobReceipt,
  type Refusal,
  type Usage,
} from './job.js';
import { portionsOf } from './portions.js';
import { requestFor } from './request.js';
import { isSmallTalk } from './small-talk.js';
import type { EventSource } from './source.js';
import { resolveTimes } from './times.js';
import { checkCandidate, draftVerified, isOrdering, refusal, type Verified } from './verify.js';

/** Steps of a job, each named before it is taken: a crash before any of them loses nothing. */
export const STEPS = [
  'arrive',
  'arrived',
  'start',
  'extract',
  'verify',
  'commit',
  'settle',
] as const;
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
  const { space, job, extractor, onStep, signal } = run;
  const name = `${extractor.name} ${extractor.version}`;
  const empty = { tx: null, claims: [], held: [], refused: [], usage: NO_USAGE, extractor: name };
  if (space.store.index.tables.side.cursors.has(markOf(job)))
    return { ...empty, ...told(space, job) };
  const place = placeOfKey(job.scope);
  const { scope, session, seqs } = job;
  const extracted = await extractAndVerify({ ...run, place, scope, session, seqs });
  const { verified, usage } = extracted;
  const refused = [...extracted.refused];
  if (verified.length === 0) return { ...empty, refused, usage };
  await onStep('commit');
  signal.throwIfAborted();
  const held = new Set<string>();
  const result = await commit(
    space,
    place,
    verified.map((v) => (draft) => {
      const before = draft.entries.length;
      const outcome = draftVerified(draft, v, name, refused);
      for (const e of draft.entries.slice(before)) if (e.op === 'hold') held.add(e.claim.id);
      if (outcome.noEffect?.why === 'held') for (const id of outcome.claims) held.add(id);
      return outcome;
    }),
    { actor: name, reason: `Extracted from ${session}.` },
    { cursor: { source: markOf(job), position: 1 } },
  );
  return {
    ...empty,
    tx: result.tx,
    claims: [...new Set(result.claims)].filter((id) => !held.has(id)),
    held: [...held],
    refused,
    usage,
  };
}

/** What a commit made of a job whose process ended before the job could say so. */
function told({ store }: Space, job: Job): Pick<JobReceipt, 'tx' | 'claims' | 'held'> | null {
  for (let tx = store.index.lastTx; tx > 0 && store.index.at(tx) >= job.queuedAt; tx--) {
    const { header, entries } = store.transaction(tx);
    if (header.cursor?.source !== markOf(job)) continue;
    return {
      tx,
      claims: entries.flatMap((e) => (e.op === 'claim' ? [e.claim.id] : [])),
      held: entries.flatMap((e) => (e.op === 'hold' ? [e.claim.id] : [])),
    };
  }
  return null;
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

export interface Extracted {
  readonly verified: readonly Verified[];
  readonly refused: readonly Refusal[];
  readonly usage: Usage;
  /** Sequence numbers of the events that could be read. */
  readonly read: ReadonlySet<number>;
}

/** Candidates of some events, with what code alone can check of them. Makes no call for small talk. */
export async function extractAndVerify(run: ExtractionRun): Promise<Extracted> {
  const { space, place, extractor, signal, onStep } = run;
  const { timeZone } = settingsNow(space);
  const events = await eventsOf(run, run.seqs);
  const refused: Refusal[] = [];
  const verified: Verified[] = [];
  let usage = NO_USAGE;
  let position = 0;
  let context: readonly SessionEvent[] | null = null;
  for (const portion of portionsOf(events)) {
    context ??= await contextOf(run);
    if (portion.some((e) => e.role !== 'system' && !isSmallTalk(e.text))) {
      await onStep?.('extract');
      signal.throwIfAborted();
      const request = requestFor(space, place, portion, context);
      const answer = await extractAfter(usage, () => extractor.extract(request, signal));
      usage = addUsage(usage, readUsage(answer.usage));
      await onStep?.('verify');
      const bySeq = new Map(portion.map((e) => [e.seq, e]));
      for (const proposed of answer.candidates) {
        const checked = await verify(proposed, position, bySeq, timeZone);
        if ('code' in checked) refused.push(checked);
        else verified.push(checked);
        position += 1;
      }
    }
    context = [...context, ...portion].slice(-CONTEXT);
  }
  return { verified, refused, usage, read: new Set(events.map((e) => e.seq)) };
}

/** What the portions before have used counts when one fails, too. */
async function extractAfter(used: Usage, extract: () => Promise<Extraction>): Promise<Extraction> {
  try {
    return await extract();
  } catch (error) {
    throw error instanceof ExtractionError ? error.after(used) : error;
  }
}

async function verify(
  proposed: unknown,
  position: number,
  events: ReadonlyMap<number, SessionEvent>,
  timeZone: string,
): Promise<Verified | Refusal> {
  const { data: candidate } = CandidateSchema.safeParse(proposed);
  if (candidate === undefined) {
    return refusal(position, 'SCHEMA', 'It is not of the form that a candidate has.');
  }
  const secret = await secretIn(candidate);
  if (secret !== null) return refusal(position, 'SECRET_REFUSED', secret);
  const event = checkCandidate(candidate, position, events);
  if ('code' in event) return event;
  const times = resolveTimes(candidate, { at: event.at, timeZone });
  return { candidate, position, event, times, ordering: isOrdering(candidate) };
}

async function eventsOf(run: Reading, seqs: readonly number[]): Promise<SessionEvent[]> {
  const out: SessionEvent[] = [];
  for (const seq of seqs) {
    const event = await readEvent(run, seq);
    if (event !== null) out.push(event);
  }
  return out;
}

/** The event's text from where it is kept; when, who and in which role is as it was told at first. */
async function readEvent(
  { log, source, scope, session, signal }: Reading,
  seq: number,
): Promise<SessionEvent | null> {
  const kept = log.read(scope, session, seq);
  if (kept === null) return null;
  const { at, role, speaker, turn } = kept;
  const text = kept.text ?? (await source?.read(session, seq, signal))?.text;
  if (text === undefined) return null;
  // What was kept is clean; a host's log is not.
  const clean = kept.text === null ? await withoutSecrets(text) : text;
  return { session, seq, at, role, speaker, turn, text: clean };
}

async function contextOf(run: Reading): Promise<SessionEvent[]> {
  const first = run.seqs[0] ?? 0;
  const before = run.log.seqs(run.scope, run.session).filter((seq) => seq < first);
  return eventsOf(run, before.slice(-CONTEXT));
}
