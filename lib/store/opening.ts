import { join } from 'node:path';
import { openFileJournal } from '../journal/file-journal.js';
import type { FileCalls } from '../journal/files.js';
import { acquireStoreLock, type StoreLock } from '../journal/lock.js';
import { memoryJournal } from '../journal/memory-journal.js';
import type { FileJournal, Journal, Locator } from '../journal/port.js';
import type { Clock } from '../model/clock.js';
import { Checkpoints } from './checkpoints.js';
import type { GraphChoice } from './graph-projection.js';
import type { OnProgress } from './progress.js';
import { replay } from './replay.js';
import { BeliefIndex } from './resident/index.js';
import { checkStoreFolder, readStoreFile } from './store-file.js';

export interface StoreOptions {
  /** Folder of the store; `null` keeps everything in memory. */
  readonly path: string | null;
  readonly clock: Clock;
  readonly graph: GraphChoice;
  /** Answer reads from the resident index; otherwise from the graph. */
  readonly resident: boolean;
  readonly bufferPoolBytes?: number | undefined;
  readonly files?: FileCalls | undefined;
  readonly segmentBytes?: number | undefined;
  readonly onProgress?: OnProgress | undefined;
}

/** The index, up to the last record of the journal. */
export interface Replayed {
  readonly index: BeliefIndex;
  readonly last: Locator | null;
  readonly checkpoints: Checkpoints | null;
}

/** What a store is made of. */
export interface OpenedFolder {
  readonly lock: StoreLock | null;
  readonly journal: Journal;
  readonly replayed: Replayed;
  readonly id: string;
  /** Bytes of an unfinished commit that a crash had left. */
  readonly tornBytes: number;
}

/** Takes a folder for this process, or none, and brings the index up to date from its journal. */
export async function openFolder(options: StoreOptions): Promise<OpenedFolder> {
  const { path } = options;
  if (path === null) {
    const replayed = { index: new BeliefIndex(), last: null, checkpoints: null };
    return { lock: null, journal: memoryJournal(), replayed, id: 'memory', tornBytes: 0 };
  }
  checkStoreFolder(path);
  const lock = await acquireStoreLock(path);
  let journal: FileJournal | undefined;
  try {
    const { id } = readStoreFile(path);
    const checkpoints = new Checkpoints(path);
    journal = await openFileJournal(join(path, 'journal'), {
      ...(options.files === undefined ? {} : { files: options.files }),
      ...(options.segmentBytes === undefined ? {} : { segmentBytes: options.segmentBytes }),
      ...checkpoints.verifiedUpTo(),
    });
    const { index, start } = checkpoints.take(journal);
    const last = await replay(index, journal, start, options.onProgress);
    const replayed = { index, last, checkpoints };
    return { lock, journal, replayed, id, tornBytes: journal.tornTail?.bytes ?? 0 };
  } catch (error) {
    // What failed first is what the caller is to know; letting go is tried whatever comes of it.
    await journal?.close().catch(() => undefined);
    await lock.release().catch(() => undefined);
    throw error;
  }
}
