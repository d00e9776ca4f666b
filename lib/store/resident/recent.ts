/** A map which keeps what was used lately: at most twice `size` entries, and at least the last `size`. */
export class Recent<K, V> {
  readonly #size: number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  constructor(size: number) {
    this.#size = size;
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: K, value: V): void {
    if (this.#young.size >= this.#size) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }

  delete(key: K): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
  }
}
