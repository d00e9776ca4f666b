import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { EngineName } from './module.js';

/**
 * A graph's folder: `CURRENT` names the generation `g<N>/` that counts, and the digest of its data file. That file never
 * changes after it was built: what is applied later lies in its log. So it can be checked before it is opened, and a kill at
 * any moment leaves one whole generation. `g<N>/clean` says that the last close was orderly, and how the files looked then;
 * without it the log is dropped, and what it held is applied again.
 */

const CurrentSchema = z.object({
  generation: z.int().min(1),
  engine: z.enum(['kuzu', 'ladybug']),
  engineVersion: z.string(),
  storage: z.string(),
  schema: z.int(),
  data: z.object({ bytes: z.int(), sha256: z.string() }),
});
export type Current = Readonly<z.infer<typeof CurrentSchema>>;

const PrintSchema = z.object({ bytes: z.int(), mtimeMs: z.number(), sha256: z.string() });
type Print = z.infer<typeof PrintSchema>;
const CleanSchema = z.object({ data: PrintSchema, log: PrintSchema.nullable() });

export const generationFolder = (folder: string, generation: number): string =>
  join(folder, `g${generation}`);
export const dataFile = (folder: string, generation: number): string =>
  join(folder, `g${generation}`, 'graph.kuzu');
export const logFile = (folder: string, generation: number): string =>
  `${dataFile(folder, generation)}.wal`;
const cleanFile = (folder: string, generation: number): string =>
  join(folder, `g${generation}`, 'clean');

/** `null` where there never was one; a text says why it cannot be used. */
export async function readCurrent(folder: string): Promise<Current | string | null> {
  const text = await readIfThere(join(folder, 'CURRENT'));
  if (text === null)
    return (await numbersIn(folder)).length === 0
      ? null
      : 'its first build was not finished, or CURRENT is gone';
  return parse(CurrentSchema, text) ?? 'CURRENT was damaged';
}

export async function writeCurrent(folder: string, current: Current): Promise<void> {
  await writeDurably(join(folder, 'CURRENT'), JSON.stringify(current));
  await flushFolder(folder);
}

/** A number no generation of the folder has. */
export async function nextGeneration(folder: string): Promise<number> {
  return Math.max(0, ...(await numbersIn(folder))) + 1;
}

export async function makeGeneration(folder: string, generation: number): Promise<void> {
  await mkdir(generationFolder(folder, generation), { recursive: true, mode: 0o700 });
}

/** What a kill or a swap left behind. */
export async function removeOthers(folder: string, keep: number | null): Promise<void> {
  for (const number of await numbersIn(folder)) {
    if (number !== keep)
      await rm(generationFolder(folder, number), { recursive: true, force: true });
  }
  await rm(join(folder, 'CURRENT.tmp'), { force: true });
}

/** Size and digest of a new data file, flushed to the disk. Only while no database has it open in this process: closing it here would give up the engine's lock. */
export async function sealData(folder: string, generation: number): Promise<Current['data']> {
  const path = dataFile(folder, generation);
  const handle = await open(path, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  await flushFolder(generationFolder(folder, generation));
  const { bytes, sha256 } = await printOf(path);
  return { bytes, sha256 };
}

export interface Inspection {
  /** Why it cannot be used, or `null`. */
  readonly fault: string | null;
  /** Whether the last close was orderly. */
  readonly clean: boolean;
}

/** Looks at the files before anything opens them. */
export async function inspect(folder: string, current: Current): Promise<Inspection> {
  const { generation } = current;
  const path = dataFile(folder, generation);
  const seen = await stat(path).catch(() => null);
  if (seen === null) return { fault: 'its data file is missing', clean: false };
  if (seen.size !== current.data.bytes)
    return { fault: 'its data file has another size', clean: false };
  const clean = parse(CleanSchema, (await readIfThere(cleanFile(folder, generation))) ?? '');
  const trusted = clean !== null && clean.data.mtimeMs === seen.mtimeMs;
  if (!trusted && (await printOf(path)).sha256 !== current.data.sha256) {
    return { fault: 'its data file was changed', clean: false };
  }
  if (clean === null) return { fault: null, clean: false };
  return { fault: await logFault(logFile(folder, generation), clean.log), clean: true };
}

async function logFault(path: string, before: Print | null): Promise<string | null> {
  const seen = await stat(path).catch(() => null);
  if (before === null)
    return seen === null || seen.size === 0 ? null : 'a log appeared after it was closed';
  if (seen === null) return 'its log is missing';
  if (seen.size !== before.bytes) return 'its log has another size';
  if (seen.mtimeMs === before.mtimeMs) return null;
  return (await printOf(path)).sha256 === before.sha256 ? null : 'its log was changed';
}

/** After an orderly close of the database. */
export async function markClean(folder: string, current: Current): Promise<void> {
  const { generation, data } = current;
  const { mtimeMs } = await stat(dataFile(folder, generation));
  const log = logFile(folder, generation);
  const clean = { data: { ...data, mtimeMs }, log: existsSync(log) ? await printOf(log) : null };
  await writeDurably(cleanFile(folder, generation), JSON.stringify(clean));
}

/** Leaves the data file alone, which is whole without its log. */
export async function dropLog(folder: string, generation: number): Promise<void> {
  const own = generationFolder(folder, generation);
  for (const name of await readdir(own)) {
    if (name !== 'graph.kuzu') await rm(join(own, name), { recursive: true, force: true });
  }
  await flushFolder(own);
}

/** Before the database is opened. */
export async function unmarkClean(folder: string, generation: number): Promise<void> {
  await rm(cleanFile(folder, generation), { force: true });
  await flushFolder(generationFolder(folder, generation));
}

export const isOf = (
  current: Current,
  engine: { readonly name: EngineName; readonly storage: string },
): boolean => current.engine === engine.name && current.storage === engine.storage;

async function printOf(path: string): Promise<Print> {
  const hash = createHash('sha256');
  const handle = await open(path, 'r');
  try {
    const { mtimeMs } = await handle.stat();
    const buffer = Buffer.alloc(1 << 20);
    let bytes = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, bytes);
      if (bytesRead === 0) return { bytes, mtimeMs, sha256: hash.digest('hex') };
      hash.update(buffer.subarray(0, bytesRead));
      bytes += bytesRead;
    }
  } finally {
    await handle.close();
  }
}

async function numbersIn(folder: string): Promise<number[]> {
  const names = await readdir(folder);
  return names.flatMap((name) => (/^g[1-9]\d*$/.test(name) ? [Number(name.slice(1))] : []));
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

function parse<T>(schema: z.ZodType<T>, text: string): T | null {
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    // Not JSON: damaged, which is what null says.
    return null;
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const handle = await open(`${path}.tmp`, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${path}.tmp`, path);
}

async function flushFolder(path: string): Promise<void> {
  // Windows cannot open a folder for this, and writes its entries through by itself.
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
