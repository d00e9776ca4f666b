import { describe, expect, test } from 'vitest';
import type { Fact, Scope } from '../../lib/index.js';
import { counts, objects, opened, refused, SHOP, type Opened } from './opened.js';

/** All that can be set besides the org. */
const DIMENSIONS = { project: 'shop', user: 'ana', agent: 'bot' } as const;
const NAMES = ['project', 'user', 'agent'] as const;

const subsets: readonly Scope[] = Array.from({ length: 8 }, (_, bits) => ({
  org: 'acme',
  ...Object.fromEntries(NAMES.filter((_name, i) => (bits >> i) & 1).map((d) => [d, DIMENSIONS[d]])),
}));

/** The same dimensions with other values, and another org: what a handle must never see. */
const strangers: readonly Scope[] = [
  { org: 'other' },
  { org: 'other', ...DIMENSIONS },
  ...NAMES.map((d) => ({ org: 'acme', [d]: 'somebody else' })),
  ...NAMES.map((d) => ({ org: 'acme', ...DIMENSIONS, [d]: 'somebody else' })),
];

const label = (scope: Scope): string => Object.values(scope).join(' ');

/** By the rule, not by the code: every dimension that the scope sets has the handle's value. */
const sees = (handle: Scope, scope: Scope): boolean =>
  Object.entries(scope).every(([d, value]) =>
    Object.entries(handle).some(([e, own]) => e === d && own === value),
  );

interface Planted {
  readonly scope: Scope;
  readonly fact: Fact;
  readonly claim: string;
  readonly tx: number;
  readonly held: string;
}

/** In every scope: a fact of its own subject, one of many values of a shared one, an edge, a claim that waits. */
async function plant(memory: Opened): Promise<Planted[]> {
  const out: Planted[] = [];
  for (const scope of [...subsets, ...strangers]) {
    const handle = memory.in(scope);
    const object = label(scope);
    const told = await handle.assert({
      subject: 'all',
      predicate: 'has',
      object,
      validFrom: '2020',
      evidence: [{ session: object, seq: 1 }],
    });
    await handle.assert({
      subject: 'hub',
      predicate: 'likes',
      object: { entity: `end ${object}` },
      validFrom: '2020',
    });
    const waiting = await handle.assert({
      subject: 'all',
      predicate: 'wait',
      object,
      evidence: [{ session: object, seq: 2 }],
    });
    out.push({
      scope,
      fact: told.opened[0]!,
      claim: told.claims[0]!,
      tx: told.tx,
      held: waiting.claims[0]!,
    });
  }
  return out;
}

const world = async () => {
  const memory = await opened({
    policy: ({ action, claim }) =>
      action === 'assert' && claim.predicate === 'wait' ? { hold: 'Wait.' } : 'accept',
  });
  return { memory, planted: await plant(memory) };
};

describe.each(subsets.map((scope) => ({ name: label(scope), scope })))(
  'a handle on $name',
  ({ scope }) => {
    test('reads exactly what it sees, with every verb', async () => {
      const { memory, planted } = await world();
      const handle = memory.in(scope);
      const wanted = planted
        .filter((p) => sees(scope, p.scope))
        .map((p) => label(p.scope))
        .sort();
      for (const reader of [
        handle,
        handle.asOf({ valid: '2025' }),
        handle.asOf({ known: { tx: (await memory.stats()).transactions } }),
      ]) {
        expect(objects(await reader.facts({ predicate: 'has' }))).toEqual(wanted);
        expect(objects(await reader.facts({ subject: 'all' }))).toEqual(wanted);
        expect(objects(await reader.stream({ predicate: 'has', during: {} }).toArray())).toEqual(
          wanted,
        );
        expect(objects((await reader.history({ subject: 'all', predicate: 'has' })).facts)).toEqual(
          wanted,
        );
        const ends = wanted.map((w) => `end ${w}`);
        expect(
          (await reader.neighbors({ subject: 'hub' })).neighbors.map((n) => n.entity.name).sort(),
        ).toEqual(ends);
        for (const p of planted) {
          const visible = sees(scope, p.scope);
          const to = `end ${label(p.scope)}`;
          const walk = reader.paths({ from: 'hub', to });
          if (visible) expect(await walk).toHaveLength(1);
          else expect(await refused(() => walk)).toBe('NOT_FOUND to');
          const why = reader.why(p.fact);
          if (visible) expect((await why).fact.scope).toEqual(p.scope);
          else expect(await refused(() => why)).toBe('NOT_FOUND fact');
          expect(await reader.facts({ object: label(p.scope) })).toHaveLength(visible ? 1 : 0);
          expect(await reader.entities.resolve(to)).toHaveLength(visible ? 1 : 0);
          expect(await reader.entities.resolve({ id: p.fact.subject.id })).toHaveLength(
            visible ? wanted.length : 0,
          );
        }
        const changed = (await reader.changes().toArray())
          .flatMap((s) => s.opened)
          .filter((f) => f.predicate === 'has');
        expect(objects(changed)).toEqual(wanted);
        const scopes = new Set((await reader.entities.list().toArray()).map((e) => label(e.scope)));
        expect([...scopes].sort()).toEqual(wanted);
      }
      expect((await handle.held()).map((h) => label(h.claim.scope)).sort()).toEqual(wanted);
    });

    test('watches exactly what it sees', async () => {
      const memory = await opened();
      const stop = new AbortController();
      const watching = memory.in(scope).watch({ signal: stop.signal }).toArray();
      const planted = await plant(memory);
      await new Promise((done) => setTimeout(done, 5));
      stop.abort();
      const seen = (await watching).flatMap((s) => s.opened).filter((f) => f.predicate === 'has');
      expect(objects(seen)).toEqual(
        planted
          .filter((p) => sees(scope, p.scope))
          .map((p) => label(p.scope))
          .sort(),
      );
    });

    test('writes to what it sees and to nothing else', async () => {
      const memory = await opened();
      const handle = memory.in(scope);
      for (const to of [...subsets, ...strangers]) {
        const before = await counts(memory);
        const write = () =>
          handle.assert({ subject: 'it', predicate: 'has', object: label(to), to });
        if (sees(scope, to)) {
          const {
            opened: [fact],
          } = await write();
          expect(fact?.scope).toEqual(to);
          expect(objects(await memory.in(to).facts({ object: label(to) }))).toEqual([label(to)]);
        } else {
          expect(await refused(write)).toBe('INVALID_SCOPE to');
          expect(await counts(memory)).toEqual(before);
        }
      }
    });

    test('changes nothing that it does not see, and hears of it what it hears of nothing', async () => {
      const { memory, planted } = await world();
      const handle = memory.in(scope);
      const before = await counts(memory);
      const hidden = planted.filter((p) => !sees(scope, p.scope));
      for (const { fact, claim, held, tx, scope: theirs } of hidden) {
        const unseen: readonly (readonly [() => Promise<unknown>, string])[] = [
          [() => handle.end({ fact, at: '2022' }), 'NOT_FOUND fact'],
          [() => handle.correct({ was: fact, object: 'x' }), 'NOT_FOUND was'],
          [() => handle.correct({ was: claim, object: 'x' }), 'NOT_FOUND was'],
          [
            () => handle.assert({ subject: 'a', predicate: 'has', object: 'x', corrects: [claim] }),
            'NOT_FOUND corrects[0]',
          ],
          [
            () =>
              handle.assert({ subject: 'a', predicate: 'has', object: 'x', corrects: [fact.id] }),
            'NOT_FOUND corrects[0]',
          ],
          [
            () =>
              handle.assert({ subject: { id: fact.subject.id }, predicate: 'has', object: 'x' }),
            'NOT_FOUND subject',
          ],
          [
            () =>
              handle.assert({ subject: 'a', predicate: 'has', object: { id: fact.subject.id } }),
            'NOT_FOUND object',
          ],
          [() => handle.retract(fact), 'NOT_FOUND id'],
          [() => handle.retract(claim), 'NOT_FOUND id'],
          [() => handle.revert(tx), 'NOT_REVERTIBLE tx'],
          [() => handle.approve(held), 'NOT_FOUND claim'],
          [() => handle.reject(held), 'NOT_FOUND claim'],
          [() => handle.forget({ fact }), 'NOT_FOUND selector.fact'],
          [() => handle.forget({ claim }, { mode: 'erase' }), 'NOT_FOUND selector.claim'],
          [() => handle.forget({ entity: { id: fact.subject.id } }), 'NOT_FOUND selector.entity'],
          [() => handle.entities.alias({ id: fact.subject.id }, 'x'), 'NOT_FOUND entity'],
          [
            () => handle.entities.merge({ id: fact.subject.id }, { id: fact.subject.id }),
            'NOT_FOUND from',
          ],
          [() => handle.neighbors({ subject: { id: fact.subject.id } }), 'NOT_FOUND subject'],
        ];
        for (const [work, error] of unseen) expect(await refused(work), label(theirs)).toBe(error);
        for (const mode of ['retract'] as const) {
          expect(await handle.forget({ session: label(theirs) }, { mode })).toMatchObject({
            claims: 0,
            committed: false,
          });
          expect(await handle.forget({ scope: theirs }, { mode })).toMatchObject({
            claims: 0,
            committed: false,
          });
        }
      }
      expect(await counts(memory)).toEqual(before);
    });

    test('ends, corrects, takes back, reverts, approves and forgets what it sees', async () => {
      const { memory, planted } = await world();
      const handle = memory.in(scope);
      for (const p of planted.filter((q) => sees(scope, q.scope))) {
        await handle.end({ fact: p.fact, at: '2022' }, { dryRun: true });
        await handle.correct({ was: p.fact, object: 'x' }, { dryRun: true });
        await handle.retract(p.claim, { dryRun: true });
        await handle.revert(p.tx, { dryRun: true });
        const approved = await handle.approve(p.held);
        expect(approved.opened[0]?.scope).toEqual(p.scope);
        const { claims } = await handle.forget({ session: label(p.scope) });
        expect(claims).toBe(2);
      }
      expect(await handle.facts({ predicate: 'has' })).toEqual([]);
      const others = planted.filter((q) => !sees(scope, q.scope));
      for (const p of others)
        expect(objects(await memory.in(p.scope).facts({ object: label(p.scope) }))).toEqual([
          label(p.scope),
        ]);
    });
  },
);

describe('an administrator', () => {
  test('sees the scopes of one org, and the journal of one org', async () => {
    const { memory } = await world();
    const scopes = (await memory.admin({ org: 'acme' }).scopes()).map((s) => label(s.scope));
    expect(scopes.filter((s) => s.startsWith('other'))).toEqual([]);
    expect(scopes).toHaveLength(14);
    const journal = await memory.admin({ org: 'other' }).transactions().toArray();
    const text = JSON.stringify(journal.map((t) => t.entries));
    expect(text).toContain('"other"');
    expect(text).not.toContain('acme');
    expect(await memory.admin({ org: 'nobody' }).scopes()).toEqual([]);
  });

  test('is of an org and of nothing narrower', async () => {
    const memory = await opened();
    expect(await refused(() => memory.admin(SHOP))).toBe('INVALID_SCOPE scope');
    // @ts-expect-error an org at least
    expect(await refused(() => memory.admin({}))).toBe('INVALID_SCOPE scope.org');
  });
});
