import { describe, expect, test } from 'vitest';
import type { ChangeSet } from '../../lib/index.js';
import { counts, objects, opened, refused, saying, SHOP } from './opened.js';

const red = saying('+red', { from: '2020', to: '∞', said: '2020' });
const blue = saying('+blue', { from: '2022', to: '∞', said: '2022' });

describe('transact', () => {
  test('several verbs are one transaction', async () => {
    const shop = (await opened()).in(SHOP);
    const first = await shop.assert(red);
    const result = await shop.transact(
      (t) => {
        t.assert(blue);
        t.correct({ was: first.claims[0]!, validFrom: '2019', observedAt: '2020' });
        t.assert({ subject: 'shop', predicate: 'owner', object: 'Ana' });
        t.entities.declare({ name: 'Bo', type: 'person' });
        t.entities.alias('it', 'that');
      },
      { reason: 'Monday', actor: 'ana' },
    );
    expect([result.tx, result.claims.length]).toEqual([first.tx + 1, 3]);
    const sets = await shop.changes({ from: { tx: first.tx } }).toArray();
    expect(sets.map((s) => [s.tx, s.reason, s.actor])).toEqual([[result.tx, 'Monday', 'ana']]);
    expect(objects(await shop.facts({ subject: 'that', during: {} }))).toEqual(['blue', 'red']);
  });

  test.each([
    [
      'a reversed interval',
      (t: Parameters<Parameters<Awaited<ReturnType<typeof shopOf>>['transact']>[0]>[0]) =>
        t.assert({ ...red, validTo: '2010' }),
      'INVALID_INTERVAL validTo',
    ],
    [
      'a correction of nothing',
      (t) => t.correct({ was: `c_${'0'.repeat(32)}`, object: 'x' }),
      'NOT_FOUND was',
    ],
    [
      'an end of nothing',
      (t) => t.end({ subject: 'nobody', predicate: 'is', at: '2020' }),
      'NOT_FOUND subject',
    ],
    ['a merge of nobody', (t) => t.entities.merge('nobody', 'it'), 'NOT_FOUND from'],
    ['a bad name', (t) => t.entities.alias('it', ''), 'INVALID_NAME alias'],
  ])('%s in the third verb leaves nothing of the others', async (_what, third, error) => {
    const memory = await opened();
    const shop = memory.in(SHOP);
    await shop.assert(red);
    const before = await counts(memory);
    const work = (dryRun: boolean) => () =>
      shop.transact(
        (t) => {
          t.assert(blue);
          t.assert({ subject: 'new', predicate: 'is', object: 'x' });
          third(t);
        },
        { dryRun },
      );
    expect(await refused(work(true))).toBe(error);
    expect(await refused(work(false))).toBe(error);
    expect(await counts(memory)).toEqual(before);
    expect(await shop.entities.resolve('new')).toEqual([]);
    expect(objects(await shop.facts({ predicate: 'is' }))).toEqual(['red']);
  });

  test('nothing in it writes nothing', async () => {
    const memory = await opened();
    const before = await counts(memory);
    expect(await memory.in(SHOP).transact(() => undefined)).toMatchObject({
      committed: false,
      noEffect: { why: 'nothing-to-change' },
    });
    expect(await counts(memory)).toEqual(before);
  });

  test('it takes a function, and not an async one', async () => {
    const shop = (await opened()).in(SHOP);
    expect(await refused(() => shop.transact(async () => Promise.resolve()))).toBe(
      'INVALID_INPUT collect',
    );
    // @ts-expect-error it takes a function
    expect(await refused(() => shop.transact({}))).toBe('INVALID_INPUT collect');
  });

  test('two merges that say the same from both ends are one', async () => {
    const shop = (await opened()).in(SHOP);
    for (const name of ['a', 'b', 'c']) await shop.entities.declare({ name });
    await shop.transact((t) => {
      t.entities.merge('a', 'b');
      t.entities.merge('b', 'a');
      t.entities.merge('a', 'c');
    });
    const ids = await Promise.all(
      ['a', 'b', 'c'].map(async (n) => (await shop.entities.resolve(n)).map((e) => e.name)),
    );
    expect(ids).toEqual([['c'], ['c'], ['c']]);
  });
});

const shopOf = async () => (await opened()).in(SHOP);

describe('watch', () => {
  test('sees each commit once, in order, from the call on', async () => {
    const memory = await opened();
    const shop = memory.in(SHOP);
    await shop.assert({ subject: 'before', predicate: 'is', object: 'x' });
    const stop = new AbortController();
    const watched = shop.watch({ signal: stop.signal });
    await shop.assert({ subject: 'early', predicate: 'is', object: 'x' });
    const seen: ChangeSet[] = [];
    const reading = (async () => {
      for await (const set of watched) {
        seen.push(set);
        if (seen.length === 4) stop.abort();
      }
    })();
    await Promise.all(
      ['a', 'b', 'c'].map((subject) => shop.assert({ subject, predicate: 'is', object: 'x' })),
    );
    await reading;
    expect(seen.map((s) => s.opened[0]?.subject.name)).toEqual(['early', 'a', 'b', 'c']);
    expect(seen).toEqual(await shop.changes({ from: { tx: seen[0]!.tx - 1 } }).toArray());
  });

  test('passes over what is not seen from here, and what changes nothing', async () => {
    const memory = await opened();
    const shop = memory.in(SHOP);
    const stop = new AbortController();
    const watched = shop.watch({ signal: stop.signal })[Symbol.asyncIterator]();
    const next = watched.next();
    await memory.in({ org: 'acme', project: 'other' }).assert(red);
    await memory.in({ org: 'other', project: 'shop' }).assert(red);
    await shop.assert(saying('-green', { from: '2020', to: '∞', said: '2020' }));
    await shop.assert(blue, { dryRun: true });
    const last = await shop.assert(blue);
    expect((await next).value).toMatchObject({ tx: last.tx });
    stop.abort();
    expect(await watched.next()).toEqual({ done: true, value: undefined });
  });

  test('ends when it is aborted while it waits, or had been before', async () => {
    const shop = (await opened()).in(SHOP);
    const stop = new AbortController();
    const waiting = shop.watch({ signal: stop.signal }).toArray();
    stop.abort();
    expect(await waiting).toEqual([]);
    expect(await shop.watch({ signal: stop.signal }).toArray()).toEqual([]);
  });

  test('ends when the memory closes', async () => {
    const memory = await opened();
    const waiting = memory.in(SHOP).watch().toArray();
    await memory.close();
    expect(await waiting).toEqual([]);
  });

  test('several watchers see the same', async () => {
    const memory = await opened();
    const shop = memory.in(SHOP);
    const stop = new AbortController();
    const both = [shop.watch({ signal: stop.signal }), shop.watch({ signal: stop.signal })].map(
      (w) => w.toArray(),
    );
    await shop.assert(red);
    await shop.assert(blue);
    await new Promise((done) => setTimeout(done, 5));
    stop.abort();
    const [first, second] = await Promise.all(both);
    expect(first).toHaveLength(2);
    expect(second).toEqual(first);
  });
});

describe('changes', () => {
  test('what each transaction opened and closed, after one known time and up to another', async () => {
    const shop = (await opened()).in(SHOP);
    const first = await shop.assert(red);
    const second = await shop.assert(blue);
    const all = await shop.changes().toArray();
    expect(all.map((s) => [s.tx, s.opened.length, s.closed.length])).toEqual([
      [first.tx, 1, 0],
      [second.tx, 2, 1],
    ]);
    const tx = async (range: Parameters<typeof shop.changes>[0]): Promise<number[]> =>
      (await shop.changes(range).toArray()).map((s) => s.tx);
    expect(await tx({ from: { tx: first.tx } })).toEqual([second.tx]);
    expect(await tx({ to: { tx: first.tx } })).toEqual([first.tx]);
    expect(await tx({ from: first.at, to: second.at })).toEqual([second.tx]);
    expect(
      await shop
        .asOf({ known: { tx: first.tx } })
        .changes()
        .toArray(),
    ).toEqual([all[0]]);
    expect(await refused(() => tx({ from: { tx: second.tx }, to: { tx: first.tx } }))).toBe(
      'INVALID_INTERVAL to',
    );
  });
});

test('a verb that comes after the transaction is refused, and not lost in silence', async () => {
  const shop = (await opened()).in(SHOP);
  const kept: {
    assert: (input: { subject: string; predicate: string; object: string }) => void;
  }[] = [];
  await shop.transact((t) => {
    kept.push(t);
    t.assert({ subject: 'shop', predicate: 'uses', object: 'now' });
  });
  expect(() => kept[0]?.assert({ subject: 'shop', predicate: 'uses', object: 'late' })).toThrow(
    'The transaction has run already.',
  );
});
