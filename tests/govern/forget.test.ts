import { describe, expect, test } from 'vitest';
import type { Fact, ForgetSelector, Scope } from '../../lib/index.js';
import { counts, objects, opened, refused, saying, SHOP } from '../memory/opened.js';

const evidence = (session: string, seq = 1) => [{ session, seq, role: 'user' as const }];
const since = (year: string, session: string, seq = 1) => ({
  from: year,
  to: '∞',
  said: year,
  evidence: evidence(session, seq),
});

async function world() {
  const memory = await opened();
  const shop = memory.in(SHOP);
  const red = await shop.assert(saying('+red', since('2020', 'a')));
  const blue = await shop.assert(saying('+blue', since('2022', 'b')));
  const other = await shop.assert(
    saying('+x', { ...since('2020', 'b', 2), subject: 'other', predicate: 'has' }),
  );
  return { memory, shop, red, blue, other };
}

type World = Awaited<ReturnType<typeof world>>;

const blueOf = (w: World): Fact => w.blue.opened.find((f) => f.object === 'blue')!;

describe('what can be forgotten', () => {
  const selectors: readonly (readonly [string, (w: World) => ForgetSelector, number, unknown])[] = [
    ['a fact', (w) => ({ fact: blueOf(w) }), 1, ['red']],
    ['a claim', (w) => ({ claim: w.blue.claims[0]! }), 1, ['red']],
    ['an entity', () => ({ entity: 'it' }), 2, []],
    ['a session', () => ({ session: 'b' }), 2, ['red']],
    ['an event', () => ({ event: { session: 'b', seq: 1 } }), 1, ['red']],
    ['a scope', () => ({ scope: SHOP }), 3, []],
  ];

  test.each(selectors)(
    '%s: what it had ended is open again from then on',
    async (_what, selector, claims, left) => {
      const w = await world();
      const { shop } = w;
      const receipt = await shop.forget(selector(w), { reason: 'Asked to.', actor: 'ana' });
      expect(receipt).toMatchObject({
        mode: 'retract',
        committed: true,
        claims,
        entities: 0,
        facts: 0,
      });
      expect(objects(await shop.facts({ predicate: 'is' }))).toEqual(left);
      expect(
        objects(await shop.facts({ predicate: 'is', knownAt: { tx: receipt.tx - 1 } })),
        'known before',
      ).toEqual(['blue']);
      expect(receipt.effect?.closed.every((c) => c.reason === 'withdrawn')).toBe(true);
      const [set] = await shop.changes({ from: { tx: receipt.tx - 1 } }).toArray();
      expect(set).toMatchObject({ reason: 'Asked to.', actor: 'ana' });
      await shop.revert(receipt.tx);
      expect(objects(await shop.facts({ predicate: 'is' })), 'and can be taken back').toEqual([
        'blue',
      ]);
    },
  );

  test('a user and a scope with all that is narrower, by an administrator', async () => {
    const memory = await opened();
    const tell = (scope: Scope, session: string) =>
      memory.in(scope).assert(saying('+x', since('2020', session)));
    const ana = [
      { org: 'acme', user: 'ana' },
      { org: 'acme', project: 'shop', user: 'ana' },
    ];
    const rest = [
      { org: 'acme' },
      SHOP,
      { org: 'acme', user: 'bo' },
      { org: 'other', user: 'ana' },
    ];
    for (const [i, scope] of [...ana, ...rest].entries()) await tell(scope, `s${i}`);
    const own = async (scope: Scope): Promise<number> =>
      (await memory.in(scope).history({ subject: 'it' })).facts.filter(
        (f) => f.knownTo === null && JSON.stringify(f.scope) === JSON.stringify(scope),
      ).length;
    const receipt = await memory.admin({ org: 'acme' }).forget({ user: 'ana' });
    expect(receipt).toMatchObject({ claims: 2, sessions: ['s0', 's1'] });
    expect(await Promise.all(ana.map(own))).toEqual([0, 0]);
    expect(await Promise.all(rest.map(own))).toEqual([1, 1, 1, 1]);
    await memory.admin({ org: 'acme' }).forget({ scope: { org: 'acme' } });
    expect(await Promise.all(rest.map(own))).toEqual([0, 0, 0, 1]);
  });

  test('what waits for approval goes as well', async () => {
    const memory = await opened({ policy: () => ({ hold: 'Wait.' }) });
    const shop = memory.in(SHOP);
    await shop.assert(saying('+red', since('2020', 'a')));
    const receipt = await shop.forget({ session: 'a' });
    expect(receipt).toMatchObject({ claims: 1, sessions: ['a'] });
    expect(await shop.held()).toEqual([]);
  });

  test('a fact that has another source stays, with that one', async () => {
    const { shop } = await world();
    await shop.assert(saying('+blue', since('2022', 'c')));
    await shop.forget({ session: 'b' });
    const [fact] = await shop.facts({ predicate: 'is' });
    expect(fact?.object).toBe('blue');
    expect((await shop.why(fact!)).claims.map((c) => c.evidence[0]?.session)).toEqual(['c']);
  });

  test('a claim that has another event stays', async () => {
    const shop = (await opened()).in(SHOP);
    await shop.assert({
      ...saying('+red', since('2020', 'a')),
      evidence: [...evidence('a'), ...evidence('b')],
    });
    const receipt = await shop.forget({ event: { session: 'a', seq: 1 } });
    expect(receipt).toMatchObject({ claims: 1, committed: false, sessions: ['a'] });
    expect(objects(await shop.facts({ predicate: 'is' }))).toEqual(['red']);
  });

  test('twice is once', async () => {
    const { memory, shop } = await world();
    await shop.forget({ session: 'b' });
    const before = await counts(memory);
    expect(await shop.forget({ session: 'b' })).toMatchObject({ committed: false });
    expect(await shop.forget({ session: 'nobody' })).toMatchObject({
      committed: false,
      claims: 0,
      sessions: [],
    });
    expect(await counts(memory)).toEqual(before);
  });
});

describe('several at once', () => {
  test('erasures that are asked for together each erase their own', async () => {
    const memory = await opened();
    const shop = memory.in(SHOP);
    const names = ['a', 'b', 'c', 'd'];
    for (const n of names)
      await shop.assert(saying(`+${n}`, { ...since('2020', n), subject: n, predicate: 'has' }));
    await Promise.all(['a', 'b'].map((session) => shop.forget({ session }, { mode: 'erase' })));
    expect(objects(await shop.facts({ predicate: 'has' }))).toEqual(['c', 'd']);
    await Promise.all([
      shop.forget({ session: 'c' }, { mode: 'erase' }),
      shop.forget({ session: 'd' }),
    ]);
    expect(objects(await shop.facts({ predicate: 'has' }))).toEqual([]);
    const { claims } = await memory.stats();
    expect(claims).toBe(1);
  });
});

describe('approval', () => {
  const waiting = async () => {
    const memory = await opened();
    const shop = memory.in(SHOP);
    const told = {
      ...saying('+red', since('2020', 'a')),
      evidence: [{ session: 'a', seq: 1, role: 'assistant' as const }],
      to: { org: 'acme' },
    };
    const result = await shop.assert(told);
    return { memory, shop, told, result, id: result.claims[0]! };
  };

  test('what a model says to everybody waits, and is believed once somebody approves', async () => {
    const { memory, shop, result, id, told } = await waiting();
    expect(result.noEffect?.why).toBe('held');
    expect(await shop.facts({ predicate: 'is' })).toEqual([]);
    expect(await shop.held()).toMatchObject([
      { id, since: result.tx, claim: { origin: 'assistant' } },
    ]);
    expect(await shop.assert(told)).toMatchObject({ committed: false, noEffect: { why: 'held' } });
    const approved = await shop.approve(id, { reason: 'Right.' });
    expect(approved.claims).toEqual([id]);
    expect(objects(await memory.in({ org: 'acme' }).facts({ predicate: 'is' }))).toEqual(['red']);
    expect(
      await memory.in({ org: 'acme' }).facts({ predicate: 'is', knownAt: { tx: result.tx } }),
    ).toEqual([]);
    expect(await refused(() => shop.approve(id))).toBe('NOT_FOUND claim');
  });

  test('what is rejected is never believed', async () => {
    const { memory, shop, id } = await waiting();
    await shop.reject(id);
    expect(await shop.held()).toEqual([]);
    expect(await refused(() => shop.approve(id))).toBe('NOT_FOUND claim');
    await memory.rebuild();
    expect(await shop.facts({ predicate: 'is' })).toEqual([]);
  });

  test('a person, or a model in its own scope, waits for nobody', async () => {
    const shop = (await opened()).in(SHOP);
    const model = [{ session: 'a', seq: 1, role: 'assistant' as const }];
    expect(
      (await shop.assert({ ...saying('+red', since('2020', 'a')), evidence: model })).committed,
    ).toBe(true);
    expect(
      (await shop.assert({ ...saying('+red', since('2020', 'b')), to: { org: 'acme' } })).noEffect,
    ).toBeNull();
    expect(await shop.held()).toEqual([]);
  });

  test('a policy may refuse, and then nothing is written', async () => {
    const memory = await opened({ policy: () => ({ refuse: 'No.' }) });
    const before = await counts(memory);
    expect(
      await refused(() => memory.in(SHOP).assert({ subject: 'new', predicate: 'is', object: 'x' })),
    ).toBe('POLICY_REFUSED claim');
    expect(await counts(memory)).toEqual(before);
  });

  test('what was taken back after its approval waits again when the model repeats it', async () => {
    const { shop, id, told } = await waiting();
    const { tx } = await shop.approve(id);
    await shop.revert(tx);
    await shop.reject(id);
    expect((await shop.assert(told)).noEffect?.why).toBe('held');
    expect(await shop.facts({ predicate: 'is' })).toEqual([]);
    await shop.approve(id);
    expect(objects(await shop.facts({ predicate: 'is' }))).toEqual(['red']);
  });
});
