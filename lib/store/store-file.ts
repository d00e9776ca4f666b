import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { realFiles, storeFailure } from '../journal/files.js';
import { PalimpsestError } from '../model/errors.js';

/** How the folder of a store is laid out. Older layouts are brought up to this one when opened. */
const LAYOUT = 1;

const StoreFileSchema = z.object({
  palimpsest: z.literal('store'),
  layout: z.number().int().nonnegative(),
  id: z.string().min(1),
});
type StoreFile = Readonly<z.infer<typeof StoreFileSchema>>;

/** What an opening that was cut short leaves. */
const OWN = /^(?:store\.json\..*|lock\..*)$/;
/** What file systems, desktops and version control put into any folder. */
const STRAY = /^(?:\..*|lost\+found|desktop\.ini|Thumbs\.db)$/;

/**
 * Refuses a folder that is no store and holds something else. Changes nothing: run it before the lock is taken.
 *
 * @throws PalimpsestError `STORE_FAILED`, `JOURNAL_TOO_NEW`
 */
export function checkStoreFolder(folder: string): void {
  try {
    if (findStoreFile(folder) !== null) return;
    const names = namesIn(folder);
    // A store whose description was lost: it is made anew.
    if (names.includes('journal')) return;
    const foreign = names.find(
      (name) => !OWN.test(name) && !STRAY.test(name) && !isStoreFolder(join(folder, name)),
    );
    if (foreign === undefined) return;
    throw new PalimpsestError(
      'STORE_FAILED',
      `${folder} is not the folder of a store: it holds ${foreign}.`,
      { field: 'path', hint: 'Name an empty folder, or one that does not exist yet.' },
    );
  } catch (error) {
    throw storeFailure(error, `The store in ${folder} could not be opened`);
  }
}

/**
 * Reads `store.json`, or makes it for a new folder. The caller holds the store's lock.
 *
 * @throws PalimpsestError `JOURNAL_TOO_NEW` for a layout of a later version, `STORE_FAILED` for a
 * folder that is something else, `STORE_READ_ONLY` and `STORE_FULL` as the disk says.
 */
export function readStoreFile(folder: string): StoreFile {
  try {
    const found = findStoreFile(folder);
    if (found === null) return writeStoreFile(folder, randomUUID());
    // Layout 0 had no more than the journal: its projections follow from it.
    return found.layout < LAYOUT ? writeStoreFile(folder, found.id) : found;
  } catch (error) {
    throw storeFailure(error, `The store in ${folder} could not be opened`);
  }
}

function findStoreFile(folder: string): StoreFile | null {
  const path = join(folder, 'store.json');
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    if (errnoOf(error) !== 'ENOTDIR') throw error;
    throw new PalimpsestError('STORE_FAILED', `${folder} is a file, not a folder.`, {
      field: 'path',
      cause: error,
    });
  }
  const found = parse(text, path);
  if (found.layout <= LAYOUT) return found;
  throw new PalimpsestError(
    'JOURNAL_TOO_NEW',
    `The store in ${folder} has layout ${found.layout}; this version knows up to ${LAYOUT}.`,
    { hint: 'Open it with a newer version of palimpsest.' },
  );
}

/** Stores may stand below one another. */
const isStoreFolder = (path: string): boolean => existsSync(join(path, 'store.json'));

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

function parse(text: string, path: string): StoreFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  const result = StoreFileSchema.safeParse(value);
  if (result.success) return result.data;
  throw new PalimpsestError('STORE_FAILED', `${path} is not the description of a store.`, {
    field: 'path',
    hint: 'Name another folder, or remove the file: it is made anew when a journal is there.',
  });
}

function writeStoreFile(folder: string, id: string): StoreFile {
  const file: StoreFile = { palimpsest: 'store', layout: LAYOUT, id };
  const draft = join(folder, 'store.json.next');
  try {
    const fd = openSync(draft, 'w');
    try {
      writeSync(fd, `${JSON.stringify(file)}\n`);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(draft, join(folder, 'store.json'));
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  realFiles.flushFolder(folder);
  return file;
}

const errnoOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;
