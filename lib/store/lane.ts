/** Runs one piece of work at a time, in the order in which they came. */
export class Lane {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    // The next in line waits for the end of this one, and cares not how it ended: `result` tells its own caller.
    this.#last = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }
}
