import { expect, test } from 'vitest';
import { openMemory } from '../../lib/index.js';

test('facts that the asker has already take no place, and make no snapshot of their own', async () => {
  await using memory = await openMemory({ store: 'memory' });
  const shop = memory.in({ org: 'acme', project: 'shop' });
  await shop.assert({ subject: 'shop', predicate: 'database', object: 'Postgres' });
  await shop.assert({ subject: 'shop', predicate: 'database port', object: '5432' });
  const question = 'Which database does the shop use, and which port?';
  const all = await shop.recall(question);
  const ids = all.hits.flatMap((hit) => (hit.kind === 'fact' ? [hit.fact.id] : []));
  expect(ids).toHaveLength(2);

  const rest = await shop.recall(question, { except: { facts: ids.slice(0, 1) } });
  expect(rest.hits.map((hit) => hit.kind === 'fact' && hit.fact.id)).toEqual(ids.slice(1));
  const none = await shop.search(question, { except: { facts: ids } });
  expect([none.status, none.hits]).toEqual(['no-evidence', []]);
  // An id that nothing has excludes nothing.
  const same = await shop.search(question, { except: { facts: ['f_none'] } });
  expect(same.hits).toHaveLength(2);
});

test('events of the session in which it is asked take no place', async () => {
  await using memory = await openMemory({ store: 'memory' });
  const shop = memory.in({ org: 'acme', project: 'shop' });
  for (const session of ['s-1', 's-2']) {
    const event = { session, seq: 0, role: 'user', text: 'The wifi is called tulip.' } as const;
    await shop.ingest([event]);
  }
  const { hits } = await shop.search('What is the wifi called?', { except: { session: 's-2' } });
  expect(hits.map((hit) => hit.kind === 'event' && hit.session)).toEqual(['s-1']);
});
