import { describe, expect, test } from 'vitest';
import type { EventSource } from '../../lib/index.js';
import { objectsOf, remembering, SHOP, textsOf, Watch } from './remembering.js';

describe('events', () => {
  test('are found by their words, their day and who said them', async () => {
    const memory = await remembering();
    const shop = memory.in(SHOP);
    await shop.ingest([
      {
        session: 'a',
        seq: 0,
        role: 'user',
        speaker: 'Ana',
        text: 'The deploys fail.',
        at: '2025-05-02T10:00Z',
      },
    ]);
    await shop.ingest([
      {
        session: 'b',
        seq: 0,
        role: 'user',
        speaker: 'Bo',
        text: 'Tea is ready.',
        at: '2025-06-09T10:00Z',
      },
    ]);
    const found = async (query: string) => textsOf((await shop.search(query)).hits);
    expect(await found('deploying')).toEqual(['The deploys fail.']);
    expect(await found('what did Bo say')).toEqual(['Tea is ready.']);
    expect(await found('5月2日 说了什么')).toEqual(['The deploys fail.']);
  });

  test('said beside a match are found with it, in the same session only', async () => {
    const memory = await remembering();
    const shop = memory.in(SHOP);
    const at = '2025-05-02';
    await shop.ingest([
      { session: 'a', seq: 0, role: 'user', text: 'Which bicycle did I buy?', at },
      { session: 'a', seq: 3, role: 'assistant', text: 'The green one.', at },
      { session: 'a', seq: 9, role: 'user', text: 'Goodbye.', at },
    ]);
    await shop.ingest([{ session: 'b', seq: 1, role: 'user', text: 'Hello again.', at }]);
    const { hits } = await shop.search('bicycle');
    expect(textsOf(hits)).toEqual(['Which bicycle did I buy?', 'The green one.']);
  });

  test('come in any order within a session and keep their neighbours', async () => {
    const memory = await remembering();
    const shop = memory.in(SHOP);
    const said = (seq: number, text: string) =>
      shop.ingest([{ session: 'a', seq, role: 'user', text, at: '2025-05-02' }]);
    await said(10, 'Nothing of note.');
    expect(textsOf((await shop.search('note')).hits)).toEqual(['Nothing of note.']);
    await said(2, 'The green one.');
    await said(1, 'Which bicycle?');
    expect(textsOf((await shop.search('bicycle')).hits)).toEqual([
      'Which bicycle?',
      'The green one.',
    ]);
  });

  test('are marked with what has replaced what they said', async () => {
    const memory = await remembering();
    const shop = memory.in(SHOP);
    await shop.ingest([
      { session: 'a', seq: 0, role: 'user', text: 'We keep orders in SQLite.', at: '2024-01-10' },
      { session: 'a', seq: 1, role: 'user', text: 'Orders come in all day.', at: '2024-01-10' },
    ]);
    const cite = (session: string, seq: number, at: string) => [
      { session, seq, role: 'user' as const, at },
    ];
    await shop.assert({
      subject: 'shop',
      predicate: 'database',
      object: 'SQLite',
      validFrom: '2024-01-10',
      evidence: cite('a', 0, '2024-01-10'),
    });
    const first = await shop.search('orders');
    expect(first.hits.flatMap((h) => (h.kind === 'event' ? [h.superseded.length] : []))).toEqual([
      0, 0,
    ]);
    await shop.assert({
      subject: 'shop',
      predicate: 'database',
      object: 'Postgres',
      validFrom: '2025-06-01',
      evidence: cite('b', 0, '2025-06-02'),
    });
    const marks = async (validAt: string) => {
      const { hits } = await shop.search('orders', { validAt });
      return hits.flatMap((h) =>
        h.kind === 'event'
          ? h.superseded.map(({ fact, by }) => [h.seq, fact.object, by.map((f) => f.object)])
          : [],
      );
    };
    expect(await marks('2025-12-01')).toEqual([[0, 'SQLite', ['Postgres']]]);
    expect(await marks('2024-12-01')).toEqual([]);
    const { text } = await shop.recall('orders');
    expect(text).toContain('superseded: "shop" database "SQLite"');
    expect(text).toContain('now "shop" database "Postgres"');
  });

  test('are evidence: without facts there is no belief among the hits', async () => {
    const memory = await remembering();
    const shop = memory.in(SHOP);
    await shop.ingest([{ session: 'a', seq: 0, role: 'user', text: 'Ana owns the shop.' }]);
    const { hits, status } = await shop.search('who owns the shop');
    expect(status).toBe('found');
    expect(objectsOf(hits)).toEqual([]);
    expect((await shop.search('who owns the shop', { events: false })).status).toBe('no-evidence');
  });

  test('taken in later were not known before', async () => {
    const watch = new Watch('2026-01-01T12:00:00Z');
    const memory = await remembering({ watch });
    const shop = memory.in(SHOP);
    await shop.assert({ subject: 'shop', predicate: 'uses', object: 'Kafka' });
    const { tx } = await shop.assert({ subject: 'shop', predicate: 'uses', object: 'Redis' });
    watch.set('2026-02-01T12:00:00Z');
    // It tells of the past, but nobody had told it by then.
    await shop.ingest([
      { session: 'a', seq: 0, role: 'user', text: 'The broker is slow.', at: '2025-03-01' },
    ]);
    watch.set('2026-03-01T12:00:00Z');
    await shop.assert({ subject: 'shop', predicate: 'uses', object: 'Nats' });
    const found = async (knownAt: string | { tx: number } | undefined) =>
      textsOf((await shop.search('broker slow', { knownAt })).hits);
    expect(await found(undefined)).toEqual(['The broker is slow.']);
    expect(await found('2026-02-15')).toEqual(['The broker is slow.']);
    expect(await found('2026-01-15')).toEqual([]);
    expect(await found({ tx: tx - 1 })).toEqual([]);
    const seen = async (known: string | { tx: number }) =>
      textsOf((await shop.asOf({ known }).search('broker slow')).hits);
    expect(await seen('2026-02-15')).toEqual(['The broker is slow.']);
    expect(await seen('2026-01-15')).toEqual([]);
  });

  test('said outside of an asked interval are left out', async () => {
    const memory = await remembering();
    const shop = memory.in(SHOP);
    await shop.ingest([
      { session: 'a', seq: 0, role: 'user', text: 'Rain in March.', at: '2025-03-05' },
      { session: 'a', seq: 1, role: 'user', text: 'Rain in May.', at: '2025-05-05' },
      { session: 'a', seq: 2, role: 'user', text: 'Rain, some day.' },
    ]);
    const { hits } = await shop.search('rain', { during: { from: '2025-05', to: '2025-06' } });
    expect(textsOf(hits)).toEqual(['Rain in May.']);
  });
});

test.each([
  ['others cite in a session of the same name', { org: 'other' }, 0],
  ['was cited of a long session since', SHOP, 0],
  ['was cited of a session with numbers beyond 32 bits', SHOP, 2 ** 40 + 7],
])('what %s hides no mark', async (_what, scope, seq) => {
  const memory = await remembering();
  const shop = memory.in(SHOP);
  const said = { session: 'a', seq, role: 'user' as const };
  await shop.ingest([{ ...said, text: 'The database is SQLite.', at: '2025-01-01' }]);
  await shop.assert({
    subject: 'shop',
    predicate: 'database',
    object: 'SQLite',
    validFrom: '2025-01-01',
    observedAt: '2025-01-01',
    evidence: [said],
  });
  await shop.assert({
    subject: 'shop',
    predicate: 'database',
    object: 'Postgres',
    validFrom: '2025-06-01',
    evidence: [{ ...said, session: 'b' }],
  });
  await memory.in(scope).transact((t) => {
    for (let i = 1; i <= 2_100; i++) {
      const evidence = [{ ...said, seq: seq + i }];
      t.assert({ subject: 'x', predicate: 'uses', object: `y${i}`, evidence });
    }
  });
  const { hits } = await shop.search('SQLite database');
  const [event] = hits.filter((hit) => hit.kind === 'event');
  expect(event?.superseded).toMatchObject([{ by: [{ object: 'Postgres' }] }]);
});

describe('events whose text the host keeps', () => {
  /** Written in parts, so that no scanner takes it for a real one. */
  const KEY = ['ghp', 'q8Zr2LmV5tKx9WbN3cYd7FhJ1sGp4RuT6aEo'].join('_');
  const TEXTS = new Map([
    ['a#0', 'We keep orders in SQLite.'],
    ['a#1', `My key is ${KEY} and orders grow.`],
    ['b#0', 'Orders of another user.'],
  ]);
  const source = (search: boolean): EventSource => ({
    read: async (session, seq) => {
      const text = TEXTS.get(`${session}#${seq}`);
      if (text === undefined) return null;
      return { session, seq, text, at: null, role: 'user', speaker: null, turn: null };
    },
    ...(search
      ? {
          search: async (query: string) =>
            [...TEXTS.entries(), ['gone#0', 'orders'] as const].flatMap(([name, text], i) => {
              const [session = '', seq = ''] = name.split('#');
              const isHit = text.toLowerCase().includes(query);
              return isHit ? [{ session, seq: Number(seq), score: 10 - i }] : [];
            }),
        }
      : {}),
  });

  const taken = async (
    has: boolean,
    search?: EventSource['search'],
    read?: EventSource['read'],
  ) => {
    let isTaken = false;
    const whole = source(has);
    const memory = await remembering({
      ingest: {
        events: 'reference',
        source: {
          ...whole,
          ...(search === undefined ? {} : { search }),
          read: (...asked) =>
            isTaken && read !== undefined ? read(...asked) : whole.read(...asked),
        },
      },
    });
    const shop = memory.in(SHOP);
    const event = (session: string, seq: number) => ({
      session,
      seq,
      role: 'user' as const,
      text: TEXTS.get(`${session}#${seq}`) ?? 'orders',
      at: '2025-05-01',
    });
    await shop.ingest([event('a', 0), event('a', 1)]);
    await shop.ingest([event('gone', 0)]);
    await memory.in({ org: 'other' }).ingest([event('b', 0)]);
    isTaken = true;
    return shop;
  };

  test('are found by its own search, read from it, and only where they may be seen', async () => {
    const shop = await taken(true);
    const { hits } = await shop.search('orders');
    expect(textsOf(hits)).toHaveLength(2);
    expect(textsOf(hits)[0]).toBe('We keep orders in SQLite.');
    expect(textsOf(hits)[1]).not.toContain(KEY);
    const past = await shop.search('orders', { during: { to: '2025-01-01' } });
    expect(past.hits).toEqual([]);
  });

  test('are weighed among those in sight, whatever the host says of others', async () => {
    const ask = async (others: readonly { session: string; seq: number; score: number }[]) => {
      const search: EventSource['search'] = async () => [
        ...others,
        { session: 'a', seq: 0, score: 3 },
        { session: 'a', seq: 1, score: 1 },
      ];
      const shop = await taken(true, search);
      await shop.transact((t) => {
        for (let i = 0; i < 50; i++)
          t.assert({ subject: `p ${i}`, predicate: 'uses', object: 'x' });
      });
      const { hits, status } = await shop.search('orders');
      return JSON.stringify([status, hits]);
    };
    const alone = await ask([]);
    expect(alone).toContain('found');
    expect(await ask([{ session: 'b', seq: 0, score: 9_000 }])).toBe(alone);
  });

  test.each<[string, () => unknown]>([
    ['no list', () => 5],
    ['no names', () => [null, { session: 4 }]],
    ['no scores', () => [{ session: 'a', seq: 0, score: Number.NaN }]],
  ])('whose search gives %s: the rest is found, and the answer says so', async (_what, give) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a host that does not keep its word
    const search = (async () => give()) as unknown as NonNullable<EventSource['search']>;
    const shop = await taken(true, search);
    await shop.assert({ subject: 'shop', predicate: 'uses', object: 'orders' });
    const { status, hits, problems } = await shop.recall('orders');
    expect(status).toBe('found');
    expect(hits).toHaveLength(1);
    expect(problems).toEqual(['The host answered with what is no list of events and scores.']);
  });

  test('which is not read in time: the time is up, and the rest is there', async () => {
    const search: EventSource['search'] = async () => [{ session: 'a', seq: 0, score: 3 }];
    const shop = await taken(true, search, () => new Promise(() => undefined));
    await shop.assert({ subject: 'shop', predicate: 'uses', object: 'orders' });
    const { status, hits } = await shop.recall('orders', { deadlineMs: 300 });
    expect(status).toBe('timed-out');
    expect(textsOf(hits)).toEqual([]);
    expect(hits).toHaveLength(1);
  });

  test('are not found where the host has no search', async () => {
    const shop = await taken(false);
    expect((await shop.search('orders')).status).toBe('no-evidence');
  });
});
