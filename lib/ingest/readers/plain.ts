import { z } from 'zod';
import { PalimpsestError } from '../../model/errors.js';
import { readInstant } from '../../model/instant.js';
import { type Reading, ROLES } from '../event.js';
import type { Line, Reader, ReaderOptions } from './reader.js';
import { bad, eventReading, objectsIn, parseLine, shapeProblem, skipped } from './reading.js';

/** One line of the plain format, which is documented in docs/readers.md. */
export const PlainLineSchema = z.strictObject({
  session: z.string().min(1).optional(),
  seq: z.int().nonnegative(),
  at: z.union([z.string(), z.number()]).nullish(),
  role: z.enum(ROLES),
  text: z.string(),
  speaker: z.string().min(1).nullish(),
  turn: z.int().positive().nullish(),
});

class PlainLog {
  private readonly seen = new Map<string, Set<number>>();

  constructor(private readonly options: ReaderOptions) {}

  *take(number: number, line: Line): Iterable<Reading> {
    const parsed = parseLine(number, line, this.options);
    if ('outcome' in parsed) return yield parsed.outcome;
    const row = PlainLineSchema.safeParse(parsed.fields);
    if (!row.success) return yield bad(number, shapeProblem(row.error));
    const { seq, role, text, speaker = null, turn = null } = row.data;
    const session = row.data.session ?? this.options.session;
    if (session === undefined) return yield bad(number, 'session: is missing');
    const at = row.data.at ?? null;
    const instant = at === null ? null : this.instant(at);
    if (instant === undefined) return yield bad(number, 'at: is not an instant');
    const reading = eventReading(number, { session, seq, at: instant, role, text, speaker, turn });
    if (reading.kind !== 'event') return yield reading;
    const known = this.seen.get(session);
    if (known?.has(seq) === true) return yield skipped(number, 'repeat', `event ${seq}`);
    if (known === undefined) yield opening(session);
    this.seen.set(session, (known ?? new Set()).add(seq));
    yield reading;
  }

  private instant(at: string | number): number | undefined {
    try {
      return readInstant(at, { timeZone: this.options.timeZone ?? 'UTC', field: 'at' }).at;
    } catch (error) {
      if (PalimpsestError.isInstance(error) && error.code === 'INVALID_INSTANT') return undefined;
      throw error;
    }
  }
}

const opening = (id: string): Reading => ({
  kind: 'session',
  line: null,
  session: {
    id,
    format: 'plain',
    cwd: null,
    createdAt: null,
    parent: null,
    origin: 'root',
    seedLength: null,
    agent: null,
  },
});

/** The project's own format, for hosts without a reader: one event a line, taken at its word. */
export const plain: Reader = {
  name: 'plain',
  detects: (head) => {
    for (const fields of objectsIn(head)) {
      if ('seq' in fields && 'role' in fields && 'text' in fields) return true;
    }
    return false;
  },
  async *read(lines, options = {}) {
    const log = new PlainLog(options);
    let number = 0;
    for await (const line of lines) yield* log.take(++number, line);
  },
};
