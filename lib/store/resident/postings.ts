import { Column } from './column.js';

const NONE = -1;

/** Lists of numbers by number, newest first; only the newest can be taken back. */
export class Postings {
  readonly #heads = new Column('i32', NONE);
  readonly #next = new Column('i32');
  readonly #values = new Column('i32');
  readonly #lists = new Column('i32');

  get size(): number {
    return this.#values.length;
  }

  add(list: number, value: number): void {
    const entry = this.#values.push(value);
    this.#lists.push(list);
    this.#next.push(this.#heads.get(list));
    this.#heads.set(list, entry);
  }

  /** Calls back with each value, the newest first. */
  each(list: number, visit: (value: number) => void): void {
    for (let e = this.#heads.get(list); e !== NONE; e = this.#next.get(e)) {
      visit(this.#values.get(e));
    }
  }

  /** Asks of each value, the newest first, until one is answered with true. */
  some(list: number, is: (value: number) => boolean): boolean {
    for (let e = this.#heads.get(list); e !== NONE; e = this.#next.get(e)) {
      if (is(this.#values.get(e))) return true;
    }
    return false;
  }

  /** The values, the oldest first. */
  list(list: number): number[] {
    const out: number[] = [];
    for (let e = this.#heads.get(list); e !== NONE; e = this.#next.get(e)) {
      out.push(this.#values.get(e));
    }
    return out.reverse();
  }

  isEmpty(list: number): boolean {
    return this.#heads.get(list) === NONE;
  }

  /** Takes back every value added since there were this many. */
  truncate(size: number): void {
    for (let entry = this.#values.length - 1; entry >= size; entry--) {
      this.#heads.set(this.#lists.get(entry), this.#next.get(entry));
    }
    this.#values.truncate(size);
    this.#lists.truncate(size);
    this.#next.truncate(size);
  }

  dump(): readonly Buffer[] {
    return [this.#heads.bytes(), this.#next.bytes(), this.#values.bytes(), this.#lists.bytes()];
  }

  load(parts: readonly Buffer[]): void {
    const [heads, next, values, lists] = parts;
    if (heads === undefined || next === undefined || values === undefined || lists === undefined) {
      throw new Error('Postings are dumped in four parts.');
    }
    this.#lists.load(lists);
    this.#heads.load(heads);
    this.#next.load(next);
    this.#values.load(values);
  }

  get memory(): number {
    return this.#heads.memory + this.#next.memory + this.#values.memory + this.#lists.memory;
  }
}
