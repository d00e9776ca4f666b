import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const PackageSchema = z.object({ name: z.literal('palimpsest'), version: z.string() });

/** The version in the package's own `package.json`, wherever below it this file was built to. */
export function packageVersion(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const path = join(folder, 'package.json');
    if (existsSync(path)) {
      const found = PackageSchema.safeParse(JSON.parse(readFileSync(path, 'utf8')));
      if (found.success) return found.data.version;
    }
    if (folder === dirname(folder)) return 'unknown';
  }
}
