import { describe, expect, test } from 'vitest';
import type { Handle, WriteOptions, WriteResult } from '../../lib/index.js';
import { temporaryFolder } from '../support/folder.js';
import { counts, opened, ontology, saying, SHOP, type Opened } from './opened.js';

/** Every verb that writes, on the same small history: a rehearsal says what the act does, and does nothing. */

interface Stage {
  readonly memory: Opened;
  readonly shop: Handle<typeof ontology>;
  readonly red: WriteResult;
  readonly blue: WriteResult;
  readonly held: string;
}

type Act = (stage: Stage, options: WriteOptions) => Promise<unknown>;

const evidence = (session: string) => [{ session, seq: 1, role: 'user' as const }];

async function stage(path?: string): Promise<Stage> {
  const memory = await opened({
    ...(path === undefined ? {} : { path }),
    policy: ({ action, claim }) =>
      action === 'assert' && claim.predicate === 'has' ? { hold: 'Wait.' } : 'accept',
  });
  const shop = memory.in(SHOP);
  const red = await shop.assert(
    saying('+red', { from: '2020', to: '∞', said: '2020', evidence: evidence('a'), authority: 30 }),
  );
  const blue = await shop.assert(
    saying('+blue', { from: '2022', to: '∞', said: '2022', evidence: evidence('b') }),
  );
  await shop.entities.declare({ name: 'Ann', type: 'person' });
  await shop.entities.declare({ name: 'Anna', type: 'person' });
  await shop.entities.declare({ name: 'Bo', type: 'person' });
  await shop.entities.declare({ name: 'Bob', type: 'person' });
  await shop.entities.merge('Bo', 'Bob');
  const waiting = await shop.assert({
    subject: 'it',
    predicate: 'has',
    object: 'x',
    evidence: evidence('c'),
  });
  return { memory, shop, red, blue, held: waiting.claims[0]! };
}

const acts: readonly (readonly [string, Act])[] = [
  [
    'assert',
    ({ shop }, o) => shop.assert(saying('+green', { from: '2021', to: '2023', said: '2024' }), o),
  ],
  [
    'assert of a new name',
    ({ shop }, o) =>
      shop.assert(
        {
          subject: 'new',
          predicate: 'owner',
          object: 'Cleo',
          validFrom: '2020',
          observedAt: '2024',
        },
        o,
      ),
  ],
  [
    'deny everything',
    ({ shop }, o) => shop.assert(saying('-*', { from: '2021', to: '∞', said: '2024' }), o),
  ],
  [
    'end',
    ({ shop }, o) =>
      shop.end({ subject: 'it', predicate: 'is', at: '2024', observedAt: '2024' }, o),
  ],
  [
    'correct',
    ({ shop, red }, o) =>
      shop.correct({ was: red.claims[0]!, object: 'green', observedAt: '2024' }, o),
  ],
  ['retract', ({ shop, blue }, o) => shop.retract(blue.claims[0]!, o)],
  [
    'transact',
    ({ shop, blue }, o) =>
      shop.transact((t) => {
        t.retract(blue.claims[0]!);
        t.assert(saying('+green', { from: '2021', to: '2023', said: '2024' }));
        t.entities.alias('it', 'that');
      }, o),
  ],
  ['revert', ({ shop, blue }, o) => shop.revert(blue.tx, o)],
  [
    'revert by an administrator',
    ({ memory, blue }, o) => memory.admin({ org: 'acme' }).revert(blue.tx, o),
  ],
  ['approve', ({ shop, held }, o) => shop.approve(held, o)],
  ['reject', ({ shop, held }, o) => shop.reject(held, o)],
  ['declare', ({ shop }, o) => shop.entities.declare({ name: 'Cleo' }, o)],
  ['alias', ({ shop }, o) => shop.entities.alias('it', 'that', o)],
  ['merge', ({ shop }, o) => shop.entities.merge('Ann', 'Anna', o)],
  ['split', ({ shop }, o) => shop.entities.split('Bo', o)],
  ['forget', ({ shop }, { dryRun }) => shop.forget({ session: 'b' }, { dryRun })],
  [
    'forget by an administrator',
    ({ memory }, { dryRun }) => memory.admin({ org: 'acme' }).forget({ scope: SHOP }, { dryRun }),
  ],
];

/** Known times and commit instants belong to the act alone. */
function essence(result: unknown): unknown {
  return JSON.parse(
    JSON.stringify(result, (key, value: unknown) =>
      ['tx', 'at', 'committed'].includes(key) ? undefined : value,
    ),
  );
}

describe('a rehearsal', () => {
  test.each(acts)('of %s says what it will do, and changes nothing', async (_name, act) => {
    const { memory, ...rest } = await stage();
    const before = await counts(memory);
    const facts = await rest.shop.facts({ during: {} });
    const rehearsed = await act({ memory, ...rest }, { dryRun: true });
    expect(rehearsed).toMatchObject({ committed: false });
    expect(await counts(memory)).toEqual(before);
    expect(await rest.shop.facts({ during: {} })).toEqual(facts);
    const again = await act({ memory, ...rest }, { dryRun: true });
    expect(essence(again)).toEqual(essence(rehearsed));
    const done = await act({ memory, ...rest }, {});
    expect(done).toMatchObject({ committed: true });
    expect(essence(done)).toEqual(essence(rehearsed));
  });

  test('leaves nothing to be found on opening again', async () => {
    const path = temporaryFolder();
    const { memory, ...rest } = await stage(path);
    const stats = await memory.stats();
    const facts = await rest.shop.facts({ during: {} });
    const entities = await rest.shop.entities.list().toArray();
    for (const [, act] of acts) await act({ memory, ...rest }, { dryRun: true });
    await rest.shop.forget({ session: 'a' }, { mode: 'erase', dryRun: true });
    await memory.close();
    const again = await opened({ path });
    const { transactions, claims, held, journalBytes } = await again.stats();
    expect({ transactions, claims, held, journalBytes }).toEqual({
      transactions: stats.transactions,
      claims: stats.claims,
      held: stats.held,
      journalBytes: stats.journalBytes,
    });
    expect(await again.in(SHOP).facts({ during: {} })).toEqual(facts);
    expect(await again.in(SHOP).entities.list().toArray()).toEqual(entities);
  });

  test('of an erasure counts what it will remove', async () => {
    const { shop, memory } = await stage();
    const before = await counts(memory);
    const rehearsed = await shop.forget({ session: 'b' }, { mode: 'erase', dryRun: true });
    expect(await counts(memory)).toEqual(before);
    expect(rehearsed.effect?.closed.length).toBeGreaterThan(0);
    const done = await shop.forget({ session: 'b' }, { mode: 'erase' });
    const { claims, entities, facts, sessions, mode } = rehearsed;
    expect(done).toMatchObject({ claims, entities, facts, sessions, mode });
    expect(done.facts).toBeGreaterThan(0);
  });
});
