import type { FileCalls } from './files.js';
import { checksumHolds, FRAME_LINE_MAX, readFrame } from './frame.js';
import type { Segment } from './generation.js';
import { readRange } from './generation.js';
import type { JournalRecord } from './port.js';

const CHUNK = 256 << 10;

export interface ScannedRecord extends JournalRecord {
  /** The next record belongs to the same append. */
  readonly continued: boolean;
}

export type Step =
  | { readonly kind: 'record'; readonly record: ScannedRecord }
  | { readonly kind: 'end' }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** Steps through the records of one segment, a buffer at a time. */
export class SegmentReader {
  readonly #files: FileCalls;
  readonly #segment: Segment;
  #position: number;
  #chunk: Buffer = Buffer.alloc(0);
  #chunkStart = 0;
  #reads = 0;

  constructor(files: FileCalls, segment: Segment, position: number) {
    this.#files = files;
    this.#segment = segment;
    this.#position = position;
  }

  /** Start of the next record. */
  get position(): number {
    return this.#position;
  }

  /** Buffers read so far. */
  get reads(): number {
    return this.#reads;
  }

  next(): Step {
    const left = this.#segment.size - this.#position;
    if (left === 0) return { kind: 'end' };
    const frame = readFrame(this.#bytes(this.#position, Math.min(FRAME_LINE_MAX, left)));
    if (frame === 'cut off') return unreadable('a record is cut off in its first line');
    if (frame === 'none') return unreadable('no record begins here');
    const bodyStart = this.#position + frame.lineLength;
    const present = this.#segment.size - bodyStart;
    if (frame.bodyLength > present) {
      return unreadable(`a record of ${frame.bodyLength} bytes ends after ${Math.max(present, 0)}`);
    }
    const body = this.#bytes(bodyStart, frame.bodyLength);
    if (!checksumHolds(frame, body)) return unreadable('the checksum of a record is wrong');
    this.#position = bodyStart + frame.bodyLength;
    const at = { segment: this.#segment.number, offset: bodyStart, length: frame.bodyLength };
    return { kind: 'record', record: { body, at, continued: frame.continued } };
  }

  /** A range that lies within the segment. Buffers are never reused, so views of them stay good. */
  #bytes(position: number, length: number): Buffer {
    const within = position - this.#chunkStart;
    if (within >= 0 && within + length <= this.#chunk.length) {
      return this.#chunk.subarray(within, within + length);
    }
    const wanted = Math.min(Math.max(CHUNK, length), this.#segment.size - position);
    this.#chunk = readRange(this.#files, this.#segment, position, wanted);
    this.#chunkStart = position;
    this.#reads += 1;
    return this.#chunk.subarray(0, length);
  }
}

function unreadable(reason: string): Step {
  return { kind: 'unreadable', reason };
}
