import { join } from 'node:path';
import { PalimpsestError } from '../model/errors.js';
import type { FileCalls } from './files.js';
import { readFully, writeAll } from './files.js';
import { checkBody, frameLine, HEADER } from './frame.js';
import type { Locator } from './port.js';

/** An open segment; `size` is its good length. */
export interface Segment {
  readonly number: number;
  readonly path: string;
  readonly fd: number;
  size: number;
}

const WRITE_BUFFER = 1 << 20;

export const generationPath = (folder: string, generation: number): string =>
  join(folder, `g${generation}`);

const draftPath = (folder: string, generation: number): string =>
  `${generationPath(folder, generation)}.tmp`;

export const segmentPath = (generationFolder: string, segment: number): string =>
  join(generationFolder, `${String(segment).padStart(6, '0')}.log`);

export interface Generations {
  /** The highest finished one holds the truth; `null` in a new journal. */
  readonly current: number | null;
  /** Names of what a crash left over: older generations, and drafts. */
  readonly leftovers: readonly string[];
}

export function listGenerations(files: FileCalls, folder: string): Generations {
  const names = files.list(folder).filter((name) => /^g\d{1,9}(\.tmp)?$/.test(name));
  const finished = names
    .filter((name) => !name.endsWith('.tmp'))
    .map((name) => Number(name.slice(1)));
  const current = finished.length === 0 ? null : Math.max(...finished);
  return { current, leftovers: names.filter((name) => name !== `g${current}`) };
}

/**
 * Writes a generation beside the current one. It does not count before `publishGeneration`, so that a
 * crash leaves a draft which the next open throws away.
 */
export async function draftGeneration(
  files: FileCalls,
  folder: string,
  generation: number,
  bodies: AsyncIterable<Buffer> | Iterable<Buffer>,
  segmentBytes: number,
  placed: (at: Locator) => void = () => undefined,
): Promise<void> {
  const draft = draftPath(folder, generation);
  files.remove(draft);
  files.makeFolder(draft);
  let writer = new SegmentWriter(files, segmentPath(draft, 1));
  try {
    let number = 1;
    for await (const body of bodies) {
      if (writer.size >= segmentBytes) {
        writer.finish();
        number += 1;
        writer = new SegmentWriter(files, segmentPath(draft, number));
      }
      placed({ segment: number, offset: writer.add(body), length: body.length });
    }
    writer.finish();
  } catch (error) {
    writer.abandon();
    throw error;
  }
  files.flushFolder(draft);
}

/** Gives the disk back what a failed draft took. */
export function discardDraft(files: FileCalls, folder: string, generation: number): void {
  try {
    files.remove(draftPath(folder, generation));
  } catch {
    // The failure that led here is the one to report; the next open removes the draft.
  }
}

/** Makes a draft the current generation: one rename. */
export function publishGeneration(files: FileCalls, folder: string, generation: number): void {
  files.rename(draftPath(folder, generation), generationPath(folder, generation));
}

class SegmentWriter {
  readonly #files: FileCalls;
  readonly #fd: number;
  #parts: Buffer[] = [HEADER];
  #buffered = HEADER.length;
  #written = 0;
  #open = true;

  constructor(files: FileCalls, path: string) {
    this.#files = files;
    this.#fd = files.open(path, 'w+');
  }

  get size(): number {
    return this.#written + this.#buffered;
  }

  /** Returns where the body begins. */
  add(body: Buffer): number {
    checkBody(body);
    const line = frameLine(body, false);
    const offset = this.size + line.length;
    // Copied: the source may reuse its buffers once it has been asked for the next body.
    this.#parts.push(line, Buffer.from(body));
    this.#buffered += line.length + body.length;
    if (this.#buffered >= WRITE_BUFFER) this.#spill();
    return offset;
  }

  finish(): void {
    this.#spill();
    this.#files.flush(this.#fd);
    this.#open = false;
    this.#files.close(this.#fd);
  }

  abandon(): void {
    if (this.#open) abandonSegments(this.#files, [{ fd: this.#fd }]);
  }

  #spill(): void {
    writeAll(this.#files, this.#fd, Buffer.concat(this.#parts), this.#written);
    this.#written += this.#buffered;
    this.#parts = [];
    this.#buffered = 0;
  }
}

export interface OpenSegments {
  readonly segments: Segment[];
  /** A segment that should be there and is not; what lies behind it is not opened. */
  readonly missing: { readonly number: number; readonly path: string } | null;
}

/** Opens all segments of a generation, the last one for writing if asked. */
export function openSegments(
  files: FileCalls,
  folder: string,
  access: 'read' | 'write',
): OpenSegments {
  const numbers = new Set(
    files
      .list(folder)
      .filter((name) => /^\d{6,9}\.log$/.test(name))
      .map((name) => Number.parseInt(name, 10)),
  );
  const last = Math.max(1, ...numbers);
  const segments: Segment[] = [];
  try {
    for (let number = 1; number <= last; number += 1) {
      const path = segmentPath(folder, number);
      if (!numbers.has(number)) return { segments, missing: { number, path } };
      const fd = files.open(path, access === 'write' && number === last ? 'r+' : 'r');
      const segment = { number, path, fd, size: 0 };
      segments.push(segment);
      segment.size = files.size(fd);
    }
    return { segments, missing: null };
  } catch (error) {
    abandonSegments(files, segments);
    throw error;
  }
}

/** Closes after a failure, which says more than what closing may add to it. */
export function abandonSegments(files: FileCalls, segments: readonly Pick<Segment, 'fd'>[]): void {
  try {
    closeSegments(files, segments);
  } catch {
    // The descriptors are given back even so, and nothing in them waits to be written.
  }
}

export function closeSegments(files: FileCalls, segments: readonly Pick<Segment, 'fd'>[]): void {
  let failure: { readonly error: unknown } | null = null;
  for (const segment of segments) {
    try {
      files.close(segment.fd);
    } catch (error) {
      failure ??= { error };
    }
  }
  if (failure !== null) throw failure.error;
}

/** Reads a range that must be there. */
export function readRange(
  files: FileCalls,
  segment: Segment,
  offset: number,
  length: number,
): Buffer {
  const bytes = readFully(files, segment.fd, Buffer.allocUnsafe(length), offset);
  if (bytes.length < length) {
    throw new PalimpsestError('STORE_FAILED', `${segment.path} became shorter while it was open.`);
  }
  return bytes;
}

/** The segment that is written to. */
export function lastOf(segments: readonly Segment[]): Segment {
  const last = segments.at(-1);
  if (last === undefined) throw new PalimpsestError('STORE_FAILED', 'The journal has no segment.');
  return last;
}
