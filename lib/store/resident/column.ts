/** Growable typed columns: a million rows cost what their bytes cost, and load by copying. */

type Cells = Int32Array | Float64Array | Uint8Array;

const KINDS = {
  i32: Int32Array,
  f64: Float64Array,
  u8: Uint8Array,
} as const;

export type ColumnKind = keyof typeof KINDS;

const FIRST = 64;

export class Column {
  readonly kind: ColumnKind;
  /** The value of cells that were never set. */
  readonly #blank: number;
  #cells: Cells;
  #length = 0;

  constructor(kind: ColumnKind, blank = 0) {
    this.kind = kind;
    this.#blank = blank;
    this.#cells = new KINDS[kind](FIRST);
  }

  get length(): number {
    return this.#length;
  }

  get(row: number): number {
    return row < this.#length ? this.#cells[row]! : this.#blank;
  }

  push(value: number): number {
    const row = this.#length;
    this.#reserve(row + 1);
    this.#cells[row] = value;
    this.#length = row + 1;
    return row;
  }

  /** Sets any row; rows between the end and it become blank. */
  set(row: number, value: number): void {
    if (row >= this.#length) {
      this.#reserve(row + 1);
      this.#cells.fill(this.#blank, this.#length, row);
      this.#length = row + 1;
    }
    this.#cells[row] = value;
  }

  truncate(length: number): void {
    if (length < this.#length) this.#length = length;
  }

  bytes(): Buffer {
    const { buffer, byteOffset, BYTES_PER_ELEMENT } = this.#cells;
    return Buffer.from(buffer, byteOffset, this.#length * BYTES_PER_ELEMENT);
  }

  load(bytes: Buffer): void {
    const cells = new KINDS[this.kind](
      Math.max(FIRST, bytes.byteLength / KINDS[this.kind].BYTES_PER_ELEMENT),
    );
    Buffer.from(cells.buffer).set(bytes);
    this.#cells = cells;
    this.#length = bytes.byteLength / cells.BYTES_PER_ELEMENT;
  }

  get memory(): number {
    return this.#cells.byteLength;
  }

  #reserve(length: number): void {
    if (length <= this.#cells.length) return;
    const cells = new KINDS[this.kind](Math.max(length, Math.ceil(this.#cells.length * 1.5)));
    cells.set(this.#cells.subarray(0, this.#length));
    this.#cells = cells;
  }
}
