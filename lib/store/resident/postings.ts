import { Column } from './column.js';

const NONE = -1;

/** Cells of an entry, side by side: its value, its list, and the entry of the list before it. */
const WIDTH = 3;
const LIST = 1;
const NEXT = 2;

/** Lists of numbers by number, newest first; only the newest can be taken back. */
export class Postings {
  readonly #heads = new Column('i32', NONE);
  readonly #entries = new Column('i32');

  get size(): number {
    return this.#entries.length / WIDTH;
  }

  add(list: number, value: number): void {
    const entry = this.size;
    this.#entries.push(value);
    this.#entries.push(list);
    this.#entries.push(this.#heads.get(list));
    this.#heads.set(list, entry);
  }

  /** Calls back with each value, the newest first. */
  each(list: number, visit: (value: number) => void): void {
    for (let e = this.#heads.get(list); e !== NONE; e = this.#entries.get(e * WIDTH + NEXT)) {
      visit(this.#entries.get(e * WIDTH));
    }
  }

  /** Asks of each value, the newest first, until one is answered with true. */
  some(list: number, is: (value: number) => boolean): boolean {
    for (let e = this.#heads.get(list); e !== NONE; e = this.#entries.get(e * WIDTH + NEXT)) {
      if (is(this.#entries.get(e * WIDTH))) return true;
    }
    return false;
  }

  /** The values, the oldest first. */
  list(list: number): number[] {
    const out: number[] = [];
    this.each(list, (value) => out.push(value));
    return out.reverse();
  }

  isEmpty(list: number): boolean {
    return this.#heads.get(list) === NONE;
  }

  /** Takes back every value added since there were this many. */
  truncate(size: number): void {
    for (let entry = this.size - 1; entry >= size; entry--) {
      const at = entry * WIDTH;
      this.#heads.set(this.#entries.get(at + LIST), this.#entries.get(at + NEXT));
    }
    this.#entries.truncate(size * WIDTH);
  }

  dump(): readonly Buffer[] {
    return [this.#heads.bytes(), this.#entries.bytes()];
  }

  load(parts: readonly Buffer[]): void {
    const [heads, entries] = parts;
    if (heads === undefined || entries === undefined) {
      throw new Error('Postings are dumped in two parts.');
    }
    this.#heads.load(heads);
    this.#entries.load(entries);
  }

  get memory(): number {
    return this.#heads.memory + this.#entries.memory;
  }
}
