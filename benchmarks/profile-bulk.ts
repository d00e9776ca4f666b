import { build, withFolder } from './world.js';
await withFolder(async (folder) => {
  const n = Number(process.argv[2] ?? 50000);
  const b = await build(folder, n);
  console.log(Math.round(b.pace), Math.round(b.sqlitePace), b.claims, b.facts, b.rss);
  await b.memory.close();
});
