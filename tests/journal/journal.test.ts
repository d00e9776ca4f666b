import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFileJournal } from '../../lib/journal/file-journal.js';
import { memoryJournal } from '../../lib/journal/memory-journal.js';
import type { Journal } from '../../lib/journal/port.js';
import { temporaryFolder } from '../support/folder.js';
import { bodyOf, textsOf, transactionsOf } from './bodies.js';

const implementations: readonly { name: string; make: () => Promise<Journal> }[] = [
  { name: 'in memory', make: async () => memoryJournal() },
  { name: 'in one file', make: () => openFileJournal(join(temporaryFolder(), 'journal')) },
  {
    name: 'in many files',
    make: () => openFileJournal(join(temporaryFolder(), 'journal'), { segmentBytes: 200 }),
  },
];

describe.each(implementations)('a journal $name', ({ make }) => {
  test('gives back what was appended, in order', async () => {
    const journal = await make();
    const bodies = Array.from({ length: 30 }, (_, index) => bodyOf(index + 1, index * 7));
    await journal.append(bodies.slice(0, 1));
    await journal.append(bodies.slice(1, 12));
    for (const body of bodies.slice(12)) await journal.append([body]);
    expect(await textsOf(journal)).toEqual(bodies.map(String));
    await journal.close();
  });

  test('reads any range of a body by its locator', async () => {
    const journal = await make();
    const bodies = [bodyOf(1, 100), bodyOf(2, 1000), bodyOf(3, 0)];
    const locators = await journal.append(bodies);
    const more = await journal.append([bodyOf(4)]);
    expect(locators.map((at) => journal.read(at).toString())).toEqual(bodies.map(String));
    expect(more.map((at) => journal.read(at).toString())).toEqual([bodyOf(4).toString()]);
    const second = locators[1] ?? expect.fail();
    const middle = { ...second, offset: second.offset + 9, length: 40 };
    expect(journal.read(middle)).toEqual(bodies[1]?.subarray(9, 49));
    expect(() => journal.read({ ...second, offset: 1e9 })).toThrow(/bytes 1000000000/);
    expect(() => journal.read({ ...second, segment: 99 })).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT' }),
    );
  });

  test('names the same place in a record as append did, and goes on after any of them', async () => {
    const journal = await make();
    const appended = [];
    for (let tx = 1; tx <= 9; tx += 1) appended.push(...(await journal.append([bodyOf(tx, 90)])));
    const walked = [];
    for await (const record of journal.records()) walked.push(record.at);
    expect(walked).toEqual(appended);
    for (const [index, from] of appended.entries()) {
      const rest = [];
      for await (const { at } of journal.records(from)) rest.push(at);
      expect(rest).toEqual(appended.slice(index + 1));
    }
  });

  test('includes in a walk what is appended during it', async () => {
    const journal = await make();
    await journal.append([bodyOf(1, 150), bodyOf(2, 150)]);
    let count = 0;
    for await (const _ of journal.records()) {
      count += 1;
      if (count < 6) await journal.append([bodyOf(count + 2, 150)]);
    }
    expect(count).toBe(7);
  });

  test('stops a walk on request', async () => {
    const journal = await make();
    await journal.append([bodyOf(1), bodyOf(2), bodyOf(3)]);
    const controller = new AbortController();
    const walk = async (): Promise<void> => {
      for await (const _ of journal.records(undefined, { signal: controller.signal })) {
        controller.abort(new Error('enough'));
      }
    };
    await expect(walk()).rejects.toMatchObject({ code: 'ABORTED', cause: new Error('enough') });
  });

  test('refuses a body whose lines could be taken for frames, and writes nothing of that call', async () => {
    const journal = await make();
    const before = journal.size;
    for (const text of ['', 'no newline', '#1 00000000\n', '{}\n#1 00000000\n']) {
      await expect(journal.append([bodyOf(1), Buffer.from(text)])).rejects.toMatchObject({
        code: 'INVALID_INPUT',
      });
    }
    expect(await journal.append([])).toEqual([]);
    expect(journal.size).toBe(before);
    expect(await transactionsOf(journal)).toEqual([]);
  });

  test('is replaced as a whole by a rewrite, made from its own records', async () => {
    const journal = await make();
    for (let tx = 1; tx <= 20; tx += 1) await journal.append([bodyOf(tx, 60)]);
    const { size, generation } = journal;
    async function* even(): AsyncGenerator<Buffer> {
      for await (const { body } of journal.records()) {
        if (Number(/"tx":(\d+)/.exec(body.toString())?.[1]) % 2 === 0) yield body;
      }
    }
    await journal.rewrite(even());
    expect(await transactionsOf(journal)).toEqual([2, 4, 6, 8, 10, 12, 14, 16, 18, 20]);
    expect(journal.size).toBeLessThan(size);
    expect(journal.generation).toBe(generation + 1);
    const [at] = await journal.append([bodyOf(21)]);
    expect(journal.read(at ?? expect.fail())).toEqual(bodyOf(21));
    await journal.rewrite([]);
    expect(await transactionsOf(journal)).toEqual([]);
  });

  test('stays as it was when the source of a rewrite fails, and says what the source said', async () => {
    const journal = await make();
    await journal.append([bodyOf(1)]);
    const failure = new Error('no more');
    function* broken(): Generator<Buffer> {
      yield bodyOf(5);
      throw failure;
    }
    await expect(journal.rewrite(broken())).rejects.toBe(failure);
    await journal.append([bodyOf(2)]);
    expect(await transactionsOf(journal)).toEqual([1, 2]);
  });

  test('lets an append wait for a running rewrite, and refuses a second one', async () => {
    const journal = await make();
    await journal.append([bodyOf(1)]);
    const rewriting = journal.rewrite([bodyOf(7)]);
    const appending = journal.append([bodyOf(8)]);
    await expect(journal.rewrite([])).rejects.toMatchObject({ code: 'CONFLICT' });
    await rewriting;
    const [at] = await appending;
    expect(journal.read(at ?? expect.fail())).toEqual(bodyOf(8));
    expect(await transactionsOf(journal)).toEqual([7, 8]);
  });

  test('ends a walk that a rewrite has overtaken', async () => {
    const journal = await make();
    await journal.append([bodyOf(1), bodyOf(2)]);
    const walk = async (): Promise<void> => {
      for await (const _ of journal.records()) await journal.rewrite([bodyOf(3), bodyOf(4)]);
    };
    await expect(walk()).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  test('refuses every verb once closed', async () => {
    const journal = await make();
    const [at] = await journal.append([bodyOf(1)]);
    const closing = journal.rewrite([bodyOf(2)]);
    await Promise.all([closing, journal.close(), journal.close()]);
    const closed = { code: 'STORE_CLOSED' };
    await expect(journal.append([bodyOf(2)])).rejects.toMatchObject(closed);
    await expect(journal.rewrite([])).rejects.toMatchObject(closed);
    await expect(textsOf(journal)).rejects.toMatchObject(closed);
    expect(() => journal.read(at ?? expect.fail())).toThrow(expect.objectContaining(closed));
  });
});

test('the journal in memory has the offsets of one in a file', async () => {
  const inMemory = memoryJournal();
  const inFile = await openFileJournal(join(temporaryFolder(), 'journal'));
  for (const bodies of [[bodyOf(1)], [bodyOf(2, 500), bodyOf(3)], [bodyOf(4)]]) {
    expect(await inMemory.append(bodies)).toEqual(await inFile.append(bodies));
  }
  expect(inMemory.size).toBe(inFile.size);
  await Promise.all([
    inMemory.rewrite([bodyOf(9), bodyOf(8)]),
    inFile.rewrite([bodyOf(9), bodyOf(8)]),
  ]);
  expect(inMemory.size).toBe(inFile.size);
  await inFile.close();
});
