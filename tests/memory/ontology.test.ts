import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import {
  defineOntology,
  entity,
  instant,
  openMemory,
  type EntityRef,
  type InstantValue,
  type ObjectValue,
} from '../../lib/index.js';
import { temporaryFolder } from '../support/folder.js';
import { objects, opened, refused, saying, SHOP, testClock } from './opened.js';

const typed = defineOntology({
  predicates: {
    database: { cardinality: 'one', object: z.enum(['SQLite', 'Postgres']) },
    port: { cardinality: 'one', object: z.number().int() },
    config: {
      cardinality: 'one',
      object: z.object({ host: z.string(), name: z.string().optional() }),
    },
    owner: { cardinality: 'one', object: entity('person') },
    due: { cardinality: 'one', object: instant() },
    role: { properties: z.object({ title: z.string() }) },
    site: { normalise: 'url' },
    loose: {},
  },
});

describe('objects of declared predicates', () => {
  test('come out with the type that was declared', async () => {
    const shop = (await opened({ ontology: typed })).in(SHOP);
    await shop.assert({ subject: 'shop', predicate: 'database', object: 'SQLite' });
    await shop.assert({ subject: 'shop', predicate: 'port', object: 5432 });
    await shop.assert({
      subject: 'shop',
      predicate: 'config',
      object: { host: 'db', name: 'main' },
    });
    await shop.assert({ subject: 'shop', predicate: 'owner', object: 'Ana' });
    await shop.assert({ subject: 'shop', predicate: 'due', object: '2026-05' });
    const [database] = await shop.facts({ predicate: 'database' });
    expectTypeOf(database!.object).toEqualTypeOf<'SQLite' | 'Postgres'>();
    expect(database!.object).toBe('SQLite');
    const [port] = await shop.facts({ predicate: 'port' });
    expectTypeOf(port!.object).toEqualTypeOf<number>();
    expect(port!.object + 1).toBe(5433);
    const [config] = await shop.facts({ predicate: 'config' });
    expectTypeOf(config!.object).toEqualTypeOf<{ host: string; name?: string | undefined }>();
    expect(config!.object).toEqual({ host: 'db', name: 'main' });
    expect(
      await shop.facts({ predicate: 'config', object: { name: 'main', host: 'db' } }),
    ).toHaveLength(1);
    expect((await shop.why(config!)).text).toContain('"host":"db"');
    const [owner] = await shop.facts({ predicate: 'owner' });
    expectTypeOf(owner!.object).toEqualTypeOf<EntityRef>();
    expect(owner!.object).toMatchObject({ name: 'Ana', type: 'person' });
    const [due] = await shop.facts({ predicate: 'due' });
    expectTypeOf(due!.object).toEqualTypeOf<InstantValue>();
    expect(due!.object).toEqual({ instant: '2026-05-01T00:00:00.000Z', precision: 'month' });
    const [any] = await shop.facts({ predicate: 'whatever' });
    expectTypeOf(any!).toHaveProperty('object').toEqualTypeOf<ObjectValue>();
  });

  test('must be what was declared', async () => {
    const shop = (await opened({ ontology: typed })).in(SHOP);
    const told = { subject: 'shop' };
    const oracle = { ...told, predicate: 'database', object: 'Oracle' } as const;
    // @ts-expect-error not one of the values
    expect(await refused(() => shop.assert(oracle))).toBe('INVALID_OBJECT object');
    // @ts-expect-error no number
    expect(await refused(() => shop.assert({ ...told, predicate: 'port', object: '5432' }))).toBe(
      'INVALID_OBJECT object',
    );
    const was = (await shop.assert({ ...told, predicate: 'port', object: 5432 })).opened[0]!;
    // @ts-expect-error no number
    expect(await refused(() => shop.correct({ was, predicate: 'port', object: '5433' }))).toBe(
      'INVALID_OBJECT object',
    );
    const over = { ...told, predicate: 'port', object: 'x', at: '2030' } as const;
    // @ts-expect-error no number
    expect(await refused(() => shop.end(over))).toBe('NOT_FOUND subject');
    // @ts-expect-error no host
    expect(await refused(() => shop.assert({ ...told, predicate: 'config', object: {} }))).toBe(
      'INVALID_OBJECT object.host',
    );
    expect(await refused(() => shop.assert({ ...told, predicate: 'due', object: 'soon' }))).toBe(
      'INVALID_INSTANT object',
    );
    const object = 'x';
    expect(
      await refused(() =>
        shop.assert({ ...told, predicate: 'role', object, properties: { title: 7 } }),
      ),
    ).toBe('INVALID_INPUT properties.title');
  });

  test('a normaliser makes two spellings one', async () => {
    const shop = (await opened({ ontology: typed })).in(SHOP);
    await shop.assert({
      subject: 'shop',
      predicate: 'site',
      object: 'https://www.example.org/',
      validFrom: '2020',
    });
    const again = await shop.assert({
      subject: 'shop',
      predicate: 'site',
      object: 'Example.org',
      validFrom: '2020',
    });
    expect(again.noEffect?.why).toBe('confirms');
    expect(await shop.facts({ predicate: 'site', object: 'http://example.org' })).toHaveLength(1);
  });

  test('an undeclared predicate is of many values, unless the ontology is strict', async () => {
    const free = (await opened()).in(SHOP);
    await free.assert(saying('+a', { from: '2020', to: '∞', said: '2020', predicate: 'new' }));
    await free.assert(saying('+b', { from: '2021', to: '∞', said: '2021', predicate: 'new' }));
    expect(objects(await free.facts({ predicate: 'new' }))).toEqual(['a', 'b']);
    const ontology = defineOntology({ strict: true, predicates: { is: {} } });
    const strict = (await opened({ ontology })).in(SHOP);
    await strict.assert({ subject: 'it', predicate: 'is', object: 'x' });
    expect(
      await refused(() => strict.assert({ subject: 'it', predicate: 'was', object: 'x' })),
    ).toBe('UNKNOWN_PREDICATE predicate');
    expect(await strict.facts({ predicate: 'was' })).toEqual([]);
  });
});

describe('an ontology that makes no sense', () => {
  test.each([
    [
      'symmetric and of one value',
      { a: { symmetric: true, cardinality: 'one' } },
      'INVALID_ONTOLOGY ontology.predicates.a',
    ],
    [
      'symmetric with an inverse',
      { a: { symmetric: true, inverse: 'b' } },
      'INVALID_ONTOLOGY ontology.predicates.a',
    ],
    [
      'an event of one value',
      { a: { kind: 'event', cardinality: 'one' } },
      'INVALID_ONTOLOGY ontology.predicates.a',
    ],
    [
      'an inverse that is declared',
      { a: { inverse: 'b' }, b: {} },
      'INVALID_ONTOLOGY ontology.predicates.a.inverse',
    ],
    [
      'an inverse of two',
      { a: { inverse: 'c' }, b: { inverse: 'c' } },
      'INVALID_ONTOLOGY ontology.predicates.b.inverse',
    ],
    [
      'a cardinality of its own',
      { a: { cardinality: 'some' } },
      'INVALID_ONTOLOGY ontology.predicates.a.cardinality',
    ],
    ['an unknown member', { a: { colour: 'red' } }, 'INVALID_ONTOLOGY ontology.predicates.a'],
    ['an empty inverse', { a: { inverse: ' ' } }, 'INVALID_NAME ontology.predicates.a.inverse'],
    [
      'a negative age',
      { a: { staleAfter: { days: -1 } } },
      'INVALID_ONTOLOGY ontology.predicates.a.staleAfter.days',
    ],
  ])('%s', async (_what, predicates, error) => {
    const options = { store: 'memory', graph: 'none', ontology: { predicates } };
    // @ts-expect-error what no compiler would let through
    expect(await refused(() => openMemory(options))).toBe(error);
  });
});

describe('a cardinality that changes later', () => {
  test('is folded anew from then on, and leaves the past as it was', async () => {
    const path = temporaryFolder();
    const clock = testClock();
    const many = defineOntology({ predicates: { is: {} } });
    const one = defineOntology({ predicates: { is: { cardinality: 'one' } } });
    const first = await opened({ path, clock, ontology: many });
    await first.in(SHOP).assert(saying('+red', { from: '2020', to: '∞', said: '2020' }));
    const { tx } = await first
      .in(SHOP)
      .assert(saying('+blue', { from: '2022', to: '∞', said: '2022' }));
    expect(objects(await first.in(SHOP).facts({ predicate: 'is' }))).toEqual(['blue', 'red']);
    await first.close();

    const second = await opened({ path, clock, ontology: one });
    const shop = second.in(SHOP);
    expect(objects(await shop.facts({ predicate: 'is' }))).toEqual(['blue']);
    expect(objects(await shop.facts({ predicate: 'is', validAt: '2021' }))).toEqual(['red']);
    expect(objects(await shop.facts({ predicate: 'is', knownAt: { tx } }))).toEqual([
      'blue',
      'red',
    ]);
    await second.close();

    const third = await opened({ path, clock, ontology: many });
    expect(objects(await third.in(SHOP).facts({ predicate: 'is' }))).toEqual(['blue', 'red']);
    expect(
      objects(await third.in(SHOP).facts({ predicate: 'is', knownAt: { tx: tx + 1 } })),
    ).toEqual(['blue']);
    const stats = await third.stats();
    await third.rebuild();
    expect(
      objects(await third.in(SHOP).facts({ predicate: 'is', knownAt: { tx: tx + 1 } })),
    ).toEqual(['blue']);
    expect((await third.stats()).facts).toBe(stats.facts);
  });

  test('the same ontology given again writes nothing; without one the store keeps its own', async () => {
    const path = temporaryFolder();
    const one = defineOntology({ predicates: { is: { cardinality: 'one' } } });
    const first = await opened({ path, ontology: one });
    const { transactions } = await first.stats();
    await first.close();
    const second = await opened({ path, ontology: one });
    expect((await second.stats()).transactions).toBe(transactions);
    await second.close();
    const third = await openMemory({ path, graph: 'none' });
    expect((await third.stats()).predicates).toEqual(['is']);
    const shop = third.in(SHOP);
    await shop.assert(saying('+red', { from: '2020', to: '∞', said: '2020' }));
    await shop.assert(saying('+blue', { from: '2022', to: '∞', said: '2022' }));
    expect(objects(await shop.facts({ predicate: 'is' }))).toEqual(['blue']);
    await third.close();
  });
});
