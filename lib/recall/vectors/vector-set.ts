import {
  VectorFile,
  vectorsPath,
  type Maker,
  type StoredVector,
  type VectorKey,
} from './vector-file.js';
import { VectorTable } from './vector-table.js';

type Name = 'live' | 'next';

/** The vectors of one model: in memory, and in a file where the store has a folder. */
export class VectorSet {
  readonly maker: Maker;
  #table: VectorTable;
  readonly #file: VectorFile | null;

  private constructor(maker: Maker, table: VectorTable, file: VectorFile | null) {
    this.maker = maker;
    this.#table = table;
    this.#file = file;
  }

  static create(folder: string | null, name: Name, maker: Maker): VectorSet {
    const file = folder === null ? null : VectorFile.create(vectorsPath(folder, name), maker);
    return new VectorSet(maker, new VectorTable(maker.dimensions), file);
  }

  /** `null` when there is none. */
  static open(folder: string | null, name: Name): VectorSet | null {
    if (folder === null) return null;
    const stored: StoredVector[] = [];
    const file = VectorFile.open(vectorsPath(folder, name), (one) => stored.push(one));
    if (file === null) return null;
    const table = new VectorTable(file.maker.dimensions);
    for (const one of stored) table.add(one);
    return new VectorSet(file.maker, table, file);
  }

  get table(): VectorTable {
    return this.#table;
  }

  /** Durable when it returns. */
  add(stored: readonly StoredVector[]): void {
    this.#file?.append(stored);
    for (const one of stored) this.#table.add(one);
  }

  /** Removes what stands for nothing any more. Everything else has to be linked. */
  sweep(numbers: ReadonlyMap<VectorKey, number>): void {
    this.#table.unlink();
    for (const [key, number] of numbers) this.#table.link(key, number);
    if (this.#table.strays === 0) return;
    const kept = [...this.#table.linked()];
    this.#file?.replace(kept);
    const table = new VectorTable(this.maker.dimensions);
    for (const one of kept) {
      table.add(one);
      table.link(one.key, numbers.get(one.key) ?? -1);
    }
    this.#table = table;
  }

  /** Takes the place of the live one, which has been closed. */
  promote(folder: string | null): void {
    if (folder !== null) this.#file?.moveTo(vectorsPath(folder, 'live'));
  }

  remove(): void {
    this.#file?.remove();
  }

  close(): void {
    this.#file?.close();
  }
}
