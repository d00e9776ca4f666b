import { join } from 'node:path';
import { z } from 'zod';
import { openJournal } from '../../journal/open-journal.js';
import type { Journal } from '../../journal/port.js';
import { Lane } from '../../store/lane.js';

/** What a writer has written of one subject in one scope. */
const WrittenSchema = z.strictObject({
  key: z.string(),
  /** Of the facts that it was given. */
  sign: z.string(),
  lines: z
    .array(z.strictObject({ text: z.string(), facts: z.array(z.string()).readonly() }))
    .readonly(),
});
export type Written = Readonly<z.infer<typeof WrittenSchema>>;

/** The file is compacted when it has this many records more than are in force. */
const SLACK = 1_000;

export const PROFILES_FOLDER = 'profiles';

/** Profiles at rest: of each key the last record counts. */
export class ProfileLog {
  readonly #journal: Journal;
  readonly #lane = new Lane();
  readonly #written: Map<string, Written>;
  #records: number;

  private constructor(journal: Journal, written: Map<string, Written>, records: number) {
    this.#journal = journal;
    this.#written = written;
    this.#records = records;
  }

  static async open(folder: string | null): Promise<ProfileLog> {
    const written = new Map<string, Written>();
    let records = 0;
    const journal = await openJournal(
      folder === null ? null : join(folder, PROFILES_FOLDER),
      ({ body }) => {
        const one = WrittenSchema.parse(JSON.parse(body.toString('utf8')));
        written.set(one.key, one);
        records += 1;
      },
    );
    return new ProfileLog(journal, written, records);
  }

  get(key: string): Written | undefined {
    return this.#written.get(key);
  }

  /** Keeps it, unless `isCurrent` says that something was erased meanwhile. */
  put(written: Written, isCurrent: () => boolean): Promise<void> {
    return this.#lane.run(async () => {
      if (!isCurrent()) return;
      await this.#journal.append([lineOf(written)]);
      this.#written.set(written.key, written);
      this.#records += 1;
      if (this.#records > this.#written.size + SLACK) {
        await this.#journal.rewrite([...this.#written.values()].map(lineOf));
        this.#records = this.#written.size;
      }
    });
  }

  /** Removes everything, also from the disk. */
  clear(): Promise<void> {
    return this.#lane.run(async () => {
      if (this.#records === 0) return;
      await this.#journal.rewrite([]);
      this.#written.clear();
      this.#records = 0;
    });
  }

  close(): Promise<void> {
    return this.#lane.run(() => this.#journal.close());
  }
}

const lineOf = (written: Written): Buffer => Buffer.from(`${JSON.stringify(written)}\n`, 'utf8');
