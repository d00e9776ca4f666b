/** A document with its score, as every leg gives it. */
export interface Scored {
  readonly id: number;
  readonly score: number;
}

/** Best first; of equal scores the newer document, which has the larger number. */
export const byRank = (a: Scored, b: Scored): number => b.score - a.score || b.id - a.id;

/** The best so many of a stream, in a heap whose root is the worst of them. */
export class Top {
  readonly #limit: number;
  readonly #heap: Scored[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** What a score has to exceed to be among the best for certain; 0 while there is room. */
  get floor(): number {
    return this.#limit > 0 && this.#heap.length === this.#limit ? this.#heap[0]!.score : 0;
  }

  takes(id: number, score: number): boolean {
    if (this.#heap.length < this.#limit) return true;
    const worst = this.#heap[0];
    return worst !== undefined && (score > worst.score || (score === worst.score && id > worst.id));
  }

  push(id: number, score: number): void {
    if (!this.takes(id, score)) return;
    const added = { id, score };
    if (this.#heap.length < this.#limit) {
      this.#heap.push(added);
      this.#rise(this.#heap.length - 1);
    } else {
      this.#heap[0] = added;
      this.#sink();
    }
  }

  sorted(): Scored[] {
    return this.#heap.toSorted(byRank);
  }

  #rise(from: number): void {
    const heap = this.#heap;
    for (let i = from; i > 0;) {
      const parent = (i - 1) >> 1;
      if (byRank(heap[parent]!, heap[i]!) > 0) return;
      this.#swap(i, parent);
      i = parent;
    }
  }

  #sink(): void {
    const heap = this.#heap;
    for (let i = 0; ;) {
      const left = 2 * i + 1;
      const right = left + 1;
      let worst = i;
      if (left < heap.length && byRank(heap[left]!, heap[worst]!) > 0) worst = left;
      if (right < heap.length && byRank(heap[right]!, heap[worst]!) > 0) worst = right;
      if (worst === i) return;
      this.#swap(i, worst);
      i = worst;
    }
  }

  #swap(a: number, b: number): void {
    const heap = this.#heap;
    const held = heap[a]!;
    heap[a] = heap[b]!;
    heap[b] = held;
  }
}
