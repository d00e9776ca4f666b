import type { BeliefClaim, Properties } from './claim.js';

/** One maximal stretch of belief about a key: half-open, in epoch milliseconds. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly polarity: 'assert' | 'deny';
  readonly object: string;
  readonly instance: string | null;
  /** `null` when there are none. */
  readonly properties: Properties | null;
  /** The claim that is current at the start of the stretch. */
  readonly claim: BeliefClaim;
}
