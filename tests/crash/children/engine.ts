import { openMemory, PalimpsestError } from '../../../lib/index.js';

/** Says what a memory can do with the engines that are installed beside it. */
const [folder = ''] = process.argv.slice(2);
if (folder !== '') {
  const memory = await openMemory({ path: folder });
  const shop = memory.in({ org: 'acme' });
  await shop.assert({ subject: 'shop', predicate: 'uses', object: 'Postgres', validFrom: '2024' });
  const facts = await shop.facts();
  const graph = await memory.syncGraph();
  const asked = await memory.cypher('MATCH (f:Fact) RETURN count(f) AS n').then(
    (rows) => rows[0]?.['n'],
    (error: unknown) => (PalimpsestError.isInstance(error) ? error.code : String(error)),
  );
  process.send?.({ facts: facts.length, graph, asked, told: (await memory.stats()).graph });
  await memory.close();
}
process.disconnect?.();
