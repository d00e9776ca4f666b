import { Column } from './column.js';

const EMPTY = -1;

/** Rows of whole numbers by number, and numbers by row: keys made of interned parts. */
export class TupleTable {
  readonly #width: number;
  readonly #cells = new Column('i32');
  #slots = new Int32Array(64).fill(EMPTY);

  constructor(width: number) {
    this.#width = width;
  }

  get size(): number {
    return this.#cells.length / this.#width;
  }

  /** The number of a row, or -1. */
  find(row: readonly number[]): number {
    const mask = this.#slots.length - 1;
    for (let slot = hashOf(row) & mask; ; slot = (slot + 1) & mask) {
      const found = this.#slots[slot]!;
      if (found === EMPTY || this.#equals(found, row)) return found;
    }
  }

  intern(row: readonly number[]): number {
    const known = this.find(row);
    if (known !== EMPTY) return known;
    const added = this.size;
    for (const cell of row) this.#cells.push(cell);
    if ((added + 1) * 2 > this.#slots.length) this.#rehash(this.#slots.length * 2);
    else this.#insert(added);
    return added;
  }

  get(row: number, cell: number): number {
    return this.#cells.get(row * this.#width + cell);
  }

  /** Takes back every row added since the table had this size. */
  truncate(size: number): void {
    const mask = this.#slots.length - 1;
    for (let row = this.size - 1; row >= size; row--) {
      let slot = this.#hashAt(row) & mask;
      while (this.#slots[slot] !== row) slot = (slot + 1) & mask;
      this.#slots[slot] = EMPTY;
    }
    this.#cells.truncate(size * this.#width);
  }

  dump(): readonly Buffer[] {
    return [this.#cells.bytes()];
  }

  load(parts: readonly Buffer[]): void {
    const [cells] = parts;
    if (cells === undefined) throw new Error('A tuple table is dumped in one part.');
    this.#cells.load(cells);
    let slots = 64;
    while (slots < this.size * 2) slots *= 2;
    this.#rehash(slots);
  }

  get memory(): number {
    return this.#cells.memory + this.#slots.byteLength;
  }

  #equals(row: number, cells: readonly number[]): boolean {
    const start = row * this.#width;
    for (let i = 0; i < this.#width; i++) if (this.#cells.get(start + i) !== cells[i]) return false;
    return true;
  }

  #hashAt(row: number): number {
    const start = row * this.#width;
    let h = 0;
    for (let i = 0; i < this.#width; i++) h = mix(h, this.#cells.get(start + i));
    return h ^ (h >>> 16);
  }

  #insert(row: number): void {
    const mask = this.#slots.length - 1;
    let slot = this.#hashAt(row) & mask;
    while (this.#slots[slot] !== EMPTY) slot = (slot + 1) & mask;
    this.#slots[slot] = row;
  }

  #rehash(size: number): void {
    this.#slots = new Int32Array(size).fill(EMPTY);
    for (let row = 0; row < this.size; row++) this.#insert(row);
  }
}

function mix(h: number, cell: number): number {
  const k = Math.imul(cell ^ (cell >>> 15), 0x85ebca6b);
  return Math.imul(h ^ k ^ (k >>> 13), 0xc2b2ae35);
}

function hashOf(row: readonly number[]): number {
  let h = 0;
  for (const cell of row) h = mix(h, cell);
  return h ^ (h >>> 16);
}
