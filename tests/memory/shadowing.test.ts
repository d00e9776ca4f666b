import { describe, expect, test } from 'vitest';
import type { Scope } from '../../lib/index.js';
import { objects, opened, saying, type Said } from './opened.js';

const ORG = { org: 'acme' };
const PROJECT = { org: 'acme', project: 'shop' };
const FULL = { org: 'acme', project: 'shop', user: 'ana', agent: 'bot' };
const since = (year: string) => ({ from: year, to: '∞', said: year });

async function told(...claims: readonly (readonly [Scope, Said])[]) {
  const memory = await opened();
  for (const [scope, claim] of claims) await memory.in(scope).assert(claim);
  return memory;
}

describe('one value', () => {
  test.each([
    [{ project: 'shop' }, {}],
    [{ agent: 'bot' }, { project: 'shop' }],
    [{ user: 'ana' }, { agent: 'bot' }],
    [{ user: 'ana' }, { project: 'shop' }],
    [{ project: 'shop', agent: 'bot' }, { user: 'ana' }],
    [
      { project: 'shop', user: 'ana' },
      { project: 'shop', agent: 'bot' },
    ],
    [
      { user: 'ana', agent: 'bot' },
      { project: 'shop', user: 'ana' },
    ],
    [
      { project: 'shop', user: 'ana', agent: 'bot' },
      { user: 'ana', agent: 'bot' },
    ],
  ])('%j wins over %j, whoever spoke last, and says what it hides', async (narrow, broad) => {
    const scopes = [
      { ...ORG, ...narrow },
      { ...ORG, ...broad },
    ] as const;
    for (const order of [
      [0, 1],
      [1, 0],
    ] as const) {
      const memory = await opened();
      for (const i of order)
        await memory.in(scopes[i]!).assert(saying(i === 0 ? '+narrow' : '+broad', since('2020')));
      const [hidden] = await memory.in(scopes[1]).facts({ predicate: 'is' });
      const seen = await memory.in(FULL).facts({ predicate: 'is' });
      expect(seen.map((f) => [f.object, f.shadows])).toEqual([['narrow', [hidden!.id]]]);
      expect(await memory.in(FULL).facts({ object: 'broad' })).toEqual([]);
    }
  });

  test('hides for as long as it holds, and no longer', async () => {
    const memory = await told(
      [ORG, saying('+broad', since('2020'))],
      [PROJECT, saying('+narrow', { from: '2022', to: '2023', said: '2023' })],
    );
    const at = async (validAt: string): Promise<unknown> =>
      objects(await memory.in(PROJECT).facts({ predicate: 'is', validAt }));
    expect([await at('2021'), await at('2022-06'), await at('2024')]).toEqual([
      ['broad'],
      ['narrow'],
      ['broad'],
    ]);
    const over = async (from: string, to: string): Promise<unknown> =>
      objects(await memory.in(PROJECT).facts({ predicate: 'is', during: { from, to } }));
    expect(await over('2022-02', '2022-04')).toEqual(['narrow']);
    expect(await over('2022-02', '2024')).toEqual(['broad', 'narrow']);
  });

  test('a narrower denial hides what it denies, and nothing else', async () => {
    const memory = await told(
      [ORG, saying('+red', since('2020'))],
      [PROJECT, saying('-blue', since('2021'))],
    );
    expect(objects(await memory.in(PROJECT).facts({ predicate: 'is' }))).toEqual(['red']);
    await memory.in(PROJECT).assert(saying('-red', since('2022')));
    expect(await memory.in(PROJECT).facts({ predicate: 'is' })).toEqual([]);
    expect(objects(await memory.in(PROJECT).facts({ predicate: 'is', validAt: '2021' }))).toEqual([
      'red',
    ]);
    expect(objects(await memory.in(ORG).facts({ predicate: 'is' }))).toEqual(['red']);
  });

  test('the past is shadowed as it was known then', async () => {
    const memory = await opened();
    const broad = await memory.in(ORG).assert(saying('+broad', since('2020')));
    await memory.in(PROJECT).assert(saying('+narrow', since('2020')));
    const shop = memory.in(PROJECT);
    expect(objects(await shop.facts({ predicate: 'is', knownAt: { tx: broad.tx } }))).toEqual([
      'broad',
    ]);
    expect(objects(await shop.facts({ predicate: 'is' }))).toEqual(['narrow']);
  });
});

describe('many values', () => {
  const many = (what: string, year: string): Said =>
    saying(what, { ...since(year), predicate: 'has' });

  test('are the union, each shown once, less what a narrower scope denies', async () => {
    const memory = await told(
      [ORG, many('+go', '2020')],
      [ORG, many('+rust', '2020')],
      [PROJECT, many('+go', '2021')],
      [PROJECT, many('+c', '2021')],
    );
    const shop = memory.in(PROJECT);
    expect(objects(await shop.facts({ predicate: 'has' }))).toEqual(['c', 'go', 'rust']);
    const [go] = await shop.facts({ predicate: 'has', object: 'go' });
    expect([go?.scope, go?.shadows.length]).toEqual([PROJECT, 1]);
    await shop.assert(many('-rust', '2022'));
    expect(objects(await shop.facts({ predicate: 'has' }))).toEqual(['c', 'go']);
    expect(await shop.facts({ predicate: 'has', object: 'rust' })).toEqual([]);
    expect(objects(await memory.in(ORG).facts({ predicate: 'has' }))).toEqual(['go', 'rust']);
  });

  test('a denial of everything hides all of the broader scope, now and later', async () => {
    const memory = await told([ORG, many('+go', '2020')], [PROJECT, many('-*', '2021')]);
    const shop = memory.in(PROJECT);
    expect(await shop.facts({ predicate: 'has' })).toEqual([]);
    expect(await shop.facts({ predicate: 'has', object: 'go' })).toEqual([]);
    await memory.in(ORG).assert(many('+rust', '2021'));
    expect(await shop.facts({ predicate: 'has' })).toEqual([]);
    await shop.assert(many('+c', '2023'));
    expect(objects(await shop.facts({ predicate: 'has' }))).toEqual(['c']);
  });

  test('what is hidden is not walked either', async () => {
    const edge = (what: string, year: string): Said => ({
      ...many(what, year),
      object: { entity: what.slice(1) },
    });
    const memory = await told(
      [ORG, edge('+go', '2020')],
      [ORG, edge('+rust', '2020')],
      [PROJECT, edge('-rust', '2021')],
    );
    const near = async (scope: Scope): Promise<unknown> =>
      (await memory.in(scope).neighbors({ subject: 'it' })).neighbors
        .map((n) => n.entity.name)
        .sort();
    expect(await near(ORG)).toEqual(['go', 'rust']);
    expect(await near(PROJECT)).toEqual(['go']);
    expect(await memory.in(PROJECT).paths({ from: 'it', to: 'rust' })).toEqual([]);
    expect(await memory.in(PROJECT).paths({ from: 'rust', to: 'it' })).toEqual([]);
    expect(await memory.in(ORG).paths({ from: 'it', to: 'rust' })).toHaveLength(1);
  });

  test('one value that is hidden is not walked from its object either', async () => {
    const memory = await opened();
    const owner = (object: string) => ({
      subject: 'it',
      predicate: 'owner',
      object,
      validFrom: '2020',
    });
    await memory.in(ORG).assert(owner('Ana'));
    await memory.in(PROJECT).assert(owner('Bo'));
    const near = async (subject: string): Promise<unknown> =>
      (await memory.in(PROJECT).neighbors({ subject })).neighbors.map((n) => n.entity.name);
    expect([await near('it'), await near('Bo'), await near('Ana')]).toEqual([['Bo'], ['it'], []]);
    expect(await memory.in(PROJECT).facts({ subject: 'Ana', predicate: 'owns' })).toEqual([]);
    expect(await memory.in(PROJECT).facts({ predicate: 'owns' })).toHaveLength(1);
  });
});

describe('entities of several scopes', () => {
  test('are joined by type and name, and by nothing else', async () => {
    const memory = await opened();
    const told = (scope: Scope, name: string, type: string, object: string) =>
      memory
        .in(scope)
        .assert({ subject: { name, type }, predicate: 'has', object, validFrom: '2020' });
    await told(ORG, 'Ana', 'person', 'a');
    await told(PROJECT, 'ANA', 'person', 'b');
    await told(ORG, 'Ana', 'ship', 'c');
    const shop = memory.in(PROJECT);
    expect(objects(await shop.facts({ subject: { name: 'Ana', type: 'person' } }))).toEqual([
      'a',
      'b',
    ]);
    const [own] = await shop.entities.resolve({ name: 'ana', type: 'person' });
    expect(objects(await shop.facts({ subject: own! }))).toEqual(['a', 'b']);
    expect(objects(await shop.facts({ subject: 'Ana' }))).toEqual(['a', 'b', 'c']);
  });

  test('an alias of one scope is none in another', async () => {
    const memory = await opened();
    await memory.in(ORG).assert(saying('+x', { ...since('2020'), subject: 'Robert' }));
    await memory.in(PROJECT).entities.declare({ name: 'Robert' });
    await memory.in(PROJECT).entities.alias('Robert', 'Bob');
    expect(await memory.in(ORG).entities.resolve('Bob')).toEqual([]);
    expect(await memory.in(ORG).facts({ subject: 'Bob' })).toEqual([]);
    expect(objects(await memory.in(PROJECT).facts({ subject: 'Bob' }))).toEqual(['x']);
  });

  test('one that is named by its id elsewhere gets a counterpart where it is written', async () => {
    const memory = await opened();
    const broad = await memory.in(ORG).assert({
      subject: { name: 'Ana', type: 'person' },
      predicate: 'is',
      object: 'in',
      validFrom: '2020',
    });
    const shop = memory.in(PROJECT);
    const narrow = await shop.assert({
      subject: { id: broad.opened[0]!.subject.id },
      predicate: 'is',
      object: 'out',
      validFrom: '2020',
    });
    expect(narrow.opened[0]!.subject).toMatchObject({ name: 'Ana', type: 'person' });
    expect(narrow.opened[0]!.subject.id).not.toBe(broad.opened[0]!.subject.id);
    expect(objects(await shop.facts({ subject: 'Ana' }))).toEqual(['out']);
  });
});
