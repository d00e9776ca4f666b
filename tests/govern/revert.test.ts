import { describe, expect, test } from 'vitest';
import { counts, objects, opened, refusal, refused, saying, SHOP } from '../memory/opened.js';

const is = { predicate: 'is' } as const;

describe('revert undoes a transaction in a new one', () => {
  test('claims are withdrawn, and the past is left alone', async () => {
    const shop = (await opened()).in(SHOP);
    await shop.assert(saying('+red', { from: '2020', to: '∞', said: '2020' }));
    const blue = await shop.assert(saying('+blue', { from: '2022', to: '∞', said: '2022' }));
    const undone = await shop.revert(blue.tx, { reason: 'A bad import.', actor: 'ana' });
    expect(undone.closed.map((c) => c.reason)).toEqual(['withdrawn', 'withdrawn']);
    expect(objects(await shop.facts(is))).toEqual(['red']);
    expect(objects(await shop.facts({ ...is, knownAt: { tx: blue.tx } }))).toEqual(['blue']);
    const [set] = await shop.changes({ from: { tx: blue.tx } }).toArray();
    expect(set).toMatchObject({ actor: 'ana', reason: 'A bad import.' });
  });

  test('a revert is reverted, and that as well', async () => {
    const shop = (await opened()).in(SHOP);
    const red = await shop.assert(saying('+red', { from: '2020', to: '∞', said: '2020' }));
    const values: unknown[] = [];
    let last = red;
    for (let i = 0; i < 4; i++) {
      last = await shop.revert(last.tx);
      values.push(objects(await shop.facts(is)));
    }
    expect(values).toEqual([[], ['red'], [], ['red']]);
  });

  test('a transaction of several verbs goes as one', async () => {
    const shop = (await opened()).in(SHOP);
    const a = await shop.assert({ subject: 'a', predicate: 'is', object: 'old' });
    const both = await shop.transact((t) => {
      t.retract(a.claims[0]!);
      t.assert({ subject: 'b', predicate: 'is', object: 'new' });
    });
    expect(objects(await shop.facts(is))).toEqual(['new']);
    await shop.revert(both.tx);
    expect(objects(await shop.facts(is))).toEqual(['old']);
  });

  test('a retraction is taken back alone: what else keeps the claim out goes on doing so', async () => {
    const shop = (await opened()).in(SHOP);
    const { claims } = await shop.assert(
      saying('+red', { from: '2020', to: '∞', said: '2020', evidence: [{ session: 's', seq: 1 }] }),
    );
    const retracted = await shop.retract(claims[0]!);
    const forgotten = await shop.forget({ session: 's' });
    await shop.revert(retracted.tx);
    expect(await shop.facts(is), 'forgotten still').toEqual([]);
    await shop.revert(forgotten.tx);
    expect(objects(await shop.facts(is))).toEqual(['red']);
  });

  test('a retraction of a fact is taken back within its interval', async () => {
    const shop = (await opened()).in(SHOP);
    const {
      opened: [fact],
    } = await shop.assert(saying('+red', { from: '2020', to: '2024', said: '2020' }));
    const retracted = await shop.retract(fact!);
    expect(await shop.facts({ ...is, validAt: '2022' })).toEqual([]);
    await shop.revert(retracted.tx);
    expect(objects(await shop.facts({ ...is, validAt: '2022' }))).toEqual(['red']);
  });

  test('a reinstatement: the claim is out again where it had been', async () => {
    const shop = (await opened()).in(SHOP);
    const told = saying('+red', {
      from: '2020',
      to: '∞',
      said: '2020',
      evidence: [{ session: 's', seq: 1 }],
    });
    const { claims } = await shop.assert(told);
    await shop.retract(claims[0]!);
    const again = await shop.assert(told);
    expect(objects(await shop.facts(is))).toEqual(['red']);
    await shop.revert(again.tx);
    expect(await shop.facts(is)).toEqual([]);
  });

  test('a correction: its target is back', async () => {
    const shop = (await opened()).in(SHOP);
    const red = await shop.assert(saying('+red', { from: '2020', to: '∞', said: '2020' }));
    const blue = await shop.correct({ was: red.claims[0]!, object: 'blue' });
    await shop.revert(blue.tx);
    expect(objects(await shop.facts(is))).toEqual(['red']);
  });

  test('an end: what had ended goes on', async () => {
    const shop = (await opened()).in(SHOP);
    await shop.assert(saying('+red', { from: '2020', to: '∞', said: '2020' }));
    const ended = await shop.end({ subject: 'it', predicate: 'is', at: '2022' });
    await shop.revert(ended.tx);
    expect(objects(await shop.facts(is))).toEqual(['red']);
  });

  test('merges are split, splits merged, aliases taken away and given back', async () => {
    const shop = (await opened()).in(SHOP);
    await shop.assert({ subject: 'Ann', predicate: 'is', object: 'x' });
    await shop.assert({ subject: 'Anna', predicate: 'has', object: 'y' });
    const of = async (subject: string): Promise<number> => (await shop.facts({ subject })).length;
    const merged = await shop.entities.merge('Ann', 'Anna');
    expect([await of('Ann'), await of('Anna')]).toEqual([2, 2]);
    const split = await shop.revert(merged.tx);
    expect([await of('Ann'), await of('Anna')]).toEqual([1, 1]);
    await shop.revert(split.tx);
    expect([await of('Ann'), await of('Anna')]).toEqual([2, 2]);
    const alias = await shop.entities.alias('Anna', 'Nan');
    expect(await of('Nan')).toBe(2);
    const unnamed = await shop.revert(alias.tx);
    expect(await of('Nan')).toBe(0);
    await shop.revert(unnamed.tx);
    expect(await of('Nan')).toBe(2);
  });

  test('a split that is reverted when the two are one again, from the other side, changes nothing', async () => {
    const shop = (await opened()).in(SHOP);
    await shop.entities.declare({ name: 'Ann' });
    await shop.entities.declare({ name: 'Anna' });
    await shop.entities.declare({ name: 'Hanna' });
    await shop.entities.merge('Ann', 'Anna');
    const split = await shop.entities.split('Ann');
    await shop.entities.merge('Anna', 'Ann');
    await shop.revert(split.tx);
    expect((await shop.entities.resolve('Anna')).map((e) => e.name)).toEqual(['Ann']);
    await shop.entities.split('Anna');
    await shop.entities.merge('Ann', 'Hanna');
    expect(await refused(() => shop.revert(split.tx))).toBe('CONFLICT tx');
  });

  test('an approval: the claim waits again; a rejection: it can be approved', async () => {
    const memory = await opened({
      policy: ({ action }) => (action === 'assert' ? { hold: 'Wait.' } : 'accept'),
    });
    const shop = memory.in(SHOP);
    const {
      claims: [id],
    } = await shop.assert({ subject: 'it', predicate: 'is', object: 'red' });
    const approved = await shop.approve(id!);
    expect(objects(await shop.facts(is))).toEqual(['red']);
    await shop.revert(approved.tx);
    expect(await shop.facts(is)).toEqual([]);
    expect((await shop.held()).map((h) => h.id)).toEqual([id]);
    const rejected = await shop.reject(id!);
    expect(await shop.held()).toEqual([]);
    await shop.revert(rejected.tx);
    expect((await shop.held()).map((h) => h.id)).toEqual([id]);
    await shop.approve(id!);
    expect(objects(await shop.facts(is))).toEqual(['red']);
    await memory.rebuild();
    expect(objects(await shop.facts(is))).toEqual(['red']);
  });

  test('what was held waits no longer', async () => {
    const memory = await opened({ policy: () => ({ hold: 'Wait.' }) });
    const shop = memory.in(SHOP);
    const held = await shop.assert({ subject: 'it', predicate: 'is', object: 'red' });
    await shop.revert(held.tx);
    expect(await shop.held()).toEqual([]);
  });
});

describe('what cannot be reverted', () => {
  test('an erasure, and it says so', async () => {
    const memory = await opened();
    const shop = memory.in(SHOP);
    await shop.assert({
      subject: 'it',
      predicate: 'is',
      object: 'red',
      evidence: [{ session: 's', seq: 1 }],
    });
    const { tx } = await shop.forget({ session: 's' }, { mode: 'erase' });
    const error = await refusal(() => shop.revert(tx));
    expect([error.code, error.field]).toEqual(['NOT_REVERTIBLE', 'tx']);
    expect(error.message).toContain('erased');
  });

  test('the settings, which are no scope’s own', async () => {
    const memory = await opened();
    expect(await refused(() => memory.in(SHOP).revert(1))).toBe('NOT_REVERTIBLE tx');
    expect(await refused(() => memory.admin({ org: 'acme' }).revert(1))).toBe('NOT_REVERTIBLE tx');
  });

  test('what reaches beyond the scope, but for an administrator', async () => {
    const memory = await opened();
    const shop = memory.in(SHOP);
    const { tx } = await shop.transact((t) => {
      t.assert({ subject: 'it', predicate: 'is', object: 'red' });
      t.assert({ subject: 'it', predicate: 'is', object: 'blue', to: { org: 'acme' } });
    });
    const before = await counts(memory);
    expect(await refused(() => memory.in({ org: 'acme' }).revert(tx))).toBe('NOT_REVERTIBLE tx');
    expect(await refused(() => memory.admin({ org: 'other' }).revert(tx))).toBe(
      'NOT_REVERTIBLE tx',
    );
    expect(await counts(memory)).toEqual(before);
    const undone = await memory.admin({ org: 'acme' }).revert(tx);
    expect(undone.closed).toHaveLength(2);
  });

  test.each([0, -1, 1.5, Number.NaN])('%s, which is no number of a transaction', async (tx) => {
    const memory = await opened();
    expect(await refused(() => memory.in(SHOP).revert(tx))).toBe('INVALID_INPUT tx');
    expect(await refused(() => memory.admin({ org: 'acme' }).revert(tx))).toBe('INVALID_INPUT tx');
  });

  test('a number in letters', async () => {
    const memory = await opened();
    // @ts-expect-error -- callers without types write such things
    expect(await refused(() => memory.in(SHOP).revert('1'))).toBe('INVALID_INPUT tx');
  });

  test('a transaction that there is not', async () => {
    const memory = await opened();
    expect(await refused(() => memory.in(SHOP).revert(99))).toBe('NOT_FOUND tx');
  });
});
