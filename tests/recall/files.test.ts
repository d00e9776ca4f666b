import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openMemory, type Handle, type Memory } from '../../lib/index.js';
import { filesWith } from '../support/files.js';
import { temporaryFolder } from '../support/folder.js';
import { objectsOf, ONTOLOGY, SHOP, textsOf } from './remembering.js';

/** More than are read again sooner than they are written. */
const MANY = 1_200;

/** A word of its own for each number. */
const word = (what: string, n: number): string =>
  `${what}${String(n).replaceAll(/\d/gu, (digit) => `${'bcdfghjklm'.charAt(Number(digit))}o`)}`;
const SCREW = word('screw', 7);
const REMARK = word('remark', 12);

const open = (path: string): Promise<Memory> =>
  openMemory({
    path,
    ontology: ONTOLOGY,
    graph: 'none',
    clock: () => Date.parse('2026-01-01T12:00:00Z'),
  });

async function fill(shop: Handle): Promise<void> {
  await shop.transact((t) => {
    for (let i = 0; i < MANY; i++) {
      t.assert({ subject: `part ${i}`, predicate: 'uses', object: word('screw', i) });
    }
  });
  for (let from = 0; from < MANY; from += 100) {
    await shop.ingest(
      Array.from({ length: 100 }, (_, i) => ({
        session: `s${from}`,
        seq: i,
        role: 'user' as const,
        text: `A ${word('remark', from + i)} about parts.`,
        at: '2025-05-01',
      })),
    );
  }
}

const dumps = (path: string): string[] =>
  ['claims.search', 'events.search'].map((name) => join(path, 'index', name));

const find = async (shop: Handle, query: string) => {
  const { hits } = await shop.search(query, { limit: 3 });
  return [...objectsOf(hits), ...textsOf(hits)];
};

describe('the search index on disk', () => {
  test('spares the next opening the work, and takes in what came since', async () => {
    const path = temporaryFolder();
    {
      await using memory = await open(path);
      const shop = memory.in(SHOP);
      await fill(shop);
      expect(await find(shop, SCREW)).toEqual([SCREW]);
      await shop.assert({ subject: 'part 7', predicate: 'uses', object: 'latecomer' });
      await shop.ingest([
        { session: 'late', seq: 0, role: 'user', text: 'Remark of a straggler.' },
      ]);
    }
    const written = dumps(path).map((file) => statSync(file).mtimeMs);
    {
      await using memory = await open(path);
      const shop = memory.in(SHOP);
      expect(await find(shop, SCREW)).toEqual([SCREW]);
      expect(await find(shop, 'latecomer')).toEqual(['latecomer']);
      expect(await find(shop, 'straggler')).toEqual(['Remark of a straggler.']);
      expect(await find(shop, REMARK)).toContain(`A ${REMARK} about parts.`);
    }
    expect(dumps(path).map((file) => statSync(file).mtimeMs)).toEqual(written);
  });

  test('gives the same bytes loaded, built anew and kept in step', async () => {
    const path = temporaryFolder();
    const ask = async (memory: Memory): Promise<string> =>
      JSON.stringify(
        await memory.in(SHOP).recall(`${REMARK} on ${SCREW} and part 9`, { trace: true }),
      );
    let first: string;
    {
      await using memory = await open(path);
      const shop = memory.in(SHOP);
      // Kept in step from the start.
      await shop.search('nothing yet');
      await fill(shop);
      first = await ask(memory);
    }
    {
      await using memory = await open(path);
      expect(await ask(memory)).toBe(first);
    }
    for (const file of dumps(path)) writeFileSync(file, 'no index');
    {
      await using memory = await open(path);
      expect(await ask(memory)).toBe(first);
      await memory.rebuild();
      expect(await ask(memory)).toBe(first);
    }
  });

  test('that is cut short or of another store is made anew', async () => {
    const path = temporaryFolder();
    const other = temporaryFolder();
    for (const [folder, more] of [
      [path, 'linden'],
      [other, 'willow'],
    ] as const) {
      await using memory = await open(folder);
      const shop = memory.in(SHOP);
      await shop.assert({ subject: 'part', predicate: 'uses', object: more });
      await fill(shop);
      await shop.search(SCREW);
    }
    const [claims = '', events = ''] = dumps(path);
    writeFileSync(claims, readFileSync(dumps(other)[0]!));
    writeFileSync(events, readFileSync(events).subarray(0, 5_000));
    await using memory = await open(path);
    const shop = memory.in(SHOP);
    expect(await find(shop, 'willow')).toEqual([]);
    expect(await find(shop, 'linden')).toEqual(['linden']);
    expect(await find(shop, REMARK)).toContain(`A ${REMARK} about parts.`);
  });

  test('holds nothing of what was erased, and neither does an answer', async () => {
    const path = temporaryFolder();
    {
      await using memory = await open(path);
      const shop = memory.in(SHOP);
      await fill(shop);
      await shop.ingest([
        {
          session: 'secret',
          seq: 0,
          role: 'user',
          text: 'The canaryevent sings.',
          at: '2025-05-01',
        },
      ]);
      await shop.assert({
        subject: 'bird',
        predicate: 'uses',
        object: 'canaryobject',
        statement: 'It is a canarystatement.',
        evidence: [{ session: 'secret', seq: 0, role: 'user', quote: 'canaryevent' }],
      });
      expect(await find(shop, 'canarystatement canaryevent')).toHaveLength(2);
      await memory.close();
    }
    for (const file of dumps(path)) expect(readFileSync(file).includes('canary')).toBe(true);
    {
      await using memory = await open(path);
      const shop = memory.in(SHOP);
      expect(await find(shop, 'canarystatement canaryevent')).toHaveLength(2);
      await shop.forget({ session: 'secret' }, { mode: 'erase' });
      expect(filesWith(path, 'canary')).toEqual([]);
      expect(await find(shop, 'canarystatement canaryevent canaryobject')).toEqual([]);
      expect(await find(shop, SCREW)).toEqual([SCREW]);
    }
    expect(filesWith(path, 'canary')).toEqual([]);
    expect(dumps(path).every(existsSync)).toBe(true);
    await using memory = await open(path);
    expect(await find(memory.in(SHOP), 'canarystatement canaryevent canaryobject')).toEqual([]);
  });

  test('is not made of what nobody has searched', async () => {
    const path = temporaryFolder();
    {
      await using memory = await open(path);
      await fill(memory.in(SHOP));
      expect((await memory.stats()).searchBytes).toBe(0);
    }
    expect(dumps(path).some(existsSync)).toBe(false);
  });
});
