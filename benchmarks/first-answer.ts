import { performance } from 'node:perf_hooks';
import { FIRST_DAY } from './data.js';
import { residentMB } from './machine.js';
import { handleOf, openWorld } from './world.js';

/** Run in a process of its own: opens a store, asks once, and says how long that took and what it holds. */
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Name the folder.');
const start = performance.now();
const memory = await openWorld(folder, 'kuzu');
const handle = handleOf(memory);
await handle.facts({ subject: 'hub-1000', validAt: FIRST_DAY + 1e10, limit: 20 });
const first = performance.now() - start;
for (let n = 0; n < 5000; n++) await handle.facts({ subject: `e${n}`, validAt: FIRST_DAY + 1e10 });
const rss = residentMB();
await memory.cypher('MATCH (f:Fact) RETURN count(*) AS n');
const withEngine = residentMB();
const closing = performance.now();
await memory.close();
console.log(JSON.stringify({ first, rss, withEngine, close: performance.now() - closing }));
