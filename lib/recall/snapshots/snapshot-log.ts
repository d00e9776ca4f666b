import { join } from 'node:path';
import { z } from 'zod';
import { openJournal } from '../../journal/open-journal.js';
import type { Journal, JournalRecord, Locator } from '../../journal/port.js';
import { Lane } from '../../store/lane.js';
import { readContent, type Content, type Rests } from './content.js';

/**
 * Snapshots at rest: one journal record each, a line of what it is and rests on, and a line of what was
 * shown. Of the first only the names are held in memory.
 */

const HeaderSchema = z.strictObject({
  id: z.string(),
  /** Epoch milliseconds. */
  at: z.number(),
  scope: z.string(),
  session: z.string().nullable(),
  rests: z
    .strictObject({
      facts: z.array(z.string()).readonly(),
      claims: z.array(z.string()).readonly(),
      entities: z.array(z.string()).readonly(),
      events: z.array(z.tuple([z.string(), z.string(), z.number()]).readonly()).readonly(),
    })
    .readonly()
    .optional(),
  /** When its content was erased; there is no second line then. */
  erasedAt: z.number().optional(),
});
type Header = Readonly<z.infer<typeof HeaderSchema>>;

export interface KeptName {
  readonly id: string;
  readonly at: number;
  /** Key of a scope. */
  readonly scope: string;
  readonly session: string | null;
  /** `null` while its content is there. */
  readonly erasedAt: number | null;
}

interface Placed extends KeptName {
  readonly header: Locator;
  readonly content: Locator | null;
}

const NEWLINE = 10;

export const SNAPSHOTS_FOLDER = 'snapshots';

export class SnapshotLog {
  readonly #journal: Journal;
  readonly #lane = new Lane();
  #names: Map<string, Placed>;

  private constructor(journal: Journal, names: Map<string, Placed>) {
    this.#journal = journal;
    this.#names = names;
  }

  /** @throws PalimpsestError as the journal does. */
  static async open(folder: string | null): Promise<SnapshotLog> {
    const names = new Map<string, Placed>();
    const journal = await openJournal(
      folder === null ? null : join(folder, SNAPSHOTS_FOLDER),
      (record) => note(names, record),
    );
    return new SnapshotLog(journal, names);
  }

  /** In the order in which they were shown. */
  list(): readonly KeptName[] {
    return [...this.#names.values()];
  }

  get(id: string): KeptName | undefined {
    return this.#names.get(id);
  }

  /** What was shown; `null` after an erasure, and for what was never kept. */
  content(id: string): string | null {
    const at = this.#names.get(id)?.content ?? null;
    return at === null ? null : this.#journal.read(at).toString('utf8');
  }

  /**
   * Keeps a snapshot, once. `rests` is asked when its turn has come: nothing is erased between that and the
   * writing. Durable when it resolves.
   */
  add(name: Omit<KeptName, 'erasedAt'>, content: string, rests: () => Rests): Promise<void> {
    return this.#lane.run(async () => {
      const told = rests();
      if (this.#names.get(name.id)?.erasedAt === null) return;
      const { id, at, scope, session } = name;
      const body = bodyOf({ id, at, scope, session, rests: told }, content);
      const [place] = await this.#journal.append([body]);
      if (place !== undefined) note(this.#names, { body, at: place });
    });
  }

  /** Takes the content from every snapshot that is meant; says which were. */
  erase(
    isMeant: (rests: Rests, content: Content) => boolean,
    erasedAt: number,
  ): Promise<readonly KeptName[]> {
    return this.#lane.run(async () => {
      const gone = this.#choose(isMeant);
      if (gone.size === 0) return [];
      const names = new Map<string, Placed>();
      const records = this.#journal.records();
      let written: Buffer = Buffer.alloc(0);
      const bodies = async function* (): AsyncGenerator<Buffer, void, undefined> {
        for await (const { body } of records) {
          const { id, at, scope, session } = headerIn(body.subarray(0, body.indexOf(NEWLINE)));
          written = gone.has(id)
            ? bodyOf({ id, at, scope, session, erasedAt }, null)
            : Buffer.from(body);
          yield written;
        }
      };
      await this.#journal.rewrite(bodies(), {
        placed: (at) => note(names, { body: written, at }),
        swapped: () => {
          this.#names = names;
        },
      });
      return this.list().filter(({ id }) => gone.has(id));
    });
  }

  /** Which snapshots an erasure would take. */
  wouldErase(isMeant: (rests: Rests, content: Content) => boolean): Promise<readonly KeptName[]> {
    return this.#lane.run(async () => {
      const gone = this.#choose(isMeant);
      return this.list().filter(({ id }) => gone.has(id));
    });
  }

  #choose(isMeant: (rests: Rests, content: Content) => boolean): ReadonlySet<string> {
    const gone = new Set<string>();
    for (const { id, content, header } of this.#names.values()) {
      if (content === null) continue;
      const { rests } = headerIn(this.#journal.read(header));
      const text = this.#journal.read(content).toString('utf8');
      if (rests !== undefined && isMeant(rests, readContent(id, text))) gone.add(id);
    }
    return gone;
  }

  close(): Promise<void> {
    return this.#lane.run(() => this.#journal.close());
  }
}

function bodyOf(header: Header, content: string | null): Buffer {
  const lines = content === null ? [JSON.stringify(header)] : [JSON.stringify(header), content];
  return Buffer.from(lines.map((line) => `${line}\n`).join(''), 'utf8');
}

const headerIn = (line: Buffer): Header => HeaderSchema.parse(JSON.parse(line.toString('utf8')));

function note(names: Map<string, Placed>, { body, at }: JournalRecord): void {
  const end = body.indexOf(NEWLINE);
  const { id, at: shown, scope, session, erasedAt } = headerIn(body.subarray(0, end));
  const within = (from: number, to: number): Locator => ({
    segment: at.segment,
    offset: at.offset + from,
    length: to - from,
  });
  // What is shown again after an erasure of the same is told at its end.
  names.delete(id);
  names.set(id, {
    id,
    at: shown,
    scope,
    session,
    erasedAt: erasedAt ?? null,
    header: within(0, end),
    content: erasedAt === undefined ? within(end + 1, body.length - 1) : null,
  });
}
