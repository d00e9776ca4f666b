import { describe, expect, test } from 'vitest';
import type { Fact, ForgetSelector, Scope } from '../../lib/index.js';
import { temporaryFolder } from '../support/folder.js';
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
    expect(receipt).toMatchObject({ claims: 1, committed: true, sessions: ['a'] });
    const [red] = await shop.facts({ predicate: 'is' });
    expect(red?.object).toBe('red');
    const [claim] = (await shop.why(red!)).claims;
    expect(claim?.evidence.map((e) => e.session)).toEqual(['b']);
    expect(claim?.outs).toEqual([]);
    const before = await shop.asOf({ known: { tx: receipt.tx - 1 } }).why(red!);
    expect(before.claims[0]?.evidence.map((e) => e.session)).toEqual(['a', 'b']);
  });

  test('twice is once', async () => {
    const { memory, shop } = await world();
    await shop.forget({ session: 'b' });
    const before = await counts(memory);
    const nothing = { committed: false, nothingLeft: true, claims: 0, sessions: [] };
    expect(await shop.forget({ session: 'b' })).toMatchObject(nothing);
    expect(await shop.forget({ session: 'nobody' })).toMatchObject(nothing);
    expect(await counts(memory)).toEqual(before);
  });

  test.each(['retract', 'erase'] as const)(
    'what was forgotten by %s leaves nothing to a second time',
    async (mode) => {
      const { memory, shop } = await world();
      const admin = memory.admin({ org: 'acme' });
      const first = await shop.forget({ session: 'b' }, { mode });
      expect(first).toMatchObject({ committed: true, nothingLeft: false, claims: 2 });
      const before = await counts(memory);
      for (const dryRun of [true, false]) {
        const options = { mode, dryRun };
        const nothing = { committed: false, nothingLeft: true, claims: 0, facts: 0, tx: first.tx };
        expect(await shop.forget({ session: 'b' }, options)).toMatchObject(nothing);
        expect(await admin.forget({ user: 'nobody' }, options)).toMatchObject(nothing);
      }
      expect(await counts(memory)).toEqual(before);
    },
  );
});

describe('a claim of two events', () => {
  const twice = async (options: Parameters<typeof opened>[0] = {}) => {
    const memory = await opened(options);
    const shop = memory.in(SHOP);
    const told = {
      ...saying('+red', since('2020', 'a')),
      evidence: [...evidence('a'), ...evidence('b')],
    };
    const { claims } = await shop.assert(told);
    const is = async () => objects(await shop.facts({ predicate: 'is' }));
    return { memory, shop, told, is, claim: claims[0]! };
  };
  const a: ForgetSelector = { event: { session: 'a', seq: 1 } };
  const b: ForgetSelector = { session: 'b' };

  test('goes with the last of them, in whichever order, and after opening anew', async () => {
    for (const order of [
      [a, b],
      [b, a],
    ]) {
      const { memory, shop, is } = await twice();
      await shop.forget(order[0]!);
      expect(await is()).toEqual(['red']);
      const { effect, committed } = await shop.forget(order[1]!);
      expect(committed).toBe(true);
      expect(effect?.closed.map((c) => c.reason)).toEqual(['withdrawn']);
      expect(await is()).toEqual([]);
      await memory.rebuild();
      expect(await is()).toEqual([]);
    }
  });

  test('answers the same from the graph at rest', async () => {
    const path = temporaryFolder();
    const { memory, shop, is } = await twice({ path, graph: 'auto', resident: false });
    await shop.forget(a);
    await memory.syncGraph();
    const [red] = await shop.facts({ predicate: 'is' });
    expect(red).toMatchObject({ object: 'red', certainty: 'presumed' });
    expect((await shop.why(red!)).claims[0]?.evidence.map((e) => e.session)).toEqual(['b']);
    await shop.forget(b);
    await memory.syncGraph();
    expect(await is()).toEqual([]);
  });

  test('stands again when either is taken back, and by that one alone', async () => {
    for (const back of [0, 1]) {
      const { shop, is } = await twice();
      const receipts = [await shop.forget(a), await shop.forget(b)];
      const reverted = await shop.revert(receipts[back]!.tx);
      expect(await is()).toEqual(['red']);
      const [red] = await shop.facts({ predicate: 'is' });
      const sessions = (await shop.why(red!)).claims[0]?.evidence.map((e) => e.session);
      expect(sessions).toEqual([['a', 'b'][back]]);
      await shop.revert(reverted.tx);
      expect(await is(), 'a revert is reverted').toEqual([]);
    }
  });

  test('stands by both when somebody tells it again', async () => {
    const { shop, told, is } = await twice();
    await shop.forget(a);
    expect(await shop.assert(told)).toMatchObject({ committed: true });
    await shop.forget(b);
    expect(await is()).toEqual(['red']);
  });

  test('is erased when its last event is, whatever was forgotten before', async () => {
    const { memory, shop, is } = await twice();
    await shop.forget(a);
    expect(await shop.forget(b, { mode: 'erase' })).toMatchObject({ claims: 1 });
    expect(await is()).toEqual([]);
    expect((await memory.stats()).claims).toBe(0);
  });

  test('is the same after an export has been imported', async () => {
    const { memory, shop } = await twice();
    await shop.forget(a);
    const lines = await memory.export().toArray();
    const other = await opened({ ontology: { predicates: {} } });
    await other.import(lines);
    await other.in(SHOP).forget(b);
    expect(await other.in(SHOP).facts({ predicate: 'is' })).toEqual([]);
  });
});

describe('an agreed proposal that two names are one', () => {
  test('merges them, and is itself no fact', async () => {
    const shop = (
      await opened({
        policy: ({ claim }) => (claim.predicate === 'same_as' ? { hold: 'Ask.' } : 'accept'),
      })
    ).in(SHOP);
    for (const [subject, object] of [
      ['Ann', 'tea'],
      ['Annabel', 'tennis'],
    ] as const) {
      await shop.assert({ subject, predicate: 'likes', object });
    }
    const { claims } = await shop.assert({
      subject: 'Ann',
      predicate: 'same_as',
      object: { entity: 'Annabel' },
    });
    const { tx } = await shop.approve(claims[0]!);
    const seen = async () =>
      (await shop.facts()).map((f) => `${f.subject.name} ${f.predicate}`).sort();
    expect(await seen()).toEqual(['Annabel likes', 'Annabel likes']);
    expect(
      (await shop.history({ subject: 'Annabel' })).facts.map((f) => f.predicate),
    ).not.toContain('same_as');
    await shop.revert(tx);
    expect(await seen()).toEqual(['Ann likes', 'Annabel likes']);
    expect(await shop.held()).toMatchObject([{ id: claims[0] }]);
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
      { id, since: { tx: result.tx }, claim: { origin: 'assistant' } },
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

  test('nobody sees what a waiting claim names, until it is approved', async () => {
    for (const path of [undefined, temporaryFolder()]) {
      const policy = () => ({ hold: 'Wait.' });
      const where = path === undefined ? {} : { path };
      const memory = await opened({ ...where, policy });
      const told = { subject: { name: 'Ann', type: 'person' }, predicate: 'has', object: 'tea' };
      const { claims, tx } = await memory.in(SHOP).assert({ ...told, to: { org: 'acme' } });
      const names = async (m: typeof memory) =>
        (await m.in({ org: 'acme' }).entities.list().toArray()).map((e) => e.name);
      expect(await names(memory)).toEqual([]);
      expect(await memory.in(SHOP).entities.resolve('Ann')).toEqual([]);
      expect((await memory.in(SHOP).held()).map((h) => h.claim.subject.name)).toEqual(['Ann']);
      if (path !== undefined) await memory.close();
      const again = path === undefined ? memory : await opened({ ...where, policy });
      expect((await again.in(SHOP).held()).map((h) => h.claim.subject.name)).toEqual(['Ann']);
      await again.in(SHOP).approve(claims[0]!);
      expect(await names(again)).toEqual(['Ann']);
      const before = await again
        .in({ org: 'acme' })
        .asOf({ known: { tx } })
        .entities.resolve('Ann');
      expect(before).toEqual([]);
      await again.rebuild();
      expect(await names(again)).toEqual(['Ann']);
    }
  });

  test('what two waiting claims name is one, whichever is approved first', async () => {
    const memory = await opened({ policy: () => ({ hold: 'Wait.' }) });
    const shop = memory.in(SHOP);
    const both = await shop.transact((t) => {
      t.assert({ subject: 'Ann', predicate: 'has', object: 'tea' });
      t.assert({ subject: 'Ann', predicate: 'has', object: 'milk' });
    });
    for (const id of [...both.claims].reverse()) await shop.approve(id);
    expect(objects(await shop.facts({ subject: 'Ann' }))).toEqual(['milk', 'tea']);
    expect(await shop.entities.resolve('Ann')).toHaveLength(1);
  });

  test('two names that nobody knew are one once somebody agrees', async () => {
    const memory = await opened({ policy: () => ({ hold: 'Wait.' }) });
    const shop = memory.in(SHOP);
    const { claims } = await shop.assert({
      subject: 'Ann',
      predicate: 'same_as',
      object: { entity: 'Annabel' },
    });
    await shop.approve(claims[0]!);
    expect(await shop.facts()).toEqual([]);
    expect(await shop.entities.resolve('Ann')).toMatchObject([{ name: 'Annabel' }]);
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
