import { Recent } from './recent.js';

const NAMES = 8192;

/** Which entities a name means in some scopes, from a transaction on. */
export interface Meaning {
  readonly scopes: readonly string[];
  /** The first transaction as known at which it holds; it held otherwise before. */
  readonly since: number;
  readonly ids: readonly string[];
  /** The same as numbers of their texts. */
  readonly terms: readonly number[];
}

/**
 * What names that were asked for lately mean. Forgotten for a name when an entity gets or loses it, and
 * altogether when entities are merged or split, or a transaction is taken back.
 */
export class Meanings {
  readonly #byName = new Recent<string, readonly Meaning[]>(NAMES);

  /** `norm` is a normalised name; scopes are compared by identity, as a handle keeps its own. */
  get(norm: string, scopes: readonly string[], known: number): Meaning | undefined {
    const found = this.#byName.get(norm)?.find((meaning) => meaning.scopes === scopes);
    return found !== undefined && found.since <= known ? found : undefined;
  }

  set(norm: string, meaning: Meaning): void {
    const others = this.#byName.get(norm)?.filter(({ scopes }) => scopes !== meaning.scopes) ?? [];
    this.#byName.set(norm, [meaning, ...others.slice(0, 7)]);
  }

  delete(norm: string): void {
    this.#byName.delete(norm);
  }

  clear(): void {
    this.#byName.clear();
  }
}
