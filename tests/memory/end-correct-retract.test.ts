import { describe, expect, test } from 'vitest';
import { counts, objects, opened, refused, saying, SHOP } from './opened.js';

const NEVER = `f_${'0'.repeat(32)}`;
const NOBODY = `c_${'0'.repeat(32)}`;

describe('end', () => {
  test('what has begun holds until then, and was so before', async () => {
    const shop = (await opened()).in(SHOP);
    const first = await shop.assert(saying('+red', { from: '2020', to: '∞', said: '2020' }));
    const ended = await shop.end({
      subject: 'it',
      predicate: 'is',
      at: '2024-03',
      statement: 'No more red.',
    });
    expect(ended.closed.map((c) => [c.reason, c.fact.id])).toEqual([
      ['ended', first.opened[0]!.id],
    ]);
    expect(ended.opened.map((f) => f.valid)).toEqual(['2020 – 2024-03']);
    expect(objects(await shop.facts({ predicate: 'is', validAt: '2024-02-29' }))).toEqual(['red']);
    expect(await shop.facts({ predicate: 'is', validAt: '2024-03-01' })).toEqual([]);
  });

  test('what is only planned never was: the plan is taken out, and what it would have ended goes on', async () => {
    const shop = (await opened()).in(SHOP);
    await shop.assert(saying('+red', { from: '2020', to: '∞', said: '2020' }));
    const plan = await shop.assert(saying('+blue', { from: '2027', to: '∞', said: '2025' }));
    const blue = plan.opened.find((f) => f.object === 'blue')!;
    const ended = await shop.end({ fact: blue, at: '2026-05' });
    expect(ended.closed.map((c) => c.reason)).toEqual(['withdrawn', 'withdrawn']);
    expect(objects(await shop.facts({ predicate: 'is', validAt: '2028' }))).toEqual(['red']);
  });

  test('by subject it ends every value of many, or the one that is named', async () => {
    const shop = (await opened()).in(SHOP);
    const told = { from: '2020', to: '∞', said: '2020', predicate: 'has' };
    for (const what of ['+go', '+rust', '+c']) await shop.assert(saying(what, told));
    await shop.end({ subject: 'it', predicate: 'has', object: 'rust', at: '2022' });
    expect(objects(await shop.facts({ predicate: 'has' }))).toEqual(['c', 'go']);
    const rest = await shop.end({ subject: 'it', predicate: 'has', at: '2023' });
    expect([rest.closed.length, rest.claims.length]).toEqual([2, 2]);
    expect(await shop.facts({ predicate: 'has' })).toEqual([]);
  });

  test('by the inverse name, and from either end of a symmetric edge', async () => {
    const shop = (await opened()).in(SHOP);
    await shop.assert({ subject: 'shop', predicate: 'owner', object: 'Ana', validFrom: '2020' });
    await shop.end({ subject: 'Ana', predicate: 'owns', object: 'shop', at: '2022' });
    expect(await shop.facts({ predicate: 'owner' })).toEqual([]);
    await shop.assert({ subject: 'Ana', predicate: 'knows', object: 'Bo', validFrom: '2020' });
    await shop.end({ subject: 'Bo', predicate: 'knows', object: 'Ana', at: '2022' });
    expect(await shop.facts({ predicate: 'knows' })).toEqual([]);
    expect(await shop.facts({ predicate: 'knows', validAt: '2021' })).toHaveLength(1);
  });

  test('of one instance it leaves the others', async () => {
    const shop = (await opened()).in(SHOP);
    const told = { from: '2020', to: '∞', said: '2020', predicate: 'has' };
    const first = await shop.assert(saying('+seat', { ...told, instance: 'first' }));
    await shop.assert(saying('+seat', { ...told, instance: 'second' }));
    await shop.end({ fact: first.opened[0]!.id, at: '2022' });
    expect((await shop.facts({ predicate: 'has' })).map((f) => f.instance)).toEqual(['second']);
  });

  test('a fact of a broader scope is ended there', async () => {
    const memory = await opened();
    const org = memory.in({ org: 'acme' });
    const shop = memory.in(SHOP);
    const {
      opened: [fact],
    } = await org.assert(saying('+red', { from: '2020', to: '∞', said: '2020' }));
    expect(await refused(() => shop.end({ subject: 'it', predicate: 'is', at: '2022' }))).toBe(
      'NOT_FOUND subject',
    );
    await shop.end({ fact: fact!, at: '2022' });
    expect(await org.facts({ predicate: 'is' })).toEqual([]);
    expect(await memory.in({ org: 'acme', project: 'other' }).facts({ predicate: 'is' })).toEqual(
      [],
    );
  });

  test('nothing goes on beyond that instant', async () => {
    const memory = await opened();
    const shop = memory.in(SHOP);
    const {
      opened: [fact],
    } = await shop.assert(saying('+red', { from: '2020', to: '2022', said: '2020' }));
    const before = await counts(memory);
    expect(await refused(() => shop.end({ fact: fact!, at: '2023' }))).toBe('NOT_FOUND fact');
    expect(await refused(() => shop.end({ subject: 'nobody', predicate: 'is', at: '2021' }))).toBe(
      'NOT_FOUND subject',
    );
    expect(await refused(() => shop.end({ at: '2021' }))).toBe('INVALID_INPUT fact');
    expect(await refused(() => shop.end({ fact: NEVER, at: '2021' }))).toBe('NOT_FOUND fact');
    expect(await counts(memory)).toEqual(before);
  });
});

describe('correct', () => {
  test('another object, and everything else stays as it was', async () => {
    const shop = (await opened()).in(SHOP);
    const wrong = await shop.assert(
      saying('+red', {
        from: '2020-05',
        to: '2024',
        said: '2020',
        properties: { shade: 'dark' },
        instance: 'x',
      }),
    );
    const right = await shop.correct({
      was: wrong.opened[0]!,
      object: 'blue',
      statement: 'It was blue.',
    });
    expect(right.closed.map((c) => [c.reason, c.supersededBy.map((s) => s.kind)])).toEqual([
      ['corrected', ['correction']],
    ]);
    expect(right.opened).toHaveLength(1);
    expect(right.opened[0]).toMatchObject({
      object: 'blue',
      valid: '2020-05 – 2024',
      properties: { shade: 'dark' },
      instance: 'x',
    });
    const { supersedes } = await shop.why(right.opened[0]!);
    expect(supersedes.map((s) => [s.fact.object, s.kind])).toEqual([['red', 'correction']]);
    const { claims } = await shop.why(wrong.opened[0]!);
    expect(claims[0]?.outs).toMatchObject([
      { cause: 'corrected', by: right.claims[0], until: null },
    ]);
  });

  test('a start that moved', async () => {
    const shop = (await opened()).in(SHOP);
    const wrong = await shop.assert(saying('+red', { from: '2024-01', to: '∞', said: '2024-01' }));
    await shop.correct({ was: wrong.opened[0]!, validFrom: '2024-06' });
    expect(await shop.facts({ predicate: 'is', validAt: '2024-03' })).toEqual([]);
    expect(objects(await shop.facts({ predicate: 'is', validAt: '2024-07' }))).toEqual(['red']);
    expect(
      objects(await shop.facts({ predicate: 'is', validAt: '2024-03', knownAt: { tx: wrong.tx } })),
    ).toEqual(['red']);
  });

  test('a plan is postponed without ending what goes on meanwhile', async () => {
    const shop = (await opened()).in(SHOP);
    await shop.assert(saying('+red', { from: '2020', to: '∞', said: '2020' }));
    const plan = await shop.assert(saying('+blue', { from: '2027-03', to: '∞', said: '2025' }));
    await shop.correct({ was: plan.claims[0]!, validFrom: '2027-09' });
    expect(objects(await shop.facts({ predicate: 'is', validAt: '2027-06' }))).toEqual(['red']);
    expect(objects(await shop.facts({ predicate: 'is', validAt: '2028' }))).toEqual(['blue']);
  });

  test('a corrector that is taken back gives its target back', async () => {
    const shop = (await opened()).in(SHOP);
    const wrong = await shop.assert(saying('+red', { from: '2020', to: '∞', said: '2020' }));
    const right = await shop.correct({ was: wrong.claims[0]!, object: 'blue' });
    await shop.retract(right.claims[0]!);
    expect(objects(await shop.facts({ predicate: 'is' }))).toEqual(['red']);
    await shop.assert(saying('+green', { from: '2021', to: '∞', said: '2021' }));
    expect(objects(await shop.facts({ predicate: 'is', validAt: '2020-06' }))).toEqual(['red']);
  });

  test('somebody of less authority corrects nothing', async () => {
    const shop = (await opened()).in(SHOP);
    const told = await shop.assert(
      saying('+red', { from: '2020', to: '∞', said: '2020', authority: 30 }),
    );
    const weak = await shop.correct({
      was: told.claims[0]!,
      object: 'blue',
      authority: 10,
      observedAt: '2020',
    });
    expect(weak.noEffect).toEqual({ why: 'shadowed', by: told.claims[0] });
    expect(objects(await shop.facts({ predicate: 'is' }))).toEqual(['red']);
  });

  test('of a fact it takes its claims out within its interval only', async () => {
    const shop = (await opened()).in(SHOP);
    await shop.assert(saying('+red', { from: '2020', to: '∞', said: '2020' }));
    await shop.assert(saying('+blue', { from: '2022', to: '2023', said: '2023' }));
    const [second] = await shop.facts({ predicate: 'is', validAt: '2024' });
    await shop.correct({ was: second!, object: 'green' });
    const at = async (validAt: string): Promise<unknown> =>
      objects(await shop.facts({ predicate: 'is', validAt }));
    expect([await at('2021'), await at('2022-06'), await at('2024')]).toEqual([
      ['red'],
      ['blue'],
      ['green'],
    ]);
  });

  test.each([
    ['a fact that does not exist', NEVER, 'NOT_FOUND was'],
    ['a claim that does not exist', NOBODY, 'NOT_FOUND was'],
    ['no id at all', 'red', 'INVALID_ID was'],
  ])('%s', async (_what, was, error) => {
    const shop = (await opened()).in(SHOP);
    expect(await refused(() => shop.correct({ was, object: 'blue' }))).toBe(error);
  });
});

describe('retract', () => {
  test('a claim goes whole, and what it had ended goes on', async () => {
    const shop = (await opened()).in(SHOP);
    await shop.assert(saying('+red', { from: '2020', to: '∞', said: '2020' }));
    const { claims } = await shop.assert(saying('+blue', { from: '2022', to: '∞', said: '2022' }));
    const taken = await shop.retract({ id: claims[0]! });
    expect(taken.closed.map((c) => c.reason)).toEqual(['withdrawn', 'withdrawn']);
    expect(objects(await shop.facts({ predicate: 'is' }))).toEqual(['red']);
    expect(objects(await shop.facts({ predicate: 'is', knownAt: { tx: taken.tx - 1 } }))).toEqual([
      'blue',
    ]);
  });

  test('several at once, or none', async () => {
    const memory = await opened();
    const shop = memory.in(SHOP);
    const a = await shop.assert({ subject: 'a', predicate: 'is', object: 'x' });
    const b = await shop.assert({ subject: 'b', predicate: 'is', object: 'x' });
    const before = await counts(memory);
    expect(await refused(() => shop.retract([a.claims[0]!, NOBODY]))).toBe('NOT_FOUND [1]');
    expect(await refused(() => shop.retract([]))).toBe('INVALID_ID id');
    expect(await counts(memory)).toEqual(before);
    await shop.retract([a.claims[0]!, b.opened[0]!]);
    expect(await shop.facts({ predicate: 'is' })).toEqual([]);
  });

  test('the policy may refuse it', async () => {
    const memory = await opened({
      policy: ({ action }) =>
        action === 'retract' ? { refuse: 'Nothing is taken back here.' } : 'accept',
    });
    const shop = memory.in(SHOP);
    const { claims } = await shop.assert({ subject: 'it', predicate: 'is', object: 'x' });
    expect(await refused(() => shop.retract(claims[0]!))).toBe('POLICY_REFUSED id');
    expect(objects(await shop.facts({ predicate: 'is' }))).toEqual(['x']);
  });
});
