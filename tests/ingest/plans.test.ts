import { describe, expect, test } from 'vitest';
import { defineOntology, type ExtractedCandidate } from '../../lib/index.js';
import { objects, opened, SHOP } from '../memory/opened.js';
import { candidate, said, scripted } from './scripted.js';

const TEXT = 'The move to Porto is postponed. The launch too. We do not move after all.';

const ontology = defineOntology({
  predicates: {
    city: { cardinality: 'one' },
    launch: { kind: 'event' },
    uses: { cardinality: 'many' },
  },
});

const EARLIER = { evidence: [{ session: 'before', seq: 0, at: '2025-03-01' }] };

/** What becomes of a plan of 2026 when somebody says something of it at the end of 2025. */
async function tell(
  plan: { predicate: string; object: string; validFrom: string; validTo?: string },
  change: Partial<ExtractedCandidate>,
  role: 'user' | 'assistant' = 'user',
) {
  const extractor = scripted();
  const memory = await opened({ ontology, ingest: { extractor } });
  const shop = memory.in(SHOP);
  await shop.assert({
    subject: 'shop',
    predicate: 'city',
    object: 'Oslo',
    validFrom: '2020',
    ...EARLIER,
  });
  const told = await shop.assert({ subject: 'shop', ...plan, ...EARLIER });
  const target = told.opened.find((f) => f.object === plan.object)?.id ?? '';
  extractor.script([
    candidate({
      predicate: plan.predicate,
      object: plan.object,
      quote: 'Porto',
      target,
      ...change,
    }),
  ]);
  const { receipt } = await (await shop.ingest([{ ...said(0, TEXT), role }])).done;
  const at = async (validAt: string) =>
    objects(await shop.facts({ predicate: plan.predicate, validAt }));
  return { shop, at, receipt, before: told.tx };
}

/** The same, where nothing of it is refused. */
async function planned(...args: Parameters<typeof tell>) {
  const outcome = await tell(...args);
  expect(outcome.receipt?.refused).toEqual([]);
  return outcome;
}

const MOVE = { predicate: 'city', object: 'Porto', validFrom: '2026-03' };

describe('a plan', () => {
  test('that is postponed begins later, and what goes on meanwhile goes on', async () => {
    const { shop, at, before } = await planned(MOVE, { action: 'update', validFrom: '2026-06' });
    expect([await at('2026-02'), await at('2026-04'), await at('2026-07')]).toEqual([
      ['Oslo'],
      ['Oslo'],
      ['Porto'],
    ]);
    expect(
      objects(await shop.facts({ predicate: 'city', validAt: '2026-04', knownAt: { tx: before } })),
    ).toEqual(['Porto']);
  });

  test('that is brought forward begins sooner', async () => {
    const { at } = await planned(MOVE, { action: 'update', validFrom: '2026-02', object: null });
    expect([await at('2026-01'), await at('2026-02')]).toEqual([['Oslo'], ['Porto']]);
  });

  test('keeps its end while that lies beyond the new start', async () => {
    const stay = { ...MOVE, validTo: '2026-09' };
    const { at } = await planned(stay, { action: 'update', validFrom: '2026-06' });
    expect([await at('2026-07'), await at('2026-10')]).toEqual([['Porto'], ['Oslo']]);
    const later = await planned(stay, { action: 'update', validFrom: '2026-11' });
    expect([await later.at('2026-07'), await later.at('2026-11')]).toEqual([['Oslo'], ['Porto']]);
  });

  test.each(['end', 'deny'] as const)(
    'that is called off never held, said as "%s"',
    async (action) => {
      const { at } = await planned(MOVE, { action });
      expect([await at('2026-02'), await at('2026-07')]).toEqual([['Oslo'], ['Oslo']]);
    },
  );

  test('may be called off without being named', async () => {
    const { at } = await planned(MOVE, { action: 'deny', target: null });
    expect([await at('2026-02'), await at('2026-07')]).toEqual([['Oslo'], ['Oslo']]);
    const other = await planned(MOVE, { action: 'deny', target: null, object: 'Rome' });
    expect(await other.at('2026-07')).toEqual(['Porto']);
  });

  test('of more authority than the speaker has stays', async () => {
    const { receipt } = await tell(MOVE, { action: 'deny', target: null }, 'assistant');
    expect(receipt?.refused.map((r) => r.code)).toEqual(['AUTHORITY']);
  });

  test('is no other plan: a newer value is a claim of its own', async () => {
    const { at } = await planned(MOVE, { action: 'update', object: 'Rome', validFrom: '2026-06' });
    expect([await at('2026-04'), await at('2026-07')]).toEqual([['Porto'], ['Rome']]);
  });
});

describe('an event to come', () => {
  const LAUNCH = { predicate: 'launch', object: 'v2', validFrom: '2026-03-10' };

  test('that is moved happens on its new day only', async () => {
    const { shop } = await planned(LAUNCH, { action: 'update', validFrom: '2026-04-20' });
    const during = { from: '2026', to: '2027' };
    const found = await shop.facts({ predicate: 'launch', during });
    expect(found.map((f) => f.valid)).toEqual(['2026-04-20 – 2026-04-21']);
  });

  test('that is cancelled does not happen', async () => {
    const { shop } = await planned(LAUNCH, { action: 'deny' });
    const during = { from: '2026', to: '2027' };
    expect(await shop.facts({ predicate: 'launch', during })).toEqual([]);
  });
});

test('what has begun is not moved by a newer value, but goes on from there', async () => {
  const { at } = await planned(
    { predicate: 'uses', object: 'Redis', validFrom: '2024' },
    { action: 'update', validFrom: '2025-06' },
  );
  expect([await at('2025-01'), await at('2025-07')]).toEqual([['Redis'], ['Redis']]);
});
