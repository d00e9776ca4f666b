import { cases, warmReads } from './reads.js';
import { table } from './report.js';
import { build, mirrorOf, withFolder } from './world.js';
await withFolder(async (folder) => {
  const n = Number(process.argv[2] ?? 50000);
  const b = await build(folder, n);
  console.log(Math.round(b.pace), Math.round(b.sqlitePace), b.claims, b.facts, b.rss);
  const s = await mirrorOf(b);
  console.log('mirrored');
  const only = process.argv[3];
  const list = cases(n, (await b.memory.stats()).transactions, Number(process.argv[4] ?? 200)).filter((c) => only === undefined || c.what.includes(only));
  console.log(table(await warmReads('reads', list, b.handle, s)));
  await b.memory.close();
});
