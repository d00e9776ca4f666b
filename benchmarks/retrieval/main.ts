import { longMemEval, memoryBank, type BenchSet } from './fixtures.js';
import { type Figures, run } from './run.js';
import { speed } from './speed.js';
import { runThroughMemory } from './through-memory.js';
import { updates } from './updates.js';
import { withEmbedder } from './with-embedder.js';

interface Case {
  readonly name: string;
  readonly set: BenchSet;
  readonly readTime: boolean;
  readonly recallBar: number | null;
  readonly ndcgBar: number;
}

const figure = (value: number): string => value.toFixed(3);

const isBelow = ({ recall, ndcg }: Figures, { recallBar, ndcgBar }: Case): boolean =>
  (recallBar !== null && recall < recallBar) || ndcg < ndcgBar;

/** Each set by the search alone, and through a memory that has taken the events in. */
async function ranking(cases: readonly Case[]): Promise<boolean> {
  console.log(`${'set'.padEnd(36)} R@10   nDCG@10  in a memory       bars`);
  let held = true;
  for (const one of cases) {
    const alone = run(one.set, one.readTime);
    const whole = await runThroughMemory(one.set, one.readTime);
    const low = isBelow(alone, one) || isBelow(whole, one);
    if (low) held = false;
    const bars = `${one.recallBar?.toFixed(2) ?? '–   '} ${one.ndcgBar.toFixed(2)}`;
    console.log(
      `${one.name.padEnd(36)} ${figure(alone.recall)}  ${figure(alone.ndcg)}    ` +
        `${figure(whole.recall)}  ${figure(whole.ndcg)}      ${bars}${low ? '  below' : ''}`,
    );
  }
  return held;
}

async function updated(): Promise<boolean> {
  const { questions, newestFirst, staleShown, staleFirstBefore, staleFirstInWords } =
    await updates();
  console.log(`\n${questions} updates as dated facts`.padEnd(47));
  const rows = [
    ['newest first', newestFirst, newestFirst >= 0.95, 'at least .95'],
    ['stale shown as current', staleShown, staleShown <= 0.05, 'at most .05'],
    ['stale first, asked as of before', staleFirstBefore, staleFirstBefore >= 0.95, 'at least .95'],
    ['the same, the day in the question', staleFirstInWords, true, ''],
  ] as const;
  for (const [name, value, isHeld, bar] of rows) {
    console.log(`${name.padEnd(36)} ${figure(value)}  ${bar}${isHeld ? '' : '  missed'}`);
  }
  return rows.every(([, , isHeld]) => isHeld);
}

const [english, alone, pooled] = await Promise.all([
  longMemEval(),
  memoryBank(false),
  memoryBank(true),
]);
const rankingHeld = await ranking(
  [
    { name: 'longmemeval-evidence', set: english, recallBar: 0.87, ndcgBar: [0.78, 0.78] },
    { name: 'memorybank-zh, alone', set: alone, recallBar: null, ndcgBar: [0.79, 0.83] },
    { name: 'memorybank-zh, pooled', set: pooled, recallBar: null, ndcgBar: [0.62, 0.66] },
  ].flatMap(({ name, ndcgBar: [plain = 0, timed = 0], ...rest }): Case[] => [
    { ...rest, name, readTime: false, ndcgBar: plain },
    { ...rest, name: `${name}, time read`, readTime: true, ndcgBar: timed },
  ]),
);
const updatesHeld = await updated();
// Counts of documents on the command line ask for the speed, too: `-- 100000 1000000`.
// `-- --embedder local` compares with the local English embedder, whose packages have to be installed.
const wants = process.argv.slice(2);
for (const count of wants.map(Number).filter(Number.isFinite)) speed(count);
const embedderHeld =
  !wants.includes('--embedder') ||
  (await withEmbedder([
    { name: 'longmemeval-evidence', set: english, heldBack: false },
    { name: 'memorybank-zh, alone', set: alone, heldBack: true },
    { name: 'memorybank-zh, pooled', set: pooled, heldBack: true },
  ]));
if (!rankingHeld || !updatesHeld || !embedderHeld) process.exitCode = 1;
