import type { Refusal } from './job.js';

export const refusal = (candidate: number, code: string, reason: string): Refusal => ({
  candidate,
  code,
  reason,
});

/** A refusal of ours; its reason says nothing of what the candidate says. */
export class Refused extends Error {
  readonly code: string;

  constructor(code: string, reason: string) {
    super(reason);
    this.code = code;
  }
}
