import { setImmediate as pause } from 'node:timers/promises';
import { PalimpsestError } from '../../model/errors.js';
import type { LoadedEngine } from './module.js';
import type {
  NativeConnection,
  NativeDatabase,
  NativeResult,
  NativeStatement,
  Params,
  Row,
} from './native.js';
import { checkParams } from './params.js';

export interface DatabaseOptions {
  readonly engine: LoadedEngine;
  readonly path: string;
  readonly bufferPoolBytes: number;
  readonly maxDbBytes: number;
}

export type Run = (text: string, params?: Params) => Promise<readonly Row[]>;

const READERS = 2;
/** Statements kept per connection; the engine has no way to close one but to forget it. */
const KEPT_STATEMENTS = 256;

/**
 * One open database file. Automatic checkpoints are off, also at close: one that is killed may leave a file
 * which never opens again. Closing waits for what runs, because closing under a running query crashes the process.
 */
export class GraphDatabase {
  readonly #options: DatabaseOptions;
  readonly #database: NativeDatabase;
  readonly #writer: Lane;
  readonly #readers: readonly Lane[];
  #guest: Promise<Lane> | null = null;
  #users = 0;
  #lastUserLeft: (() => void) | null = null;
  #closing: Promise<void> | null = null;

  private constructor(
    options: DatabaseOptions,
    database: NativeDatabase,
    lanes: { writer: Lane; readers: readonly Lane[] },
  ) {
    this.#options = options;
    this.#database = database;
    this.#writer = lanes.writer;
    this.#readers = lanes.readers;
  }

  /** @throws the engine's own error when the file cannot be opened */
  static async open(options: DatabaseOptions): Promise<GraphDatabase> {
    const { native } = options.engine;
    // The ninth argument is LadybugDB's alone: with checksums a record of over 4 KB makes its log unreadable after a crash.
    const extra = options.engine.name === 'ladybug' ? ([true, false] as const) : ([] as const);
    const database = new native.Database(
      options.path,
      options.bufferPoolBytes,
      true,
      false,
      options.maxDbBytes,
      false,
      -1,
      ...extra,
    );
    await database.init();
    const lanes: Lane[] = [];
    try {
      for (let i = 0; i <= READERS; i++) lanes.push(await openLane(options.engine, database));
      const [writer, ...readers] = lanes;
      if (writer === undefined) throw new Error('no connection');
      await writer.run('CALL force_checkpoint_on_close=false');
      return new GraphDatabase(options, database, { writer, readers });
    } catch (error) {
      for (const lane of lanes) await lane.connection.close();
      await database.close();
      throw error;
    }
  }

  /** Keeps the database open while `work` runs. */
  async use<T>(work: (database: this) => Promise<T>): Promise<T> {
    if (this.#closing !== null) throw new PalimpsestError('STORE_CLOSED', 'The graph is closed.');
    this.#users++;
    try {
      return await work(this);
    } finally {
      this.#users--;
      if (this.#users === 0) this.#lastUserLeft?.();
    }
  }

  get isClosing(): boolean {
    return this.#closing !== null;
  }

  /** A query by a prepared statement, beside the writer. */
  read(text: string, params?: Params): Promise<readonly Row[]> {
    const lane = this.#readers.reduce((a, b) => (b.waiting < a.waiting ? b : a));
    return lane.queue(() => lane.run(text, params));
  }

  /** A statement of its own, such as a table definition or `COPY`. */
  write(text: string, params?: Params): Promise<readonly Row[]> {
    return this.#writer.queue(() => this.#writer.run(text, params));
  }

  /**
   * All of `work` in one transaction, one at a time. When it throws, the transaction is left open and this database must be
   * closed without further writes: a rollback would leave the engine's row versions locked.
   */
  transaction(work: (run: Run) => Promise<void>): Promise<void> {
    return this.#writer.queue(async () => {
      await this.#writer.run('BEGIN TRANSACTION');
      await work((text, params) => this.#writer.run(text, params));
      await this.#writer.run('COMMIT');
    });
  }

  /** A query of somebody else's, which the engine refuses if it writes. */
  async readOnly(text: string, params: Params, timeoutMs: number): Promise<readonly Row[]> {
    this.#guest ??= openLane(this.#options.engine, this.#database);
    const lane = await this.#guest;
    return lane.queue(async () => {
      lane.connection.setQueryTimeout(timeoutMs);
      const statement = await lane.prepare(text);
      await lane.run('BEGIN TRANSACTION READ ONLY');
      try {
        return await lane.execute(statement, params);
      } finally {
        // A statement that failed has ended the transaction itself.
        await lane.run('COMMIT').catch((error: unknown) => {
          if (!/no active transaction/i.test(String(error))) throw error;
        });
      }
    });
  }

  /** Waits for what runs, then closes connections and database. Safe to call twice. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#users > 0) await new Promise<void>((resolve) => (this.#lastUserLeft = resolve));
    const lanes = [
      this.#writer,
      ...this.#readers,
      ...(this.#guest === null ? [] : [await this.#guest]),
    ];
    for (const lane of lanes) await lane.queue(() => Promise.resolve());
    for (const lane of lanes) await lane.close();
    await this.#database.close();
  }
}

async function openLane(engine: LoadedEngine, database: NativeDatabase): Promise<Lane> {
  const connection = new engine.native.Connection(database);
  // Two connections that initialise themselves lazily, in parallel, crash the process.
  await connection.init();
  return new Lane(connection);
}

/** A connection, one statement at a time, with its prepared statements. */
class Lane {
  readonly connection: NativeConnection;
  readonly #statements = new Map<string, NativeStatement>();
  #tail: Promise<unknown> = Promise.resolve();
  waiting = 0;

  constructor(connection: NativeConnection) {
    this.connection = connection;
  }

  queue<T>(job: () => Promise<T>): Promise<T> {
    this.waiting++;
    const done = this.#tail.then(job).finally(() => this.waiting--);
    this.#tail = done.catch(() => undefined);
    return done;
  }

  async run(text: string, params: Params = {}): Promise<readonly Row[]> {
    return this.execute(await this.prepare(text), params);
  }

  async prepare(text: string): Promise<NativeStatement> {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    const statement = await this.connection.prepare(text);
    if (!statement.isSuccess())
      throw new PalimpsestError(
        'ENGINE_FAILED',
        `The graph refused a query: ${statement.getErrorMessage()}`,
      );
    if (this.#statements.size >= KEPT_STATEMENTS) {
      const [oldest] = this.#statements.keys();
      if (oldest !== undefined) this.#statements.delete(oldest);
    }
    this.#statements.set(text, statement);
    return statement;
  }

  async execute(statement: NativeStatement, params: Params): Promise<readonly Row[]> {
    checkParams(params);
    const answer = await this.connection.execute(statement, params);
    const results = Array.isArray(answer) ? answer : [answer];
    try {
      return await rowsOf(results.at(-1));
    } finally {
      for (const result of results) result.close();
    }
  }

  async close(): Promise<void> {
    this.#statements.clear();
    await this.connection.close();
  }
}

/** Rows are in memory by now; other work gets its turn between slices of them. */
async function rowsOf(result: NativeResult | undefined): Promise<readonly Row[]> {
  const rows: Row[] = [];
  while (result?.hasNext() === true) {
    rows.push(result.getNextSync());
    if (rows.length % 2_000 === 0) await pause();
  }
  return rows;
}
