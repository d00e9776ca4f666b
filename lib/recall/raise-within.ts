import type { QuestionTime } from './question-time.js';
import { byRank, type Scored } from './top.js';

/**
 * What an event gains for having been said in the time asked about, as a share of the best score. A day is
 * named because the event is of it; of a month or a year less is sure.
 */
const GAIN = { point: 0.5, window: 0.3 } as const;

/**
 * Raises the hits of the time that a question asks about. The others stay below them, since an event often
 * tells of another day than its own. `saidAt` gives epoch milliseconds, or `null` where nobody knows.
 */
export function raiseWithin(
  hits: readonly Scored[],
  time: QuestionTime,
  saidAt: (id: number) => number | null,
): Scored[] {
  const { from, to } = time.window;
  const gain = GAIN[time.kind] * hits.reduce((most, { score }) => Math.max(most, score), 0);
  return hits
    .map(({ id, score }) => {
      const at = saidAt(id);
      return { id, score: at !== null && from <= at && at < to ? score + gain : score };
    })
    .sort(byRank);
}
