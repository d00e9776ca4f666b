import { KEY } from './claims.js';
import { CLAIM, type Tables } from './tables.js';

/** Every predicate that some key has. Looks only at the keys that are new since it was last asked. */
export function predicatesSeen(t: Tables): ReadonlySet<number> {
  const { seen, keys } = t;
  for (; seen.keys < keys.size; seen.keys++)
    seen.predicates.add(keys.get(seen.keys, KEY.predicate));
  return seen.predicates;
}

const UNDATED = CLAIM.startUnknown | CLAIM.endUnknown;

/** True for a claim that tells neither start nor end. */
export const isUndated = (t: Tables, claim: number): boolean =>
  (t.claim.flags.get(claim) & UNDATED) === UNDATED;

/** Every claim that tells neither start nor end, the oldest first. Looks only at those that are new since it was last asked. */
export function undatedSeen(t: Tables): readonly number[] {
  const { seen } = t;
  for (; seen.claims < t.claimCount; seen.claims++)
    if (isUndated(t, seen.claims)) seen.undated.push(seen.claims);
  return seen.undated;
}
