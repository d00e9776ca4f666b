import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import type { GraphSource } from '../graph.js';
import type { ClaimRow, EntityRow, TxChanges } from '../rows.js';
import type { Closing } from './batch.js';
import { COPY_OPTIONS, CsvFile } from './csv.js';
import { GraphDatabase, type DatabaseOptions } from './driver.js';
import type { Param } from './native.js';
import type { NodeRecord, StoredFact } from './records.js';
import {
  claimRecord,
  entityOf,
  entityRecord,
  eventId,
  eventRecord,
  evidenceRecord,
  factRecord,
  isLiteral,
  openedFact,
  valueId,
  valueRecord,
} from './records.js';
import * as schema from './schema.js';
import { NODES, RELS, type NodeTable, type RelTable } from './schema.js';

export type Progress = (done: number, all: number) => void;

export interface BuildOptions {
  readonly database: DatabaseOptions;
  readonly source: GraphSource;
  readonly onProgress?: Progress;
}

/** Fills a new database file from all of the source by `COPY`. Returns the last transaction in it. */
export async function buildGraph({
  database: options,
  source,
  onProgress,
}: BuildOptions): Promise<number> {
  const folder = await csvFolder(options.path);
  const tables = new Tables(folder);
  try {
    const closings = closingsOf(source);
    const blanks = await writeTables(tables, source, closings, onProgress);
    tables.close();
    const database = await GraphDatabase.open(options);
    try {
      for (const definition of schema.definitions()) await database.write(definition);
      for (const file of tables.files()) {
        if (file.rows > 0)
          await database.write(
            `COPY ${file.table} FROM '${file.path.replaceAll('\\', '/')}' ${COPY_OPTIONS}`,
          );
      }
      for (const { text, params } of blanks) await database.write(text, params);
      await database.write(`CREATE (m:Meta {id: 'graph', store: $store, lastTx: $lastTx})`, {
        store: source.storeId,
        lastTx: closings.lastTx,
      });
      // Nobody relies on this file yet, so a kill within the checkpoint harms nothing.
      await database.write('CHECKPOINT');
    } finally {
      await database.close();
    }
    return closings.lastTx;
  } finally {
    tables.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Beside the database, unless the path holds what `COPY` takes for a pattern or the end of its string. */
async function csvFolder(path: string): Promise<string> {
  if (/[*?[\]{}'"\\~]/.test(process.platform === 'win32' ? path.replaceAll('\\', '/') : path)) {
    return mkdtemp(join(tmpdir(), 'palimpsest-graph-'));
  }
  await mkdir(`${path}.csv`, { recursive: true, mode: 0o700 });
  return `${path}.csv`;
}

interface Closings {
  readonly byFact: ReadonlyMap<string, Closing>;
  readonly lastTx: number;
}

/** A first pass, because a row is written as it ends. Stops where the source ends now; it may grow meanwhile. */
function closingsOf(source: GraphSource): Closings {
  const byFact = new Map<string, Closing>();
  let lastTx = 0;
  for (const change of source.changes(0)) {
    lastTx = change.tx;
    for (const c of change.closed) byFact.set(c.id, { ...c, knownToAt: change.at });
  }
  return { byFact, lastTx };
}

async function writeTables(
  tables: Tables,
  source: GraphSource,
  closings: Closings,
  onProgress: Progress | undefined,
): Promise<readonly Blank[]> {
  const entities = new Map<string, EntityRow>();
  let facts = 0;
  let sinceProgress = 0;
  for (const change of source.changes(0)) {
    if (change.tx > closings.lastTx) break;
    for (const e of change.entities) entities.set(e.id, e);
    for (const c of change.claims) tables.claim(c);
    for (const opened of change.opened) {
      tables.fact(closedFact(openedFact(opened, change.at), closings));
      facts++;
      if (++sinceProgress < 5_000) continue;
      sinceProgress = 0;
      onProgress?.(facts, Math.max(facts, source.factCount));
      await pause();
    }
    tables.links(change);
  }
  for (const e of entities.values()) tables.node(schema.ENTITY, entityRecord(e));
  onProgress?.(facts, facts);
  return tables.blanks;
}

function closedFact(stored: StoredFact, closings: Closings): StoredFact {
  const closing = closings.byFact.get(stored.fact.id);
  if (closing === undefined) return stored;
  const { knownTo, reason, knownToAt } = closing;
  return { ...stored, fact: { ...stored.fact, knownTo, reason }, knownToAt };
}

interface Blank {
  readonly text: string;
  readonly params: { readonly id: string; readonly n?: number };
}

/** The CSV files of one build, one a table. */
class Tables {
  readonly blanks: Blank[] = [];
  readonly #files: ReadonlyMap<string, CsvFile>;
  readonly #events = new Set<string>();
  readonly #values = new Set<string>();

  constructor(folder: string) {
    this.#files = new Map(
      [...NODES, ...RELS].map(({ name }) => [name, new CsvFile(join(folder, `${name}.csv`))]),
    );
  }

  /** Nodes first: relationships are found by their keys. */
  files(): readonly { readonly table: string; readonly path: string; readonly rows: number }[] {
    return [...this.#files].map(([table, { path, rows }]) => ({ table, path, rows }));
  }

  close(): void {
    for (const file of this.#files.values()) file.close();
  }

  node(table: NodeTable, record: NodeRecord): void {
    const values: Param[] = [];
    for (const column in table.columns) {
      const value = record[column] ?? null;
      values.push(value);
      if (value !== '') continue;
      const text = `MATCH (x:${table.name} {id: $id}) SET x.${column} = ''`;
      this.blanks.push({ text, params: { id: record.id } });
    }
    this.#file(table).row(values);
  }

  fact(stored: StoredFact): void {
    const { id, subject, object } = stored.fact;
    this.node(schema.FACT, factRecord(stored));
    this.#file(schema.SUBJECT).row([subject, id]);
    const entity = entityOf(object);
    if (entity !== null) this.#file(schema.OBJECT).row([id, entity]);
    if (!isLiteral(object)) return;
    this.#file(schema.HAS_VALUE).row([id, valueId(object)]);
    if (this.#values.has(object)) return;
    this.#values.add(object);
    this.node(schema.VALUE_NODE, valueRecord(object));
  }

  claim(claim: ClaimRow): void {
    this.node(schema.CLAIM, claimRecord(claim));
    for (const [n, evidence] of claim.evidence.entries()) {
      const event = eventId(evidence);
      if (!this.#events.has(event)) {
        this.#events.add(event);
        this.node(schema.EVENT, eventRecord(evidence));
      }
      const { role, quote, at } = evidenceRecord(evidence, n);
      this.#file(schema.FROM_EVENT).row([claim.id, event, n, role, quote, at]);
      for (const [column, value] of Object.entries({ role, quote })) {
        if (value !== '') continue;
        const text = `MATCH (c:Claim {id: $id})-[r:FROM_EVENT]->(:Event) WHERE r.n = $n SET r.${column} = ''`;
        this.blanks.push({ text, params: { id: claim.id, n } });
      }
    }
  }

  links(change: TxChanges): void {
    for (const s of change.supersedes) this.#file(schema.SUPERSEDES).row([s.from, s.to, s.kind]);
    for (const s of change.supports) this.#file(schema.SUPPORTED_BY).row([s.fact, s.claim]);
  }

  #file(table: NodeTable | RelTable): CsvFile {
    const file = this.#files.get(table.name);
    if (file === undefined) throw new Error(`no table ${table.name}`);
    return file;
  }
}
