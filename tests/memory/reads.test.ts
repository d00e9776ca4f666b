import { describe, expect, test } from 'vitest';
import { defineOntology, type Fact } from '../../lib/index.js';
import { objects, opened, refused, saying, SHOP, testClock } from './opened.js';

async function five() {
  const memory = await opened();
  const shop = memory.in(SHOP);
  const years = { e: '2021', b: '2023', a: '2020', d: '2024', c: '2022' };
  for (const [what, from] of Object.entries(years)) {
    await shop.assert(
      saying(`+${what}`, {
        from,
        to: '∞',
        said: from,
        predicate: 'has',
        subject: `subject ${what}`,
      }),
    );
  }
  return { memory, shop };
}

const names = (facts: readonly Fact[]): unknown[] => facts.map((f) => f.object);

describe('order and pages', () => {
  test.each([
    [undefined, undefined, 'dbcea'],
    ['validFrom', 'asc', 'aecbd'],
    ['knownFrom', undefined, 'cdabe'],
    ['knownFrom', 'asc', 'ebadc'],
    ['subject', undefined, 'abcde'],
    ['subject', 'desc', 'edcba'],
  ] as const)('by %s, %s', async (orderBy, order, wanted) => {
    const { shop } = await five();
    expect(names(await shop.facts({ predicate: 'has', orderBy, order })).join('')).toBe(wanted);
    expect(names(await shop.stream({ predicate: 'has', orderBy, order }).toArray()).join('')).toBe(
      wanted,
    );
  });

  test('a page goes on after the last fact of the page before', async () => {
    const { shop } = await five();
    const seen: unknown[] = [];
    let after: string | undefined;
    for (;;) {
      const page = await shop.facts({ predicate: 'has', orderBy: 'subject', limit: 2, after });
      if (page.length === 0) break;
      seen.push(names(page).join(''));
      after = page.at(-1)!.id;
    }
    expect(seen).toEqual(['ab', 'cd', 'e']);
  });

  test('a page after what is not among the answers is refused', async () => {
    const { shop } = await five();
    const [first] = await shop.facts({ predicate: 'has', object: 'a' });
    expect(
      await refused(() => shop.facts({ predicate: 'has', object: 'b', after: first!.id })),
    ).toBe('NOT_FOUND after');
  });

  test('several predicates, and by predicate', async () => {
    const { shop } = await five();
    await shop.assert(saying('+x', { from: '2020', to: '∞', said: '2020' }));
    const facts = await shop.facts({ predicate: ['is', 'has'], orderBy: 'predicate' });
    expect(facts.map((f) => f.predicate)).toEqual([
      ...Array.from({ length: 5 }, () => 'has'),
      'is',
    ]);
  });

  test('a stream that is left early is left', async () => {
    const { shop } = await five();
    for await (const fact of shop.stream({ predicate: 'has' })) {
      expect(fact.object).toBe('d');
      break;
    }
  });
});

describe('moments', () => {
  test('during asks for overlap, half-open at both ends', async () => {
    const shop = (await opened()).in(SHOP);
    await shop.assert(saying('+red', { from: '2020', to: '2022', said: '2022' }));
    const during = async (from?: string, to?: string): Promise<number> =>
      (await shop.facts({ predicate: 'is', during: { from, to } })).length;
    expect(await during('2021', '2021-02')).toBe(1);
    expect(await during('2022', '2023')).toBe(0);
    expect(await during('2019', '2020')).toBe(0);
    expect(await during('2019', '2020-01-01T00:00:00.001Z')).toBe(1);
    expect(await during()).toBe(1);
    expect(await during(undefined, '2020')).toBe(0);
    expect(await during('2021-12-31')).toBe(1);
  });

  test('a view answers for its moment on both axes, with every verb', async () => {
    const shop = (await opened()).in(SHOP);
    const first = await shop.assert({
      subject: 'Ana',
      predicate: 'knows',
      object: 'Bo',
      validFrom: '2020',
      observedAt: '2020',
    });
    await shop.end({ fact: first.opened[0]!, at: '2022', observedAt: '2022' });
    const then = shop.asOf({ valid: '2023', known: { tx: first.tx } });
    expect(await then.facts()).toHaveLength(1);
    expect(await then.stream().toArray()).toHaveLength(1);
    expect((await then.neighbors({ subject: 'Ana' })).neighbors).toHaveLength(1);
    expect(await then.paths({ from: 'Ana', to: 'Bo' })).toHaveLength(1);
    expect(
      (await then.history({ subject: 'Ana' })).facts.map((f) => [f.knownTo, f.closedAs]),
    ).toEqual([[null, null]]);
    expect((await then.why(first.opened[0]!)).fact.certainty).toBe('presumed');
    expect(await then.changes().toArray()).toHaveLength(1);
    const now = shop.asOf({ valid: '2023' });
    expect(await now.facts()).toEqual([]);
    expect((await now.neighbors({ subject: 'Ana' })).neighbors).toEqual([]);
    expect(await now.paths({ from: 'Ana', to: 'Bo' })).toEqual([]);
    expect('assert' in then).toBe(false);
  });

  test('one instant stands for both axes; a view does not move on', async () => {
    const clock = testClock('2026-01-01');
    const shop = (await opened({ clock })).in(SHOP);
    await shop.assert(saying('+red', { from: '2020', to: '∞', said: '2020' }));
    clock.set('2026-02-01');
    const both = shop.asOf('2026-01-15');
    const known = shop.asOf({ known: { tx: 2 } });
    await shop.assert(saying('+blue', { from: '2021', to: '∞', said: '2021' }));
    expect(objects(await both.facts())).toEqual(['red']);
    expect(objects(await known.facts())).toEqual(['red']);
    expect(objects(await shop.asOf({ at: '2026-02-03', precision: 'day' }).facts())).toEqual([
      'blue',
    ]);
    expect(objects(await shop.asOf('2025').facts())).toEqual([]);
  });

  test('known times: by instant the last transaction at or before it', async () => {
    const clock = testClock();
    const shop = (await opened({ clock })).in(SHOP);
    const red = await shop.assert(saying('+red', { from: '2020', to: '∞', said: '2020' }));
    const blue = await shop.assert(saying('+blue', { from: '2021', to: '∞', said: '2021' }));
    const at = async (knownAt: string | Date): Promise<unknown> =>
      objects(await shop.facts({ predicate: 'is', knownAt }));
    expect(await at(red.at)).toEqual(['red']);
    expect(await at(new Date(Date.parse(blue.at) - 1))).toEqual(['red']);
    expect(await at(blue.at)).toEqual(['blue']);
    expect(await at('2000')).toEqual([]);
  });

  test('known time does not go back when the clock does', async () => {
    const clock = testClock('2026-05-01');
    const shop = (await opened({ clock })).in(SHOP);
    const first = await shop.assert({ subject: 'a', predicate: 'is', object: 'x' });
    clock.set('2020-01-01');
    const second = await shop.assert({ subject: 'b', predicate: 'is', object: 'x' });
    expect(second.at).toBe(first.at);
    expect(second.tx).toBe(first.tx + 1);
  });
});

describe('certainty', () => {
  const withAge = defineOntology({
    predicates: { is: { cardinality: 'one', staleAfter: { months: 6 } }, has: {} },
  });

  test('a presumption older than its predicate allows is marked, until it is confirmed', async () => {
    const shop = (await opened({ ontology: withAge })).in(SHOP);
    await shop.assert({
      subject: 'it',
      predicate: 'is',
      object: 'red',
      validFrom: '2024',
      observedAt: '2024',
    });
    await shop.assert({
      subject: 'it',
      predicate: 'has',
      object: 'x',
      validFrom: '2024',
      observedAt: '2024',
    });
    const stale = async (validAt: string, predicate = 'is'): Promise<unknown> =>
      (await shop.facts({ predicate, validAt })).map((f) => [f.certainty, f.stale]);
    expect(await stale('2024-01-01')).toEqual([['definite', false]]);
    expect(await stale('2024-06')).toEqual([['presumed', false]]);
    expect(await stale('2024-08')).toEqual([['presumed', true]]);
    expect(await stale('2026', 'has')).toEqual([['presumed', false]]);
    await shop.assert({
      subject: 'it',
      predicate: 'is',
      object: 'red',
      validFrom: '2024',
      observedAt: '2024-07',
    });
    expect(await stale('2024-08')).toEqual([['presumed', false]]);
    expect(await stale('2024-05')).toEqual([['definite', false]]);
  });

  test('over an interval nothing is asked about an instant', async () => {
    const shop = (await opened()).in(SHOP);
    await shop.assert(saying('+red', { from: '2020', to: '∞', said: '2020' }));
    expect((await shop.facts({ predicate: 'is', during: {} })).map((f) => f.certainty)).toEqual([
      null,
    ]);
  });
});

describe('why', () => {
  test('the chain from a fact to its quotes, and to what it took the place of', async () => {
    const shop = (await opened()).in(SHOP);
    await shop.assert(saying('+SQLite', { from: '2024', to: '∞', said: '2024' }));
    await shop.assert(
      saying('+Postgres', {
        from: '2025',
        to: '∞',
        said: '2025',
        statement: 'The shop moved to Postgres.',
        evidence: [{ session: 'standup', seq: 12, role: 'user', quote: 'we are on Postgres now' }],
      }),
    );
    const [fact] = await shop.facts({ predicate: 'is', validAt: '2025-06' });
    const why = await shop.why(fact!);
    expect(why.supersedes.map((s) => [s.fact.object, s.kind])).toEqual([['SQLite', 'succession']]);
    for (const part of [
      'Postgres',
      '2025',
      'standup #12 (user) “we are on Postgres now”',
      'took the place of',
    ]) {
      expect(why.text).toContain(part);
    }
    const [before] = (await shop.history({ subject: 'it' })).facts;
    const old = await shop.why(before!);
    expect(old.supersededBy.map((s) => [s.fact.object, s.kind])).toEqual([
      ['SQLite', 'revision'],
      ['Postgres', 'succession'],
    ]);
    expect(old.text).toContain('gave way to');
  });
});

describe('time zone', () => {
  test('plain dates are read and shown in the zone of the space', async () => {
    const memory = await opened({ timeZone: 'Asia/Shanghai' });
    const shop = memory.in(SHOP);
    await shop.assert(saying('+red', { from: '2024-03-05', to: '2025', said: '2024-03-05T09:00' }));
    const [fact] = await shop.facts({ predicate: 'is', validAt: '2024-06' });
    expect(fact).toMatchObject({
      validFrom: '2024-03-04T16:00:00.000Z',
      validTo: '2024-12-31T16:00:00.000Z',
      valid: '2024-03-05 – 2025',
      lastConfirmedAt: '2024-03-05T01:00:00.000Z',
    });
    expect(await shop.facts({ predicate: 'is', validAt: '2024-03-05T00:00' })).toHaveLength(1);
    expect(await shop.facts({ predicate: 'is', validAt: '2024-03-04T15:59:59.999Z' })).toEqual([]);
    expect((await memory.stats()).timeZone).toBe('Asia/Shanghai');
  });

  test('an exact time is shown with the zone’s offset', async () => {
    const shop = (await opened({ timeZone: 'Asia/Shanghai' })).in(SHOP);
    await shop.assert(saying('+red', { from: '2024-03-05T10:30', to: '∞', said: '2024-04' }));
    const [fact] = await shop.facts({ predicate: 'is' });
    expect(fact?.valid).toBe('2024-03-05 10:30+08:00 – …');
  });
});
