import type { FileCalls } from './files.js';
import { FRAME_LINE_MAX, readFrame } from './frame.js';
import type { Segment } from './generation.js';
import { readRange } from './generation.js';
import { SegmentReader } from './segment-reader.js';

const CHUNK = 256 << 10;

/** The least that a disk writes whole. */
const SECTOR = 512;

/**
 * Whether what cannot be read from `position` to the end of the last segment looks like an append that a
 * crash interrupted, and not like damage to a record that was once whole.
 *
 * It does when no good record follows it (a damaged length would else make a record look cut off, and
 * take all those behind it along), and when it stops before its announced end, or misses whole sectors in
 * between. Zeros are what was not written: a file grows before its pages arrive, and small appends write
 * over zeros. No record holds any of its own.
 */
export function findTear(files: FileCalls, segment: Segment, position: number): boolean {
  const end = writtenEnd(files, segment, position);
  if (end === position) return true;
  if (recordFollows(files, segment, position, end)) return false;
  const start = readRange(files, segment, position, Math.min(FRAME_LINE_MAX, end - position));
  const frame = readFrame(start);
  const recordEnd =
    typeof frame === 'object' ? position + frame.lineLength + frame.bodyLength : end;
  return (
    frame === 'cut off' ||
    recordEnd > end ||
    hasGap(files, segment, position, Math.min(recordEnd, end))
  );
}

/** Whether all that a sector has of the range is zero, for any of its sectors. */
function hasGap(files: FileCalls, segment: Segment, position: number, end: number): boolean {
  for (let start = position; start < end;) {
    const chunkEnd = Math.min(end, start - (start % CHUNK) + CHUNK);
    const bytes = readRange(files, segment, start, chunkEnd - start);
    for (let at = start; at < chunkEnd;) {
      const sectorEnd = Math.min(chunkEnd, at - (at % SECTOR) + SECTOR);
      if (bytes.subarray(at - start, sectorEnd - start).every((byte) => byte === 0)) return true;
      at = sectorEnd;
    }
    start = chunkEnd;
  }
  return false;
}

/** The end of the segment without the zeros there. */
export function writtenEnd(files: FileCalls, segment: Segment, position: number): number {
  for (let end = segment.size; end > position;) {
    const start = Math.max(position, end - CHUNK);
    const last = readRange(files, segment, start, end - start).findLastIndex((byte) => byte !== 0);
    if (last >= 0) return start + last + 1;
    end = start;
  }
  return position;
}

function recordFollows(files: FileCalls, segment: Segment, from: number, end: number): boolean {
  for (let start = from; start < end; start += CHUNK) {
    // One byte more than the stride, so that a mark across two buffers is seen.
    const bytes = readRange(files, segment, start, Math.min(CHUNK + 1, end - start));
    for (let at = bytes.indexOf('\n#'); at >= 0; at = bytes.indexOf('\n#', at + 1)) {
      const step = new SegmentReader(files, segment, start + at + 1).next();
      if (step.kind === 'record') return true;
    }
  }
  return false;
}
