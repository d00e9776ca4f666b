/**
 * The predicate of claims that two entities are one. Whoever proposes it waits for a review; its
 * approval merges them.
 */
export const SAME_AS = 'same_as';
