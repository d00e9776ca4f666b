import { setImmediate } from 'node:timers/promises';
import type { VectorAnswer, VectorLeg } from '../ports.js';
import { NO_VECTORS } from './candidates.js';
import type { Deadline } from './deadline.js';

/** Candidates, claims and events each. */
const VECTORS = 100;

/** Gives timers a turn where there is a deadline, and says whether there is time left. */
export async function goesOn(deadline: Deadline): Promise<boolean> {
  if (deadline.isOver) return false;
  if (deadline.hasEnd) await setImmediate();
  return !deadline.isOver && !deadline.signal.aborted;
}

/** Resolves with nothing at the deadline, or never. */
export const expiry = ({ signal }: Deadline): Promise<null> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    else signal.addEventListener('abort', () => resolve(null), { once: true });
  });

export async function byMeaning(
  vectors: VectorLeg | null,
  query: string,
  {
    acceptClaim,
    standsFor,
    acceptEvent,
    deadline,
  }: {
    readonly acceptClaim: (row: number) => boolean;
    readonly standsFor: (row: number) => unknown;
    readonly acceptEvent: (document: number) => boolean;
    readonly deadline: Deadline;
  },
): Promise<VectorAnswer | null> {
  if (vectors === null) return NO_VECTORS;
  const { signal } = deadline;
  try {
    return await vectors.search(query, {
      limit: VECTORS,
      acceptClaim,
      standsFor,
      acceptEvent,
      signal,
    });
  } catch (error) {
    // Words go on finding things without it.
    if (signal.aborted) return null;
    const problem = error instanceof Error ? error.message : String(error);
    return { ...NO_VECTORS, problem };
  }
}
