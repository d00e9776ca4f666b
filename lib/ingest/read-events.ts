import { withoutSecrets } from '../secrets/without.js';
import type { EventLog } from './event-log.js';
import type { SessionEvent } from './event.js';
import { orAborted } from './extract/or-aborted.js';
import type { EventSource } from './source.js';

/** Where events are read from, and which. */
export interface Reading {
  readonly log: EventLog;
  readonly source: EventSource | null;
  readonly scope: string;
  readonly session: string;
  readonly seqs: readonly number[];
  readonly signal: AbortSignal;
}

/** Events before the first of a job that an extractor is shown, for the meaning of "it". */
export const CONTEXT = 6;

/** Those that can be read, in their order: what its host has thrown away is a normal answer. */
export async function eventsOf(run: Reading, seqs: readonly number[]): Promise<SessionEvent[]> {
  const out: SessionEvent[] = [];
  for (const seq of seqs) {
    const event = await readEvent(run, seq);
    if (event !== null) out.push(event);
  }
  return out;
}

/** The last events before some. */
export async function contextOf(run: Reading, first: number): Promise<SessionEvent[]> {
  const before = run.log.seqs(run.scope, run.session).filter((seq) => seq < first);
  return eventsOf(run, before.slice(-CONTEXT));
}

/** The event's text from where it is kept; when, who and in which role is as it was told at first. */
async function readEvent(
  { log, source, scope, session, signal }: Reading,
  seq: number,
): Promise<SessionEvent | null> {
  const kept = log.read(scope, session, seq);
  if (kept === null) return null;
  const { at, role, speaker, turn } = kept;
  const event = { session, seq, at, role, speaker, turn };
  // What was kept is clean; a host's log is not.
  if (kept.text !== null) return { ...event, text: kept.text };
  if (source === null) return null;
  const told = await orAborted(source.read(session, seq, signal), signal);
  return told === null ? null : { ...event, text: await withoutSecrets(told.text) };
}
