import { describe, expect, test } from 'vitest';
import { counts, objects, opened, refused, saying, SHOP, testClock } from './opened.js';
import { temporaryFolder } from '../support/folder.js';

describe('what a claim says by leaving out', () => {
  test('it holds from when it is said, with the start flagged as unknown, and goes on', async () => {
    const shop = (await opened({ clock: testClock('2026-01-01') })).in(SHOP);
    const {
      opened: [fact],
    } = await shop.assert({ subject: 'it', predicate: 'is', object: 'red' });
    expect(fact).toMatchObject({
      validFrom: '2026-01-01T00:00:02.000Z',
      validTo: null,
      startUnknown: true,
      precision: { from: 'millisecond' },
      scope: SHOP,
      properties: {},
      instance: null,
    });
    const {
      claims: [claim],
    } = await shop.why(fact!);
    expect(claim).toMatchObject({
      validFrom: 'unknown',
      validTo: 'ongoing',
      origin: 'api',
      authority: 30,
      confidence: null,
      statement: null,
      evidence: [],
    });
  });

  test('it is said when the latest of its events happened, by who said the first', async () => {
    const shop = (await opened()).in(SHOP);
    const {
      opened: [fact],
    } = await shop.assert({
      subject: 'it',
      predicate: 'is',
      object: 'red',
      evidence: [
        { session: 's', seq: 1, role: 'assistant', at: '2024-03-01', quote: 'It is red.' },
        { session: 's', seq: 4, at: '2024-05-01' },
      ],
    });
    const {
      claims: [claim],
      text,
    } = await shop.why(fact!);
    expect(claim).toMatchObject({
      observedAt: '2024-05-01T00:00:00.000Z',
      origin: 'assistant',
      authority: 10,
    });
    expect(text).toContain('“It is red.”');
  });

  test('authority goes by origin, and by what the store was opened with', async () => {
    const memory = await opened({ authority: { document: 25 } });
    const shop = memory.in(SHOP);
    const authorityOf = async (
      origin: 'user' | 'tool' | 'document' | 'assistant' | 'api',
    ): Promise<unknown> => {
      const {
        opened: [fact],
      } = await shop.assert({
        subject: origin,
        predicate: 'is',
        object: 'x',
        origin,
        evidence: [{ session: 's', seq: 1 }],
      });
      return (await shop.why(fact!)).claims[0]?.authority;
    };
    expect(
      await Promise.all(
        (['user', 'tool', 'document', 'assistant', 'api'] as const).map(authorityOf),
      ),
    ).toEqual([30, 30, 25, 10, 30]);
  });

  test('an event is as exact as it was told', async () => {
    const shop = (await opened()).in(SHOP);
    const result = await shop.assert({
      subject: 'it',
      predicate: 'is',
      object: 'red',
      validFrom: '2023',
      validTo: '2024-03',
    });
    expect(result.opened[0]).toMatchObject({
      validFrom: '2023-01-01T00:00:00.000Z',
      validTo: '2024-03-01T00:00:00.000Z',
      precision: { from: 'year', to: 'month' },
      valid: '2023 – 2024-03',
    });
  });
});

describe('objects', () => {
  test.each([
    ['text', 'red', 'red'],
    ['text, composed and trimmed', ' cafe\u0301 ', 'caf\u00e9'],
    ['a number', 7, 7],
    ['nought, whatever its sign', -0, 0],
    ['a truth value', false, false],
    [
      'a point in time',
      new Date('2024-05-01'),
      { instant: '2024-05-01T00:00:00.000Z', precision: 'millisecond' },
    ],
    [
      'a month',
      { instant: '2024-05' },
      { instant: '2024-05-01T00:00:00.000Z', precision: 'month' },
    ],
    ['JSON', { json: { b: [1, null], a: 'x' } }, { json: { a: 'x', b: [1, null] } }],
  ])('%s', async (_what, object, shown) => {
    const shop = (await opened()).in(SHOP);
    await shop.assert({ subject: 'it', predicate: 'is', object });
    const [fact] = await shop.facts({ predicate: 'is', object });
    expect(fact?.object).toEqual(shown);
  });

  test('an entity that an answer gave may be handed back', async () => {
    const shop = (await opened()).in(SHOP);
    const first = await shop.assert({
      subject: 'it',
      predicate: 'likes',
      object: { entity: 'Ana', type: 'person' },
    });
    const ana = first.opened[0]!.object;
    expect(ana).toMatchObject({ name: 'Ana', type: 'person' });
    await shop.assert({ subject: 'other', predicate: 'likes', object: ana });
    expect(await shop.facts({ object: ana })).toHaveLength(2);
    expect(await shop.facts({ object: 'Ana' })).toHaveLength(2);
    expect((await shop.entities.list({ type: 'person' }).toArray()).map((e) => e.name)).toEqual([
      'Ana',
    ]);
  });

  test('equal JSON is one object, whatever the order of its members', async () => {
    const shop = (await opened()).in(SHOP);
    await shop.assert({ subject: 'it', predicate: 'has', object: { json: { a: 1, b: 2 } } });
    const again = await shop.assert({
      subject: 'it',
      predicate: 'has',
      object: { json: { b: 2, a: 1 } },
      observedAt: '2026-02',
    });
    expect(again.noEffect).toMatchObject({ why: 'confirms' });
  });
});

describe('saying it twice', () => {
  const told = {
    subject: 'it',
    predicate: 'is',
    object: 'red',
    evidence: [{ session: 's', seq: 1 }],
  };

  test('from the same event it is one claim, also after opening again', async () => {
    const path = temporaryFolder();
    const memory = await opened({ path });
    const first = await memory.in(SHOP).assert(told);
    const before = await counts(memory);
    const again = await memory
      .in(SHOP)
      .assert({ ...told, statement: 'in other words', confidence: 0.4 });
    expect(again).toMatchObject({
      claims: first.claims,
      committed: false,
      noEffect: { why: 'already-told' },
    });
    expect(await counts(memory)).toEqual(before);
    await memory.close();
    const reopened = await opened({ path });
    expect(await reopened.in(SHOP).assert(told)).toMatchObject({
      claims: first.claims,
      committed: false,
    });
  });

  test('from another event, in another scope or of another time it is another claim', async () => {
    const shop = (await opened()).in(SHOP);
    const ids = [
      await shop.assert(told),
      await shop.assert({ ...told, evidence: [{ session: 's', seq: 2 }] }),
      await shop.assert({ ...told, evidence: [{ session: 't', seq: 1 }] }),
      await shop.assert({ ...told, to: { org: 'acme' } }),
      await shop.assert({ ...told, validFrom: '2024' }),
      await shop.assert({ ...told, validFrom: '2024-01-01' }),
      await shop.assert({ ...told, polarity: 'deny' }),
      await shop.assert({ ...told, instance: 'second' }),
      await shop.assert({ ...told, properties: { a: 1 } }),
      await shop.assert({ ...told, authority: 5 }),
    ].flatMap((r) => r.claims);
    expect(new Set(ids).size).toBe(10);
  });

  test('without an event each call is a claim, unless it brings a key', async () => {
    const memory = await opened();
    const shop = memory.in(SHOP);
    const bare = { subject: 'it', predicate: 'is', object: 'red' };
    await shop.assert(bare);
    await shop.assert(bare);
    expect((await memory.stats()).claims).toBe(2);
    const keyed = { ...bare, idempotencyKey: 'order 7' };
    const first = await shop.assert(keyed);
    expect(await shop.assert(keyed)).toMatchObject({
      claims: first.claims,
      noEffect: { why: 'already-told' },
    });
    expect((await memory.stats()).claims).toBe(3);
  });

  test('two equal asserts of one transaction without an event are two claims', async () => {
    const shop = (await opened()).in(SHOP);
    const bare = { subject: 'it', predicate: 'has', object: 'red' };
    const { claims } = await shop.transact((t) => {
      t.assert(bare);
      t.assert(bare);
    });
    expect(new Set(claims).size).toBe(2);
  });

  test('what was taken back stands again when somebody says it again', async () => {
    const shop = (await opened()).in(SHOP);
    const first = await shop.assert(told);
    const taken = await shop.retract(first.claims[0]!);
    expect(taken.closed.map((c) => c.reason)).toEqual(['withdrawn']);
    const again = await shop.assert(told);
    expect(again).toMatchObject({ committed: true, claims: first.claims, noEffect: null });
    expect(objects(await shop.facts({ predicate: 'is' }))).toEqual(['red']);
    expect(await shop.facts({ predicate: 'is', knownAt: { tx: taken.tx } })).toEqual([]);
  });

  test('also where it was taken back as a fact', async () => {
    const shop = (await opened()).in(SHOP);
    const first = await shop.assert({ ...told, validFrom: '2024' });
    await shop.retract(first.opened[0]!);
    expect(await shop.facts({ predicate: 'is' })).toEqual([]);
    const again = await shop.assert({ ...told, validFrom: '2024' });
    expect(again.committed).toBe(true);
    expect(objects(await shop.facts({ predicate: 'is' }))).toEqual(['red']);
  });

  test('what was corrected stays corrected when its event is delivered again', async () => {
    const shop = (await opened()).in(SHOP);
    const first = await shop.assert(told);
    await shop.correct({ was: first.claims[0]!, object: 'blue' });
    expect(await shop.assert(told)).toMatchObject({
      committed: false,
      noEffect: { why: 'already-told' },
    });
    expect(objects(await shop.facts({ predicate: 'is' }))).toEqual(['blue']);
  });
});

describe('a write that changes no belief says why', () => {
  test('it confirms what is believed', async () => {
    const shop = (await opened()).in(SHOP);
    const first = await shop.assert(saying('+red', { from: '2020', to: '∞', said: '2020' }));
    const again = await shop.assert(saying('+red', { from: '2021', to: '∞', said: '2022' }));
    expect(again).toMatchObject({
      committed: true,
      opened: [],
      closed: [],
      noEffect: { why: 'confirms', fact: first.opened[0]!.id },
    });
    const [fact] = await shop.facts({ predicate: 'is' });
    expect(fact?.lastConfirmedAt).toBe('2022-01-01T00:00:00.000Z');
    const [before] = await shop.facts({ predicate: 'is', knownAt: { tx: first.tx } });
    expect(before?.lastConfirmedAt).toBe('2020-01-01T00:00:00.000Z');
  });

  test('it is shadowed, and by which claim', async () => {
    const shop = (await opened()).in(SHOP);
    const strong = await shop.assert(saying('+red', { from: '2020', to: '2030', said: '2020' }));
    const weak = await shop.assert(
      saying('+blue', { from: '2021', to: '2022', said: '2025', authority: 5 }),
    );
    expect(weak.noEffect).toEqual({ why: 'shadowed', by: strong.claims[0] });
  });

  test('it has no date at all, and is kept as history', async () => {
    const shop = (await opened()).in(SHOP);
    const result = await shop.assert(saying('+tea', { from: null, to: '?', said: '2024' }));
    expect(result.noEffect).toEqual({ why: 'undated' });
    const { facts, undated } = await shop.history({ subject: 'it' });
    expect([facts.length, undated.map((c) => c.object)]).toEqual([0, ['tea']]);
  });

  test('it denies what nobody believes', async () => {
    const shop = (await opened()).in(SHOP);
    const result = await shop.assert(saying('-red', { from: '2024', to: '∞', said: '2024' }));
    expect(result).toMatchObject({ committed: true, noEffect: { why: 'nothing-to-change' } });
  });

  test('it takes back what is out already', async () => {
    const shop = (await opened()).in(SHOP);
    const { claims } = await shop.assert(saying('+red', { from: '2024', to: '∞', said: '2024' }));
    await shop.retract(claims[0]!);
    expect((await shop.retract(claims[0]!)).noEffect).toEqual({ why: 'nothing-to-change' });
  });

  test('it was erased', async () => {
    const shop = (await opened()).in(SHOP);
    const told = saying('+red', {
      from: '2024',
      to: '∞',
      said: '2024',
      evidence: [{ session: 's', seq: 1 }],
    });
    await shop.assert(told);
    await shop.forget({ session: 's' }, { mode: 'erase' });
    expect(await shop.assert(told)).toMatchObject({
      committed: false,
      noEffect: { why: 'erased' },
    });
  });

  test('it waits for approval', async () => {
    const memory = await opened({ policy: () => ({ hold: 'Ask Ana.' }) });
    const result = await memory.in(SHOP).assert({ subject: 'it', predicate: 'is', object: 'red' });
    expect(result.noEffect).toEqual({ why: 'held', reason: 'Ask Ana.' });
  });
});

describe('ifTx', () => {
  test('refuses when belief about the key has moved on, and only then', async () => {
    const memory = await opened();
    const shop = memory.in(SHOP);
    const first = await shop.assert(saying('+red', { from: '2020', to: '∞', said: '2020' }));
    await shop.assert({ subject: 'other', predicate: 'is', object: 'x' });
    const next = saying('+blue', { from: '2021', to: '∞', said: '2021' });
    expect((await shop.assert(next, { ifTx: first.tx, dryRun: true })).opened).toHaveLength(2);
    const second = await shop.assert(next, { ifTx: first.tx });
    expect(second.committed).toBe(true);
    const before = await counts(memory);
    const third = saying('+green', { from: '2022', to: '∞', said: '2022' });
    expect(await refused(() => shop.assert(third, { ifTx: first.tx }))).toBe('CONFLICT ifTx');
    expect(await refused(() => shop.assert(third, { ifTx: first.tx, dryRun: true }))).toBe(
      'CONFLICT ifTx',
    );
    expect(await counts(memory)).toEqual(before);
    expect((await shop.assert(third, { ifTx: second.tx })).committed).toBe(true);
  });

  test('a claim that confirmed, and changed no belief, moves nothing on', async () => {
    const shop = (await opened()).in(SHOP);
    const first = await shop.assert(saying('+red', { from: '2020', to: '∞', said: '2020' }));
    await shop.assert(saying('+red', { from: '2020', to: '∞', said: '2021' }));
    const next = saying('+blue', { from: '2022', to: '∞', said: '2022' });
    expect((await shop.assert(next, { ifTx: first.tx })).committed).toBe(true);
  });

  test('it speaks for retract, correct, end and revert too', async () => {
    const shop = (await opened()).in(SHOP);
    const first = await shop.assert(saying('+red', { from: '2020', to: '∞', said: '2020' }));
    await shop.assert(saying('+blue', { from: '2021', to: '∞', said: '2021' }));
    const was = first.claims[0]!;
    const options = { ifTx: first.tx };
    const work = [
      () => shop.retract(was, options),
      () => shop.correct({ was, object: 'green' }, options),
      () => shop.end({ subject: 'it', predicate: 'is', at: '2022' }, options),
      () => shop.revert(first.tx, options),
    ];
    for (const one of work) expect(await refused(one)).toBe('CONFLICT ifTx');
  });
});
