import { Column } from '../store/resident/column.js';

const NONE = -1;
/** The scope of a document that was removed. */
export const REMOVED = -1;

/** The documents of an index by their place in it: number, scope and length. */
export class Documents {
  readonly #ids = new Column('i32');
  readonly #scopes = new Column('i32');
  readonly #lengths = new Column('i32');
  readonly #places = new Column('i32', NONE);
  /** Documents and their terms by scope, without what was removed. */
  readonly #counts = new Column('i32');
  readonly #terms = new Column('f64');
  #removed = 0;

  /** Places taken, removed documents included. */
  get places(): number {
    return this.#ids.length;
  }

  get size(): number {
    return this.places - this.#removed;
  }

  /** Where a document is, or -1. */
  place(id: number): number {
    return this.#places.get(id);
  }

  id(place: number): number {
    return this.#ids.get(place);
  }

  /** By place; a view that is good until the next change. */
  scopes(): Int32Array {
    return numbers(this.#scopes);
  }

  /** In terms, repeats counted, by place; a view that is good until the next change. */
  lengths(): Int32Array {
    return numbers(this.#lengths);
  }

  add(id: number, scope: number, length: number): number {
    const place = this.#ids.push(id);
    this.#scopes.push(scope);
    this.#lengths.push(length);
    this.#places.set(id, place);
    this.#count(scope, 1, length);
    return place;
  }

  remove(id: number): boolean {
    const place = this.place(id);
    if (place === NONE) return false;
    this.#count(this.#scopes.get(place), -1, -this.#lengths.get(place));
    this.#scopes.set(place, REMOVED);
    this.#places.set(id, NONE);
    this.#removed++;
    return true;
  }

  /** How many documents the scopes hold, and how many terms in all. */
  extent(scopes: readonly number[]): { readonly documents: number; readonly terms: number } {
    let documents = 0;
    let terms = 0;
    for (const scope of scopes) {
      documents += this.#counts.get(scope);
      terms += this.#terms.get(scope);
    }
    return { documents, terms };
  }

  dump(): readonly Buffer[] {
    return [this.#ids.bytes(), this.#scopes.bytes(), this.#lengths.bytes()];
  }

  load(parts: readonly Buffer[]): void {
    const [ids, scopes, lengths] = parts;
    if (ids === undefined || scopes === undefined || lengths === undefined) {
      throw new Error('Documents are dumped in three parts.');
    }
    this.#ids.load(ids);
    this.#scopes.load(scopes);
    this.#lengths.load(lengths);
    for (const column of [this.#places, this.#counts, this.#terms]) column.truncate(0);
    this.#removed = 0;
    for (let place = 0; place < this.places; place++) {
      const scope = this.#scopes.get(place);
      if (scope === REMOVED) {
        this.#removed++;
        continue;
      }
      this.#places.set(this.#ids.get(place), place);
      this.#count(scope, 1, this.#lengths.get(place));
    }
  }

  get memory(): number {
    const columns = [this.#ids, this.#scopes, this.#lengths, this.#places];
    return [...columns, this.#counts, this.#terms].reduce((sum, c) => sum + c.memory, 0);
  }

  #count(scope: number, documents: number, terms: number): void {
    this.#counts.set(scope, this.#counts.get(scope) + documents);
    this.#terms.set(scope, this.#terms.get(scope) + terms);
  }
}

function numbers(column: Column): Int32Array {
  const { buffer, byteOffset } = column.bytes();
  return new Int32Array(buffer, byteOffset, column.length);
}
