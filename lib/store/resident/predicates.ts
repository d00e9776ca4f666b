import { KEY } from './claims.js';
import type { Tables } from './tables.js';

/** Every predicate that some key has. Looks only at the keys that are new since it was last asked. */
export function predicatesSeen(t: Tables): ReadonlySet<number> {
  const { seen, keys } = t;
  for (; seen.keys < keys.size; seen.keys++)
    seen.predicates.add(keys.get(seen.keys, KEY.predicate));
  return seen.predicates;
}
