import { openMemory } from '../../../lib/index.js';

/** Shows something, tells under which id it is kept, and waits to be killed. */
const [folder = ''] = process.argv.slice(2);
const memory = await openMemory({ path: folder, graph: 'none' });
const shop = memory.in({ org: 'acme', project: 'shop' });
await shop.assert({ subject: 'database', predicate: 'is', object: 'SQLite' });
const { snapshot, text } = await shop.recall('Which database is it?', { session: 'host-1' });
process.send?.({ snapshot, text });
setInterval(() => undefined, 1_000);
