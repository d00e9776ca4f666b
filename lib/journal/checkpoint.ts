import type { FileCalls } from './files.js';
import { checksumHolds, FRAME_LINE_MAX, HEADER, readFrame } from './frame.js';
import type { OpenSegments } from './generation.js';
import { readRange } from './generation.js';
import type { Locator } from './port.js';

/** Whether `at` is the whole body of a good record, found by reading that record alone. */
export function isRecord(files: FileCalls, open: OpenSegments, at: Locator): boolean {
  const segment = open.segments[at.segment - 1];
  if (segment === undefined || at.offset < HEADER.length || at.offset + at.length > segment.size) {
    return false;
  }
  const before = Math.max(HEADER.length, at.offset - FRAME_LINE_MAX);
  const bytes = readRange(files, segment, before, at.offset - before);
  const line = bytes.subarray(bytes.lastIndexOf('#'));
  const frame = line[0] === 0x23 ? readFrame(line) : 'none';
  if (typeof frame === 'string') return false;
  if (frame.lineLength !== line.length || frame.bodyLength !== at.length) return false;
  return checksumHolds(frame, readRange(files, segment, at.offset, at.length));
}
