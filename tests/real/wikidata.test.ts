import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { openMemory, type Memory } from '../../lib/index.js';
import { fixture } from '../support/fixtures.js';
import { generator } from '../support/random.js';

/**
 * Facts of Wikidata with intervals of whole years, the last one included. An empty start is a start that
 * nobody knows: it holds from the beginning of time, as far as anybody can tell. An empty end is an end
 * that nobody knows: it is presumed to go on.
 */
interface Row {
  readonly line: number;
  readonly subject: string;
  readonly property: string;
  readonly object: string;
  /** First year; `null` for unknown. */
  readonly from: number | null;
  /** Last year; `null` for unknown. */
  readonly to: number | null;
}

const folder = fixture('wikidata12k');

function readRows(): Row[] {
  if (folder === null) return [];
  const text = gunzipSync(readFileSync(join(folder, 'facts.tsv.gz'))).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line, i) => {
      const [subject = '', property = '', object = '', from = '', to = ''] = line.split('\t');
      const year = (cell: string): number | null => (cell === '' ? null : Number(cell));
      return { line: i + 1, subject, property, object, from: year(from), to: year(to) };
    });
}

const all = readRows();
/** Some rows end before they begin: those are no facts, and the library refuses them. */
const isReversed = (row: Row): boolean => row.from !== null && row.to !== null && row.to < row.from;
const rows = all.filter((row) => !isReversed(row));

const yearText = (year: number): string => String(year).padStart(4, '0');

const eventOf = (row: Row, key: string | null): string =>
  JSON.stringify({
    tx: '2024-01-01',
    ...(key === null ? {} : { key }),
    fact: {
      subject: row.subject,
      predicate: row.property,
      object: { entity: row.object },
      valid_from: row.from === null ? null : yearText(row.from),
      valid_to: row.to === null ? 'unknown' : yearText(row.to + 1),
    },
  });

const holds = (row: Row, year: number): boolean =>
  (row.from === null || row.from <= year) && (row.to === null || year <= row.to);

interface Question {
  readonly from: Row;
  readonly year: number;
  /** What is given besides the year. */
  readonly asks: 'object' | 'objects of all properties' | 'subject';
}

function questions(count: number, seed: number): Question[] {
  const random = generator(seed);
  const pick = (n: number): number => Math.floor(random() * n);
  return Array.from({ length: count }, () => {
    const from = rows[pick(rows.length)]!;
    // Near the row's own years, so that most questions have an answer and borders are met.
    const near = (from.from ?? from.to ?? 2000) + pick(7) - 3;
    const year = Math.max(1, pick(4) === 0 ? 1000 + pick(1030) : near);
    const asks = (['object', 'objects of all properties', 'subject'] as const)[pick(3)]!;
    return { from, year, asks };
  });
}

/** The whole list of rows, gone through once for each question. */
function scan({ from, year, asks }: Question): string[] {
  const out: string[] = [];
  for (const row of rows) {
    if (!holds(row, year)) continue;
    if (asks === 'subject') {
      if (row.object === from.object && row.property === from.property) out.push(row.subject);
    } else if (row.subject === from.subject) {
      if (asks !== 'object' || row.property === from.property) {
        out.push(`${row.property} ${row.object}`);
      }
    }
  }
  return out.sort();
}

async function ask(memory: Memory, { from, year, asks }: Question): Promise<string[]> {
  const then = memory.in(SCOPE).asOf({ valid: yearText(year) });
  if (asks === 'subject') {
    const found = await then.facts({ predicate: from.property, object: { entity: from.object } });
    return found.map((fact) => fact.subject.name).sort();
  }
  const found = await then.facts({
    subject: from.subject,
    ...(asks === 'object' ? { predicate: from.property } : {}),
  });
  return found.map((fact) => `${fact.predicate} ${nameOf(fact.object)}`).sort();
}

const nameOf = (object: unknown): string =>
  typeof object === 'object' && object !== null && 'name' in object ? String(object.name) : '';

const SCOPE = { org: 'wikidata' };

describe.skipIf(folder === null)('facts of Wikidata with their years', () => {
  let memory: Memory;
  beforeAll(async () => {
    memory = await openMemory({ store: 'memory' });
    const events = rows.map((row) => eventOf(row, `line ${row.line}`));
    await memory.import(events, { scope: SCOPE });
    return () => memory.close();
  });

  test('are all there', async () => {
    expect(all).toHaveLength(40_621);
    const { believed } = await memory.stats();
    expect(believed).toBe(rows.length);
  });

  test('answer 10,000 questions as a scan of the list does', async () => {
    const wrong: unknown[] = [];
    let answers = 0;
    for (const question of questions(10_000, 12)) {
      const right = scan(question);
      const got = await ask(memory, question);
      answers += right.length;
      if (got.join() !== right.join()) wrong.push({ question, right, got });
    }
    expect(wrong).toEqual([]);
    expect(answers).toBeGreaterThan(10_000);
  });

  test('told without keys, several intervals of one edge are one key, with the same answers', async () => {
    await using plain = await openMemory({ store: 'memory' });
    await plain.import(
      rows.map((row) => eventOf(row, null)),
      { scope: SCOPE },
    );
    const wrong: unknown[] = [];
    for (const question of questions(2000, 13)) {
      const right = [...new Set(scan(question))];
      const got = await ask(plain, question);
      if (got.join() !== right.join()) wrong.push({ question, right, got });
    }
    expect(wrong).toEqual([]);
  });

  test('that end before they begin are refused, by line and field', async () => {
    const reversed = all.filter(isReversed);
    expect(reversed.length).toBeGreaterThan(0);
    for (const row of reversed) {
      const refused = memory.import([eventOf(row, null)], {
        scope: SCOPE,
        source: `row ${row.line}`,
      });
      await expect(refused).rejects.toMatchObject({
        code: 'IMPORT_FAILED',
        field: 'fact.valid_to',
        message: expect.stringContaining('Line 1'),
      });
    }
  });
});
