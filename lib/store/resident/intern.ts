import { Bytes } from './bytes.js';
import { Column } from './column.js';
import { Recent } from './recent.js';

const EMPTY = -1;
const FNV_BASIS = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
/** Texts of everyday use are looked up and decoded once. Longer ones are not worth the memory. */
const RECENT = 8192;
const RECENT_LENGTH = 128;

/**
 * Texts by number and numbers by text. Kept as bytes with a hash table over them: a million texts
 * are three typed arrays, not a million JavaScript strings, and load without being decoded.
 */
export class InternTable {
  readonly #bytes = new Bytes();
  /** Where each text ends. */
  readonly #ends = new Column('f64');
  readonly #hashes = new Column('i32');
  #slots = new Int32Array(64).fill(EMPTY);
  readonly #numbers = new Recent<string, number>(RECENT);
  readonly #decoded = new Recent<number, string>(RECENT);
  readonly #prefixed = new Map<string, Recent<string, number>>();

  get size(): number {
    return this.#ends.length;
  }

  /** The number of a text, or -1. */
  find(text: string): number {
    const recent = isCommon(text) ? this.#numbers.get(text) : undefined;
    if (recent !== undefined) return recent;
    const start = this.#bytes.reserve(text.length * 3);
    const length = this.#bytes.buffer.write(text, start, 'utf8');
    const found = this.#lookup(start, length, this.#hash(start, length));
    this.#remember(text, found);
    return found;
  }

  /**
   * The number of a prefix and a text together, or -1: the same as `find(prefix + text)`, and faster for
   * the few texts of which every question asks, as of scopes and predicates.
   */
  findWith(prefix: string, text: string): number {
    let known = this.#prefixed.get(prefix);
    if (known === undefined) {
      known = new Recent(RECENT);
      this.#prefixed.set(prefix, known);
    }
    const row = known.get(text);
    // Of what was missing the size of the table is noted: it may have come since.
    if (row !== undefined && (row >= 0 || row === missingOf(this.size)))
      return Math.max(row, EMPTY);
    const found = this.find(prefix + text);
    if (text.length <= RECENT_LENGTH)
      known.set(text, found === EMPTY ? missingOf(this.size) : found);
    return found;
  }

  /** The number of a text, which is added if it is new. */
  intern(text: string): number {
    const recent = isCommon(text) ? this.#numbers.get(text) : undefined;
    if (recent !== undefined && recent !== EMPTY) return recent;
    const start = this.#bytes.reserve(text.length * 3);
    const length = this.#bytes.buffer.write(text, start, 'utf8');
    const hash = this.#hash(start, length);
    const known = this.#lookup(start, length, hash);
    if (known !== EMPTY) {
      this.#remember(text, known);
      return known;
    }
    this.#bytes.advance(length);
    const row = this.#ends.push(start + length);
    this.#hashes.push(hash);
    this.#remember(text, row);
    if ((row + 1) * 2 > this.#slots.length) this.#rehash(this.#slots.length * 2);
    else this.#insert(row, hash);
    return row;
  }

  text(row: number): string {
    const recent = this.#decoded.get(row);
    if (recent !== undefined) return recent;
    const text = this.#bytes.buffer.toString('utf8', this.#start(row), this.#ends.get(row));
    if (text.length <= RECENT_LENGTH) this.#decoded.set(row, text);
    return text;
  }

  #remember(text: string, row: number): void {
    if (text.length <= RECENT_LENGTH && isCommon(text)) this.#numbers.set(text, row);
  }

  /** Takes back everything interned since the table had this size. */
  truncate(size: number): void {
    const mask = this.#slots.length - 1;
    for (let row = this.#ends.length - 1; row >= size; row--) {
      let slot = this.#hashes.get(row) & mask;
      while (this.#slots[slot] !== row) slot = (slot + 1) & mask;
      // The newest entry of a probe chain is its last, so emptying it breaks no chain.
      this.#slots[slot] = EMPTY;
    }
    this.#numbers.clear();
    this.#prefixed.clear();
    this.#decoded.clear();
    this.#bytes.truncate(size === 0 ? 0 : this.#ends.get(size - 1));
    this.#ends.truncate(size);
    this.#hashes.truncate(size);
  }

  dump(): readonly Buffer[] {
    return [this.#bytes.bytes(), this.#ends.bytes(), this.#hashes.bytes()];
  }

  load(parts: readonly Buffer[]): void {
    const [bytes, ends, hashes] = parts;
    if (bytes === undefined || ends === undefined || hashes === undefined) {
      throw new Error('An intern table is dumped in three parts.');
    }
    this.#bytes.load(bytes);
    this.#ends.load(ends);
    this.#hashes.load(hashes);
    let slots = 64;
    while (slots < this.size * 2) slots *= 2;
    this.#rehash(slots);
  }

  get memory(): number {
    return (
      this.#bytes.buffer.length + this.#ends.memory + this.#hashes.memory + this.#slots.byteLength
    );
  }

  #start(row: number): number {
    return row === 0 ? 0 : this.#ends.get(row - 1);
  }

  #hash(start: number, length: number): number {
    const { buffer } = this.#bytes;
    let h = FNV_BASIS;
    for (let i = start; i < start + length; i++) h = Math.imul(h ^ buffer[i]!, FNV_PRIME);
    // Linear probing wants the high bits' entropy in the low ones.
    h ^= h >>> 15;
    h = Math.imul(h, 0x2c1b3c6d);
    return h ^ (h >>> 12);
  }

  #lookup(start: number, length: number, hash: number): number {
    const mask = this.#slots.length - 1;
    const { buffer } = this.#bytes;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const row = this.#slots[slot]!;
      if (row === EMPTY) return EMPTY;
      if (this.#hashes.get(row) !== hash) continue;
      const from = this.#start(row);
      const to = this.#ends.get(row);
      if (to - from === length && buffer.compare(buffer, from, to, start, start + length) === 0) {
        return row;
      }
    }
  }

  #insert(row: number, hash: number): void {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    while (this.#slots[slot] !== EMPTY) slot = (slot + 1) & mask;
    this.#slots[slot] = row;
  }

  #rehash(size: number): void {
    this.#slots = new Int32Array(size).fill(EMPTY);
    for (let row = 0; row < this.size; row++) this.#insert(row, this.#hashes.get(row));
  }
}

const missingOf = (size: number): number => -2 - size;

/** Entities and their names are too many to remember; to look them up takes hardly longer. */
function isCommon(text: string): boolean {
  const kind = text.charCodeAt(0);
  return kind !== 0x65 && kind !== 0x64 && kind !== 0x6d;
}
