import { describe, expect, test } from 'vitest';
import { objectsOf, remembering, SHOP, textsOf } from './remembering.js';

const homes = async () => {
  const memory = await remembering({ timeZone: 'Asia/Shanghai' });
  const shop = memory.in(SHOP);
  for (const [object, validFrom] of [
    ['上海', '2023-03-01'],
    ['北京', '2024-06-01'],
    ['深圳', '2025-09-01'],
  ] as const) {
    await shop.assert({
      subject: '小王',
      predicate: 'home',
      object,
      validFrom,
      observedAt: validFrom,
      statement: `小王住在${object}。`,
    });
  }
  return shop;
};

describe('the time in a question', () => {
  test.each([
    ['小王现在住在哪里？', ['深圳'], 'now'],
    ['小王2024年3月5日住在哪里？', ['上海'], 'question'],
    ['小王去年住在哪里？', ['北京', '深圳'], 'question'],
    ['小王前年住在哪里？', ['上海', '北京'], 'question'],
    ['Where did 小王 live on 5 March 2024?', ['上海'], 'question'],
    ['Where did 小王 live in 2023?', ['上海'], 'question'],
  ] as const)('%s', async (query, objects, from) => {
    const shop = await homes();
    const { hits, asOf } = await shop.search(query);
    expect(objectsOf(hits).toSorted()).toEqual([...objects].toSorted());
    expect(asOf.from).toBe(from);
  });

  test('says which point or window it means, in the zone of the space', async () => {
    const shop = await homes();
    expect((await shop.search('小王2024年3月5日住在哪里？')).asOf).toMatchObject({
      validAt: '2024-03-05T15:59:59.999Z',
      during: null,
      read: ['2024年3月5日'],
    });
    expect((await shop.search('小王前年住在哪里？')).asOf).toMatchObject({
      validAt: null,
      during: { from: '2023-12-31T16:00:00.000Z', to: '2024-12-31T16:00:00.000Z' },
      read: ['前年'],
    });
  });

  test('gives way to the time that is given, and can be left unread', async () => {
    const shop = await homes();
    const given = await shop.search('小王前年住在哪里？', { validAt: '2025-12-01' });
    expect(objectsOf(given.hits)).toEqual(['深圳']);
    expect(given.asOf).toMatchObject({ from: 'given', read: [] });
    const view = await shop.asOf({ valid: '2023-12-01' }).search('小王前年住在哪里？');
    expect(objectsOf(view.hits)).toEqual(['上海']);
    const unread = await shop.search('小王前年住在哪里？', { timeFromQuery: false });
    expect(objectsOf(unread.hits)).toEqual(['深圳']);
  });

  test('which is not over asks for what holds now', async () => {
    const shop = await homes();
    const { hits } = await shop.search('小王今年住在哪里？');
    expect(objectsOf(hits)).toEqual(['深圳']);
  });

  test('raises what was said then', async () => {
    const memory = await remembering();
    const shop = memory.in(SHOP);
    await shop.ingest([
      { session: 'a', seq: 0, role: 'user', text: '今天去了公园。', at: '2025-05-02T10:00Z' },
    ]);
    await shop.ingest([
      { session: 'b', seq: 0, role: 'user', text: '公园很美，公园很大。', at: '2025-06-02T10:00Z' },
    ]);
    expect(textsOf((await shop.search('公园')).hits)[0]).toBe('公园很美，公园很大。');
    expect(textsOf((await shop.search('5月2日的公园')).hits)[0]).toBe('今天去了公园。');
  });
});

test('an instant and an interval exclude each other', async () => {
  const shop = await homes();
  const both = shop.search('小王', { validAt: '2024', during: { from: '2024' } });
  await expect(both).rejects.toMatchObject({ code: 'INVALID_INPUT', field: 'during' });
  const empty = shop.search('小王', { during: { from: '2024', to: '2024' } });
  await expect(empty).rejects.toMatchObject({ code: 'INVALID_INTERVAL', field: 'during.to' });
});

test.each([
  ['an empty question', '  ', {}],
  ['an unknown option', 'x', { depth: 3 }],
  ['a floor above 1', 'x', { floor: 2 }],
])('%s is refused', async (_what, query, options) => {
  const shop = await homes();
  const careless: object = options;
  await expect(shop.search(query, careless)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
});

test('the words of the time need not stand in what is found', async () => {
  const memory = await remembering();
  const shop = memory.in(SHOP);
  await shop.transact((t) => {
    for (let i = 0; i < 1_500; i++) {
      t.assert({
        subject: `part ${i}`,
        predicate: 'uses',
        object: `kind ${i % 40}`,
        validFrom: '2020',
      });
    }
  });
  await shop.assert({
    subject: 'shop',
    predicate: 'database',
    object: 'SQLite',
    validFrom: '2020',
  });
  const found = async (query: string) => objectsOf((await shop.search(query)).hits);
  expect(await found('Which database was it on 5 May 2024?')).toEqual(['SQLite']);
  expect(await found('Which database was it between 5 May 2024 and 7 August 2024?')).toEqual([
    'SQLite',
  ]);
});
