import { describe, expect, test } from 'vitest';
import type { Handle } from '../../lib/index.js';
import { objectsOf, remembering, SHOP, textsOf } from './remembering.js';
import { withVectors } from './with-vectors.js';

describe('while a search waits', () => {
  test('an erasure that numbers everything anew shows nothing of others, and nothing erased', async () => {
    let erased = false;
    const { shop, other } = await withVectors({
      search: async (_query, { acceptClaim, acceptEvent }) => {
        const among = (accept: (id: number) => boolean) =>
          [0, 1, 2, 3, 4, 5].filter(accept).map((id) => ({ id, score: 0.5 }));
        const found = { claims: among(acceptClaim), events: among(acceptEvent), problem: null };
        if (!erased) {
          erased = true;
          await shop.forget({ session: 'first' }, { mode: 'erase' });
        }
        return found;
      },
    });
    const at = '2025-01-01';
    await shop.ingest([
      { session: 'first', seq: 0, role: 'user', text: 'Ours, to be erased.', at },
    ]);
    await shop.ingest([{ session: 'second', seq: 0, role: 'user', text: 'Ours, to stay.', at }]);
    await other.ingest([{ session: 'third', seq: 0, role: 'user', text: 'Theirs.', at }]);
    const { hits } = await shop.search('anything at all');
    expect(erased).toBe(true);
    expect(textsOf(hits)).toEqual(['Ours, to stay.']);
    expect(objectsOf(hits).toSorted()).toEqual(['Kafka', 'Redis']);
  });

  test('what is written meanwhile is not half in the answer', async () => {
    const { shop } = await withVectors({
      search: async () => {
        await shop.assert({ subject: 'shop', predicate: 'uses', object: 'Nats' });
        return { claims: [], events: [], problem: null };
      },
    });
    const { hits, asOf } = await shop.search('what does the shop use');
    expect(objectsOf(hits).toSorted()).toEqual(['Kafka', 'Redis']);
    expect(asOf.knownAt.tx).toBe(3);
    expect(objectsOf((await shop.search('Nats')).hits)).toContain('Nats');
  });
});

test('many searches, writes and erasures at once give each a sound answer', async () => {
  const memory = await remembering();
  const shop = memory.in(SHOP);
  const work: Promise<unknown>[] = [];
  for (let i = 0; i < 40; i++) {
    work.push(
      shop.assert({
        subject: `part ${i}`,
        predicate: 'uses',
        object: `screw ${i}`,
        evidence: [{ session: `s${i % 4}`, seq: i, role: 'user' }],
      }),
      shop.ingest([{ session: `s${i % 4}`, seq: i, role: 'user', text: `A screw, number ${i}.` }]),
      isSound(shop),
    );
    if (i % 10 === 9) work.push(shop.forget({ session: `s${i % 4}` }, { mode: 'erase' }));
  }
  await Promise.all(work);
  await shop.forget({ session: 's1' }, { mode: 'erase' });
  await shop.forget({ session: 's3' }, { mode: 'erase' });
  const { hits } = await shop.search('screw', { limit: 1_000 });
  const facts = await shop.facts();
  const found = hits.flatMap((hit) => (hit.kind === 'fact' ? [hit.fact.id] : []));
  expect(found.toSorted()).toEqual(facts.map(({ id }) => id).toSorted());
  const sessions = hits.flatMap((hit) => (hit.kind === 'event' ? [hit.session] : []));
  expect(sessions.toSorted()).toEqual([
    ...Array.from({ length: 10 }, () => 's0'),
    ...Array.from({ length: 10 }, () => 's2'),
  ]);
});

async function isSound(shop: Handle): Promise<void> {
  const { hits, status } = await shop.search('screw');
  expect(status === 'found').toBe(hits.length > 0);
  for (const hit of hits) if (hit.kind === 'fact') expect(hit.fact.knownTo).toBe(null);
}
