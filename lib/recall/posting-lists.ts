import { Column } from '../store/resident/column.js';

const NONE = -1;
/** Cells of a block double until they reach this many. */
const LARGEST = 1024;
/** What the blocks before the first of the largest size can take together. */
const GROWING = LARGEST - 1;

/**
 * Append-only lists of whole numbers in one pool, read in order. Blocks grow with their list, so that a
 * word seen once costs two cells, and one seen a million times is read in long straight runs.
 */
export class PostingLists {
  #pool = new Int32Array(1024);
  #used = 0;
  readonly #heads = new Column('i32', NONE);
  /** The block that is being filled. */
  readonly #tails = new Column('i32', NONE);
  readonly #lengths = new Column('i32');

  length(list: number): number {
    return this.#lengths.get(list);
  }

  add(list: number, value: number): void {
    const length = this.#lengths.get(list);
    const { used, size } = place(length);
    if (used === 0) this.#open(list, size);
    this.#pool[this.#tails.get(list) + 1 + used] = value;
    this.#lengths.set(list, length + 1);
  }

  /** Copies a whole list, oldest first, to `into` from `at` on, and says where it ends there. */
  copy(list: number, into: Int32Array, at: number): number {
    let left = this.#lengths.get(list);
    let size = 1;
    let to = at;
    for (let block = this.#heads.get(list); block !== NONE; block = this.#pool[block]!) {
      const count = Math.min(left, size);
      into.set(this.#pool.subarray(block + 1, block + 1 + count), to);
      to += count;
      left -= count;
      if (size < LARGEST) size *= 2;
    }
    return to;
  }

  dump(): readonly Buffer[] {
    const { buffer, byteOffset, BYTES_PER_ELEMENT } = this.#pool;
    return [
      Buffer.from(buffer, byteOffset, this.#used * BYTES_PER_ELEMENT),
      this.#heads.bytes(),
      this.#tails.bytes(),
      this.#lengths.bytes(),
    ];
  }

  load(parts: readonly Buffer[]): void {
    const [pool, heads, tails, lengths] = parts;
    if (pool === undefined || heads === undefined || tails === undefined || lengths === undefined) {
      throw new Error('Posting lists are dumped in four parts.');
    }
    const cells = new Int32Array(Math.max(1024, pool.byteLength / Int32Array.BYTES_PER_ELEMENT));
    Buffer.from(cells.buffer).set(pool);
    this.#pool = cells;
    this.#used = pool.byteLength / Int32Array.BYTES_PER_ELEMENT;
    this.#heads.load(heads);
    this.#tails.load(tails);
    this.#lengths.load(lengths);
  }

  get memory(): number {
    return this.#pool.byteLength + this.#heads.memory + this.#tails.memory + this.#lengths.memory;
  }

  #open(list: number, size: number): void {
    const block = this.#used;
    const need = block + 1 + size;
    if (need > this.#pool.length) {
      const pool = new Int32Array(Math.max(need, Math.ceil(this.#pool.length * 1.5)));
      pool.set(this.#pool.subarray(0, this.#used));
      this.#pool = pool;
    }
    this.#used = need;
    this.#pool[block] = NONE;
    const tail = this.#tails.get(list);
    if (tail === NONE) this.#heads.set(list, block);
    else this.#pool[tail] = block;
    this.#tails.set(list, block);
  }
}

/** Where the next value of a list of this length goes: cells used in its block, and that block's size. */
function place(length: number): { readonly used: number; readonly size: number } {
  if (length >= GROWING) return { used: (length - GROWING) % LARGEST, size: LARGEST };
  const doublings = 31 - Math.clz32(length + 1);
  return { used: length - (2 ** doublings - 1), size: 2 ** doublings };
}
