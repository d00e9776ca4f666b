import { z } from 'zod';
import { canonicalJson } from '../model/canonical.js';
import { PalimpsestError } from '../model/errors.js';
import {
  EntrySchema,
  FOLD_VERSION,
  HeaderSchema,
  type Entry,
  type Header,
} from '../model/entry.js';
import type { Space } from '../memory/space.js';
import { countScopes } from '../memory/read/scopes.js';
import { scopeKey, readScope } from '../model/scope.js';
import { fieldsOf } from '../secrets/fields.js';
import { checkSecrets } from '../secrets/secrets.js';
import { encodeRecord } from '../store/record.js';
import { FACT } from '../store/resident/tables.js';
import { isBlank } from '../store/histories.js';
import {
  EXPORT_VERSION,
  factLine,
  FirstLineSchema,
  LastLineSchema,
  scopeLine,
  type FirstLine,
} from './export-format.js';
import { failure } from './failure.js';
import type { StreamCounts } from './stream.js';

/** The first line of an export, or `null` for a line of something else. */
export function readFirstLine(text: string): FirstLine | null {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null || !('palimpsest' in value)) return null;
  const result = FirstLineSchema.safeParse(value);
  if (!result.success) {
    throw failure(1, 'palimpsest', 'It is no export that this library has written.', {
      cause: result.error,
    });
  }
  if (result.data.version > EXPORT_VERSION) {
    throw failure(1, 'version', `The export is of version ${result.data.version}.`, {
      hint: `This library reads up to ${EXPORT_VERSION}: use a newer one.`,
    });
  }
  return result.data;
}

/** Takes the lines of an export and reproduces its history, transaction by transaction. */
export class Restoration {
  readonly counts: StreamCounts = { transactions: 0, claims: 0, opened: 0, closed: 0 };
  /** Transactions that an earlier run has restored. */
  skipped = 0;
  readonly #space: Space;
  readonly #first: FirstLine;
  #header: { readonly header: Header; readonly line: number } | null = null;
  #entries: Entry[] = [];
  #facts = 0;
  #scopes = 0;
  #isDone = false;

  constructor(space: Space, first: FirstLine) {
    this.#space = space;
    this.#first = first;
    const { index } = space.store;
    if (index.lastTx > first.tx && !isBlank(index)) throw notEmpty();
  }

  async take(text: string, line: number): Promise<void> {
    // The first line was read by `readFirstLine`.
    if (line === 1 || text.trim() === '') return;
    const value = parsed(text);
    if (typeof value !== 'object' || value === null) throw failure(line, null, 'It is not JSON.');
    if (this.#isDone) throw failure(line, null, 'The export has ended before.');
    if ('op' in value) {
      if (this.#header === null) throw failure(line, 'op', 'It belongs to no transaction.');
      this.#entries.push(read(EntrySchema, value, line));
    } else if ('tx' in value) {
      await this.#flush();
      this.#header = { header: read(HeaderSchema, value, line), line };
    } else if ('fact' in value) {
      await this.#flush();
      this.#compareFact(value, line);
    } else if ('scope' in value) {
      await this.#flush();
      this.#compareScope(value, line);
    } else {
      await this.#flush();
      this.#end(read(LastLineSchema, value, line), line);
    }
  }

  /** @throws PalimpsestError `IMPORT_FAILED` for an export that was cut off. */
  finish(line: number): void {
    if (this.#isDone) return;
    throw failure(line, null, 'The export stops here: its last line is missing.', {
      hint: 'Import the whole file into the same store; it goes on where it has stopped.',
    });
  }

  async #flush(): Promise<void> {
    if (this.#header === null) return;
    const { header, line } = this.#header;
    const entries = this.#entries;
    this.#header = null;
    this.#entries = [];
    if (header.fold > FOLD_VERSION) {
      throw failure(line, 'fold', `It is folded by rules of version ${header.fold}.`, {
        hint: `This library knows up to ${FOLD_VERSION}: use a newer one.`,
      });
    }
    const { store } = this.#space;
    if (header.tx <= store.index.lastTx) {
      const here = encodeRecord(store.transaction(header.tx)).body;
      if (here.equals(encodeRecord({ header, entries }).body)) {
        this.skipped += 1;
        return;
      }
      if (this.skipped > 0 || !isBlank(store.index)) throw notEmpty();
      await store.makeRoom(null);
    }
    await checkSecrets(fieldsOf({ source: header.cursor?.source }));
    try {
      await this.#fillUpTo(header);
      const { opened, closed } = await store.restore({ header, entries });
      this.counts.opened += opened.length;
      this.counts.closed += closed.length;
    } catch (error) {
      if (!PalimpsestError.isInstance(error) || !ABOUT_CONTENT.has(error.code)) throw error;
      throw failure(line, 'tx', error.message, { cause: error });
    }
    this.counts.transactions += 1;
    this.counts.claims += entries.filter((entry) => entry.op === 'claim').length;
  }

  /** The numbers of transactions that belong to other orgs stay free. */
  async #fillUpTo(header: Header): Promise<void> {
    if (this.#first.org === undefined) return;
    const { store } = this.#space;
    while (store.index.lastTx + 1 < header.tx) {
      const { at, fold } = header;
      await store.restore({ header: { tx: store.index.lastTx + 1, at, fold }, entries: [] });
    }
  }

  #compareFact(value: object, line: number): void {
    this.#facts += 1;
    const id = 'fact' in value && typeof value.fact === 'string' ? value.fact : '';
    const row = FACT_ID.test(id) ? this.#space.store.index.factById(id) : null;
    if (row === null || canonicalJson(value) !== canonicalJson(parsed(factLine(row)))) {
      throw differs(line, 'fact');
    }
  }

  #compareScope(value: object, line: number): void {
    this.#scopes += 1;
    const key = scopeKey(readScope('scope' in value ? value.scope : null));
    const counts = (this.#counted ??= new Map(
      countScopes(this.#space.store.index, null).map((c) => [scopeKey(c.scope), scopeLine(c)]),
    ));
    const here = counts.get(key);
    if (here === undefined || canonicalJson(value) !== canonicalJson(parsed(here))) {
      throw differs(line, 'scope');
    }
  }
  #counted: Map<string, string> | null = null;

  #end(last: z.output<typeof LastLineSchema>, line: number): void {
    if (this.#space.store.index.lastTx !== this.#first.tx && this.#first.org === undefined) {
      throw failure(line, 'tx', `The export has transactions up to ${this.#first.tx}.`, {
        hint: 'Lines of it are missing.',
      });
    }
    const { tables } = this.#space.store.index;
    let facts = 0;
    for (let row = 0; row < tables.factCount; row++) {
      if ((tables.fact.flags.get(row) & FACT.deny) === 0) facts += 1;
    }
    if (last.facts !== this.#facts || facts !== this.#facts) throw differs(line, 'facts');
    if (last.scopes !== this.#scopes) throw differs(line, 'scopes');
    this.#isDone = true;
  }
}

const FACT_ID = /^f_[0-9a-f]{32}$/u;

const ABOUT_CONTENT = new Set(['CONFLICT', 'JOURNAL_DAMAGED', 'INVALID_INPUT', 'STORE_FAILED']);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller says what is wrong with the line, and knows its number.
    return null;
  }
}

function read<S extends z.ZodType>(schema: S, value: unknown, line: number): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue === undefined || issue.path.length === 0 ? null : issue.path.join('.');
  throw failure(line, field, `${issue?.message ?? 'It is not understood'}.`, {
    cause: result.error,
  });
}

const differs = (line: number, field: string): PalimpsestError =>
  failure(line, field, 'What follows from the history here is not what the export says.', {
    hint: 'The export was edited, or another version of the library has folded it.',
  });

const notEmpty = (): PalimpsestError =>
  new PalimpsestError('IMPORT_FAILED', 'An export is imported into an empty store.', {
    hint: 'This one has a history of its own: give the path of a new folder.',
  });
