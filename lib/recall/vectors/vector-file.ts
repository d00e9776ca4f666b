import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import {
  ensureFolder,
  readFully,
  realFiles,
  storeFailure,
  writeAll,
  type FileCalls,
} from '../../journal/files.js';

/**
 * Vectors at rest: one line of JSON that names the model, then a record of one size for each vector: its kind,
 * a checksum, the id of what it stands for, and its numbers (32-bit, little-endian). What is torn or damaged is
 * dropped at opening: it is embedded again.
 */

const HeaderSchema = z.strictObject({
  palimpsest: z.literal('vectors'),
  version: z.literal(1),
  model: z.string(),
  dimensions: z.number().int().positive(),
});

/** Which model made the vectors. */
export interface Maker {
  readonly model: string;
  readonly dimensions: number;
}

export const isSameMaker = (a: Maker, b: Maker): boolean =>
  a.model === b.model && a.dimensions === b.dimensions;

/** `c` and the id of a claim, `e` and the hash of an event's name: a letter and 32 hexadecimal digits. */
export type VectorKey = string;

export interface StoredVector {
  readonly key: VectorKey;
  readonly vector: Float32Array;
}

const PREFIX = 24;
const KEY_AT = 8;
const READ = 4 * 1024 * 1024;

export class VectorFile {
  readonly maker: Maker;
  readonly #files: FileCalls;
  #path: string;
  #fd: number;
  #size: number;

  private constructor(files: FileCalls, path: string, fd: number, size: number, maker: Maker) {
    this.#files = files;
    this.#path = path;
    this.#fd = fd;
    this.#size = size;
    this.maker = maker;
  }

  /** Makes an empty file, also in the place of another. */
  static create(path: string, maker: Maker, files: FileCalls = realFiles): VectorFile {
    return guarded(path, () => {
      ensureFolder(files, dirname(path));
      const file = draft(files, `${path}.draft`, path, maker, []);
      return new VectorFile(files, path, file.fd, file.size, maker);
    });
  }

  /** Shows what is in a file; `null` for none, and for one that is no file of vectors. */
  static open(
    path: string,
    note: (stored: StoredVector) => void,
    files: FileCalls = realFiles,
  ): VectorFile | null {
    return guarded(path, () => {
      let fd: number;
      try {
        fd = files.open(path, 'r+');
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
        throw error;
      }
      // What was being written when the process ended may hold what is to be erased.
      files.remove(`${path}.draft`);
      const header = readHeader(files, fd);
      if (header === null) {
        files.close(fd);
        return null;
      }
      const { maker, bytes } = header;
      const file = new VectorFile(files, path, fd, bytes, maker);
      const kept: StoredVector[] = [];
      let isDamaged = false;
      for (const stored of recordsIn(files, fd, bytes, maker.dimensions)) {
        if (stored === null) isDamaged = true;
        else kept.push(stored);
      }
      // A damaged record may be of something that is to be erased: it does not stay.
      if (isDamaged) file.replace(kept);
      else file.#size = files.size(fd);
      for (const stored of kept) note(stored);
      return file;
    });
  }

  /** Durable when it returns. */
  append(stored: readonly StoredVector[]): void {
    guarded(this.#path, () => {
      const bytes = encode(stored, this.maker.dimensions);
      try {
        writeAll(this.#files, this.#fd, bytes, this.#size);
        this.#files.flush(this.#fd);
      } catch (error) {
        this.#files.truncate(this.#fd, this.#size);
        throw error;
      }
      this.#size += bytes.length;
    });
  }

  /** Puts these in the place of all that are there: what is left out is gone from the disk. */
  replace(stored: Iterable<StoredVector>): void {
    guarded(this.#path, () => {
      const next = draft(this.#files, `${this.#path}.draft`, this.#path, this.maker, stored);
      this.#files.close(this.#fd);
      this.#fd = next.fd;
      this.#size = next.size;
    });
  }

  /** Takes the place of another file. */
  moveTo(path: string): void {
    guarded(this.#path, () => {
      this.#files.rename(this.#path, path);
      this.#files.flushFolder(dirname(path));
      this.#path = path;
    });
  }

  /** Closes it and removes it from the disk. */
  remove(): void {
    this.close();
    this.#files.remove(this.#path);
    this.#files.flushFolder(dirname(this.#path));
  }

  close(): void {
    this.#files.close(this.#fd);
  }
}

export const vectorsPath = (folder: string, name: 'live' | 'next'): string =>
  join(folder, 'vectors', `${name}.vec`);

function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw storeFailure(error, `The vectors in ${path} could not be read or written`);
  }
}

function draft(
  files: FileCalls,
  path: string,
  into: string,
  maker: Maker,
  stored: Iterable<StoredVector>,
): { readonly fd: number; readonly size: number } {
  const fd = files.open(path, 'w+');
  try {
    const { model, dimensions } = maker;
    const header = { palimpsest: 'vectors', version: 1, model, dimensions };
    const line = Buffer.from(`${JSON.stringify(header)}\n`, 'utf8');
    writeAll(files, fd, line, 0);
    let size = line.length;
    for (const one of stored) {
      const bytes = encode([one], dimensions);
      writeAll(files, fd, bytes, size);
      size += bytes.length;
    }
    files.flush(fd);
    files.rename(path, into);
    files.flushFolder(dirname(into));
    return { fd, size };
  } catch (error) {
    files.close(fd);
    files.remove(path);
    throw error;
  }
}

function readHeader(
  files: FileCalls,
  fd: number,
): { readonly maker: Maker; readonly bytes: number } | null {
  const start = readFully(files, fd, Buffer.alloc(65_536), 0);
  const end = start.indexOf(10);
  if (end === -1) return null;
  let line: unknown;
  try {
    line = JSON.parse(start.toString('utf8', 0, end));
  } catch {
    return null;
  }
  const parsed = HeaderSchema.safeParse(line);
  if (!parsed.success) return null;
  const { model, dimensions } = parsed.data;
  return { maker: { model, dimensions }, bytes: end + 1 };
}

/** The records from an offset on; `null` for what is damaged, and for a torn end. */
function* recordsIn(
  files: FileCalls,
  fd: number,
  from: number,
  dimensions: number,
): Generator<StoredVector | null, void, undefined> {
  const size = PREFIX + dimensions * 4;
  const block = Buffer.alloc(Math.max(1, Math.floor(READ / size)) * size);
  for (let at = from; ;) {
    const read = readFully(files, fd, block, at);
    for (let start = 0; start < read.length; start += size) {
      yield start + size > read.length ? null : decode(read.subarray(start, start + size));
    }
    if (read.length < block.length) return;
    at += read.length;
  }
}

function encode(stored: readonly StoredVector[], dimensions: number): Buffer {
  const size = PREFIX + dimensions * 4;
  const bytes = Buffer.alloc(stored.length * size);
  for (const [i, { key, vector }] of stored.entries()) {
    const record = bytes.subarray(i * size, (i + 1) * size);
    record.write(key.slice(0, 1), 0, 'latin1');
    record.write(key.slice(1), KEY_AT, 'hex');
    for (let d = 0; d < dimensions; d++) record.writeFloatLE(vector[d] ?? 0, PREFIX + d * 4);
    record.writeUInt32LE(sumOf(record), 4);
  }
  return bytes;
}

/** Of the kind, the id and the numbers. */
const sumOf = (record: Buffer): number => crc32(record.subarray(KEY_AT), record[0] ?? 0);

function decode(record: Buffer): StoredVector | null {
  if (record.readUInt32LE(4) !== sumOf(record)) return null;
  const key = record.toString('latin1', 0, 1) + record.toString('hex', KEY_AT, PREFIX);
  const vector = new Float32Array((record.length - PREFIX) / 4);
  for (let d = 0; d < vector.length; d++) vector[d] = record.readFloatLE(PREFIX + d * 4);
  return { key, vector };
}
