import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { openJournal } from '../journal/open-journal.js';
import type { Journal, Locator } from '../journal/port.js';
import { ROLES } from '../model/entry.js';
import { PalimpsestError } from '../model/errors.js';
import type { SessionEvent } from './event.js';

/**
 * The events of sessions, one journal record for each call: their text where the space keeps it, else
 * a reference. It is evidence: what is erased here is gone from the file.
 */

const KeptEventSchema = z.strictObject({
  scope: z.string(),
  session: z.string(),
  seq: z.number().int().nonnegative(),
  at: z.number().nullable(),
  role: z.enum(ROLES),
  speaker: z.string().nullable(),
  turn: z.number().int().nullable(),
  /** `null`: kept by the host, or erased. */
  text: z.string().nullable(),
  /** When it was taken in, epoch milliseconds. */
  told: z.number().optional(),
});
export type KeptEvent = Readonly<z.infer<typeof KeptEventSchema>>;

const NEWLINE = 10;

export class EventLog {
  readonly #journal: Journal;
  #places: Places = new Map();

  private constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** @throws PalimpsestError as the journal does. */
  static async open(folder: string | null): Promise<EventLog> {
    const places: Places = new Map();
    const journal = await openJournal(
      folder === null ? null : join(folder, 'events'),
      ({ body, at }) => note(places, body, at),
    );
    const log = new EventLog(journal);
    log.#places = places;
    return log;
  }

  #session(scope: string, session: string): ReadonlyMap<number, Locator> {
    return this.#places.get(keyOf(scope, session)) ?? NOWHERE;
  }

  has(scope: string, session: string, seq: number): boolean {
    return this.#session(scope, session).has(seq);
  }

  /** Adds events that are not there yet, and says which those were. Durable when it resolves. */
  async add(
    scope: string,
    events: readonly SessionEvent[],
    keepText: boolean,
    told: number,
  ): Promise<readonly SessionEvent[]> {
    const fresh: SessionEvent[] = [];
    const seen = new Set<string>();
    for (const event of events) {
      const key = JSON.stringify([event.session, event.seq]);
      if (seen.has(key) || this.has(scope, event.session, event.seq)) continue;
      seen.add(key);
      fresh.push(event);
    }
    if (fresh.length === 0) return [];
    const lines = fresh.map((e): string => {
      const { session, seq, at, role, speaker, turn } = e;
      const text = keepText ? e.text : null;
      const kept: KeptEvent = { scope, session, seq, at, role, speaker, turn, text, told };
      return `${JSON.stringify(kept)}\n`;
    });
    const body = Buffer.from(lines.join(''), 'utf8');
    const [at] = await this.#journal.append([body]);
    if (at !== undefined) note(this.#places, body, at);
    return fresh;
  }

  read(scope: string, session: string, seq: number): KeptEvent | null {
    const at = this.#session(scope, session).get(seq);
    return at === undefined ? null : parse(this.#journal.read(at).toString('utf8'));
  }

  /** Sequence numbers of a session, ascending. */
  seqs(scope: string, session: string): readonly number[] {
    return [...this.#session(scope, session).keys()].sort((a, b) => a - b);
  }

  /** Changes when events are erased: positions of before mean nothing then. */
  get generation(): number {
    return this.#journal.generation;
  }

  /** Grows with each event. */
  get bytes(): number {
    return this.#journal.size;
  }

  /** What came after a place, in the order in which it came, with the place after which to go on. */
  async *after(
    place: Locator | null,
  ): AsyncIterable<{ readonly events: readonly KeptEvent[]; readonly at: Locator }> {
    for await (const { body, at } of this.#journal.records(place ?? undefined)) {
      const lines = body.toString('utf8').split('\n');
      yield { events: lines.filter((line) => line !== '').map(parse), at };
    }
  }

  /** Checksum of the record at a place; empty for a place that is not in this log. */
  markOf(place: Locator): string {
    try {
      return String(crc32(this.#journal.read(place)));
    } catch (error) {
      if (PalimpsestError.isInstance(error) && error.code === 'INVALID_INPUT') return '';
      throw error;
    }
  }

  /** Every event, in no particular order. */
  *all(): Iterable<KeptEvent> {
    for (const places of this.#places.values()) {
      for (const at of places.values()) yield parse(this.#journal.read(at).toString('utf8'));
    }
  }

  /** Removes events from the file. Returns how many. */
  async erase(isMeant: (event: KeptEvent) => boolean): Promise<number> {
    let count = 0;
    for (const event of this.all()) if (isMeant(event)) count += 1;
    if (count === 0) return 0;
    const records = this.#journal.records();
    const places: Places = new Map();
    let written = Buffer.alloc(0);
    const bodies = async function* (): AsyncGenerator<Buffer, void, undefined> {
      for await (const { body } of records) {
        const kept = body
          .toString('utf8')
          .split('\n')
          .filter((line) => line !== '' && !isMeant(parse(line)));
        if (kept.length === 0) continue;
        written = Buffer.from(`${kept.join('\n')}\n`, 'utf8');
        yield written;
      }
    };
    await this.#journal.rewrite(bodies(), {
      placed: (at) => note(places, written, at),
      swapped: () => {
        this.#places = places;
      },
    });
    return count;
  }

  close(): Promise<void> {
    return this.#journal.close();
  }
}

type Places = Map<string, Map<number, Locator>>;

const NOWHERE: ReadonlyMap<number, Locator> = new Map();

const keyOf = (scope: string, session: string): string => JSON.stringify([scope, session]);

/** Notes where each event of a record lies. */
function note(places: Places, body: Buffer, at: Locator): void {
  for (let offset = 0; offset < body.length;) {
    const found = body.indexOf(NEWLINE, offset);
    const end = found === -1 ? body.length : found;
    const { scope, session, seq } = parse(body.toString('utf8', offset, end));
    const key = keyOf(scope, session);
    const ofSession = places.get(key) ?? new Map<number, Locator>();
    ofSession.set(seq, {
      segment: at.segment,
      offset: at.offset + offset,
      length: end - offset,
    });
    places.set(key, ofSession);
    offset = end + 1;
  }
}

const parse = (line: string): KeptEvent => KeptEventSchema.parse(JSON.parse(line));
