import { byRank, Top, type Scored } from '../top.js';
import type { StoredVector, VectorKey } from './vector-file.js';

const CHUNK = 1_024;
const UNKNOWN = -1;

export interface TableQuery {
  readonly limit: number;
  /** A cosine that has to be exceeded. */
  readonly floor: number;
  readonly acceptClaim: (row: number) => boolean;
  readonly standsFor: (row: number) => unknown;
  readonly acceptEvent: (document: number) => boolean;
}

/** Vectors of length one in memory, by what they stand for; searched from the first to the last. */
export class VectorTable {
  readonly #dimensions: number;
  readonly #chunks: Float32Array[] = [];
  readonly #slots = new Map<VectorKey, number>();
  readonly #keys: VectorKey[] = [];
  /** Number of the document by slot, as of the last linking. */
  readonly #numbers: number[] = [];

  constructor(dimensions: number) {
    this.#dimensions = dimensions;
  }

  get size(): number {
    return this.#keys.length;
  }

  has(key: VectorKey): boolean {
    return this.#slots.has(key);
  }

  add({ key, vector }: StoredVector): void {
    if (this.#slots.has(key)) return;
    const slot = this.#keys.push(key) - 1;
    const within = slot % CHUNK;
    if (within === 0) this.#chunks.push(new Float32Array(CHUNK * this.#dimensions));
    this.#chunks.at(-1)?.set(vector, within * this.#dimensions);
    this.#slots.set(key, slot);
    this.#numbers.push(UNKNOWN);
  }

  /** Says which document a vector stands for; false when there is no such vector. */
  link(key: VectorKey, number: number): boolean {
    const slot = this.#slots.get(key);
    if (slot === undefined) return false;
    this.#numbers[slot] = number;
    return true;
  }

  /** Forgets which documents the vectors stand for: they are numbered anew. */
  unlink(): void {
    this.#numbers.fill(UNKNOWN);
  }

  /** Vectors of nothing: what they stood for is no more. */
  get strays(): number {
    return this.#numbers.reduce((count, number) => count + (number === UNKNOWN ? 1 : 0), 0);
  }

  /** Those that stand for something. */
  *linked(): Iterable<StoredVector> {
    for (const [slot, key] of this.#keys.entries()) {
      if (this.#numbers[slot] !== UNKNOWN) yield { key, vector: this.#vector(slot) };
    }
  }

  /** The nearest of those that are accepted, by the cosine. */
  search(
    query: Float32Array,
    { limit, floor, acceptClaim, standsFor, acceptEvent }: TableQuery,
  ): { readonly claims: readonly Scored[]; readonly events: readonly Scored[] } {
    const bestOf = new Map<unknown, Scored>();
    const events = new Top(limit);
    for (let slot = 0; slot < this.#keys.length; slot++) {
      const number = this.#numbers[slot] ?? UNKNOWN;
      if (number === UNKNOWN) continue;
      const isClaim = this.#keys[slot]?.startsWith('c') === true;
      if (!(isClaim ? acceptClaim(number) : acceptEvent(number))) continue;
      const score = this.#cosine(slot, query);
      if (score <= floor) continue;
      if (!isClaim) {
        events.push(number, score);
        continue;
      }
      const found = { id: number, score };
      const meant = standsFor(number);
      const best = bestOf.get(meant);
      if (best === undefined || byRank(found, best) < 0) bestOf.set(meant, found);
    }
    const claims = new Top(limit);
    for (const { id, score } of bestOf.values()) claims.push(id, score);
    return { claims: claims.sorted(), events: events.sorted() };
  }

  #cosine(slot: number, query: Float32Array): number {
    const vectors = this.#chunks[Math.floor(slot / CHUNK)];
    if (vectors === undefined) return 0;
    const start = (slot % CHUNK) * this.#dimensions;
    let sum = 0;
    for (let d = 0; d < query.length; d++) sum += vectors[start + d]! * query[d]!;
    return Math.min(1, sum);
  }

  #vector(slot: number): Float32Array {
    const start = (slot % CHUNK) * this.#dimensions;
    const vectors = this.#chunks[Math.floor(slot / CHUNK)] ?? new Float32Array();
    return vectors.slice(start, start + this.#dimensions);
  }
}
