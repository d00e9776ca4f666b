import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export function* filesUnder(folder: string): Iterable<string> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* filesUnder(path);
    else yield path;
  }
}

/** Files that hold a text in their bytes or their path, in either encoding a store could have written it in. */
export const filesWith = (folder: string, text: string): string[] =>
  [...filesUnder(folder)].filter((path) => {
    const bytes = readFileSync(path);
    return (
      path.includes(text) || bytes.includes(text) || bytes.includes(Buffer.from(text, 'utf16le'))
    );
  });
