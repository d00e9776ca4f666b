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

/**
 * A search index in one file: a line with the checksum of all that follows, a header line of JSON, then
 * typed arrays as they lie in memory. A file that is missing, damaged or of something else is no loss: the
 * index is built anew from what it was made of.
 */
const FORMAT = 2;
const LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

const HeaderSchema = z.strictObject({
  palimpsest: z.literal('search'),
  format: z.literal(FORMAT),
  littleEndian: z.literal(LITTLE_ENDIAN),
  /** What the index was made of, as its owner writes it. */
  of: z.unknown(),
  lengths: z.array(z.number().int().nonnegative()),
});

const SUM_LINE = /^palimpsest-search ([0-9a-f]{8})\n$/;
const sumLine = (crc: number): string => `palimpsest-search ${crc.toString(16).padStart(8, '0')}\n`;
const SUM_LENGTH = sumLine(0).length;

export interface Dump {
  readonly of: unknown;
  /** Views into the file as it was read: copy what is kept. */
  readonly parts: readonly Buffer[];
}

/** Writes a dump beside the old one and swaps them. */
export function writeDump(path: string, { of, parts }: Dump): void {
  const header = {
    palimpsest: 'search',
    format: FORMAT,
    littleEndian: LITTLE_ENDIAN,
    of,
    lengths: parts.map((part) => part.length),
  };
  const buffers = [Buffer.from(`${JSON.stringify(header)}\n`, 'utf8'), ...parts];
  const crc = buffers.reduce((sum, buffer) => crc32(buffer, sum), 0);
  const draft = `${path}.next`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    const fd = openSync(draft, 'w');
    try {
      for (const buffer of [Buffer.from(sumLine(crc), 'utf8'), ...buffers]) {
        for (let done = 0; done < buffer.length;) done += writeSync(fd, buffer, done);
      }
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

/** The dump at a path, or `null` where there is none that can be used. */
export function readDump(path: string): Dump | null {
  let file: Buffer;
  try {
    file = readFileSync(path);
  } catch {
    return null;
  }
  try {
    const sum = SUM_LINE.exec(file.toString('latin1', 0, SUM_LENGTH))?.[1];
    const body = file.subarray(SUM_LENGTH);
    if (sum === undefined || crc32(body) !== Number.parseInt(sum, 16)) return null;
    const end = body.indexOf(10);
    const { of, lengths } = HeaderSchema.parse(JSON.parse(body.toString('utf8', 0, end)));
    let offset = end + 1;
    const parts = lengths.map((length) => {
      offset += length;
      return body.subarray(offset - length, offset);
    });
    return { of, parts };
  } catch {
    return null;
  }
}

/** Durably, since what a dump holds may have to be erased. */
export function removeDump(path: string): void {
  try {
    rmSync(path, { force: true });
    rmSync(`${path}.next`, { force: true });
    const folder = dirname(path);
    if (existsSync(folder)) realFiles.flushFolder(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return;
    throw storeFailure(error, `The search index ${path} could not be removed`);
  }
}
