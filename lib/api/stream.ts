/** Answers that may be many: read one by one with `for await`, or all at once. */
export class Stream<T> implements AsyncIterable<T> {
  readonly #source: () => AsyncIterable<T>;

  constructor(source: () => AsyncIterable<T>) {
    this.#source = source;
  }

  [Symbol.asyncIterator](): AsyncIterator<T> {
    return this.#source()[Symbol.asyncIterator]();
  }

  async toArray(): Promise<T[]> {
    const out: T[] = [];
    for await (const item of this) out.push(item);
    return out;
  }
}
