import { NONE, PREFIX, type Tables } from './tables.js';

/** Sequence numbers may be as great as a number is exact, and cells have 32 bits. */
const LOW = 2 ** 31;

export const eventCells = (session: number, seq: number): readonly [number, number, number] => [
  session,
  Math.floor(seq / LOW),
  seq % LOW,
];

/** The claims that cite an event, in whatever scope, the newest first. */
export function claimsOfEvent(t: Tables, session: string, seq: number): readonly number[] {
  const term = t.texts.find(PREFIX.session + session);
  const event = term === NONE ? NONE : t.events.find(eventCells(term, seq));
  return event === NONE ? [] : t.claimsOfEvent.list(event).toReversed();
}
