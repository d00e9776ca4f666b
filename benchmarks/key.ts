import { performance } from 'node:perf_hooks';
import { FIRST_DAY } from './data.js';
import { sampleOf } from './measure.js';
import type { Figure } from './report.js';
import { BATCH, handleOf, openWorld, withFolder } from './world.js';

const CLAIMS = 10_000;
const HOUR = 3_600_000;
const NEXT = 60;

/** One key that is told something ten thousand times, and then once more. */
export const longKey = (): Promise<readonly Figure[]> =>
  withFolder(async (folder) => {
    const memory = await openWorld(folder);
    const handle = handleOf(memory);
    const tell = (n: number, at: number, observed: number) => ({
      subject: 'the switch',
      predicate: 'p0',
      object: `e${n % 7}`,
      validFrom: at,
      observedAt: observed,
    });
    const at = (n: number): number => FIRST_DAY + n * HOUR;
    for (let first = 0; first < CLAIMS; first += BATCH) {
      await handle.transact((t) => {
        for (let n = first; n < first + BATCH; n++) t.assert(tell(n, at(n), at(n)));
      });
    }
    const next = async (
      what: string,
      input: (n: number) => ReturnType<typeof tell>,
    ): Promise<Figure> => {
      const times: number[] = [];
      for (let n = 0; n < NEXT; n++) {
        const start = performance.now();
        await handle.assert(input(n));
        times.push(performance.now() - start);
      }
      const sample = sampleOf(times);
      return {
        part: 'key',
        what,
        unit: 'ms',
        value: sample.p50,
        sample,
        bar: { text: 'p95 under 20 ms', met: sample.p95 < 20 },
      };
    };
    const figures = [
      await next('the next claim of a key with 10,000, said last and about the latest time', (n) =>
        tell(n + 1, at(CLAIMS + n), at(CLAIMS + n)),
      ),
      await next('the same, said last about a time in the middle', (n) =>
        tell(n + 2, at(CLAIMS / 2 + n) + HOUR / 2, at(CLAIMS + NEXT + n)),
      ),
      await next('the same, said long ago and told late', (n) =>
        tell(n + 3, at(CLAIMS / 3 + n) + HOUR / 3, at(CLAIMS / 3 + n) + HOUR / 3),
      ),
    ];
    await memory.close();
    return figures;
  });
