import type { Reading, SessionEvent } from '../../../lib/ingest/event.js';
import type { Line, Reader, ReaderOptions } from '../../../lib/ingest/readers/index.js';

export async function* linesOf(lines: readonly Line[]): AsyncGenerator<Line> {
  yield* lines;
}

export const jsonl = (rows: readonly unknown[]): string[] => rows.map((row) => JSON.stringify(row));

export async function all(readings: AsyncIterable<Reading>): Promise<Reading[]> {
  const out: Reading[] = [];
  for await (const reading of readings) out.push(reading);
  return out;
}

export const readLines = (
  reader: Reader,
  lines: readonly Line[],
  options?: ReaderOptions,
): Promise<Reading[]> => all(reader.read(linesOf(lines), options));

/** A reader's answer to rows, a line each. */
export const readRows = (
  reader: Reader,
  rows: readonly unknown[],
  options?: ReaderOptions,
): Promise<Reading[]> => readLines(reader, jsonl(rows), options);

export const eventsOf = (readings: readonly Reading[]): SessionEvent[] =>
  readings.flatMap((reading) => (reading.kind === 'event' ? [reading.event] : []));

/** `[seq, role, text]` of each event. */
export const spoken = (readings: readonly Reading[]): unknown[] =>
  eventsOf(readings).map(({ seq, role, text }) => [seq, role, text]);

/** What became of each line, in one word: a role, a reason's code, `bad` or `session`. */
export const fates = (readings: readonly Reading[]): string[] =>
  readings
    .filter((reading) => reading.line !== null)
    .map((reading) =>
      reading.kind === 'event'
        ? reading.event.role
        : reading.kind === 'skipped'
          ? reading.reason.code
          : reading.kind,
    );

export const problems = (readings: readonly Reading[]): string[] =>
  readings.flatMap((reading) => (reading.kind === 'bad' ? [reading.problem] : []));
