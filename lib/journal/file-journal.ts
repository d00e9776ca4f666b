import { dirname, join, resolve } from 'node:path';
import { PalimpsestError } from '../model/errors.js';
import { isRecord } from './checkpoint.js';
import { damaged } from './damage.js';
import type { FileCalls } from './files.js';
import { ensureFolder, realFiles, storeFailure, writeAll } from './files.js';
import { HEADER } from './frame.js';
import type { OpenSegments } from './generation.js';
import {
  abandonSegments,
  draftGeneration,
  generationPath,
  lastOf,
  listGenerations,
  openSegments,
  publishGeneration,
} from './generation.js';
import type { Checkpoint, FileJournal, Locator } from './port.js';
import { isBlank, type Tear } from './scan.js';
import { scan } from './scan.js';
import { SegmentedJournal } from './segmented-journal.js';

const DEFAULT_SEGMENT_BYTES = 64 * 1024 * 1024;

export interface FileJournalOptions {
  /** A new segment begins once the current one has reached this size, in bytes. Default 64 MiB. */
  readonly segmentBytes?: number;
  /** Everything up to here was verified before: only what follows is read at open. */
  readonly verifiedUpTo?: Checkpoint;
  readonly files?: FileCalls;
}

/**
 * Opens the journal in `folder`, made if missing. The caller must hold the store's lock.
 *
 * Verifies what follows `verifiedUpTo` (everything by default), cuts off an append that a crash has left
 * unfinished, and completes or discards an interrupted rewrite.
 *
 * @throws JOURNAL_DAMAGED, JOURNAL_TOO_NEW, STORE_FULL, STORE_READ_ONLY, STORE_FAILED; INVALID_INPUT
 * @example
 * const lock = await acquireStoreLock('/data/store');
 * const journal = await openFileJournal('/data/store/journal');
 */
export async function openFileJournal(
  folder: string,
  options: FileJournalOptions = {},
): Promise<FileJournal> {
  const { segmentBytes = DEFAULT_SEGMENT_BYTES, verifiedUpTo, files = realFiles } = options;
  if (!Number.isSafeInteger(segmentBytes) || segmentBytes < 1) {
    throw new PalimpsestError('INVALID_INPUT', 'segmentBytes must be a positive whole number.', {
      field: 'segmentBytes',
    });
  }
  // A segment has at least one record before the next begins.
  const fullAt = Math.max(segmentBytes, HEADER.length + 1);
  let open: OpenSegments = { segments: [], missing: null };
  try {
    const generation = await settleGeneration(files, folder, fullAt);
    const path = generationPath(folder, generation);
    open = openSegments(files, path, 'write');
    const verifiedFrom =
      verifiedUpTo?.generation === generation && isRecord(files, open, verifiedUpTo.at)
        ? verifiedUpTo
        : null;
    const tear = await verify(files, open, verifiedFrom?.at);
    repair(files, open, tear);
    // A killed process may have left all this in memory only, and what follows builds on it.
    files.flushFolder(path);
    return new SegmentedJournal(files, folder, fullAt, generation, open, {
      // Nothing but zeros is what every process leaves that does not close.
      tornTail: tear === null || isBlank(tear) ? null : { bytes: tear.bytes },
      verifiedFrom,
    });
  } catch (error) {
    abandonSegments(files, open.segments);
    throw storeFailure(error, `The journal in ${folder} could not be opened`);
  }
}

/** Finds the generation that counts, removes the others, makes the first. */
async function settleGeneration(
  files: FileCalls,
  folder: string,
  segmentBytes: number,
): Promise<number> {
  ensureFolder(files, folder);
  // Also when it was there: the process that made it may have been killed before this.
  files.flushFolder(dirname(resolve(folder)));
  const { current, leftovers } = listGenerations(files, folder);
  if (current === null) {
    await draftGeneration(files, folder, 1, [], segmentBytes);
    publishGeneration(files, folder, 1);
  }
  // Before anything older goes, the rename that made it old must be durable.
  files.flushFolder(folder);
  if (current === null) return 1;
  for (const name of leftovers) files.remove(join(folder, name));
  if (leftovers.length > 0) files.flushFolder(folder);
  return current;
}

async function verify(
  files: FileCalls,
  open: OpenSegments,
  from: Locator | undefined,
): Promise<Tear | null> {
  const records = scan(files, open, { from });
  for (;;) {
    const step = await records.next();
    if (step.done !== true) continue;
    if (step.value.kind === 'damaged') throw damaged(step.value.damage);
    return step.value.kind === 'torn' ? step.value.tear : null;
  }
}

function repair(files: FileCalls, open: OpenSegments, tear: Tear | null): void {
  const last = lastOf(open.segments);
  if (tear !== null) {
    files.truncate(last.fd, tear.offset);
    last.size = tear.offset;
    if (last.size === 0) {
      writeAll(files, last.fd, HEADER, 0);
      last.size = HEADER.length;
    }
  }
  files.flush(last.fd);
}
