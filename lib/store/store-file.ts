import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { storeFailure } from '../journal/files.js';
import { PalimpsestError } from '../model/errors.js';

/** How the folder of a store is laid out. Older layouts are brought up to this one when opened. */
export const LAYOUT = 1;

const StoreFileSchema = z.object({
  palimpsest: z.literal('store'),
  layout: z.number().int().nonnegative(),
  id: z.string(),
});
export type StoreFile = Readonly<z.infer<typeof StoreFileSchema>>;

/**
 * Reads `store.json`, or makes it for a new folder.
 *
 * @throws PalimpsestError `JOURNAL_TOO_NEW` for a layout of a later version, `STORE_FAILED` for a
 * folder that is something else, `STORE_READ_ONLY` and `STORE_FULL` as the disk says.
 */
export function readStoreFile(folder: string): StoreFile {
  const path = join(folder, 'store.json');
  try {
    mkdirSync(folder, { recursive: true });
    if (!existsSync(path)) return writeStoreFile(folder, randomUUID());
    const found = parse(readFileSync(path, 'utf8'), path);
    if (found.layout > LAYOUT) {
      throw new PalimpsestError(
        'JOURNAL_TOO_NEW',
        `The store in ${folder} has layout ${found.layout}; this version knows up to ${LAYOUT}.`,
        { hint: 'Open it with a newer version of palimpsest.' },
      );
    }
    // Layout 0 had no more than the journal: its projections follow from it.
    return found.layout < LAYOUT ? writeStoreFile(folder, found.id) : found;
  } catch (error) {
    if (PalimpsestError.isInstance(error)) throw error;
    throw storeFailure(error, `The store in ${folder} could not be opened`);
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
    hint: 'Name another folder, or remove the file: it is made anew when a journal is there.',
  });
}

function writeStoreFile(folder: string, id: string): StoreFile {
  const file: StoreFile = { palimpsest: 'store', layout: LAYOUT, id };
  const draft = join(folder, 'store.json.next');
  const fd = openSync(draft, 'w');
  try {
    writeSync(fd, `${JSON.stringify(file)}\n`);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(draft, join(folder, 'store.json'));
  return file;
}
