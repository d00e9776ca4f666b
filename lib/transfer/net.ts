import { failure } from './failure.js';
import type { EndEvent, SayingEvent, StreamEvent } from './event.js';

/** What the events of one transaction come to. */
export type Act =
  | { readonly kind: 'say'; readonly event: SayingEvent }
  /** `said`: what takes the place of all that was said under the key before. */
  | {
      readonly kind: 'key';
      readonly key: string;
      readonly event: StreamEvent;
      readonly withdrawn: boolean;
      readonly said: SayingEvent | null;
    }
  | { readonly kind: 'end'; readonly event: EndEvent };

/**
 * The order of events of one instant, whatever order they were written in: by `seq` where they have
 * one, else retractions first. The rest is by text, so that a shuffled stream is the same stream.
 */
export const inOrder = (events: readonly StreamEvent[]): StreamEvent[] =>
  [...events].sort(
    (a, b) =>
      (a.seq ?? Infinity) - (b.seq ?? Infinity) ||
      Number(a.op !== 'retract') - Number(b.op !== 'retract') ||
      (a.text < b.text ? -1 : a.text > b.text ? 1 : 0),
  );

/**
 * All of a transaction becomes known at once: of several events of one key only what they come to was
 * ever believed. Said and retracted is nothing; retracted and said is withdrawn and said anew.
 *
 * @throws PalimpsestError `IMPORT_FAILED` when nothing tells which of two has the last word.
 */
export function netOf(events: readonly StreamEvent[]): Act[] {
  const acts: (Act | null)[] = [];
  const byKey = new Map<string, { act: Extract<Act, { kind: 'key' }>; readonly place: number }>();
  const ends = new Map<string, number>();
  for (const event of events) {
    const { key } = event;
    if (key === null) {
      if (event.op === 'end') acts.push({ kind: 'end', event });
      else if (event.op !== 'retract') acts.push({ kind: 'say', event });
      continue;
    }
    const known = byKey.get(key);
    const before = known?.act ?? { kind: 'key', key, event, withdrawn: false, said: null };
    if (event.op === 'end' && before.said === null) {
      ends.set(key, acts.length);
      acts.push({ kind: 'end', event });
      continue;
    }
    const end = ends.get(key);
    if (end !== undefined) acts[end] = null;
    const act = { ...before, ...next(before, event) };
    if (known === undefined) {
      byKey.set(key, { act, place: acts.length });
      acts.push(act);
    } else {
      known.act = act;
      acts[known.place] = act;
    }
  }
  return acts.filter((act) => act !== null);
}

function next(
  before: Extract<Act, { kind: 'key' }>,
  event: StreamEvent,
): { readonly withdrawn: boolean; readonly said: SayingEvent | null } {
  if (event.op === 'retract') return { withdrawn: true, said: null };
  const { withdrawn, said } = before;
  if (event.op === 'end') {
    if (said === null) return { withdrawn, said };
    return { withdrawn, said: { ...said, said: { ...said.said, validTo: event.ended.at } } };
  }
  if (said !== null && said.seq === null && event.seq === null && said.text !== event.text) {
    throw failure(
      event.line,
      'key',
      `Line ${said.line} says something else of it, at the same time.`,
      {
        hint: 'Give both a `seq`, so that the later one has the last word.',
      },
    );
  }
  return { withdrawn, said: event };
}
