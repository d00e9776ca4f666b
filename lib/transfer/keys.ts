import type { Entry } from '../model/entry.js';
import type { Store } from '../store/store.js';

/** More claims than this are not named by a correction: the oldest are withdrawn instead. */
export const CHAIN = 32;

/**
 * Which claims stand behind each key of a stream: what was said first, and each correction. A correction
 * names all before it, since a correction that is corrected itself would give back what it corrected.
 */
export class KeyBook {
  readonly #chains = new Map<string, readonly string[]>();

  /** What the transactions of an earlier run of the same import have left. */
  static read(store: Store, source: string): KeyBook {
    const book = new KeyBook();
    const keyOf = new Map<string, string>();
    for (let tx = 1; tx <= store.index.lastTx; tx++) {
      const { header, entries } = store.transaction(tx);
      if (header.cursor?.source !== source) continue;
      for (const entry of entries) book.#replay(entry, keyOf);
    }
    return book;
  }

  /** Withdrawals come before what is said anew, as they are drafted. */
  #replay(entry: Entry, keyOf: Map<string, string>): void {
    if (entry.op === 'withdraw') {
      const key = keyOf.get(entry.claim);
      if (key === undefined) return;
      this.set(
        key,
        this.chain(key).filter((id) => id !== entry.claim),
      );
    } else if ((entry.op === 'claim' || entry.op === 'hold') && entry.claim.key !== undefined) {
      const { id, key } = entry.claim;
      keyOf.set(id, key);
      this.set(key, [...this.chain(key), id]);
    }
  }

  chain(key: string): readonly string[] {
    return this.#chains.get(key) ?? [];
  }

  set(key: string, chain: readonly string[]): void {
    if (chain.length === 0) this.#chains.delete(key);
    else this.#chains.set(key, chain);
  }
}
