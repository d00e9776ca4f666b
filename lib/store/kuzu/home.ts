import { constants, copyFile, rm, stat } from 'node:fs/promises';
import { PalimpsestError } from '../../model/errors.js';
import type { GraphSource } from '../graph.js';
import { buildGraph, type Progress } from './build.js';
import { GraphDatabase, type DatabaseOptions } from './driver.js';
import * as generations from './generation.js';
import { dataFile, generationFolder, logFile, type Current } from './generation.js';
import type { LoadedEngine } from './module.js';
import { readMeta } from './read.js';
import { SCHEMA_VERSION } from './schema.js';

export interface HomeOptions {
  readonly engine: LoadedEngine;
  /** Its real path. */
  readonly folder: string;
  readonly source: GraphSource;
  readonly bufferPoolBytes: number;
  readonly maxDbBytes: number;
}

/** A longer log is worked into the data file before the graph is opened. Bytes. */
const COMPACT_AT = 16 * 2 ** 20;

/** Folders open in this process, of all copies of the library: two databases on one path lose each other's commits. */
const OPEN: Set<string> = ((globalThis as { [key: symbol]: Set<string> | undefined })[
  Symbol.for('palimpsest.graphs')
] ??= new Set());

/** A database that is open, of one generation. */
interface Opened {
  readonly current: Current;
  readonly database: GraphDatabase;
}

/** A graph's folder with the generation that is open, and the ways to another one. */
export class Home {
  readonly engine: LoadedEngine;
  readonly folder: string;
  appliedTx = 0;
  /** Why this generation was built by this process, or `null`. */
  rebuiltBecause: string | null = null;
  readonly #options: HomeOptions;
  /** Rejected after a failed reopening, until a rebuild. */
  #opened: Promise<Opened>;
  #current: Current;
  #closed = false;

  private constructor(options: HomeOptions, opened: Opened) {
    this.#options = options;
    this.engine = options.engine;
    this.folder = options.folder;
    this.#opened = Promise.resolve(opened);
    this.#current = opened.current;
  }

  get generation(): number {
    return this.#current.generation;
  }

  static async open(options: HomeOptions, onProgress?: Progress): Promise<Home> {
    const { folder } = options;
    if (OPEN.has(folder))
      throw new PalimpsestError(
        'STORE_LOCKED',
        `The graph in ${folder} is open in this process already.`,
      );
    OPEN.add(folder);
    try {
      const { opened, why } = await openOrBuild(options, onProgress);
      const home = new Home(options, opened);
      home.rebuiltBecause = why;
      home.appliedTx = await opened.database.use(lastTxOf);
      return home;
    } catch (error) {
      OPEN.delete(folder);
      throw error;
    }
  }

  /** Runs a question on the database that is open when it starts, and keeps that one open until it ends. */
  async use<T>(work: (database: GraphDatabase) => Promise<T>): Promise<T> {
    for (;;) {
      const { database } = await this.#opened;
      if (this.#closed) throw new PalimpsestError('STORE_CLOSED', 'The graph is closed.');
      if (!database.isClosing) return database.use(work);
    }
  }

  /** Closes and opens the same generation again, which drops a transaction that was left open. */
  async reopen(): Promise<void> {
    const reopened = this.#opened.then(async ({ current, database }) => {
      await database.close();
      return {
        current,
        database: await GraphDatabase.open(databaseOptions(this.#options, current.generation)),
      };
    });
    this.#replace(reopened);
    this.appliedTx = await (await reopened).database.use(lastTxOf);
  }

  /** Builds the next generation while this one still answers, then swaps them. */
  async rebuild(why: string, onProgress?: Progress): Promise<void> {
    const before = await this.#opened.catch(() => null);
    const current = await build(this.#options, onProgress);
    const opened = openClean(this.#options, current);
    this.#replace(opened);
    await before?.database.close();
    const { database } = await opened;
    this.#current = current;
    this.appliedTx = await database.use(lastTxOf);
    this.rebuiltBecause = why;
    await generations.removeOthers(this.folder, current.generation);
  }

  async close(): Promise<void> {
    this.#closed = true;
    try {
      const opened = await this.#opened.catch(() => null);
      if (opened === null) return;
      await opened.database.close();
      await generations.markClean(this.folder, opened.current);
    } finally {
      OPEN.delete(this.folder);
    }
  }

  #replace(opened: Promise<Opened>): void {
    // Whoever uses it gets the error; nobody may.
    opened.catch(() => undefined);
    this.#opened = opened;
  }
}

async function openOrBuild(
  options: HomeOptions,
  onProgress: Progress | undefined,
): Promise<{ readonly opened: Opened; readonly why: string | null }> {
  const found = await generations.readCurrent(options.folder);
  const attempt = found === null ? null : await tryOpen(options, found);
  if (attempt !== null && typeof attempt !== 'string') {
    await generations.removeOthers(options.folder, attempt.current.generation);
    return { opened: attempt, why: null };
  }
  const current = await build(options, onProgress);
  await generations.removeOthers(options.folder, current.generation);
  return { opened: await openClean(options, current), why: attempt };
}

/** The generation that counts, or why it cannot be used. */
async function tryOpen(options: HomeOptions, found: Current | string): Promise<Opened | string> {
  const { engine, folder } = options;
  if (typeof found === 'string') return found;
  if (!generations.isOf(found, engine)) return 'it was of another engine';
  if (found.schema !== SCHEMA_VERSION) return 'it was of another schema';
  const { fault, clean } = await generations.inspect(folder, found);
  if (fault !== null) return fault;
  // Neither engine notices a changed byte in its log, and a damaged one may crash the process that opens it. So a log that
  // no orderly close vouches for is not read: the journal has what was in it.
  if (!clean) await generations.dropLog(folder, found.generation);
  let database: GraphDatabase | null = null;
  try {
    const current = await compactWhereLong(options, found);
    await generations.unmarkClean(folder, current.generation);
    database = await GraphDatabase.open(databaseOptions(options, current.generation));
    const wrong = await database.use((d) => foreign(d, options.source));
    if (wrong === null) return { current, database };
    await database.close();
    return wrong;
  } catch (error) {
    await database?.close();
    return refuseLocked(
      folder,
      `it could not be opened: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

async function foreign(database: GraphDatabase, source: GraphSource): Promise<string | null> {
  const meta = await readMeta(database);
  if (meta === null) return 'it was not whole';
  if (meta.store !== source.storeId) return 'it was of another store';
  return meta.lastTx > source.lastTx ? 'it was ahead of the journal' : null;
}

/** Another process has it: that is no damage, and building beside it would not help. */
function refuseLocked(folder: string, why: string): string {
  if (!/could not set lock/i.test(why)) return why;
  throw new PalimpsestError('STORE_LOCKED', `The graph in ${folder} is open in another process.`);
}

async function build(options: HomeOptions, onProgress: Progress | undefined): Promise<Current> {
  const generation = await generations.nextGeneration(options.folder);
  return publish(options, generation, () =>
    buildGraph({
      database: databaseOptions(options, generation),
      source: options.source,
      ...(onProgress === undefined ? {} : { onProgress }),
    }),
  );
}

/** A checkpoint, on a copy: a kill within it leaves the original. */
async function compactWhereLong(options: HomeOptions, current: Current): Promise<Current> {
  const { folder } = options;
  const log = await stat(logFile(folder, current.generation)).catch(() => null);
  if (log === null || log.size <= COMPACT_AT) return current;
  const generation = await generations.nextGeneration(folder);
  return publish(options, generation, async () => {
    await copyFile(
      dataFile(folder, current.generation),
      dataFile(folder, generation),
      constants.COPYFILE_FICLONE,
    );
    await copyFile(
      logFile(folder, current.generation),
      logFile(folder, generation),
      constants.COPYFILE_FICLONE,
    );
    const database = await GraphDatabase.open(databaseOptions(options, generation));
    try {
      await database.write('CHECKPOINT');
    } finally {
      await database.close();
    }
  });
}

/** Lets `fill` make a generation, and makes it the one that counts. */
async function publish(
  options: HomeOptions,
  generation: number,
  fill: () => Promise<unknown>,
): Promise<Current> {
  const { engine, folder } = options;
  await generations.makeGeneration(folder, generation);
  try {
    await fill();
    const data = await generations.sealData(folder, generation);
    const current: Current = {
      generation,
      engine: engine.name,
      engineVersion: engine.version,
      storage: engine.storage,
      schema: SCHEMA_VERSION,
      data,
    };
    await generations.writeCurrent(folder, current);
    return current;
  } catch (error) {
    await rm(generationFolder(folder, generation), { recursive: true, force: true });
    throw error;
  }
}

async function openClean(options: HomeOptions, current: Current): Promise<Opened> {
  return {
    current,
    database: await GraphDatabase.open(databaseOptions(options, current.generation)),
  };
}

async function lastTxOf(database: GraphDatabase): Promise<number> {
  const meta = await readMeta(database);
  if (meta === null) throw new Error('the graph has no number of its last transaction');
  return meta.lastTx;
}

const databaseOptions = (
  { engine, folder, bufferPoolBytes, maxDbBytes }: HomeOptions,
  generation: number,
): DatabaseOptions => ({
  engine,
  path: dataFile(folder, generation),
  bufferPoolBytes,
  maxDbBytes,
});
