import { contentHash } from '../../model/ids.js';
import { idText } from '../../store/resident/hex.js';
import type { Store } from '../../store/store.js';
import type { SearchDocuments } from '../ports.js';
import type { VectorKey } from './vector-file.js';
import type { VectorSet } from './vector-set.js';
import type { KeyOf } from './waiting.js';

/** Names that last, for documents whose numbers do not. */
export function keyIn(store: Store, documents: SearchDocuments): KeyOf {
  const { claimIds } = store.index.tables;
  return (kind, number) => {
    if (kind === 'claim') return `c${idText('c', claimIds, number).slice(2)}`;
    const { scope, session, seq } = documents.event(number);
    return `e${contentHash(JSON.stringify([scope, session, seq]))}`;
  };
}

const NOTHING = { generation: -1, claims: 0, events: 0 };

/** Keeps track of which vector stands for which document. */
export class Numbering {
  readonly #store: Store;
  #linked = NOTHING;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Another set has come: everything is said anew. */
  forget(): void {
    this.#linked = NOTHING;
  }

  /** Says of every vector which document it stands for, as far as that is not said yet. */
  link(documents: SearchDocuments, sets: readonly VectorSet[]): void {
    const { generation, claims, events } = documents;
    if (generation !== this.#linked.generation) {
      for (const set of sets) set.table.unlink();
      this.#linked = { ...NOTHING, generation };
    }
    const keyOf = keyIn(this.#store, documents);
    const link = (key: VectorKey, number: number): void => {
      for (const set of sets) set.table.link(key, number);
    };
    for (let n = this.#linked.claims; n < claims; n++) link(keyOf('claim', n), n);
    for (let n = this.#linked.events; n < events; n++) link(keyOf('event', n), n);
    this.#linked = { generation, claims, events };
  }

  /** Removes the vectors of what is no more. */
  sweep(documents: SearchDocuments, sets: readonly VectorSet[]): void {
    const { generation, claims, events } = documents;
    const keyOf = keyIn(this.#store, documents);
    const numbers = new Map<VectorKey, number>();
    for (let n = 0; n < claims; n++) numbers.set(keyOf('claim', n), n);
    for (let n = 0; n < events; n++) numbers.set(keyOf('event', n), n);
    for (const set of sets) set.sweep(numbers);
    this.#linked = { generation, claims, events };
  }
}
