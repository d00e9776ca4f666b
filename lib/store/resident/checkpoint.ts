import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import type { Checkpoint } from '../../journal/port.js';
import { Column } from './column.js';
import { sideFromJson, sideToJson } from './side-file.js';
import { Tables } from './tables.js';

/**
 * The resident index in one file: a header line of JSON, the side maps as JSON, then the columns as
 * they lie in memory. It spares the next opening the replay of the journal; when it is missing, of
 * another version or damaged, the journal is replayed.
 */
const FORMAT = 1;
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
  crc: z.number().int(),
});

export interface LoadedCheckpoint {
  readonly tables: Tables;
  readonly journal: Checkpoint;
}

/** Writes the tables beside the old file and swaps them in. */
export function writeCheckpoint(path: string, tables: Tables, journal: Checkpoint): void {
  const side = Buffer.from(sideToJson(tables.side), 'utf8');
  const parts = [...tables.parts()].map(([name, part]) => ({
    name,
    buffers: part instanceof Column ? [part.bytes()] : part.dump(),
  }));
  const buffers = [side, ...parts.flatMap((p) => p.buffers)];
  let crc = 0;
  for (const buffer of buffers) crc = crc32(buffer, crc);
  const header: z.input<typeof HeaderSchema> = {
    palimpsest: 'index',
    format: FORMAT,
    littleEndian: LITTLE_ENDIAN,
    tx: tables.lastTx,
    journal,
    parts: parts.map((p) => ({ name: p.name, lengths: p.buffers.map((b) => b.length) })),
    side: side.length,
    crc,
  };
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.next`;
  const fd = openSync(draft, 'w');
  try {
    writeFully(fd, Buffer.from(`${JSON.stringify(header)}\n`, 'utf8'));
    for (const buffer of buffers) writeFully(fd, buffer);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(draft, path);
}

function writeFully(fd: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
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
    const end = file.indexOf(10);
    const header = HeaderSchema.parse(JSON.parse(file.toString('utf8', 0, end)));
    const content = file.subarray(end + 1);
    if (crc32(content) !== header.crc) return { why: 'damaged' };
    return { tables: readTables(header, content), journal: header.journal };
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

export function removeCheckpoint(path: string): void {
  rmSync(path, { force: true });
  rmSync(`${path}.next`, { force: true });
}
