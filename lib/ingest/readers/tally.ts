import type { Reading, Role, SkipCode } from '../event.js';

/** How many lines became what. */
export interface Tally {
  readonly lines: number;
  readonly sessions: readonly string[];
  readonly events: Readonly<Partial<Record<Role, number>>>;
  readonly skipped: Readonly<Partial<Record<SkipCode, number>>>;
  readonly bad: readonly { readonly line: number; readonly problem: string }[];
}

/**
 * Counts readings: what was read, and what was skipped for which reason.
 *
 * @example
 * const counts = await tally(readSession('session.jsonl'))
 * counts.skipped.chunk // lines of streamed chunks
 */
export async function tally(readings: AsyncIterable<Reading>): Promise<Tally> {
  let lines = 0;
  const sessions: string[] = [];
  const events: Partial<Record<Role, number>> = {};
  const skipped: Partial<Record<SkipCode, number>> = {};
  const bad: { line: number; problem: string }[] = [];
  for await (const reading of readings) {
    if (reading.kind !== 'session' || reading.line !== null) lines += 1;
    switch (reading.kind) {
      case 'session':
        sessions.push(reading.session.id);
        break;
      case 'event':
        events[reading.event.role] = (events[reading.event.role] ?? 0) + 1;
        break;
      case 'skipped':
        skipped[reading.reason.code] = (skipped[reading.reason.code] ?? 0) + 1;
        break;
      case 'bad':
        bad.push({ line: reading.line, problem: reading.problem });
    }
  }
  return { lines, sessions, events, skipped, bad };
}
