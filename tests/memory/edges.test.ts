import { describe, expect, test } from 'vitest';
import { defineOntology, entity } from '../../lib/index.js';
import { nameOf, objects, opened, refused, saying, SHOP } from './opened.js';

describe('inverse names', () => {
  const owned = async () => {
    const memory = await opened();
    const shop = memory.in(SHOP);
    await shop.assert({
      subject: 'shop',
      predicate: 'owner',
      object: 'Ana',
      validFrom: '2020',
      observedAt: '2020',
    });
    return { memory, shop };
  };

  test('read the edge from its other end', async () => {
    const { shop } = await owned();
    const [fact] = await shop.facts({ subject: 'Ana', predicate: 'owns' });
    expect([fact?.subject.name, fact?.predicate, nameOf(fact!.object)]).toEqual([
      'Ana',
      'owns',
      'shop',
    ]);
    expect(await shop.facts({ predicate: 'owns', object: 'shop' })).toEqual([fact]);
    expect(await shop.facts({ predicate: 'owns' })).toEqual([fact]);
    expect((await shop.history({ subject: 'Ana', predicate: 'owns' })).facts).toHaveLength(1);
  });

  test('say it from its other end, and one value takes the place of the other', async () => {
    const { shop } = await owned();
    await shop.assert({
      subject: 'Bo',
      predicate: 'owns',
      object: 'shop',
      validFrom: '2022',
      observedAt: '2022',
    });
    expect(objects(await shop.facts({ subject: 'shop', predicate: 'owner' }))).toEqual(['Bo']);
    expect(await shop.facts({ subject: 'Ana', predicate: 'owns' })).toEqual([]);
    expect(
      await refused(() =>
        shop.assert({ subject: 'Bo', predicate: 'owns', object: '*', polarity: 'deny' }),
      ),
    ).toBe('INVALID_OBJECT object');
  });

  test('a literal has no other end', async () => {
    const ontology = defineOntology({ predicates: { color: { inverse: 'colors' } } });
    const shop = (await opened({ ontology })).in(SHOP);
    await shop.assert({ subject: 'it', predicate: 'color', object: 'red' });
    expect(await shop.facts({ predicate: 'colors' })).toEqual([]);
  });
});

describe('symmetric edges', () => {
  test('are stored once and read from both ends', async () => {
    const memory = await opened();
    const shop = memory.in(SHOP);
    await shop.assert({
      subject: 'Ana',
      predicate: 'knows',
      object: 'Bo',
      validFrom: '2020',
      observedAt: '2020',
    });
    const again = await shop.assert({
      subject: 'Bo',
      predicate: 'knows',
      object: 'Ana',
      validFrom: '2020',
      observedAt: '2021',
    });
    expect(again.noEffect?.why).toBe('confirms');
    const from = async (subject: string): Promise<unknown> =>
      objects(await shop.facts({ subject, predicate: 'knows' }));
    expect([await from('Ana'), await from('Bo')]).toEqual([['Bo'], ['Ana']]);
    expect(objects(await shop.facts({ subject: 'Bo' }))).toEqual(['Ana']);
    expect(await shop.facts({ predicate: 'knows' })).toHaveLength(1);
    expect((await memory.stats()).believed).toBe(1);
  });

  test('are denied from either end', async () => {
    const shop = (await opened()).in(SHOP);
    await shop.assert({
      subject: 'Ana',
      predicate: 'knows',
      object: 'Bo',
      validFrom: '2020',
      observedAt: '2020',
    });
    await shop.assert({
      subject: 'Bo',
      predicate: 'knows',
      object: 'Ana',
      polarity: 'deny',
      validFrom: '2022',
      observedAt: '2022',
    });
    expect(await shop.facts({ predicate: 'knows' })).toEqual([]);
  });
});

describe('events', () => {
  test('hold as exactly as they were told, are found by during, and supersede nothing', async () => {
    const shop = (await opened()).in(SHOP);
    const met = { subject: 'Ana', predicate: 'met', object: 'Bo' };
    await shop.assert({ ...met, validFrom: '2024-03-05' });
    await shop.assert({ ...met, validFrom: '2024-05' });
    await shop.assert({ ...met, validFrom: '2024-05-09' });
    const facts = await shop.facts({ predicate: 'met', during: {}, order: 'asc' });
    expect(facts.map((f) => [f.validFrom?.slice(0, 10), f.validTo?.slice(0, 10)])).toEqual([
      ['2024-03-05', '2024-03-06'],
      ['2024-05-01', '2024-06-01'],
      ['2024-05-09', '2024-05-10'],
    ]);
    expect(
      await shop.facts({ predicate: 'met', during: { from: '2024-05-09', to: '2024-05-10' } }),
    ).toHaveLength(2);
    expect(await shop.facts({ predicate: 'met' })).toEqual([]);
  });

  test('are cancelled by a denial', async () => {
    const shop = (await opened()).in(SHOP);
    const met = { subject: 'Ana', predicate: 'met', object: 'Bo' };
    await shop.assert({ ...met, validFrom: '2024-03-05', observedAt: '2024-03-01' });
    await shop.assert({ ...met, validFrom: '2024-04-05', observedAt: '2024-03-01' });
    await shop.assert({
      ...met,
      polarity: 'deny',
      validFrom: '2024-03-05',
      validTo: '2024-03-06',
      observedAt: '2024-03-07',
    });
    const facts = await shop.facts({ predicate: 'met', during: {} });
    expect(facts.map((f) => f.valid)).toEqual(['2024-04-05 – 2024-04-06']);
  });

  test('a meeting that was moved keeps its name', async () => {
    const shop = (await opened()).in(SHOP);
    const told = { subject: 'Ana', predicate: 'met', object: 'Bo', instance: 'review' };
    const first = await shop.assert({ ...told, validFrom: '2024-03-05' });
    await shop.correct({ was: first.claims[0]!, validFrom: '2024-03-12' });
    const facts = await shop.facts({ predicate: 'met', during: {} });
    expect(facts.map((f) => [f.instance, f.valid])).toEqual([
      ['review', '2024-03-12 – 2024-03-13'],
    ]);
  });

  test('have a start', async () => {
    const shop = (await opened()).in(SHOP);
    expect(
      await refused(() => shop.assert({ subject: 'Ana', predicate: 'met', object: 'Bo' })),
    ).toBe('INVALID_INTERVAL validFrom');
  });
});

describe('neighbors and paths', () => {
  const ontology = defineOntology({
    predicates: {
      next: { object: entity('place'), subject: 'place' },
      near: { object: entity('place'), subject: 'place', symmetric: true },
    },
  });

  const chain = async () => {
    const shop = (await opened({ ontology })).in(SHOP);
    const tell = (
      subject: string,
      object: string,
      predicate: 'next' | 'near',
      validFrom = '2020',
      validTo = 'ongoing',
    ) => shop.assert({ subject, predicate, object, validFrom, validTo, observedAt: '2020' });
    await tell('a', 'b', 'next');
    await tell('b', 'c', 'next');
    await tell('c', 'd', 'near');
    await tell('d', 'e', 'next');
    await tell('a', 'e', 'near', '2010', '2015');
    return shop;
  };

  test('every entity within so many edges, the nearest first', async () => {
    const shop = await chain();
    const from = async (hops: number, more: object = {}): Promise<unknown> => {
      const { neighbors } = await shop.neighbors({ subject: 'a', hops, ...more });
      return neighbors.map((n) => `${n.entity.name}${n.hops}`).join(' ');
    };
    expect(await from(1)).toBe('b1');
    expect(await from(3)).toBe('b1 c2 d3');
    expect(await from(8)).toBe('b1 c2 d3 e4');
    expect(await from(1, { validAt: '2012' })).toBe('e1');
    expect(await from(2, { validAt: '2021', direction: 'in' })).toBe('');
    expect(await from(8, { predicates: ['next'] })).toBe('b1 c2');
    const cut = await shop.neighbors({ subject: 'a', hops: 8, limit: 2 });
    expect([cut.neighbors.length, cut.cut]).toEqual([2, true]);
  });

  test('walks between two, the shortest first', async () => {
    const shop = await chain();
    const between = async (to: string, more: object = {}): Promise<unknown> =>
      (await shop.paths({ from: 'a', to, ...more })).map((p) =>
        p.entities.map((e) => e.name).join(''),
      );
    expect(await between('d')).toEqual(['abcd']);
    expect(await between('e')).toEqual(['abcde']);
    expect(await between('e', { maxHops: 3 })).toEqual([]);
    expect(await between('e', { validAt: '2012' })).toEqual(['ae']);
    const [path] = await shop.paths({ from: 'a', to: 'd' });
    expect(path?.facts.map((f) => f.predicate)).toEqual(['next', 'next', 'near']);
  });

  test('of nobody', async () => {
    const shop = await chain();
    expect(await refused(() => shop.neighbors({ subject: 'nobody' }))).toBe('NOT_FOUND subject');
    expect(await refused(() => shop.paths({ from: 'a', to: 'nobody' }))).toBe('NOT_FOUND to');
    expect(await refused(() => shop.paths({ from: 'nobody', to: 'a' }))).toBe('NOT_FOUND from');
  });

  test('denied edges are not walked', async () => {
    const shop = (await opened()).in(SHOP);
    await shop.assert(
      saying('+x', {
        from: '2020',
        to: '∞',
        said: '2020',
        predicate: 'likes',
        object: { entity: 'x' },
      }),
    );
    await shop.assert(
      saying('-*', { from: '2021', to: '∞', said: '2021', predicate: 'likes', object: '*' }),
    );
    expect((await shop.neighbors({ subject: 'it' })).neighbors).toEqual([]);
  });
});
