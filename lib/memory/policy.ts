import type { ClaimRecord } from '../model/entry.js';
import type { Scope } from '../model/scope.js';

/** What a policy is asked about: a claim that somebody wants to write, or to take back. */
export interface Candidate {
  readonly action: 'assert' | 'retract';
  readonly claim: ClaimRecord;
  /** Scope of the handle that writes. */
  readonly writer: Scope;
  /** The claim goes to a broader scope than the writer's, or corrects something there. */
  readonly broader: boolean;
}

export type Verdict = 'accept' | { readonly hold: string } | { readonly refuse: string };

/**
 * Decides about every claim before it is accepted or taken back. A plain function: no clock, no I/O.
 * A retraction is carried out or refused; it cannot be held.
 */
export type Policy = (candidate: Candidate) => Verdict;

/** Holds what a model wants to tell everybody; accepts the rest. */
export const defaultPolicy: Policy = ({ action, claim, broader }) =>
  action === 'assert' && broader && claim.origin === 'assistant'
    ? { hold: 'A model writes to a broader scope.' }
    : 'accept';
