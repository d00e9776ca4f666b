import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Every byte of a folder's files, and their names: for looking for what must not be there. */
export function filesOf(folder: string): Buffer {
  const parts: Buffer[] = [];
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(folder, name);
    parts.push(Buffer.from(`${name}\n`));
    if (statSync(path).isFile()) parts.push(readFileSync(path));
  }
  return Buffer.concat(parts);
}
