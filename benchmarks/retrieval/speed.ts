import { performance } from 'node:perf_hooks';
import { LexicalIndex, type LexicalQuery } from '../../lib/recall/lexical.js';
import { tokenize } from '../../lib/recall/tokens.js';
import { p95 } from './measures.js';
import { Synthetic } from './synthetic.js';

const QUERIES = 300;
/** Every tenth document is of the second scope. */
const SCOPES = 10;
const MEGABYTE = 2 ** 20;

/** Prints what searching costs with so many documents of about 24 words, a quarter of them Chinese. */
export function speed(documents: number): void {
  const texts = new Synthetic(7);
  const index = new LexicalIndex();
  const start = performance.now();
  for (let id = 0; id < documents; id++) index.add(id, id % SCOPES, tokenize(texts.text()));
  const built = performance.now() - start;
  const asked = Array.from({ length: QUERIES }, () => texts.question());
  const common = Array.from({ length: QUERIES }, () => texts.commonQuestion());
  const all = Array.from({ length: SCOPES }, (_, scope) => scope);
  const timings = (questions: readonly string[], query: LexicalQuery): number[] => {
    for (const text of questions.slice(0, 30)) index.search(tokenize(text), query);
    return questions.map((text) => {
      const from = performance.now();
      index.search(tokenize(text), query);
      return performance.now() - from;
    });
  };
  const row = (name: string, questions: readonly string[], query: LexicalQuery): void => {
    const times = timings(questions, query);
    const median = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? NaN;
    const figures = `p50 ${median.toFixed(1)} ms, p95 ${p95(times).toFixed(1)} ms`;
    console.log(`  ${name.padEnd(44)} ${figures}`);
  };
  const perDocument = Math.round(index.memory / documents);
  console.log(`${documents.toLocaleString('en')} documents`);
  console.log(
    `  built at ${((built * 1000) / documents).toFixed(1)} µs and ${perDocument} bytes a document`,
  );
  row('questions, all scopes', asked, { scopes: all, limit: 100 });
  row('questions, one scope of ten', asked, { scopes: [1], limit: 100 });
  row('questions, half refused by the filter', asked, {
    scopes: all,
    limit: 100,
    accept: (id) => id % 2 === 0,
  });
  row('questions, 1 in 1000 passes the filter', asked, {
    scopes: all,
    limit: 100,
    accept: (id) => id % 1000 === 0,
  });
  row('twelve of the commonest words, all scopes', common, { scopes: all, limit: 100 });
  row('twelve of the commonest words, nine scopes', common, { scopes: all.slice(1), limit: 100 });
  const parts = index.dump().map((part) => Buffer.from(part));
  const size = parts.reduce((sum, part) => sum + part.length, 0) / MEGABYTE;
  const again = new LexicalIndex();
  const from = performance.now();
  again.load(parts);
  console.log(`  loaded in ${(performance.now() - from).toFixed(0)} ms from ${size.toFixed(0)} MB`);
}
