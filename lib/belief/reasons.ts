/** Why a fact was closed; the first that fits, in this order. */
export const CLOSE_REASONS = [
  'withdrawn',
  'merged',
  'split',
  'corrected',
  'ended',
  'revised',
] as const;
export type CloseReason = (typeof CLOSE_REASONS)[number];

/** How a fact took the place of another: the same object, a successor, or what was right all along. */
export const SUPERSESSIONS = ['revision', 'succession', 'correction'] as const;
export type Supersession = (typeof SUPERSESSIONS)[number];

/** The kind of the edge from a fact opened to one which the same transaction closed. */
export function supersession(reason: CloseReason, sameObject: boolean): Supersession {
  if (sameObject) return 'revision';
  return reason === 'ended' ? 'succession' : 'correction';
}
