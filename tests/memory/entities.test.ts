import { describe, expect, test } from 'vitest';
import { openMemory } from '../../lib/index.js';
import { counts, objects, opened, refused, saying, SHOP } from './opened.js';

const named = async (shop: Awaited<ReturnType<typeof shopOf>>, name: string): Promise<unknown> =>
  (await shop.entities.resolve(name)).map((e) => e.name);
const shopOf = async () => (await opened()).in(SHOP);

describe('names', () => {
  test('are compared without case, width and white space, and shown as they were first written', async () => {
    const shop = await shopOf();
    await shop.assert(
      saying('+x', { from: '2020', to: '∞', said: '2020', subject: ' Ana  Souza ' }),
    );
    for (const name of ['ana souza', 'ANA\u00a0SOUZA', 'Ａna Souza', 'Ana\tSouza']) {
      expect(await named(shop, name)).toEqual(['Ana  Souza']);
      expect(await shop.facts({ subject: name })).toHaveLength(1);
    }
    expect(await named(shop, 'Ana S')).toEqual([]);
  });

  test('of Chinese', async () => {
    const shop = await shopOf();
    await shop.assert({ subject: '商店', predicate: 'owner', object: '安娜' });
    expect((await shop.facts({ subject: '商店' }))[0]?.object).toMatchObject({
      name: '安娜',
      type: 'person',
    });
  });

  test('an alias finds its entity from then on', async () => {
    const shop = await shopOf();
    const told = await shop.assert(
      saying('+x', { from: '2020', to: '∞', said: '2020', subject: 'Robert' }),
    );
    const result = await shop.entities.alias('Robert', 'Bob');
    expect(result).toMatchObject({ committed: true, noEffect: { why: 'nothing-to-change' } });
    expect(await shop.facts({ subject: 'Bob' })).toHaveLength(1);
    expect((await shop.entities.resolve('Bob'))[0]?.names).toEqual(['Robert', 'Bob']);
    expect(await shop.asOf({ known: { tx: told.tx } }).entities.resolve('Bob')).toEqual([]);
    expect(await shop.entities.alias('Robert', 'bob')).toMatchObject({ committed: false });
  });

  test('a name of its own goes before an alias', async () => {
    const shop = await shopOf();
    await shop.entities.declare({ name: 'Robert' });
    await shop.entities.alias('Robert', 'Bob');
    await shop.entities.declare({ name: 'Bob' });
    expect(await named(shop, 'Bob')).toEqual(['Robert']);
    await shop.entities.declare({ name: 'Bob', type: 'person' });
    expect(await named(shop, 'Bob')).toEqual(['Bob']);
    await shop.assert(saying('+x', { from: '2020', to: '∞', said: '2020', subject: 'Bob' }));
    expect(await shop.facts({ subject: 'Robert' })).toEqual([]);
  });

  test('mean what they mean at the time, however often they were asked before', async () => {
    const memory = await opened();
    const shop = memory.in(SHOP);
    const wide = memory.in({ org: 'acme' });
    const has = async (name: string, tx?: number): Promise<unknown> => {
      const facts = await shop.facts({
        subject: name,
        predicate: 'has',
        validAt: '2026',
        ...(tx === undefined ? {} : { knownAt: { tx } }),
      });
      return facts.map(({ object }) => object).toSorted();
    };
    const tell = (in_: typeof shop, subject: string, object: string) =>
      in_.assert({ subject, predicate: 'has', object, validFrom: '2020', observedAt: '2021' });

    const first = await tell(shop, 'Robert', 'a hat');
    expect(await has('robert')).toEqual(['a hat']);
    expect(await has('bob')).toEqual([]);
    // The same name in a broader scope is joined from then on, and not before.
    const second = await tell(wide, 'Robert', 'a coat');
    expect(await has('robert')).toEqual(['a coat', 'a hat']);
    expect(await has('robert', first.tx)).toEqual(['a hat']);
    // An alias, and then an entity which has that name of itself.
    const third = await shop.entities.alias('Robert', 'Bob');
    expect(await has('bob')).toEqual(['a coat', 'a hat']);
    expect(await has('bob', second.tx)).toEqual([]);
    await shop.entities.declare({ name: 'Bob', type: 'person' });
    await shop.assert({
      subject: { name: 'Bob', type: 'person' },
      predicate: 'has',
      object: 'a cat',
      validFrom: '2020',
      observedAt: '2021',
    });
    expect(await has('bob')).toEqual(['a cat']);
    expect(await has('bob', third.tx)).toEqual(['a coat', 'a hat']);
    // One entity from here on, and two again from there on.
    const merged = await shop.entities.merge({ name: 'Bob', type: 'person' }, 'Robert');
    expect(await has('bob')).toEqual(['a cat', 'a coat', 'a hat']);
    await shop.entities.split({ name: 'Bob', type: 'person' });
    expect(await has('robert')).toEqual(['a coat', 'a hat']);
    expect(await has('robert', merged.tx)).toEqual(['a cat', 'a coat', 'a hat']);
    // What a dry run would name is not named.
    await shop.entities.alias('Robert', 'Rob', { dryRun: true });
    expect(await has('rob')).toEqual([]);
  });

  test('two of one name must be told apart', async () => {
    const memory = await opened();
    const shop = memory.in(SHOP);
    const of = (distinct: string) => ({ name: 'Li Wei', type: 'person', distinct });
    await shop.assert({ subject: of('sales'), predicate: 'is', object: 'in', validFrom: '2020' });
    await shop.assert({ subject: of('legal'), predicate: 'is', object: 'out', validFrom: '2020' });
    expect(objects(await shop.facts({ subject: of('sales') }))).toEqual(['in']);
    expect(await shop.facts({ subject: 'Li Wei' })).toHaveLength(2);
    const before = await counts(memory);
    expect(
      await refused(() => shop.assert({ subject: 'Li Wei', predicate: 'is', object: 'x' })),
    ).toBe('AMBIGUOUS_ENTITY subject');
    expect(
      await refused(() => shop.assert({ subject: 'it', predicate: 'owner', object: 'Li Wei' })),
    ).toBe('AMBIGUOUS_ENTITY object');
    expect(await counts(memory)).toEqual(before);
    const [sales] = await shop.entities.resolve(of('sales'));
    await shop.assert({ subject: sales!, predicate: 'is', object: 'gone', validFrom: '2021' });
    expect(objects(await shop.facts({ subject: of('sales') }))).toEqual(['gone']);
  });

  test('a type tells apart as well', async () => {
    const shop = await shopOf();
    await shop.entities.declare({ name: 'Mercury', type: 'planet' });
    await shop.entities.declare({ name: 'Mercury', type: 'metal' });
    expect(await refused(() => shop.entities.alias('Mercury', 'Hg'))).toBe(
      'AMBIGUOUS_ENTITY entity',
    );
    await shop.entities.alias({ name: 'Mercury', type: 'metal' }, 'Hg');
    expect((await shop.entities.resolve('Hg')).map((e) => e.type)).toEqual(['metal']);
  });

  test('declared twice it is one', async () => {
    const memory = await opened();
    const shop = memory.in(SHOP);
    await shop.assert({ subject: 'it', predicate: 'owner', object: 'Ana' });
    expect(await shop.entities.declare({ name: 'ANA' })).toMatchObject({ committed: false });
    expect(await shop.entities.declare({ name: 'Ana', type: 'person' })).toMatchObject({
      committed: false,
    });
    expect(await shop.entities.list({ type: 'person' }).toArray()).toHaveLength(1);
  });
});

describe('merge and split', () => {
  const told = (subject: string, what: string, from: string) =>
    saying(what, { from, to: '∞', said: from, subject });

  test('what was said of each is said of one, and of two again after the split', async () => {
    const memory = await opened();
    const shop = memory.in(SHOP);
    await shop.assert(told('Ann', '+red', '2020'));
    await shop.assert(told('Anna', '+blue', '2022'));
    await shop.assert(
      saying('+x', {
        from: '2020',
        to: '∞',
        said: '2020',
        subject: 'shop',
        predicate: 'likes',
        object: { entity: 'Ann' },
      }),
    );
    const merged = await shop.entities.merge('Ann', 'Anna');
    expect(merged.closed.map((c) => c.reason)).toEqual(expect.arrayContaining(['merged']));
    for (const subject of ['Ann', 'Anna']) {
      expect(objects(await shop.facts({ subject }))).toEqual(['blue']);
      expect(objects(await shop.facts({ subject, validAt: '2021' }))).toEqual(['red']);
      expect(await shop.facts({ object: { entity: subject } })).toHaveLength(1);
    }
    expect(
      (await shop.entities.resolve('Ann')).map((e) => [e.name, e.merged.map((m) => m.name)]),
    ).toEqual([['Anna', ['Ann']]]);
    expect((await shop.entities.list().toArray()).map((e) => e.name)).toEqual(['Anna', 'shop']);
    const before = shop.asOf({ valid: '2023', known: { tx: merged.tx - 1 } });
    expect(objects(await before.facts({ subject: 'Ann' }))).toEqual(['red']);
    expect((await before.entities.resolve('Ann')).map((e) => e.name)).toEqual(['Ann']);
    const split = await shop.entities.split('Ann');
    expect(new Set(split.closed.map((c) => c.reason))).toEqual(new Set(['split']));
    expect(objects(await shop.facts({ subject: 'Ann' }))).toEqual(['red']);
    expect(objects(await shop.facts({ subject: 'Anna' }))).toEqual(['blue']);
    const between = shop.asOf({ valid: '2023', known: { tx: merged.tx } });
    expect(objects(await between.facts({ subject: 'Ann' }))).toEqual(['blue']);
    await memory.rebuild();
    expect(objects(await between.facts({ subject: 'Ann' }))).toEqual(['blue']);
    expect(objects(await shop.facts({ subject: 'Ann' }))).toEqual(['red']);
  });

  test('a chain of merges comes apart link by link', async () => {
    const shop = await shopOf();
    for (const name of ['a', 'b', 'c']) await shop.assert(told(name, `+${name}`, '2020'));
    await shop.entities.merge('a', 'b');
    await shop.entities.merge('b', 'c');
    expect(await named(shop, 'a')).toEqual(['c']);
    await shop.entities.split('b');
    expect([await named(shop, 'a'), await named(shop, 'c')]).toEqual([['b'], ['c']]);
    await shop.entities.split('a');
    expect(await named(shop, 'a')).toEqual(['a']);
  });

  test.each([
    ['release 1', 'release 2'],
    ['第３章', '第4章'],
    ['room 12', 'room 1 3'],
  ])('%s and %s never merge: their digits differ', async (a, b) => {
    const memory = await opened();
    const shop = memory.in(SHOP);
    await shop.entities.declare({ name: a });
    await shop.entities.declare({ name: b });
    const before = await counts(memory);
    expect(await refused(() => shop.entities.merge(a, b))).toBe('CONFLICT from');
    expect(await counts(memory)).toEqual(before);
  });

  test('with itself it changes nothing; nobody cannot be merged or split', async () => {
    const shop = await shopOf();
    await shop.entities.declare({ name: 'a' });
    expect(await shop.entities.merge('a', 'A')).toMatchObject({ committed: false });
    expect(await refused(() => shop.entities.merge('a', 'b'))).toBe('NOT_FOUND into');
    expect(await refused(() => shop.entities.split('a'))).toBe('NOT_FOUND entity');
    expect(await refused(() => shop.entities.alias('b', 'c'))).toBe('NOT_FOUND entity');
  });

  test('an id that was not known yet means nobody then', async () => {
    const shop = await shopOf();
    const first = await shop.assert(told('a', '+x', '2020'));
    await shop.entities.declare({ name: 'b' });
    const [b] = await shop.entities.resolve('b');
    const then = shop.asOf({ known: { tx: first.tx } });
    expect(await then.entities.resolve({ id: b!.id })).toEqual([]);
    expect((await then.entities.list().toArray()).map((e) => e.name)).toEqual(['a']);
  });
});

test('the history of an entity holds what was believed of one that was merged into it', async () => {
  const memory = await openMemory({ store: 'memory' });
  const team = memory.in({ org: 'acme' });
  await team.assert({ subject: 'Anastasia', predicate: 'likes', object: 'tea' });
  await team.entities.declare({ name: 'Ana' });
  await team.entities.merge('Anastasia', 'Ana');
  const { facts } = await team.history({ subject: 'Ana', predicate: 'likes' });
  expect(facts.map((f) => [f.subject.name, f.closedAs])).toEqual([
    ['Anastasia', 'merged'],
    ['Ana', null],
  ]);
  await memory.close();
});
