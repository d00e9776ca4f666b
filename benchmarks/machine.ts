import { createRequire } from 'node:module';
import { cpus, totalmem } from 'node:os';
import { z } from 'zod';

const require = createRequire(import.meta.url);
const Manifest = z.object({ version: z.string() });

function versionOf(name: string): string {
  try {
    return Manifest.parse(require(`${name}/package.json`)).version;
  } catch {
    return 'not installed';
  }
}

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly node: string;
  readonly kuzu: string;
  readonly betterSqlite3: string;
  readonly when: string;
}

export const machine = (): Machine => ({
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: cpus().length,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  kuzu: versionOf('kuzu'),
  betterSqlite3: versionOf('better-sqlite3'),
  when: new Date().toISOString(),
});

/** Megabytes of this process that lie in memory. */
export const residentMB = (): number => Math.round(process.memoryUsage().rss / 2 ** 20);
