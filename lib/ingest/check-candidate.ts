import { LIMITS } from '../model/text.js';
import type { ExtractedCandidate } from './candidate.js';
import type { SessionEvent } from './event.js';
import { readsLikeOrders } from './injection.js';
import type { Refusal } from './job.js';
import { refusal } from './refused.js';
import type { ResolvedTimes } from './times.js';

/** A candidate whose event, quote and times have been found. */
export interface Verified {
  readonly candidate: ExtractedCandidate;
  /** Position among the candidates of the extraction. */
  readonly position: number;
  readonly event: SessionEvent;
  readonly times: ResolvedTimes;
  /** Its words read like orders to a model: it is kept as a quotation without authority. */
  readonly ordering: boolean;
}

const folded = (text: string): string => text.normalize('NFKC').replace(/\s+/gu, ' ').trim();

/** Whether the words stand in the text, white space folded. */
export const standsIn = (quote: string, text: string): boolean => {
  const words = folded(quote);
  return words !== '' && folded(text).includes(words);
};

/** What can be checked of a candidate without the memory: its event, its quote, its limits. */
export function checkCandidate(
  candidate: ExtractedCandidate,
  position: number,
  events: ReadonlyMap<number, SessionEvent>,
): SessionEvent | Refusal {
  const event = events.get(candidate.seq);
  if (event === undefined) {
    return refusal(
      position,
      'NO_EVENT',
      `There is no event ${candidate.seq} among those it was shown.`,
    );
  }
  if (event.role === 'system') {
    return refusal(position, 'ROLE', 'A system message claims nothing about the world.');
  }
  if (!standsIn(candidate.quote, event.text)) {
    return refusal(position, 'QUOTE', 'The quote does not stand in the event.');
  }
  const { subject, predicate, object, statement, quote } = candidate;
  for (const [field, value, limit] of [
    ['subject', subject, LIMITS.name],
    ['predicate', predicate, LIMITS.name],
    ['object', object ?? '', LIMITS.text],
    ['statement', statement ?? '', LIMITS.text],
    ['quote', quote, LIMITS.text],
  ] as const) {
    if (value.length > limit) return refusal(position, 'TOO_LARGE', `Its ${field} is too long.`);
  }
  return event;
}

/** Whoever pastes a page or runs a tool has not said what stands there: orders taint all of it. */
const SECOND_HAND: ReadonlySet<SessionEvent['role']> = new Set(['tool', 'document', 'assistant']);

/** Whether a candidate's words, or what it was read from, read like orders to a model. */
export function isOrdering(candidate: ExtractedCandidate, event: SessionEvent): boolean {
  const { quote, statement, subject, predicate, object } = candidate;
  const own = [quote, statement, subject, predicate, object];
  if (own.some((words) => words !== null && readsLikeOrders(words))) return true;
  return SECOND_HAND.has(event.role) && readsLikeOrders(event.text);
}
