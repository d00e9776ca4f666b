import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Checkpoint, FileJournal, Journal, Locator } from '../journal/port.js';
import { PalimpsestError } from '../model/errors.js';
import {
  readCheckpoint,
  removeCheckpoint,
  writeCheckpoint,
  type LoadedCheckpoint,
} from './resident/checkpoint.js';
import { BeliefIndex } from './resident/index.js';

/** Growth of the journal, in bytes, that is worth a new checkpoint when it is a quarter of the whole. */
const WORTHWHILE = 16 * 1024 * 1024;

/** A journal up to so many bytes is verified in full at every opening: a tenth of a second. */
const VERIFIED_IN_FULL = 48 * 1024 * 1024;

export const checkpointPath = (folder: string): string => join(folder, 'index', 'belief.idx');

/** The saved index of a store: spares an opening the replay of what it holds. */
export class Checkpoints {
  readonly #folder: string;
  readonly #loaded: LoadedCheckpoint | null;
  #saved: { readonly tx: number; readonly bytes: number } = { tx: 0, bytes: 0 };
  #failure: string | null = null;

  constructor(folder: string) {
    this.#folder = folder;
    const found = readCheckpoint(checkpointPath(folder));
    this.#loaded = 'tables' in found ? found : null;
  }

  /** Why the last one could not be written; nothing is lost by that but time. */
  get failure(): string | null {
    return this.#failure;
  }

  /** From where on the journal has to be verified: a small one from its start, damage in it is found at once. */
  verifiedUpTo(): { readonly verifiedUpTo?: Checkpoint } {
    if (this.#loaded === null || bytesIn(join(this.#folder, 'journal')) <= VERIFIED_IN_FULL)
      return {};
    return { verifiedUpTo: this.#loaded.journal };
  }

  /** The saved index, when it is of this very journal, and where the replay goes on; else an empty one. */
  take(journal: FileJournal): { readonly index: BeliefIndex; readonly start: Locator | null } {
    const loaded = this.#loaded;
    if (loaded === null || !isOf(journal, loaded)) return { index: new BeliefIndex(), start: null };
    const index = new BeliefIndex(loaded.tables);
    this.#saved = { tx: index.lastTx, bytes: journal.size };
    return { index, start: loaded.journal.at };
  }

  isDue(journalBytes: number): boolean {
    const grown = journalBytes - this.#saved.bytes;
    return grown > WORTHWHILE && grown > journalBytes / 4;
  }

  /** `last` is where the body of the last record lies. */
  save(index: BeliefIndex, journal: Journal, last: Locator): void {
    if (this.#saved.tx === index.lastTx) return;
    const { generation, size } = journal;
    try {
      const seen = { generation, at: last };
      writeCheckpoint(checkpointPath(this.#folder), index.tables, seen, journal.read(last));
      this.#saved = { tx: index.lastTx, bytes: size };
      this.#failure = null;
    } catch (error) {
      this.#saved = { ...this.#saved, bytes: size };
      this.#failure = error instanceof Error ? error.message : String(error);
    }
  }

  drop(): void {
    removeCheckpoint(checkpointPath(this.#folder));
    this.#saved = { ...this.#saved, tx: 0 };
  }
}

/** Whether the checkpoint was taken of this very journal, and not of one which was put back from a copy. */
function isOf(journal: FileJournal, { journal: seen, record }: LoadedCheckpoint): boolean {
  if (seen.generation !== journal.generation) return false;
  try {
    return crc32(journal.read(seen.at)) === record;
  } catch (error) {
    // A range that is not in this journal.
    if (PalimpsestError.isInstance(error) && error.code === 'INVALID_INPUT') return false;
    throw error;
  }
}

function bytesIn(folder: string): number {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((bytes, entry) => bytes + statSync(join(entry.parentPath, entry.name)).size, 0);
  } catch {
    // No journal yet: opening it tells what is wrong, if anything is.
    return 0;
  }
}
