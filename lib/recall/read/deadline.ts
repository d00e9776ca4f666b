import { PalimpsestError } from '../../model/errors.js';

/** What a timer can wait for at most: longer than anybody does. */
const LONGEST = 2_147_483_647;

/** Until when an answer is waited for, and whether anybody still waits. */
export class Deadline {
  readonly #caller: AbortSignal | undefined;
  readonly #end: number;
  /** Aborts at the deadline, and when the caller does. */
  readonly signal: AbortSignal;

  constructor(milliseconds: number | undefined, caller: AbortSignal | undefined) {
    this.#caller = caller;
    this.#end = milliseconds === undefined ? Infinity : performance.now() + milliseconds;
    const signals = caller === undefined ? [] : [caller];
    if (milliseconds !== undefined) {
      signals.push(AbortSignal.timeout(Math.min(LONGEST, Math.ceil(milliseconds))));
    }
    this.signal = AbortSignal.any(signals);
  }

  get hasEnd(): boolean {
    return this.#end !== Infinity;
  }

  get isOver(): boolean {
    return performance.now() >= this.#end;
  }

  /** @throws PalimpsestError `ABORTED` when the caller has lost interest. */
  ensureWanted(): void {
    if (this.#caller?.aborted !== true) return;
    throw new PalimpsestError('ABORTED', 'The search was aborted.', { cause: this.#caller.reason });
  }
}
