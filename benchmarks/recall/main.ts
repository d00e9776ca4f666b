import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { openMemory, type Handle, type Memory, type OntologyDefinition } from '../../lib/index.js';
import { residentMB } from '../machine.js';
import { p95 } from '../retrieval/measures.js';
import { Synthetic } from '../retrieval/synthetic.js';

const BATCH = 1_000;
const QUESTIONS = 300;
const ASSERTS = 200;
/** Subjects of the facts; each has about as many facts as there are predicates. */
const FACTS_OF_SUBJECT = 20;
const PREDICATES = 40;
const SCOPE = { org: 'bench', project: 'recall' };
const MEGABYTE = 2 ** 20;

const ontology: OntologyDefinition = {
  predicates: Object.fromEntries(
    Array.from({ length: PREDICATES }, (_, i) => [
      `relation ${i}`,
      { cardinality: i % 2 === 0 ? ('one' as const) : ('many' as const) },
    ]),
  ),
};

interface Bars {
  readonly recall: number;
  readonly open: number;
  readonly assert: number;
}

const barsOf = (facts: number): Bars => ({
  recall: facts <= 100_000 ? 50 : 150,
  open: 5_000,
  assert: 10,
});

const open = (folder: string): Promise<Memory> =>
  openMemory({ path: join(folder, 'store'), ontology, graph: 'none' });

async function fill(handle: Handle, facts: number): Promise<void> {
  const texts = new Synthetic(7);
  const day = (n: number): number => Date.UTC(2015, 0, 1) + (n % 4_000) * 86_400_000;
  for (let from = 0; from < facts; from += BATCH) {
    await handle.transact((t) => {
      for (let n = from; n < Math.min(facts, from + BATCH); n++) {
        const statement = texts.text();
        t.assert({
          subject: `subject ${Math.floor(n / FACTS_OF_SUBJECT)}`,
          predicate: `relation ${Math.floor(texts.random() * PREDICATES)}`,
          object: `object ${Math.floor(texts.random() * (facts / 4))}`,
          statement,
          validFrom: day(n),
          observedAt: day(n),
        });
      }
    });
  }
}

async function timed<T>(
  work: () => Promise<T>,
): Promise<{ readonly ms: number; readonly value: T }> {
  const start = performance.now();
  const value = await work();
  return { ms: performance.now() - start, value };
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

/** Prints what recalling costs with so many facts, and says whether the bars hold. */
async function measure(facts: number): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-recall-'));
  const bars = barsOf(facts);
  let held = true;
  const row = (name: string, figure: string, isHeld = true): void => {
    if (!isHeld) held = false;
    console.log(`  ${name.padEnd(44)} ${figure}${isHeld ? '' : '  over the bar'}`);
  };
  console.log(`${facts.toLocaleString('en')} facts, statements of 12 to 35 words`);
  try {
    await inAnother(['--fill', folder, String(facts)]);
    const before = residentMB();
    const texts = new Synthetic(11);
    const opened = await timed(() => open(folder));
    const memory = opened.value;
    const handle = memory.in(SCOPE);
    const found = await timed(() => handle.search(texts.question()));
    const total = opened.ms + found.ms;
    row(
      'open, and the first search with its index',
      `${opened.ms.toFixed(0)} + ${found.ms.toFixed(0)} ms`,
      total < bars.open,
    );
    const ask = async (name: string, questionOf: () => string, bar: number): Promise<void> => {
      const times: number[] = [];
      for (let i = 0; i < QUESTIONS + 30; i++) {
        const question = questionOf();
        const { ms } = await timed(() => handle.recall(question, { snapshot: false }));
        if (i >= 30) times.push(ms);
      }
      const worst = p95(times);
      row(name, `p50 ${median(times).toFixed(1)}, p95 ${worst.toFixed(1)} ms`, worst < bar);
    };
    await ask('recall, words by Zipf', () => texts.question(), bars.recall);
    await ask('recall, twelve of the commonest words', () => texts.commonQuestion(), bars.recall);
    const subject = (): string =>
      `subject ${Math.floor(texts.random() * (facts / FACTS_OF_SUBJECT))}`;
    await ask(
      'recall, an entity and two words',
      () => `What is ${subject()} relation 7?`,
      bars.recall,
    );
    const prompt = (): string => Array.from({ length: 12 }, () => texts.text()).join(' ');
    await ask('recall, a prompt of three hundred words', prompt, bars.recall);
    const past = handle.asOf({ valid: '2018-01-01' });
    const asOf: number[] = [];
    for (let i = 0; i < QUESTIONS; i++) {
      const question = texts.question();
      asOf.push((await timed(() => past.recall(question, { snapshot: false }))).ms);
    }
    row(
      'recall, as of a day in the past',
      `p50 ${median(asOf).toFixed(1)}, p95 ${p95(asOf).toFixed(1)} ms`,
      p95(asOf) < bars.recall,
    );
    const asserts: number[] = [];
    let missed = 0;
    for (let i = 0; i < ASSERTS; i++) {
      const statement = `marker${i}x ${texts.question()}`;
      const written = await timed(async () => {
        await handle.assert({ subject: subject(), predicate: 'relation 1', object: i, statement });
        const { hits } = await handle.search(`marker${i}x`, { limit: 1 });
        const [hit] = hits;
        if (hit?.kind !== 'fact' || hit.statement !== statement) missed++;
      });
      asserts.push(written.ms);
    }
    row(
      'assert, and found by the next search',
      `p50 ${median(asserts).toFixed(1)}, p95 ${p95(asserts).toFixed(1)} ms`,
      p95(asserts) < bars.assert && missed === 0,
    );
    const { indexBytes, searchBytes } = await memory.stats();
    row('memory for a fact, beliefs', `${Math.round(indexBytes / facts)} bytes`);
    row('memory for a fact, search', `${Math.round(searchBytes / facts)} bytes`);
    row('the whole process', `${residentMB()} MB, of which ${before} MB before opening`);
    row('search index', `${Math.round(searchBytes / MEGABYTE)} MB`);
    const closed = await timed(() => memory.close());
    row('close', `${closed.ms.toFixed(0)} ms`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return held;
}

async function fillIn(folder: string, facts: number): Promise<void> {
  await using memory = await open(folder);
  await fill(memory.in(SCOPE), facts);
  const first = await timed(() => memory.in(SCOPE).search('the first question'));
  const seconds = (first.ms / 1000).toFixed(1);
  console.log(`  ${'index built by the first search'.padEnd(44)} ${seconds} s`);
}

/** Runs this file in a process of its own, whose memory does not count. */
function inAnother(args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    fork(fileURLToPath(import.meta.url), args).on('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`The store could not be filled: exit ${code}.`));
    });
  });
}

const [first, ...rest] = process.argv.slice(2);
if (first === '--fill') {
  await fillIn(rest[0] ?? '', Number(rest[1]));
} else {
  const counts = first === undefined ? [100_000] : [first, ...rest].map(Number);
  for (const count of counts) {
    if (!(await measure(count))) process.exitCode = 1;
  }
}
