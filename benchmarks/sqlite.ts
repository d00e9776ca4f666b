import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { ChangeSet, Fact } from '../lib/index.js';

/** Stands for an end that is open, so that a bound is one comparison. */
export const OPEN = 8_640_000_000_000_000;

export interface SqlRow {
  readonly id: string;
  readonly predicate: string;
  readonly object: string;
  readonly validFrom: number;
  readonly validTo: number;
  readonly knownFrom: number;
  readonly knownTo: number;
}

const COLUMNS = `id, predicate, object, valid_from AS validFrom, valid_to AS validTo,
  known_from AS knownFrom, known_to AS knownTo`;

const asOf = (fact: string): string =>
  `${fact}.valid_from <= :valid AND ${fact}.valid_to > :valid AND ${fact}.known_from <= :known AND ${fact}.known_to > :known`;

/**
 * What somebody would write by hand for this: one table of bi-temporal rows, an index for each question.
 * Known times are transaction numbers, as in the memory.
 */
export class HandWritten {
  readonly #db: Database.Database;
  readonly #insert;
  readonly #close;
  readonly #closeOpen;
  readonly #entity;
  readonly #hops;
  readonly #history;
  #rows = 0;

  constructor(folder: string) {
    this.#db = new Database(join(folder, 'hand-written.sqlite'));
    this.#db.pragma('journal_mode = WAL');
    this.#db.pragma('synchronous = FULL');
    this.#db.pragma('cache_size = -262144');
    this.#db.pragma('mmap_size = 2147483648');
    this.#db.exec(`
      CREATE TABLE fact(
        n INTEGER PRIMARY KEY, id TEXT NOT NULL, subject TEXT NOT NULL, predicate TEXT NOT NULL, object TEXT NOT NULL,
        valid_from INTEGER NOT NULL, valid_to INTEGER NOT NULL, known_from INTEGER NOT NULL, known_to INTEGER NOT NULL,
        statement TEXT NOT NULL);
      CREATE UNIQUE INDEX fact_id ON fact(id);
      CREATE INDEX fact_key ON fact(subject, predicate, known_from);
      CREATE INDEX fact_subject ON fact(subject, valid_from);
      CREATE INDEX fact_object ON fact(object, valid_from);
    `);
    this.#insert = this.#db.prepare('INSERT INTO fact VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
    this.#close = this.#db.prepare('UPDATE fact SET known_to = ? WHERE id = ?');
    this.#closeOpen = this.#db.prepare(
      `UPDATE fact SET known_to = ? WHERE subject = ? AND predicate = ? AND known_to = ${OPEN} AND valid_to = ${OPEN}
       RETURNING id, object, valid_from AS validFrom, statement`,
    );
    this.#entity = this.#db.prepare<[Record<string, unknown>], SqlRow>(
      `SELECT ${COLUMNS} FROM fact WHERE subject = :subject AND ${asOf('fact')} ORDER BY valid_from DESC, id LIMIT 20`,
    );
    this.#hops = this.#db.prepare<[Record<string, unknown>], { entity: string; hops: number }>(`
      WITH one AS MATERIALIZED (
        SELECT DISTINCT f.object AS entity FROM fact f WHERE f.subject = :subject AND ${asOf('f')} AND f.object <> :subject)
      SELECT entity, 1 AS hops FROM one
      UNION ALL
      SELECT * FROM (
        SELECT DISTINCT g.object AS entity, 2 AS hops FROM one CROSS JOIN fact g INDEXED BY fact_subject ON g.subject = one.entity
        WHERE ${asOf('g')} AND g.object <> :subject AND g.object NOT IN (SELECT entity FROM one))`);
    this.#history = this.#db.prepare<[Record<string, unknown>], SqlRow>(
      `SELECT ${COLUMNS} FROM fact WHERE subject = :subject AND predicate = :predicate AND known_from <= :known
       ORDER BY known_from, valid_from, id`,
    );
  }

  /** Takes over what the memory opened and closed, so that both hold the same rows. */
  mirror(changes: readonly ChangeSet[]): void {
    this.#db.transaction(() => {
      for (const { tx, opened, closed } of changes) {
        for (const fact of opened) this.#insert.run(...rowOf(this.#rows++, fact, tx));
        for (const { fact } of closed) this.#close.run(tx, fact.id);
      }
    })();
  }

  settle(): void {
    this.#db.exec('ANALYZE');
    this.#db.pragma('wal_checkpoint(TRUNCATE)');
  }

  /** What a single-valued predicate takes: the old row is closed and ended, the new one begins. */
  supersede(
    said: { subject: string; predicate: string; object: string; from: number; statement: string },
    known: number,
  ): void {
    this.#db.exec('BEGIN IMMEDIATE');
    this.#take(said, known);
    this.#db.exec('COMMIT');
  }

  #take(
    said: { subject: string; predicate: string; object: string; from: number; statement: string },
    known: number,
  ): void {
    const { subject, predicate } = said;
    const old: unknown[] = this.#closeOpen.all(known, subject, predicate);
    for (const row of old) {
      if (!isOldRow(row)) throw new Error('A row without its columns.');
      this.#insert.run(
        this.#rows,
        `${known}-${this.#rows++}`,
        subject,
        predicate,
        row.object,
        row.validFrom,
        said.from,
        known,
        OPEN,
        row.statement,
      );
    }
    this.#insert.run(
      this.#rows,
      `${known}-${this.#rows++}`,
      subject,
      predicate,
      said.object,
      said.from,
      OPEN,
      known,
      OPEN,
      said.statement,
    );
  }

  /** Many rows in one transaction; single-valued ones close what is open. */
  bulk(
    batch: readonly {
      subject: string;
      predicate: string;
      object: string;
      from: number;
      to: number | null;
      statement: string;
    }[],
    known: number,
    isSingle: (predicate: string) => boolean,
  ): void {
    this.#db.exec('BEGIN IMMEDIATE');
    for (const said of batch) {
      if (isSingle(said.predicate)) this.#take(said, known);
      else {
        this.#insert.run(
          this.#rows,
          `${known}-${this.#rows++}`,
          said.subject,
          said.predicate,
          said.object,
          said.from,
          said.to ?? OPEN,
          known,
          OPEN,
          said.statement,
        );
      }
    }
    this.#db.exec('COMMIT');
  }

  entity(subject: string, valid: number, known: number): readonly SqlRow[] {
    return this.#entity.all({ subject, valid, known });
  }

  hops(subject: string, valid: number, known: number): readonly { entity: string; hops: number }[] {
    return this.#hops.all({ subject, valid, known });
  }

  history(subject: string, predicate: string, known: number): readonly SqlRow[] {
    return this.#history.all({ subject, predicate, known });
  }

  get version(): string {
    return String(this.#db.prepare('SELECT sqlite_version()').pluck().get());
  }

  close(): void {
    this.#db.close();
  }
}

interface OldRow {
  readonly object: string;
  readonly validFrom: number;
  readonly statement: string;
}

const isOldRow = (row: unknown): row is OldRow =>
  typeof row === 'object' &&
  row !== null &&
  'object' in row &&
  'validFrom' in row &&
  'statement' in row;

const nameOf = (object: Fact['object']): string =>
  typeof object === 'object' && 'name' in object ? object.name : JSON.stringify(object);

const instantOf = (iso: string | null): number => (iso === null ? OPEN : Date.parse(iso));

function rowOf(n: number, fact: Fact, tx: number): readonly (string | number)[] {
  return [
    n,
    fact.id,
    fact.subject.name,
    fact.predicate,
    nameOf(fact.object),
    fact.validFrom === null ? -OPEN : Date.parse(fact.validFrom),
    instantOf(fact.validTo),
    tx,
    OPEN,
    'eight words that stand for what was said',
  ];
}

/** The columns of the hand-written table, from a fact of the memory. */
export const asSqlRow = (fact: Fact): SqlRow => ({
  id: fact.id,
  predicate: fact.predicate,
  object: nameOf(fact.object),
  validFrom: fact.validFrom === null ? -OPEN : Date.parse(fact.validFrom),
  validTo: instantOf(fact.validTo),
  knownFrom: fact.knownFrom.tx,
  knownTo: fact.knownTo?.tx ?? OPEN,
});
