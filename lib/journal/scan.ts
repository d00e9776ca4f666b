import { setImmediate as nextTurn } from 'node:timers/promises';
import { PalimpsestError } from '../model/errors.js';
import type { Damage } from './damage.js';
import { transactionOf } from './damage.js';
import type { FileCalls } from './files.js';
import { HEADER, HEADER_LINE, JOURNAL_VERSION } from './frame.js';
import type { OpenSegments, Segment } from './generation.js';
import { readRange } from './generation.js';
import type { Locator } from './port.js';
import type { ScannedRecord } from './segment-reader.js';
import { SegmentReader } from './segment-reader.js';
import { findTear, writtenEnd } from './tear.js';

/** An append that a crash has left unfinished at the very end of the journal. */
export interface Tear {
  readonly segment: number;
  /** Where the unfinished append begins. */
  readonly offset: number;
  /** From there to the end of what is written: zeros at the end of the file are not. */
  readonly bytes: number;
}

/** Nothing but the zeros which an open journal writes ahead, and leaves when it is not closed. */
export const isBlank = (tear: Tear): boolean => tear.bytes === 0 && tear.offset > 0;

export type ScanEnd =
  | { readonly kind: 'whole' }
  | { readonly kind: 'torn'; readonly tear: Tear }
  | { readonly kind: 'damaged'; readonly damage: Damage };

export interface ScanOptions {
  /** Start after this body. */
  readonly from?: Locator | undefined;
  /** Called before each step that touches a file; throws to stop the scan. */
  readonly guard?: () => void;
}

/**
 * Walks the records of a generation and says how it ends. Lets the event loop turn with every buffer
 * read. `open.segments` may grow meanwhile: the scan goes on to what is the end when it gets there.
 *
 * @throws JOURNAL_TOO_NEW
 */
export async function* scan(
  files: FileCalls,
  open: OpenSegments,
  { from, guard = () => undefined }: ScanOptions = {},
): AsyncGenerator<ScannedRecord, ScanEnd, undefined> {
  const { segments } = open;
  let lastBody: Locator | null = from ?? null;

  const damage = (number: number, file: string, offset: number, reason: string): ScanEnd => ({
    kind: 'damaged',
    damage: {
      file,
      segment: number,
      offset,
      reason,
      readableUpToTx: lastBody === null ? null : transactionAt(files, segments, lastBody),
    },
  });

  for (let index = (from?.segment ?? 1) - 1; index < segments.length; index += 1) {
    const segment = segments[index];
    if (segment === undefined) break;
    const { number, path } = segment;
    const isLast = (): boolean => index === segments.length - 1 && open.missing === null;
    guard();
    const header = readHeader(files, segment);
    if (header === 'torn' && isLast() && number > 1) return torn(segment, 0);
    if (header !== 'good')
      return damage(number, path, 0, 'the header line is not one of a journal');

    const start = from?.segment === number ? from.offset + from.length : HEADER.length;
    const reader = new SegmentReader(files, segment, start);
    let appendStart = start;
    let reads = 0;
    for (;;) {
      if (reader.reads > reads) await nextTurn();
      reads = reader.reads;
      guard();
      const position = reader.position;
      const step = reader.next();
      if (step.kind === 'record') {
        lastBody = step.record.at;
        if (!step.record.continued) appendStart = reader.position;
        yield step.record;
        continue;
      }
      if (step.kind === 'end') {
        if (appendStart === position) break;
        if (isLast()) return torn(segment, appendStart);
        return damage(number, path, position, 'the rest of an append is missing');
      }
      if (isLast() && findTear(files, segment, position)) {
        return torn(segment, appendStart, writtenEnd(files, segment, appendStart));
      }
      return damage(number, path, position, step.reason);
    }
  }
  if (open.missing !== null) {
    return damage(open.missing.number, open.missing.path, 0, 'the file is missing');
  }
  return { kind: 'whole' };
}

function torn(segment: Segment, offset: number, end = segment.size): ScanEnd {
  return {
    kind: 'torn',
    tear: { segment: segment.number, offset, bytes: end - offset },
  };
}

function transactionAt(files: FileCalls, segments: readonly Segment[], at: Locator): number | null {
  const segment = segments[at.segment - 1];
  if (segment === undefined) return null;
  return transactionOf(readRange(files, segment, at.offset, Math.min(at.length, 32)));
}

function readHeader(files: FileCalls, segment: Segment): 'good' | 'torn' | 'wrong' {
  const length = Math.min(segment.size, HEADER.length + 16);
  const start = readRange(files, segment, 0, length);
  const version = Number(HEADER_LINE.exec(start.toString('latin1'))?.[1]);
  if (version === JOURNAL_VERSION) return 'good';
  if (version > JOURNAL_VERSION) {
    throw new PalimpsestError(
      'JOURNAL_TOO_NEW',
      `${segment.path} is a journal of version ${version}; this release reads version ${JOURNAL_VERSION}.`,
      { hint: 'Use the release that wrote it, or a later one.' },
    );
  }
  const written = start.subarray(0, start.findLastIndex((byte) => byte !== 0) + 1);
  const isStart =
    segment.size <= HEADER.length && HEADER.subarray(0, written.length).equals(written);
  return isStart ? 'torn' : 'wrong';
}
