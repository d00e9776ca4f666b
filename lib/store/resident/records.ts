import { type ColumnKind } from './column.js';

type Cells = Int32Array | Float64Array | Uint8Array;

const KINDS = { i32: Int32Array, f64: Float64Array, u8: Uint8Array } as const;
const FIRST = 64;

/** The fields of one kind, those of a row side by side: who reads one has the others at hand. */
class Shelf {
  readonly #kind: ColumnKind;
  readonly width: number;
  cells: Cells;

  constructor(kind: ColumnKind, width: number) {
    this.#kind = kind;
    this.width = width;
    this.cells = new KINDS[kind](FIRST * width);
  }

  /** Makes room for so many rows. */
  reserve(rows: number): void {
    const length = rows * this.width;
    if (length <= this.cells.length) return;
    const cells = new KINDS[this.#kind](Math.max(length, Math.ceil(this.cells.length * 1.5)));
    cells.set(this.cells);
    this.cells = cells;
  }

  bytes(rows: number): Buffer {
    const { buffer, byteOffset, BYTES_PER_ELEMENT } = this.cells;
    return Buffer.from(buffer, byteOffset, rows * this.width * BYTES_PER_ELEMENT);
  }

  /** Returns the number of rows. */
  load(bytes: Buffer): number {
    const rows = bytes.byteLength / this.width / KINDS[this.#kind].BYTES_PER_ELEMENT;
    const cells = new KINDS[this.#kind](Math.max(FIRST, rows) * this.width);
    Buffer.from(cells.buffer).set(bytes);
    this.cells = cells;
    return rows;
  }
}

/** One field of every row. */
export class Field {
  readonly #shelf: Shelf;
  readonly #width: number;
  readonly #place: number;
  #length = 0;

  constructor(shelf: Shelf, place: number) {
    this.#shelf = shelf;
    this.#width = shelf.width;
    this.#place = place;
  }

  get length(): number {
    return this.#length;
  }

  get(row: number): number {
    return row < this.#length ? this.#shelf.cells[row * this.#width + this.#place]! : 0;
  }

  push(value: number): number {
    const row = this.#length;
    this.#shelf.reserve(row + 1);
    this.#shelf.cells[row * this.#width + this.#place] = value;
    this.#length = row + 1;
    return row;
  }

  /** Sets a row that is there. */
  set(row: number, value: number): void {
    if (row >= this.#length) throw new RangeError(`There is no row ${row}.`);
    this.#shelf.cells[row * this.#width + this.#place] = value;
  }

  truncate(length: number): void {
    if (length < this.#length) this.#length = length;
  }

  /** After the shelf was loaded. */
  restart(length: number): void {
    this.#length = length;
  }
}

export type Fields<Name extends string> = Readonly<Record<Name, Field>>;

/**
 * A growable table of typed fields: a million rows cost what their bytes cost, load by copying, and a row
 * lies together, so that reading it touches a few cache lines and not one for each field.
 */
export class Records<Name extends string = string> {
  readonly fields: Fields<Name>;
  readonly #all: readonly Field[];
  readonly #shelves: readonly Shelf[];
  readonly #shelfOf: ReadonlyMap<Field, Shelf>;

  constructor(fields: Fields<Name>, shelfOf: ReadonlyMap<Field, Shelf>) {
    this.fields = fields;
    this.#all = [...shelfOf.keys()];
    this.#shelfOf = shelfOf;
    this.#shelves = [...new Set(shelfOf.values())];
  }

  /** Rows; between transactions every field has as many. */
  get size(): number {
    return this.#all[0]?.length ?? 0;
  }

  truncate(size: number): void {
    for (const field of this.#all) field.truncate(size);
  }

  dump(): readonly Buffer[] {
    return this.#shelves.map((shelf) => shelf.bytes(this.size));
  }

  load(parts: readonly Buffer[]): void {
    if (parts.length !== this.#shelves.length) {
      throw new Error(`A table of ${this.#shelves.length} kinds is dumped in as many parts.`);
    }
    const rows = new Map(this.#shelves.map((shelf, i) => [shelf, shelf.load(parts[i]!)]));
    for (const [field, shelf] of this.#shelfOf) field.restart(rows.get(shelf)!);
  }

  get memory(): number {
    return this.#shelves.reduce((sum, shelf) => sum + shelf.cells.byteLength, 0);
  }
}

export function records<const Spec extends Readonly<Record<string, ColumnKind>>>(
  spec: Spec,
): Records<keyof Spec & string>;
export function records(spec: Readonly<Record<string, ColumnKind>>): Records {
  const widths = new Map<ColumnKind, number>();
  for (const kind of Object.values(spec)) widths.set(kind, (widths.get(kind) ?? 0) + 1);
  const shelves = new Map([...widths].map(([kind, width]) => [kind, new Shelf(kind, width)]));
  const taken = new Map<ColumnKind, number>();
  const shelfOf = new Map<Field, Shelf>();
  const fields = Object.entries(spec).map(([name, kind]) => {
    const place = taken.get(kind) ?? 0;
    taken.set(kind, place + 1);
    const shelf = shelves.get(kind)!;
    const field = new Field(shelf, place);
    shelfOf.set(field, shelf);
    return [name, field] as const;
  });
  // Not filled name by name, which would make it a slow dictionary.
  return new Records(Object.fromEntries(fields), shelfOf);
}
