import { longMemEval, memoryBank } from './fixtures.js';
import { type Figures, run } from './run.js';
import { speed } from './speed.js';

interface Row {
  readonly name: string;
  readonly figures: Figures;
  readonly recallBar: number | null;
  readonly ndcgBar: number;
}

const figure = (value: number): string => value.toFixed(3);

function print(rows: readonly Row[]): boolean {
  console.log(`${'set'.padEnd(40)} R@10   bar    nDCG@10  bar`);
  let held = true;
  for (const { name, figures, recallBar, ndcgBar } of rows) {
    const low = (recallBar !== null && figures.recall < recallBar) || figures.ndcg < ndcgBar;
    if (low) held = false;
    const bar = recallBar === null ? '–   ' : recallBar.toFixed(2);
    console.log(
      `${name.padEnd(40)} ${figure(figures.recall)}  ${bar}   ${figure(figures.ndcg)}    ${ndcgBar.toFixed(2)}${low ? '  below' : ''}`,
    );
  }
  return held;
}

const [english, alone, pooled] = await Promise.all([
  longMemEval(),
  memoryBank(false),
  memoryBank(true),
]);
const held = print([
  { name: 'longmemeval-evidence', figures: run(english, false), recallBar: 0.87, ndcgBar: 0.78 },
  {
    name: 'longmemeval-evidence, time read',
    figures: run(english, true),
    recallBar: 0.87,
    ndcgBar: 0.78,
  },
  { name: 'memorybank-zh, alone', figures: run(alone, false), recallBar: null, ndcgBar: 0.79 },
  {
    name: 'memorybank-zh, alone, time read',
    figures: run(alone, true),
    recallBar: null,
    ndcgBar: 0.83,
  },
  { name: 'memorybank-zh, pooled', figures: run(pooled, false), recallBar: null, ndcgBar: 0.62 },
  {
    name: 'memorybank-zh, pooled, time read',
    figures: run(pooled, true),
    recallBar: null,
    ndcgBar: 0.66,
  },
]);
// Counts of documents on the command line ask for the speed, too: `-- 100000 1000000`.
for (const count of process.argv.slice(2).map(Number)) speed(count);
if (!held) process.exitCode = 1;
