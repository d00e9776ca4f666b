import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { entities } from './data.js';
import { graphReads } from './graph.js';
import { longKey } from './key.js';
import { machine } from './machine.js';
import { opening } from './opening.js';
import { readOptions, type Options } from './options.js';
import { cases, warmReads } from './reads.js';
import { table, type Figure } from './report.js';
import { build, mirrorOf, withFolder } from './world.js';
import { warmWrites } from './writes.js';

const QUESTIONS = 1000;
const SIZES = [10_000, 100_000, 1_000_000];

const options = readOptions(process.argv.slice(2));
const here = machine();
const thousands = (n: number): string => n.toLocaleString('en-US');
console.error(`${here.cpu}, ${here.cores} cores, ${here.memoryGiB} GiB, Node ${here.node}`);

const figures: Figure[] = [];
const sizes = options.only.includes('growth')
  ? [...SIZES.filter((size) => size < options.facts), options.facts]
  : [options.facts];
for (const facts of sizes) figures.push(...(await measure(facts, options)));
if (options.only.includes('key')) {
  figures.push(...(await longKey()));
}

const parts = [...new Set(figures.map((f) => f.part))];
for (const part of parts) {
  console.log(`\n### ${part}\n\n${table(figures.filter((f) => f.part === part))}`);
}
mkdirSync(dirname(options.out), { recursive: true });
writeFileSync(
  options.out,
  `${JSON.stringify({ machine: here, facts: options.facts, figures }, null, 2)}\n`,
);
console.error(`\nThe figures are in ${options.out}.`);
const missed = figures.filter((f) => f.bar?.met === false);
if (missed.length > 0) console.error(`Missed: ${missed.map((f) => f.what).join('; ')}.`);

/** Everything that is asked of a store of one size. */
function measure(facts: number, { only, graph, facts: full }: Options): Promise<readonly Figure[]> {
  const part = `${thousands(facts)} facts, ${thousands(entities(facts))} entities`;
  const isFull = facts === full;
  return withFolder(async (folder) => {
    console.error(`Telling ${thousands(facts)} facts …`);
    const built = await build(folder, facts);
    const out: Figure[] = [];
    if (only.includes('writes') || only.includes('growth')) {
      out.push({
        part,
        what: 'bulk import, 1,000 to a transaction, durable and readable',
        unit: 'facts/s',
        value: built.pace,
        sqlite: built.sqlitePace,
        bar: { text: 'at least 20,000 facts/s', met: built.pace >= 20_000 },
      });
    }
    const sqlite = await mirrorOf(built);
    try {
      const { transactions } = await built.memory.stats();
      const list = cases(facts, transactions, QUESTIONS);
      if (only.includes('reads') || only.includes('growth')) {
        out.push(...(await warmReads(part, list, built.handle, sqlite)));
      }
      if (only.includes('writes') || only.includes('growth')) {
        out.push(await warmWrites(part, built, sqlite));
      }
    } finally {
      sqlite.close();
      await built.memory.close();
    }
    if (isFull && graph && only.includes('reads')) {
      out.push(...(await graphReads(part, folder, facts)));
      out.push(...(await opening(part, folder)));
    }
    return out;
  });
}
