import { settingsNow, type Place, type Space } from '../memory/space.js';
import { CandidateSchema } from './candidate.js';
import { secretIn } from './credentials.js';
import type { SessionEvent } from './event.js';
import { orAborted } from './extract/or-aborted.js';
import type { Extractor } from './extract/port.js';
import { NO_USAGE, readUsage, type Refusal, type Usage } from './job.js';
import { portionsOf } from './portions.js';
import { CONTEXT, contextOf, eventsOf, type Reading } from './read-events.js';
import { requestFor } from './request.js';
import { isSmallTalk } from './small-talk.js';
import { resolveTimes } from './times.js';
import { checkCandidate, isOrdering, type Verified } from './check-candidate.js';
import { refusal } from './refused.js';

export interface ExtractionRun extends Reading {
  readonly space: Space;
  readonly place: Place;
  readonly extractor: Extractor;
  /** Called before each call of the extractor; throws when none may be made. */
  readonly beforeCall: () => void;
  readonly onStep?: ((step: 'extract' | 'verify') => void | Promise<void>) | undefined;
}

/** What was extracted from a stretch of events, with what code alone can check of it. */
export interface Extracted {
  readonly events: readonly SessionEvent[];
  readonly verified: readonly Verified[];
  readonly refused: readonly Refusal[];
  readonly usage: Usage;
}

/**
 * Extracts portion by portion; each sees what the memory believes when its turn comes, with what
 * became of those before. Makes no call for small talk.
 */
export async function* extractions(run: ExtractionRun): AsyncGenerator<Extracted> {
  const { space, place, extractor, signal, onStep } = run;
  let position = 0;
  let context: readonly SessionEvent[] | null = null;
  for (const portion of portionsOf(await eventsOf(run, run.seqs))) {
    context ??= await contextOf(run, portion[0]?.seq ?? 0);
    const verified: Verified[] = [];
    const refused: Refusal[] = [];
    let usage = NO_USAGE;
    if (saysSomething(portion, context)) {
      await onStep?.('extract');
      signal.throwIfAborted();
      run.beforeCall();
      const request = requestFor(space, place, portion, context);
      const answer = await orAborted(extractor.extract(request, signal), signal);
      usage = readUsage(answer.usage);
      await onStep?.('verify');
      const bySeq = new Map(portion.map((e) => [e.seq, e]));
      for (const proposed of answer.candidates) {
        const checked = await verify(proposed, position, bySeq, settingsNow(space).timeZone);
        if ('code' in checked) refused.push(checked);
        else verified.push(checked);
        position += 1;
      }
    }
    yield { events: portion, verified, refused, usage };
    context = [...context, ...portion].slice(-CONTEXT);
  }
}

function saysSomething(
  portion: readonly SessionEvent[],
  context: readonly SessionEvent[],
): boolean {
  let before = context.at(-1)?.text ?? null;
  for (const { role, text } of portion) {
    if (role === 'system') continue;
    if (!isSmallTalk(text, before)) return true;
    before = text;
  }
  return false;
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
  return { candidate, position, event, times, ordering: isOrdering(candidate, event) };
}
