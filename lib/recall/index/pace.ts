import { setImmediate } from 'node:timers/promises';

/** How long others wait for the event loop while an index is built, in milliseconds. */
const TURN = 12;

/** Lets others have a turn during long work, and tells when the work has to stop. */
export class Pace {
  readonly #isOver: () => boolean;
  #since = performance.now();

  constructor(isOver: () => boolean = () => false) {
    this.#isOver = isOver;
  }

  /** True when the time is up. */
  rest(): boolean | Promise<boolean> {
    return performance.now() - this.#since < TURN ? false : this.#pause();
  }

  async #pause(): Promise<boolean> {
    await setImmediate();
    this.#since = performance.now();
    return this.#isOver();
  }
}
