import type { FileCalls } from './files.js';
import { writeAll } from './files.js';
import type { Segment } from './generation.js';

/**
 * Bytes by which the last segment grows ahead of what is written: to overwrite zeros is a third faster
 * than to make a file longer, whose new length must be made durable too.
 */
const AHEAD = 256 << 10;

/** Appends up to so many bytes are worth it. */
const SMALL = 16 << 10;

/** The zeros which an open journal writes ahead of its last segment's end, and cuts off when it closes. */
export class Reserve {
  readonly #files: FileCalls;
  readonly #segmentBytes: number;
  /** Length of the file, the zeros included. */
  #fileLength: number;
  #lastWasSmall = false;

  constructor(files: FileCalls, segmentBytes: number, segment: Segment) {
    this.#files = files;
    this.#segmentBytes = segmentBytes;
    this.#fileLength = segment.size;
  }

  /** Another segment is the last one now, or this one was cut back to its size. */
  restart(segment: Segment): void {
    this.#fileLength = segment.size;
  }

  /**
   * Makes a segment ready for an append. Only one record at a time may go over zeros: a crash may leave
   * any of its sectors unwritten, and a good record behind such a gap would make it look like damage to
   * what was once whole.
   */
  prepare(segment: Segment, records: number): void {
    if (records > 1) this.cut(segment);
  }

  /**
   * Writes zeros behind an append which ends where the file does, if small ones come one after the other.
   * It is a favour: when it fails, nothing is lost.
   */
  extend(segment: Segment, written: number, records: number): void {
    const isSmall = records === 1 && written <= SMALL;
    const isRun = isSmall && this.#lastWasSmall;
    this.#lastWasSmall = isSmall;
    const end = segment.size + written;
    if (end <= this.#fileLength) return;
    this.#fileLength = end;
    const length = Math.min(AHEAD, this.#segmentBytes - end);
    if (!isRun || length <= 0) return;
    // Also when it fails: some of them may be there.
    this.#fileLength += length;
    try {
      writeAll(this.#files, segment.fd, Buffer.alloc(length), end);
    } catch {
      // The disk is full, or nearly; whether the next append finds room is for that one to say.
    }
  }

  /** Cuts the zeros off, durably: what follows might else yet be written over them. */
  cut(segment: Segment): void {
    if (this.#fileLength <= segment.size) return;
    this.#files.truncate(segment.fd, segment.size);
    this.#files.flush(segment.fd);
    this.#fileLength = segment.size;
  }
}
