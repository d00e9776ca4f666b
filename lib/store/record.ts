import { z } from 'zod';
import { PalimpsestError } from '../model/errors.js';
import { EntrySchema, HeaderSchema, type Entry, type Transaction } from '../model/entry.js';

/** Range of bytes of an entry's line within the body of a record. */
export interface Line {
  readonly offset: number;
  readonly length: number;
}

export interface EncodedRecord {
  readonly body: Buffer;
  /** One for each entry, in their order. */
  readonly lines: readonly Line[];
}

/** A transaction as the body of a journal record: JSON Lines, the header first. */
export function encodeRecord(transaction: Transaction): EncodedRecord {
  const texts = [`${JSON.stringify(transaction.header)}\n`];
  for (const entry of transaction.entries) texts.push(`${JSON.stringify(entry)}\n`);
  const body = Buffer.from(texts.join(''), 'utf8');
  const lines: Line[] = [];
  let offset = body.indexOf(NEWLINE) + 1;
  for (let i = 1; i < texts.length; i++) {
    const end = body.indexOf(NEWLINE, offset);
    lines.push({ offset, length: end - offset });
    offset = end + 1;
  }
  return { body, lines };
}

const NEWLINE = 10;

export interface DecodedRecord extends Transaction {
  readonly lines: readonly Line[];
}

/** @throws PalimpsestError `JOURNAL_DAMAGED` for a body that is not a transaction. */
export function decodeRecord(body: Buffer): DecodedRecord {
  const lines: Line[] = [];
  const entries: Entry[] = [];
  let header: Transaction['header'] | undefined;
  let offset = 0;
  while (offset < body.length) {
    const end = body.indexOf(NEWLINE, offset);
    const line = { offset, length: (end === -1 ? body.length : end) - offset };
    const text = body.toString('utf8', offset, offset + line.length);
    if (header === undefined) {
      header = parse(HeaderSchema, text);
    } else {
      entries.push(parse(EntrySchema, text));
      lines.push(line);
    }
    offset += line.length + 1;
  }
  if (header === undefined) throw damaged('an empty record');
  return { header, entries, lines };
}

/** The entry of one line, read back from the journal. */
export const decodeLine = (line: Buffer): Entry => parse(EntrySchema, line.toString('utf8'));

function parse<S extends z.ZodType>(schema: S, text: string): z.output<S> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw damaged('a line that is not JSON', cause);
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw damaged(z.prettifyError(result.error), result.error);
}

function damaged(what: string, cause?: unknown): PalimpsestError {
  return new PalimpsestError('JOURNAL_DAMAGED', `The journal holds ${what}.`, {
    hint: 'Its checksum is right, so another version or program wrote it.',
    cause,
  });
}
