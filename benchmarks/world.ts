import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { openMemory, type Handle, type Memory, type OntologyDefinition } from '../lib/index.js';
import { asInput, isSingle, ONTOLOGY, world, type Said } from './data.js';
import { residentMB } from './machine.js';
import { HandWritten } from './sqlite.js';

export const BATCH = 1000;
const SCOPE = { org: 'bench', project: 'world' };

export interface Built {
  readonly folder: string;
  readonly memory: Memory<OntologyDefinition>;
  readonly handle: Handle<OntologyDefinition>;
  /** Facts per second, durable and readable. */
  readonly pace: number;
  readonly sqlitePace: number;
  readonly claims: number;
  readonly facts: number;
  readonly rss: number;
}

/** A folder of its own for one store, gone when the work is done or has failed. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-bench-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const openWorld = (
  folder: string,
  graph: 'none' | 'kuzu' = 'none',
  resident = true,
): Promise<Memory<OntologyDefinition>> =>
  openMemory({
    path: join(folder, 'store'),
    ontology: ONTOLOGY,
    graph,
    resident,
    bufferPoolBytes: 256 * 2 ** 20,
  });

export const handleOf = (memory: Memory<OntologyDefinition>): Handle<OntologyDefinition> =>
  memory.in(SCOPE);

function* batches(facts: number): Generator<readonly Said[]> {
  let batch: Said[] = [];
  for (const said of world(facts)) {
    batch.push(said);
    if (batch.length === BATCH) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

/** Fills a memory, one transaction to a thousand facts, and a hand-written table with the same claims. */
export async function build(folder: string, facts: number): Promise<Built> {
  const memory = await openWorld(folder);
  const handle = handleOf(memory);
  let ours = 0;
  let theirs = 0;
  let known = 1;
  const scratch = join(folder, 'bulk');
  const sqlite = await openScratch(scratch);
  for (const batch of batches(facts)) {
    const start = performance.now();
    await handle.transact((t) => {
      for (const said of batch) t.assert(asInput(said));
    });
    const middle = performance.now();
    sqlite.bulk(batch, ++known, isSingle);
    theirs += performance.now() - middle;
    ours += middle - start;
  }
  sqlite.close();
  rmSync(scratch, { recursive: true, force: true });
  const stats = await memory.stats();
  return {
    folder,
    memory,
    handle,
    pace: (facts / ours) * 1000,
    sqlitePace: (facts / theirs) * 1000,
    claims: stats.claims,
    facts: stats.facts,
    rss: residentMB(),
  };
}

async function openScratch(folder: string): Promise<HandWritten> {
  const { mkdir } = await import('node:fs/promises');
  await mkdir(folder, { recursive: true });
  return new HandWritten(folder);
}

/** The hand-written table with the very rows that the memory holds. */
export async function mirrorOf({ folder, handle }: Built): Promise<HandWritten> {
  const sqlite = new HandWritten(folder);
  for await (const change of handle.changes()) sqlite.mirror([change]);
  sqlite.settle();
  return sqlite;
}

export const bytesIn = (path: string): number =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
