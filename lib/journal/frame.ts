import { crc32 } from 'node:zlib';
import { PalimpsestError } from '../model/errors.js';

export const JOURNAL_VERSION = 1;
export const HEADER = Buffer.from(`palimpsest-journal ${JOURNAL_VERSION}\n`);
export const HEADER_LINE = /^palimpsest-journal (\d{1,9})\n/;

const FRAME_LINE = /^#(\d{1,15}) ([0-9a-f]{8})( \+)?$/;
const FRAME_LINE_CUT_OFF = /^#(?:\d{0,15}|\d{1,15} [0-9a-f]{0,8}|\d{1,15} [0-9a-f]{8} \+?)$/;

/** No frame line is longer, its newline included. */
export const FRAME_LINE_MAX = 1 + 15 + 1 + 8 + 2 + 1;

export interface Frame {
  /** Bytes of the frame line, newline included. */
  readonly lineLength: number;
  readonly bodyLength: number;
  readonly checksum: number;
  /** The next record belongs to the same append. */
  readonly continued: boolean;
}

const NEWLINE = 0x0a;

/** Reads the frame line at the start of `bytes`; `cut off` when they end before the line does. */
export function readFrame(bytes: Buffer): Frame | 'cut off' | 'none' {
  const newline = bytes.subarray(0, FRAME_LINE_MAX).indexOf(NEWLINE);
  if (newline < 0) {
    const isStart =
      bytes.length < FRAME_LINE_MAX && FRAME_LINE_CUT_OFF.test(bytes.toString('latin1'));
    return isStart ? 'cut off' : 'none';
  }
  const match = FRAME_LINE.exec(bytes.toString('latin1', 0, newline));
  if (match === null) return 'none';
  return {
    lineLength: newline + 1,
    bodyLength: Number(match[1]),
    checksum: Number.parseInt(match[2] ?? '', 16),
    continued: match[3] !== undefined,
  };
}

export function checksumHolds(frame: Frame, body: Buffer): boolean {
  return crc32(body) === frame.checksum;
}

export function frameLine(body: Buffer, continued: boolean): Buffer {
  const checksum = crc32(body).toString(16).padStart(8, '0');
  return Buffer.from(`#${body.length} ${checksum}${continued ? ' +' : ''}\n`, 'latin1');
}

/**
 * A body is whole lines and no line begins with `#`, so that a frame line is never mistaken, neither by
 * the eye nor by the search for what follows damage. JSON Lines are such.
 *
 * @throws INVALID_INPUT
 */
export function checkBody(body: Buffer): void {
  if (body.at(-1) !== NEWLINE || body[0] === 0x23 || body.includes('\n#')) {
    throw new PalimpsestError('INVALID_INPUT', 'A journal record must be lines of JSON.', {
      hint: 'End the last line with a newline, and begin none with "#".',
    });
  }
}

export interface EncodedCall {
  readonly bytes: Buffer;
  /** Where each body begins within `bytes`. */
  readonly bodyOffsets: readonly number[];
}

/** The bytes of one append: its records, all but the last marked as continued. */
export function encodeCall(bodies: readonly Buffer[]): EncodedCall {
  const parts: Buffer[] = [];
  const bodyOffsets: number[] = [];
  let length = 0;
  for (const [index, body] of bodies.entries()) {
    checkBody(body);
    const line = frameLine(body, index < bodies.length - 1);
    parts.push(line, body);
    bodyOffsets.push(length + line.length);
    length += line.length + body.length;
  }
  return { bytes: Buffer.concat(parts, length), bodyOffsets };
}
