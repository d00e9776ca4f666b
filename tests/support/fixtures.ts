import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * Real data that is read where it is, and is no part of this repository: the folder of the environment
 * variable `PALIMPSEST_FIXTURES`, else `shared/fixtures` beside the repository. Without it the tests that
 * need it are skipped; where `CI` is set, that is a failure.
 *
 * @example
 * const congress = fixture('congress');
 * describe.skipIf(congress === null)('the roster', () => …);
 */
export function fixture(name: string): string | null {
  const root =
    process.env['PALIMPSEST_FIXTURES'] ?? resolve(import.meta.dirname, '../../../shared/fixtures');
  const folder = join(root, name);
  if (existsSync(folder)) return folder;
  const missing = `The fixtures of ${name} are not here (PALIMPSEST_FIXTURES names their folder).`;
  if (process.env['CI'] !== undefined && process.env['CI'] !== '') throw new Error(missing);
  console.warn(`skipped: ${missing}`);
  return null;
}
