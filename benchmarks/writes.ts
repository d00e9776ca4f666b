import { performance } from 'node:perf_hooks';
import { FIRST_DAY } from './data.js';
import { sampleOf } from './measure.js';
import type { Figure } from './report.js';
import { HandWritten } from './sqlite.js';
import { handleOf, openWorld, withFolder, type Built } from './world.js';

const ROUNDS = 600;
const WARM = 100;
const DAY = 86_400_000;

/** One claim that ends what another said, durable before the next is told; the same by hand. */
export const singleWrites = (): Promise<readonly Figure[]> =>
  withFolder(async (folder) => {
    const memory = await openWorld(folder);
    const handle = handleOf(memory);
    const sqlite = new HandWritten(folder);
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let n = 0; n < ROUNDS + WARM; n++) {
      const said = {
        subject: `e${n % 50}`,
        predicate: 'p1',
        object: `e${n % 997}`,
        from: FIRST_DAY + n * DAY,
        statement: 'eight words that stand for what was said',
      };
      const start = performance.now();
      await handle.assert({
        subject: said.subject,
        predicate: said.predicate,
        object: said.object,
        validFrom: said.from,
        observedAt: said.from,
        statement: said.statement,
      });
      const middle = performance.now();
      sqlite.supersede(said, n + 2);
      const end = performance.now();
      if (n < WARM) continue;
      ours.push(middle - start);
      theirs.push(end - middle);
    }
    sqlite.close();
    await memory.close();
    const sample = sampleOf(ours);
    const hand = sampleOf(theirs);
    const what = 'durable assert that ends what was believed';
    return [
      {
        part: 'writes',
        what,
        unit: 'ms',
        value: sample.p50,
        sample,
        sqlite: hand,
        bar: {
          text: 'p95 under 5 ms, p50 at most 1.5 × SQLite',
          met: sample.p95 < 5 && sample.p50 <= 1.5 * hand.p50,
        },
      },
    ];
  });

export const bulkFigures = (built: Built): readonly Figure[] => [
  {
    part: 'writes',
    what: 'bulk, a thousand facts to a durable transaction',
    unit: 'facts/s',
    value: built.pace,
    sqlite: built.sqlitePace,
    bar: { text: 'at least 20,000 facts/s', met: built.pace >= 20_000 },
  },
  {
    part: 'writes',
    what: 'process memory after the bulk',
    unit: 'MB',
    value: built.rss,
    bar: { text: 'under 1 GiB', met: built.rss < 1024 },
  },
];
