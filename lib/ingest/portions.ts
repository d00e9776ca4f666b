import type { SessionEvent } from './event.js';

/** What an extractor is asked about at once, however long a session is. */
const EVENTS = 60;
const CHARACTERS = 24_000;

/** Events in portions of bearable size, cut where a turn begins if there is such a place. */
export function portionsOf(events: readonly SessionEvent[]): readonly (readonly SessionEvent[])[] {
  const portions: SessionEvent[][] = [];
  let portion: SessionEvent[] = [];
  let characters = 0;
  for (const event of events) {
    const isFull = portion.length >= EVENTS || characters + event.text.length > CHARACTERS;
    if (isFull && portion.length > 0) {
      const cut = event.role === 'user' ? portion.length : lastTurn(portion);
      portions.push(portion.slice(0, cut));
      portion = portion.slice(cut);
      characters = portion.reduce((n, e) => n + e.text.length, 0);
    }
    portion.push(event);
    characters += event.text.length;
  }
  if (portion.length > 0) portions.push(portion);
  return portions;
}

/** Where the last turn of a portion begins, unless that is most of it. */
function lastTurn(portion: readonly SessionEvent[]): number {
  const start = portion.findLastIndex((e) => e.role === 'user');
  return start > portion.length / 2 ? start : portion.length;
}
