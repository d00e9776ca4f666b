import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.js';
import { objectsOf, remembering, SHOP, Watch } from './remembering.js';

const moved = async (watch = new Watch('2026-01-01T12:00:00Z')) => {
  const memory = await remembering({ watch });
  const shop = memory.in(SHOP);
  await shop.assert({
    subject: 'shop',
    predicate: 'database',
    object: 'SQLite',
    validFrom: '2024-01-10',
    statement: 'The shop keeps its orders in SQLite.',
  });
  watch.now += 1000;
  await shop.assert({
    subject: 'shop',
    predicate: 'database',
    object: 'Postgres',
    validFrom: '2025-06-01',
    statement: 'Orders are in Postgres.',
  });
  return { memory, shop };
};

describe('what is believed', () => {
  test('is found by the words of a statement which it has overruled', async () => {
    const { shop } = await moved();
    const { hits } = await shop.search('does the shop keep orders in SQLite?');
    expect(objectsOf(hits)).toEqual(['Postgres']);
  });

  test('is what held at the asked instant', async () => {
    const { shop } = await moved();
    const { hits, asOf } = await shop.search('orders in Postgres', { validAt: '2024-06-01' });
    expect(objectsOf(hits)).toEqual(['SQLite']);
    expect(asOf).toMatchObject({ validAt: '2024-06-01T00:00:00.000Z', from: 'given' });
  });

  test('is what was believed at the asked transaction', async () => {
    const { shop } = await moved();
    const before = await shop.search('which database', { knownAt: { tx: 2 } });
    expect(objectsOf(before.hits)).toEqual(['SQLite']);
    expect(before.asOf.knownAt.tx).toBe(2);
    const view = shop.asOf({ known: { tx: 2 } });
    expect(objectsOf((await view.search('which database')).hits)).toEqual(['SQLite']);
  });

  test('takes no place before it holds', async () => {
    const { shop } = await moved();
    const { hits, status } = await shop.search('which database', { validAt: '2023-05-01' });
    expect(hits).toEqual([]);
    expect(status).toBe('no-evidence');
  });

  test('is what holds at some time within an asked interval, the best first', async () => {
    const { shop } = await moved();
    const { hits, asOf } = await shop.search('Postgres or SQLite', {
      during: { from: '2025-01', to: '2026-01' },
    });
    expect(objectsOf(hits).toSorted()).toEqual(['Postgres', 'SQLite']);
    expect(asOf).toMatchObject({
      validAt: null,
      during: { from: '2025-01-01T00:00:00.000Z', to: '2026-01-01T00:00:00.000Z' },
    });
  });

  test('is gone with a claim that was taken back, and its words find nothing', async () => {
    const { shop } = await moved();
    const { claims } = await shop.assert({
      subject: 'shop',
      predicate: 'uses',
      object: 'Kafka',
      statement: 'Events run through a broker called Kafka.',
    });
    expect(objectsOf((await shop.search('broker Kafka')).hits)).toContain('Kafka');
    await shop.retract(claims[0]!);
    expect(objectsOf((await shop.search('broker Kafka')).hits)).toEqual([]);
  });

  test('is led to by what was corrected', async () => {
    const { shop } = await moved();
    const { opened } = await shop.assert({
      subject: 'ana',
      predicate: 'home',
      object: 'London',
      validFrom: '2024',
    });
    await shop.correct({ was: opened[0]!, object: 'Paris' });
    const { hits } = await shop.search('London');
    expect(objectsOf(hits)).toEqual(['Paris']);
  });

  test('has sources, the latest first, and what people read', async () => {
    const memory = await remembering();
    const shop = memory.in(SHOP);
    for (const [seq, at] of [
      [0, '2025-03-01'],
      [4, '2025-05-01'],
    ] as const) {
      await shop.assert({
        subject: 'ana',
        predicate: 'diet',
        object: 'vegan',
        validFrom: '2025',
        statement: `Ana said ${seq} that she eats vegan food.`,
        evidence: [{ session: 's', seq, role: 'user', quote: 'I eat vegan', at }],
      });
    }
    const { hits } = await shop.search('what does ana eat');
    expect(hits).toMatchObject([
      {
        kind: 'fact',
        statement: 'Ana said 4 that she eats vegan food.',
        fact: { certainty: 'presumed', lastConfirmedAt: '2025-05-01T00:00:00.000Z' },
        sources: [
          { session: 's', seq: 4, quote: 'I eat vegan' },
          { session: 's', seq: 0, quote: 'I eat vegan' },
        ],
      },
    ]);
  });

  test('includes what happened by then, and not what is still to come', async () => {
    const memory = await remembering();
    const shop = memory.in(SHOP);
    await shop.assert({
      subject: 'shop',
      predicate: 'released',
      object: 'version 1',
      validFrom: '2025-04-02',
    });
    await shop.assert({
      subject: 'shop',
      predicate: 'released',
      object: 'version 2',
      validFrom: '2026-04-02',
    });
    expect(objectsOf((await shop.search('released version')).hits)).toEqual(['version 1']);
    const day = await shop.search('which version was released on 2025-04-02?');
    expect(objectsOf(day.hits)).toEqual(['version 1']);
    const other = await shop.search('which version was released on 2025-04-03?');
    expect(objectsOf(other.hits)).toEqual([]);
  });
});

describe('scopes', () => {
  test('the narrower one answers for the broader, and says which fact it hides', async () => {
    const memory = await remembering();
    const wide = memory.in({ org: 'acme' });
    const shop = memory.in(SHOP);
    const { opened } = await wide.assert({
      subject: 'backend',
      predicate: 'database',
      object: 'Oracle',
      statement: 'Everybody here runs on Oracle.',
    });
    await shop.assert({ subject: 'backend', predicate: 'database', object: 'Postgres' });
    const { hits } = await shop.search('runs on Oracle');
    expect(objectsOf(hits)).toEqual(['Postgres']);
    expect(hits).toMatchObject([{ fact: { shadows: [opened[0]!.id] } }]);
    expect(objectsOf((await wide.search('runs on Oracle')).hits)).toEqual(['Oracle']);
    expect(
      objectsOf((await memory.in({ org: 'acme', user: 'bo' }).search('Postgres Oracle')).hits),
    ).toEqual(['Oracle']);
  });

  test('a denial in the narrower one leaves nothing to be shown', async () => {
    const memory = await remembering();
    await memory
      .in({ org: 'acme' })
      .assert({ subject: 'backend', predicate: 'uses', object: 'Kafka' });
    const shop = memory.in(SHOP);
    expect(objectsOf((await shop.search('Kafka')).hits)).toEqual(['Kafka']);
    await shop.assert({ subject: 'backend', predicate: 'uses', object: 'Kafka', polarity: 'deny' });
    expect(objectsOf((await shop.search('Kafka')).hits)).toEqual([]);
  });

  test('what another org, user or project holds is neither found nor weighed', async () => {
    const memory = await remembering();
    const mine = memory.in({ org: 'acme', user: 'ana' });
    await mine.assert({
      subject: 'ana',
      predicate: 'home',
      object: 'Oslo',
      statement: 'Ana lives in Oslo.',
    });
    await mine.ingest([{ session: 's', seq: 0, role: 'user', text: 'I moved to Oslo last year.' }]);
    const alone = await mine.search('where is Oslo', { trace: true });
    for (const scope of [
      { org: 'other', user: 'ana' },
      { org: 'acme', user: 'bo' },
      { org: 'acme', project: 'shop' },
    ]) {
      const other = memory.in(scope);
      await other.assert({
        subject: 'ana',
        predicate: 'home',
        object: 'Rome',
        statement: 'Ana left Oslo; Oslo, Oslo, always Oslo.',
      });
      await other.ingest([{ session: 's', seq: 0, role: 'user', text: 'Oslo is where I was.' }]);
    }
    const now = await mine.search('where is Oslo', { trace: true });
    const { asOf: _then, ...before } = alone;
    const { asOf: _now, ...after } = now;
    expect(after).toEqual(before);
    expect(JSON.stringify(now)).not.toContain('Rome');
  });
});

test('a new fact is found by the very next call', async () => {
  const memory = await remembering();
  const shop = memory.in(SHOP);
  for (let i = 0; i < 30; i++) {
    await shop.assert({ subject: 'shop', predicate: 'uses', object: `marker${i}x` });
    expect(objectsOf((await shop.search(`marker${i}x`, { limit: 1 })).hits)).toEqual([
      `marker${i}x`,
    ]);
  }
});

test('the graph at rest gives the same answer', async () => {
  const { shop } = await moved();
  const resident = await shop.search('SQLite');
  const memory = await remembering({ path: temporaryFolder(), graph: 'kuzu', resident: false });
  const other = memory.in(SHOP);
  await other.assert({
    subject: 'shop',
    predicate: 'database',
    object: 'SQLite',
    validFrom: '2024-01-10',
    statement: 'The shop keeps its orders in SQLite.',
  });
  await other.assert({
    subject: 'shop',
    predicate: 'database',
    object: 'Postgres',
    validFrom: '2025-06-01',
    statement: 'Orders are in Postgres.',
  });
  const { hits } = await other.search('SQLite');
  expect(objectsOf(hits)).toEqual(objectsOf(resident.hits));
  expect(hits.map(({ scores }) => scores)).toEqual(resident.hits.map(({ scores }) => scores));
});
