import { describe, expect, test } from 'vitest';
import { objectsOf, remembering, SHOP } from './remembering.js';
import { withVectors } from './with-vectors.js';

describe('a deadline', () => {
  test.each([3_000_000_000, 1e13])(
    'of %d ms is further off than anybody waits',
    async (deadlineMs) => {
      const memory = await remembering();
      const shop = memory.in(SHOP);
      await shop.assert({ subject: 'shop', predicate: 'uses', object: 'Kafka' });
      expect((await shop.search('Kafka', { deadlineMs })).status).toBe('found');
    },
  );

  test('that has passed gives timed-out, never nothing found', async () => {
    const memory = await remembering();
    const shop = memory.in(SHOP);
    await shop.assert({ subject: 'shop', predicate: 'uses', object: 'Kafka' });
    const { status, text, hits } = await shop.recall('Kafka', { deadlineMs: 0 });
    expect(status).toBe('timed-out');
    expect(hits).toEqual([]);
    expect(text).toContain('The time was up');
    expect((await shop.recall('Kafka')).status).toBe('found');
  });

  test('that comes while the embedder thinks gives what the words found', async () => {
    const { shop } = await withVectors({
      search: (_query, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')));
        }),
    });
    const { status, hits } = await shop.search('Kafka', { deadlineMs: 60 });
    expect(status).toBe('timed-out');
    expect(objectsOf(hits)).toEqual(['Kafka']);
  });
});

describe('a signal', () => {
  test('that is aborted already ends the search', async () => {
    const memory = await remembering();
    const search = memory.in(SHOP).search('Kafka', { signal: AbortSignal.abort() });
    await expect(search).rejects.toMatchObject({ code: 'ABORTED' });
  });

  test('that aborts while the embedder thinks ends it too', async () => {
    const controller = new AbortController();
    const { shop } = await withVectors({
      search: (_query, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')));
          controller.abort();
        }),
    });
    const search = shop.search('Kafka', { signal: controller.signal });
    await expect(search).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

describe('the leg of meaning', () => {
  test('adds what no word of the question finds, and only what may be shown', async () => {
    const { shop } = await withVectors({
      search: async (_query, { acceptClaim }) => ({
        claims: [0, 1, 2, 3, 99].filter(acceptClaim).map((id) => ({ id, score: 0.9 - id / 10 })),
        events: [],
        problem: null,
      }),
    });
    const { hits } = await shop.search('message broker', { trace: true });
    expect(objectsOf(hits)).toEqual(['Kafka', 'Redis']);
    expect(hits[0]?.scores).toEqual({ lexical: null, vector: 1, graph: null });
  });

  test('that fails leaves the words, and says why', async () => {
    const { shop } = await withVectors({ search: () => Promise.reject(new Error('It is away.')) });
    const { status, hits, problems } = await shop.search('Kafka');
    expect(status).toBe('found');
    expect(objectsOf(hits)).toEqual(['Kafka']);
    expect(problems).toEqual(['It is away.']);
  });
});

test('a closed memory cannot be searched', async () => {
  const memory = await remembering();
  const shop = memory.in(SHOP);
  await memory.close();
  await expect(shop.search('Kafka')).rejects.toMatchObject({ code: 'STORE_CLOSED' });
});
