import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PalimpsestError } from '../../index.js';

/** A hidden file, which no store minds, says that the demo made the folder and may make it anew. */
const MARK = '.made-by-palimpsest-demo';
const TEXT = 'This store was made by `palimpsest demo`, which makes it anew each time it runs.\n';

/**
 * An empty folder for the demo's store: new, empty, or left by an earlier run.
 *
 * @throws PalimpsestError `CONFLICT` for a folder that holds anything else.
 */
export function freshFolder(path: string): void {
  const names = existsSync(path) ? readdirSync(path) : [];
  if (names.length > 0) {
    const mark = join(path, MARK);
    if (!existsSync(mark) || readFileSync(mark, 'utf8') !== TEXT) {
      throw new PalimpsestError('CONFLICT', `${path} is not empty, and was not made by the demo.`, {
        field: 'store',
        hint: 'Name another folder with --store.',
      });
    }
    // The mark goes last, so that a run which is cut short can be repeated.
    for (const name of names) {
      if (name !== MARK) rmSync(join(path, name), { recursive: true, force: true });
    }
  }
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, MARK), TEXT);
}
