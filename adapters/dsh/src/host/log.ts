import { readSession } from 'palimpsest';
import type { CapturedEvent } from '../engine/vocabulary.js';
import type { HostEvent, HostHeader, HostSession } from './types.js';

/** The log as far as it is in memory; empty where this host shows none. */
export const eventsOf = (session: HostSession): readonly HostEvent[] =>
  session.snapshotEvents?.() ?? session.events ?? [];

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

/** How a turn ended, or `null` for any other event. */
export function turnEnd(event: HostEvent): string | null {
  if (event.type !== 'turn/end') return null;
  const { kind } = fieldsOf(fieldsOf(event.data)['reason']);
  return typeof kind === 'string' ? kind : 'unknown';
}

/** Whether it is something that a person said, and no context put in by a program. */
export const isSaidByPerson = (event: HostEvent): boolean =>
  event.type === 'user/message' && fieldsOf(fieldsOf(event.data)['source'])['kind'] === 'user';

export interface Reading {
  readonly subagents: boolean;
  /** How the names of this plugin's own tools begin: what they print is memory, and no evidence for it. */
  readonly ownTools: string;
}

/**
 * What was said and done in a stretch of a log. Of a turn that did not come to its end what the person said
 * and what tools had printed counts; the unfinished answer does not.
 */
export async function capturedFrom(
  header: HostHeader,
  events: readonly HostEvent[],
  options: Reading,
): Promise<readonly CapturedEvent[]> {
  const out: CapturedEvent[] = [];
  let turn: HostEvent[] = [];
  for (const event of events) {
    // Pieces of streamed answers are most of a log, and come again as a whole.
    if (event.type === 'assistant/chunk') continue;
    turn.push(event);
    const end = turnEnd(event);
    if (end === null) continue;
    out.push(
      ...(await read(header, turn, options)).filter((e) => end === 'completed' || isSure(e)),
    );
    turn = [];
  }
  out.push(...(await read(header, turn, options)).filter((e) => e.role === 'user'));
  return out;
}

const isSure = ({ role }: CapturedEvent): boolean => role !== 'assistant';

/** One event as evidence; `null` for one that is none. */
export async function eventFrom(
  header: HostHeader,
  event: HostEvent,
  options: Reading,
): Promise<CapturedEvent | null> {
  const [captured] = await read(header, [event], options);
  return captured ?? null;
}

async function read(
  header: HostHeader,
  events: readonly HostEvent[],
  { subagents, ownTools }: Reading,
): Promise<readonly CapturedEvent[]> {
  if (events.length === 0) return [];
  // What the host's services give is decoded, whatever the version of the file is.
  const lines = [
    JSON.stringify({ ...header, type: 'session', version: 0 }),
    ...events.map((e) => JSON.stringify(e)),
  ];
  const out: CapturedEvent[] = [];
  const bytes = (async function* () {
    yield new TextEncoder().encode(`${lines.join('\n')}\n`);
  })();
  const options = { format: 'dsh', subagents: subagents ? 'read' : 'skip' } as const;
  for await (const reading of readSession(bytes, options)) {
    if (reading.kind !== 'event') continue;
    const { session, seq, role, text, at, turn, meta } = reading.event;
    if (meta?.tool?.startsWith(ownTools) === true) continue;
    out.push({ session, seq, role, text, at, turn });
  }
  return out;
}
