import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openMemory, type Memory, type OpenOptions } from '../../lib/index.js';
import { verifyJournal } from '../../lib/journal/verify.js';
import { temporaryFolder } from '../support/folder.js';

const COUNT = 40;
const PER_TRANSACTION = 8;

/** A store with some history, closed. */
async function closedStore(options: Partial<OpenOptions> = {}): Promise<string> {
  const path = join(temporaryFolder(), 'store');
  const memory = await openMemory({ path, graph: 'none', ...options });
  await addTo(memory, 1, COUNT);
  await memory.close();
  return path;
}

async function addTo(memory: Memory, from: number, to: number): Promise<void> {
  for (let start = from; start <= to; start += PER_TRANSACTION) {
    await memory.in({ org: 'acme' }).transact((t) => {
      for (let n = start; n <= Math.min(to, start + PER_TRANSACTION - 1); n++) {
        t.assert({
          subject: 'shop',
          predicate: 'uses',
          object: `thing ${n}`,
          validFrom: '2024',
          observedAt: '2024-05-01',
          statement: `The shop uses thing ${n}.`,
        });
      }
    });
  }
}

async function countIn(path: string, options: Partial<OpenOptions> = {}): Promise<number> {
  const memory = await openMemory({ path, graph: 'none', ...options });
  try {
    const facts = await memory
      .in({ org: 'acme' })
      .facts({ predicate: 'uses', validAt: '2025-01-01' });
    return facts.length;
  } finally {
    await memory.close();
  }
}

function flip(file: string, offset: number, bit = 4): void {
  const bytes = readFileSync(file);
  bytes[offset] = (bytes[offset] ?? 0) ^ (1 << bit);
  writeFileSync(file, bytes);
}

const indexOf = (path: string): string => join(path, 'index', 'belief.idx');
const journalOf = (path: string): string => {
  const [generation = ''] = readdirSync(join(path, 'journal'));
  return join(path, 'journal', generation, '000001.log');
};

describe('the saved index', () => {
  test.each([
    ['deleted', (file: string) => rmSync(file)],
    ['emptied', (file: string) => truncateSync(file, 0)],
    ['cut in half', (file: string) => truncateSync(file, statSync(file).size >> 1)],
    ['cut by a byte', (file: string) => truncateSync(file, statSync(file).size - 1)],
    [
      'of another format',
      (file: string) =>
        writeFileSync(
          file,
          readFileSync(file, 'latin1').replace('"format":1', '"format":9'),
          'latin1',
        ),
    ],
    ['something else', (file: string) => writeFileSync(file, 'not an index\n')],
    ['a folder', (file: string) => (rmSync(file), mkdirSync(file))],
  ] as const)('%s: is made again from the journal', async (_, damage) => {
    const path = await closedStore();
    damage(indexOf(path));
    expect(await countIn(path)).toBe(COUNT);
  });

  test('with any bit flipped: is made again from the journal', async () => {
    const path = await closedStore();
    const file = indexOf(path);
    const whole = readFileSync(file);
    const header = whole.indexOf(10, whole.indexOf(10) + 1);
    const offsets = [...Array(header).keys()].filter((n) => n % 41 === 0);
    for (let n = 1; n <= 20; n++) offsets.push(Math.floor((whole.length - 1) * (n / 20)));
    for (const [i, offset] of offsets.entries()) {
      writeFileSync(file, whole);
      flip(file, offset, i % 8);
      expect({ offset, count: await countIn(path) }).toEqual({ offset, count: COUNT });
    }
  });

  test('of a journal that was since put back from a copy: is made again', async () => {
    const path = await closedStore();
    const copy = `${path}-journal`;
    cpSync(join(path, 'journal'), copy, { recursive: true });
    const first = await openMemory({ path, graph: 'none' });
    await addTo(first, 91, 91);
    await first.close();
    const saved = readFileSync(indexOf(path));
    rmSync(join(path, 'journal'), { recursive: true });
    cpSync(copy, join(path, 'journal'), { recursive: true });
    // A transaction of the same number, place and length, and of other content.
    const second = await openMemory({ path, graph: 'none' });
    await addTo(second, 92, 92);
    await second.close();
    writeFileSync(indexOf(path), saved);
    const third = await openMemory({ path, graph: 'none' });
    const facts = await third
      .in({ org: 'acme' })
      .facts({ object: 'thing 92', validAt: '2025-01-01' });
    expect(facts).toHaveLength(1);
    await third.close();
  });
});

describe('the journal', () => {
  test.each([
    ['with a saved index', true],
    ['without one', false],
  ])('bit-flipped, %s: is reported with its place at opening', async (_name, isIndexed) => {
    const path = await closedStore();
    if (!isIndexed) rmSync(indexOf(path));
    flip(journalOf(path), statSync(journalOf(path)).size >> 1);
    const reported = {
      code: 'JOURNAL_DAMAGED',
      message: expect.stringMatching(/segment 1 at byte \d+ \(.*000001\.log\)/),
    };
    await expect(openMemory({ path, graph: 'none' })).rejects.toMatchObject(reported);
    // The lock was given back: it is the damage that is reported again.
    await expect(openMemory({ path, graph: 'none' })).rejects.toMatchObject(reported);
  });

  test('bit-flipped while it is open: is found by a check, and by whatever reads it all', async () => {
    const path = await closedStore();
    const memory = await openMemory({ path, graph: 'none' });
    const offset = statSync(journalOf(path)).size >> 1;
    flip(journalOf(path), offset);
    const report = await verifyJournal(join(path, 'journal'));
    expect(report.damage).toMatchObject({ segment: 1, file: journalOf(path) });
    expect(report.damage?.offset).toBeLessThanOrEqual(offset);
    const damaged = { code: 'JOURNAL_DAMAGED' };
    await expect(memory.rebuild()).rejects.toMatchObject(damaged);
    await expect(
      memory.in({ org: 'acme' }).forget({ entity: 'shop' }, { mode: 'erase' }),
    ).rejects.toMatchObject(damaged);
    // What failed has changed nothing, and nothing is in its way.
    expect((await memory.stats()).facts).toBe(COUNT);
    await addTo(memory, COUNT + 1, COUNT + 1);
    await memory.close();
  });

  test('cut within its last transaction: that one is gone, and the statistics say so', async () => {
    const path = await closedStore();
    rmSync(indexOf(path));
    truncateSync(journalOf(path), statSync(journalOf(path)).size - 5);
    const memory = await openMemory({ path, graph: 'none' });
    const { facts, tornBytes } = await memory.stats();
    expect(facts).toBe(COUNT - PER_TRANSACTION);
    expect(tornBytes).toBeGreaterThan(0);
    await memory.close();
  });

  test('of a later version: is refused', async () => {
    const path = await closedStore();
    const file = journalOf(path);
    const text = readFileSync(file, 'utf8').replace('palimpsest-journal 1', 'palimpsest-journal 2');
    writeFileSync(file, text);
    await expect(openMemory({ path })).rejects.toMatchObject({ code: 'JOURNAL_TOO_NEW' });
  });
});

describe('the folder', () => {
  test('of a later layout: is refused, and left as it was', async () => {
    const path = await closedStore();
    const description = readFileSync(join(path, 'store.json'), 'utf8');
    writeFileSync(join(path, 'store.json'), description.replace('"layout":1', '"layout":2'));
    const before = readdirSync(path);
    await expect(openMemory({ path })).rejects.toMatchObject({ code: 'JOURNAL_TOO_NEW' });
    expect(readdirSync(path)).toEqual(before);
  });

  test('without its description: gets a new one', async () => {
    const path = await closedStore({ graph: 'kuzu' });
    rmSync(join(path, 'store.json'));
    expect(await countIn(path, { graph: 'kuzu', resident: false })).toBe(COUNT);
    expect(JSON.parse(readFileSync(join(path, 'store.json'), 'utf8'))).toMatchObject({
      palimpsest: 'store',
      layout: 1,
    });
  });

  test('with a description that is something else: is refused, and told how to go on', async () => {
    const path = await closedStore();
    writeFileSync(join(path, 'store.json'), '{"name":"shop"}');
    await expect(openMemory({ path })).rejects.toMatchObject({
      code: 'STORE_FAILED',
      field: 'path',
      message: expect.stringMatching(/store\.json is not the description of a store/),
    });
    rmSync(join(path, 'store.json'));
    expect(await countIn(path)).toBe(COUNT);
  });

  test('of something else: is refused, and nothing is put into it', async () => {
    const path = temporaryFolder();
    writeFileSync(join(path, 'thesis.txt'), 'dear to me');
    await expect(openMemory({ path })).rejects.toMatchObject({
      code: 'STORE_FAILED',
      field: 'path',
      message: expect.stringMatching(/thesis\.txt/),
    });
    expect(readdirSync(path)).toEqual(['thesis.txt']);
  });

  test('that is a file: is refused', async () => {
    const path = join(temporaryFolder(), 'file');
    writeFileSync(path, '');
    await expect(openMemory({ path })).rejects.toMatchObject({
      code: 'STORE_FAILED',
      field: 'path',
    });
    await expect(openMemory({ path: join(path, 'below') })).rejects.toMatchObject({
      code: 'STORE_FAILED',
    });
  });

  test('with what file systems and desktops leave in it: is taken', async () => {
    const path = temporaryFolder();
    for (const name of ['.DS_Store', '.gitkeep']) writeFileSync(join(path, name), '');
    mkdirSync(join(path, 'lost+found'));
    const memory = await openMemory({ path, graph: 'none' });
    await memory.close();
    expect(existsSync(join(path, 'store.json'))).toBe(true);
  });
});

describe('the graph', () => {
  const graph = { graph: 'kuzu', resident: false } as const;

  /** The files of the generation that counts. */
  const dataOf = (path: string): string => {
    const generation = readdirSync(join(path, 'graph')).find((name) => /^g\d+$/.test(name)) ?? '';
    return join(path, 'graph', generation, 'graph.kuzu');
  };

  test.each([
    ['deleted', (path: string) => rmSync(join(path, 'graph'), { recursive: true })],
    ['without its data', (path: string) => rmSync(dataOf(path))],
    ['cut in half', (path: string) => truncateSync(dataOf(path), statSync(dataOf(path)).size >> 1)],
    ['bit-flipped', (path: string) => flip(dataOf(path), statSync(dataOf(path)).size >> 1)],
    ['without its sign', (path: string) => rmSync(join(path, 'graph', 'CURRENT'))],
    [
      'a file',
      (path: string) => (
        rmSync(join(path, 'graph'), { recursive: true }),
        writeFileSync(join(path, 'graph'), 'x')
      ),
    ],
  ] as const)('%s: is built again from the journal, or says why not', async (what, damage) => {
    const path = await closedStore(graph);
    damage(path);
    const memory = await openMemory({ path, ...graph });
    const shop = memory.in({ org: 'acme' });
    if (what === 'a file') {
      await expect(shop.facts()).rejects.toMatchObject({
        code: expect.stringMatching(/^(ENGINE|STORE)_/),
      });
      expect((await memory.stats()).graph).toMatchObject({ state: 'unavailable' });
      // Work goes on without it, and an explicit rebuild puts it right.
      await addTo(memory, COUNT + 1, COUNT + 1);
      await memory.rebuild();
      expect(await shop.facts({ validAt: '2025-01-01' })).toHaveLength(COUNT + 1);
    } else {
      expect(await shop.facts({ validAt: '2025-01-01' })).toHaveLength(COUNT);
      expect(await memory.cypher('MATCH (f:Fact) RETURN count(f) AS n')).toEqual([{ n: COUNT }]);
    }
    const state = what === 'deleted' || what === 'a file' ? 'ready' : 'rebuilt';
    expect((await memory.stats()).graph).toMatchObject({ state });
    await memory.close();
    expect(await countIn(path, graph)).toBe(what === 'a file' ? COUNT + 1 : COUNT);
  });
});

test('a place where nothing can be made is refused at once', async () => {
  if (process.platform !== 'linux') return;
  await expect(openMemory({ path: '/proc/no-such-store' })).rejects.toMatchObject({
    code: 'STORE_FAILED',
  });
});
