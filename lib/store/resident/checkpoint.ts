import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { realFiles, storeFailure } from '../../journal/files.js';
import type { Checkpoint } from '../../journal/port.js';
import { Column } from './column.js';
import { sideFromJson, sideToJson } from './side-file.js';
import { Tables } from './tables.js';

/**
 * The resident index in one file: a line with the checksum of all that follows, a header line of JSON,
 * the side maps as JSON, then the columns as they lie in memory. It spares the next opening the replay of
 * the journal; when it is missing, of another version or damaged, the journal is replayed.
 */
const FORMAT = 3;
const LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

const Place = z.strictObject({
  segment: z.number().int(),
  offset: z.number().int(),
  length: z.number().int(),
});
const HeaderSchema = z.strictObject({
  palimpsest: z.literal('index'),
  format: z.literal(FORMAT),
  littleEndian: z.literal(LITTLE_ENDIAN),
  tx: z.number().int(),
  journal: z.strictObject({ generation: z.number().int(), at: Place }),
  parts: z.array(z.strictObject({ name: z.string(), lengths: z.array(z.number().int()) })),
  side: z.number().int(),
  /** Checksum of the journal's record that was the last. */
  record: z.number().int(),
});

const SUM_LINE = /^palimpsest-index ([0-9a-f]{8})\n$/;
const sumLine = (crc: number): string => `palimpsest-index ${crc.toString(16).padStart(8, '0')}\n`;
const SUM_LENGTH = sumLine(0).length;

export interface LoadedCheckpoint {
  readonly tables: Tables;
  readonly journal: Checkpoint;
  /** Checksum of the body of `journal.at`, which tells it from another record of the same place. */
  readonly record: number;
}

/** Writes the tables beside the old file and swaps them in. `last` is the body of `journal.at`. */
export function writeCheckpoint(
  path: string,
  tables: Tables,
  journal: Checkpoint,
  last: Buffer,
): void {
  const side = Buffer.from(sideToJson(tables.side), 'utf8');
  const parts = [...tables.parts()].map(([name, part]) => ({
    name,
    buffers: part instanceof Column ? [part.bytes()] : part.dump(),
  }));
  const header: z.input<typeof HeaderSchema> = {
    palimpsest: 'index',
    format: FORMAT,
    littleEndian: LITTLE_ENDIAN,
    tx: tables.lastTx,
    journal,
    parts: parts.map((p) => ({ name: p.name, lengths: p.buffers.map((b) => b.length) })),
    side: side.length,
    record: crc32(last),
  };
  const start = Buffer.from(`${JSON.stringify(header)}\n`, 'utf8');
  const buffers = [start, side, ...parts.flatMap((p) => p.buffers)];
  const crc = buffers.reduce((sum, buffer) => crc32(buffer, sum), 0);
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.next`;
  try {
    const fd = openSync(draft, 'w');
    try {
      for (const buffer of [Buffer.from(sumLine(crc), 'utf8'), ...buffers]) writeFully(fd, buffer);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(draft, path);
  } catch (error) {
    // On a full disk half a file would only take the place that the journal needs.
    rmSync(draft, { force: true });
    throw error;
  }
}

function writeFully(fd: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
}

/** The tables of a checkpoint, or why there are none. */
export function readCheckpoint(path: string): LoadedCheckpoint | { readonly why: string } {
  let file: Buffer;
  try {
    file = readFileSync(path);
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return { why: missing ? 'missing' : `unreadable: ${String(error)}` };
  }
  try {
    const sum = SUM_LINE.exec(file.toString('latin1', 0, SUM_LENGTH))?.[1];
    const body = file.subarray(SUM_LENGTH);
    if (sum === undefined || crc32(body) !== Number.parseInt(sum, 16)) return { why: 'damaged' };
    const end = body.indexOf(10);
    const header = HeaderSchema.parse(JSON.parse(body.toString('utf8', 0, end)));
    const { journal, record } = header;
    return { tables: readTables(header, body.subarray(end + 1)), journal, record };
  } catch {
    return { why: 'damaged, or of another version' };
  }
}

function readTables(header: z.output<typeof HeaderSchema>, content: Buffer): Tables {
  const tables = new Tables();
  tables.side = sideFromJson(content.toString('utf8', 0, header.side));
  const wanted = tables.parts();
  let offset = header.side;
  for (const { name, lengths } of header.parts) {
    const buffers = lengths.map((length) => {
      const buffer = content.subarray(offset, offset + length);
      offset += length;
      return buffer;
    });
    const part = wanted.get(name);
    const [first] = buffers;
    if (part === undefined || first === undefined) throw new Error(`No table is called ${name}.`);
    if (part instanceof Column) part.load(first);
    else part.load(buffers);
  }
  if (header.parts.length !== wanted.size) throw new Error('The checkpoint lacks a table.');
  tables.publish(header.tx);
  return tables;
}

/** Durably, since what it holds may have been erased. */
export function removeCheckpoint(path: string): void {
  try {
    rmSync(path, { force: true });
    rmSync(`${path}.next`, { force: true });
    const folder = dirname(path);
    if (existsSync(folder)) realFiles.flushFolder(folder);
  } catch (error) {
    // Something else stands where its folder should be: there is none to remove.
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return;
    throw storeFailure(error, `The index ${path} could not be removed`);
  }
}
