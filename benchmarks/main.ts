import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { longKey } from './key.js';
import { machine, residentMB } from './machine.js';
import { timed } from './measure.js';
import { readOptions, type Options } from './options.js';
import { cases, coldReads, warmReads } from './reads.js';
import { number, table, type Figure } from './report.js';
import { bulkFigures, singleWrites } from './writes.js';
import { build, bytesIn, handleOf, mirrorOf, openWorld, withFolder } from './world.js';

const QUESTIONS = 200;

/** One world: its bulk, its reads, its reopening, and the graph at rest. */
const ofWorld = (facts: number, options: Options): Promise<readonly Figure[]> =>
  withFolder(async (folder) => {
    const figures: Figure[] = [];
    const built = await build(folder, facts);
    if (options.only.includes('writes')) figures.push(...bulkFigures(built));
    const { lastTx } = { lastTx: (await built.memory.stats()).transactions };
    const sqlite = await mirrorOf(built);
    await built.memory.close();

    const opened = await timed(async () => {
      const memory = await openWorld(folder);
      await handleOf(memory).facts({ subject: 'hub-10' });
      return memory;
    });
    const memory = opened.value;
    const part = `reads of ${number(facts)} facts`;
    if (options.only.includes('reads')) {
      figures.push({
        part,
        what: 'opening a healthy store, and the first answer',
        unit: 's',
        value: opened.ms / 1000,
        bar: { text: 'under 3 s', met: opened.ms < 3000 },
      });
      const list = cases(facts, lastTx, QUESTIONS);
      figures.push(...(await warmReads(part, list, handleOf(memory), sqlite)));
      const rss = residentMB();
      figures.push({
        part,
        what: 'process memory, SQLite’s cache of 256 MB included',
        unit: 'MB',
        value: rss,
        bar: { text: 'under 1 GiB', met: rss < 1024 },
      });
      const { indexBytes, journalBytes } = await memory.stats();
      figures.push(
        { part, what: 'index in memory', unit: 'MB', value: indexBytes / 2 ** 20 },
        { part, what: 'journal on disk', unit: 'MB', value: journalBytes / 2 ** 20 },
      );
    }
    await memory.close();
    if (options.graph && options.only.includes('reads')) {
      figures.push(...(await coldReads(part, folder, facts, lastTx)));
      figures.push({
        part,
        what: 'graph on disk',
        unit: 'MB',
        value: bytesIn(`${folder}/store/graph`) / 2 ** 20,
      });
    }
    sqlite.close();
    return figures;
  });

/** The same questions of stores of growing size: the cost is that of the answer. */
async function growth(largest: number): Promise<readonly Figure[]> {
  const out: Figure[] = [];
  for (const facts of [10_000, 100_000, 1_000_000].filter((n) => n <= largest)) {
    out.push(
      ...(await withFolder(async (folder) => {
        const built = await build(folder, facts);
        const sqlite = await mirrorOf(built);
        const { transactions } = await built.memory.stats();
        const few = cases(facts, transactions, 100).filter(
          ({ what }) => !what.includes('any entity'),
        );
        const figures = await warmReads(
          `growth, ${number(facts)} facts`,
          few,
          built.handle,
          sqlite,
        );
        sqlite.close();
        await built.memory.close();
        return figures;
      })),
    );
  }
  return out;
}

const options = readOptions(process.argv.slice(2));
const figures: Figure[] = [];
const add = (list: readonly Figure[]): void => {
  figures.push(...list);
  console.log(`\n${list[0]?.part ?? ''}\n\n${table(list)}`);
};
const where = machine();
console.log(
  Object.entries(where)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n'),
);
if (options.only.includes('writes')) add(await singleWrites());
if (options.only.includes('key')) add(await longKey());
if (options.only.includes('reads') || options.only.includes('writes')) {
  add(await ofWorld(options.facts, options));
}
if (options.only.includes('growth')) add(await growth(options.facts));
mkdirSync(dirname(options.out), { recursive: true });
writeFileSync(options.out, `${JSON.stringify({ machine: where, figures }, null, 2)}\n`);
const missed = figures.filter((f) => f.bar?.met === false);
console.log(
  `\n${figures.length} figures, ${missed.length} short of a bar; written to ${options.out}`,
);
