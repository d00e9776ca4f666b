import { performance } from 'node:perf_hooks';
import { LAST_DAY } from './data.js';
import { sampleOf, type Sample } from './measure.js';
import type { Figure } from './report.js';
import type { HandWritten } from './sqlite.js';
import type { Built } from './world.js';

const WRITES = 1000;
const SUBJECTS = 200;
const MINUTE = 60_000;

/**
 * Durable single writes, in turn with SQLite: a new value takes the place of the one before it. Both end the
 * old row in valid time, close its old version in known time and open the new one, in one transaction.
 */
async function singleWrites(
  part: string,
  { handle }: Built,
  sqlite: HandWritten,
  run: number,
): Promise<Figure> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let n = 0; n < WRITES; n++) {
    const at = LAST_DAY + (run * WRITES + n) * MINUTE;
    const said = {
      subject: `writer-${run}-${n % SUBJECTS}`,
      predicate: 'p0',
      object: `e${n % 97}`,
      from: at,
      statement: 'eight words that stand for what was said',
    };
    const start = performance.now();
    await handle.assert({
      subject: said.subject,
      predicate: said.predicate,
      object: said.object,
      validFrom: at,
      observedAt: at,
      statement: said.statement,
    });
    const middle = performance.now();
    sqlite.supersede(said, 1_000_000_000 + run * WRITES + n);
    const end = performance.now();
    if (n < SUBJECTS) continue;
    ours.push(middle - start);
    theirs.push(end - middle);
  }
  const sample = sampleOf(ours);
  const sqliteSample: Sample = sampleOf(theirs);
  return {
    part,
    what: 'durable single assert that supersedes',
    unit: 'ms',
    value: sample.p50,
    sample,
    sqlite: sqliteSample,
    bar: {
      text: 'p95 under 5 ms, p50 at most 1.5 × SQLite',
      met: sample.p95 < 5 && sample.p50 <= 1.5 * sqliteSample.p50,
    },
  };
}

/** The third of three runs: the first two compile the code and fill caches on both sides. */
export async function warmWrites(part: string, built: Built, sqlite: HandWritten): Promise<Figure> {
  await singleWrites(part, built, sqlite, 0);
  await singleWrites(part, built, sqlite, 1);
  return singleWrites(part, built, sqlite, 2);
}
