import { z } from 'zod';
import type { Store } from '../../store/store.js';
import type { BeliefIndex } from '../../store/resident/index.js';
import { NONE, PREFIX, type Tables } from '../../store/resident/tables.js';
import { InternTable } from '../../store/resident/intern.js';
import type { HanFold } from '../han-fold.js';
import { LexicalIndex } from '../lexical.js';
import { tokenize } from '../tokens.js';
import { claimText } from './claim-text.js';
import type { Dump } from './dump-file.js';
import type { Pace } from './pace.js';
import { TERMS_VERSION } from './version.js';

const OfSchema = z.strictObject({
  terms: z.string(),
  tx: z.number().int(),
  claims: z.number().int(),
  mark: z.string(),
});

const SCOPE_PARTS = 3;

/** The claims of a store as searched documents, by their rows. */
export class ClaimDocuments {
  readonly #store: Store;
  readonly #fold: HanFold;
  /** Of which index of the store the rows are. */
  #of: BeliefIndex | null = null;
  #index = new LexicalIndex();
  #scopes = new InternTable();
  #claims = 0;
  #tx = 0;
  #generation = 0;
  /** Claims in the dump on disk. */
  #dumped = 0;

  constructor(store: Store, fold: HanFold) {
    this.#store = store;
    this.#fold = fold;
  }

  get lexical(): LexicalIndex {
    return this.#index;
  }

  get size(): number {
    return this.#claims;
  }

  /** Counts up whenever rows are numbered anew. */
  get generation(): number {
    return this.#generation;
  }

  get memory(): number {
    return this.#index.memory + this.#scopes.memory;
  }

  /** Claims that are not in the dump on disk. */
  get undumped(): number {
    return this.#claims - this.#dumped;
  }

  get isCurrent(): boolean {
    const { index } = this.#store;
    return this.#of === index && this.#tx === index.lastTx;
  }

  /** Numbers of the scopes that hold claims. */
  scopesOf(keys: readonly string[]): number[] {
    return keys.map((key) => this.#scopes.find(key)).filter((scope) => scope !== -1);
  }

  text(row: number): string {
    return claimText(this.#store.index.tables, row, this.#store.claim(row));
  }

  /** Takes in what was committed; stops early when `pace` says so, and goes on with the next call. */
  async catchUp(pace: Pace): Promise<void> {
    while (!this.isCurrent) {
      const { index } = this.#store;
      if (this.#of !== index) this.#begin(index);
      const { tables, lastTx } = index;
      const end = lastTx === 0 ? 0 : tables.tx.claims.get(lastTx - 1);
      const isStill = (): boolean => index === this.#store.index && index === this.#of;
      while (this.#claims < end && isStill()) {
        this.#add(index, this.#claims);
        this.#claims += 1;
        if (await pace.rest()) return;
      }
      if (isStill()) this.#tx = lastTx;
    }
  }

  /**
   * After an erasure: takes over the claims that are still there, under their new rows, and lets go of the
   * others at once, words included.
   */
  follow(): void {
    const before = this.#of;
    const { index } = this.#store;
    if (before === null || before === index) return;
    if (this.#tx !== before.lastTx) {
      // It was not complete anyway.
      this.#begin(index);
      return;
    }
    const { tables, lastTx } = index;
    const claims = lastTx === 0 ? 0 : tables.tx.claims.get(lastTx - 1);
    const renumbered = new Int32Array(this.#claims).fill(NONE);
    const others: number[] = [];
    for (let row = 0; row < claims; row++) {
      const old = sameClaim(before.tables, tables, row);
      if (old === NONE || old >= this.#claims) others.push(row);
      else renumbered[old] = row;
    }
    const lexical = this.#index.compacted((old) => renumbered[old] ?? NONE);
    const scopes = this.#scopes;
    this.#begin(index);
    this.#index = lexical;
    this.#scopes = scopes;
    for (const row of others) this.#add(index, row);
    this.#claims = claims;
    this.#tx = lastTx;
  }

  /** As if nothing had been taken in. */
  reset(): void {
    this.#begin(this.#store.index);
  }

  #begin(index: BeliefIndex): void {
    this.#index = new LexicalIndex();
    this.#scopes = new InternTable();
    this.#claims = 0;
    this.#dumped = 0;
    this.#tx = 0;
    this.#of = index;
    this.#generation += 1;
  }

  #add({ tables }: BeliefIndex, row: number): void {
    const scope = tables.texts.text(tables.claim.scope.get(row)).slice(PREFIX.scope.length);
    const text = claimText(tables, row, this.#store.claim(row));
    this.#index.add(row, this.#scopes.intern(scope), tokenize(text, this.#fold));
  }

  /** `null` while it is not made of the whole of the store's history. */
  dump(): Dump | null {
    if (!this.isCurrent || this.#claims === 0) return null;
    const of: z.input<typeof OfSchema> = {
      terms: termsOf(this.#fold),
      tx: this.#tx,
      claims: this.#claims,
      mark: this.#store.markOf(this.#tx),
    };
    return { of, parts: [...this.#scopes.dump(), ...this.#index.dump()] };
  }

  dumpedNow(): void {
    this.#dumped = this.#claims;
  }

  /** Takes a dump, when it is of this very history; says whether it did. */
  load({ of, parts }: Dump): boolean {
    const { index } = this.#store;
    const read = OfSchema.safeParse(of);
    if (!read.success) return false;
    const { terms, tx, claims, mark } = read.data;
    if (terms !== termsOf(this.#fold) || tx < 1 || tx > index.lastTx) return false;
    if (index.tables.tx.claims.get(tx - 1) !== claims) return false;
    if (this.#store.markOf(tx) !== mark) return false;
    this.#begin(index);
    this.#scopes.load(parts.slice(0, SCOPE_PARTS));
    this.#index.load(parts.slice(SCOPE_PARTS));
    this.#claims = claims;
    this.#dumped = claims;
    this.#tx = tx;
    return true;
  }
}

/** The row of a claim in another history, where it is written as it is here; -1 where it is not. */
function sameClaim(before: Tables, now: Tables, row: number): number {
  const ids = [0, 1, 2, 3].map((cell) => now.claimIds.get(row, cell));
  const old = before.claimIds.find(ids);
  // Without an event that it rested on it is of another length.
  return old !== NONE && before.claim.length.get(old) === now.claim.length.get(row) ? old : NONE;
}

/** By which rules texts were made into terms: a dump by other rules is of no use. */
export const termsOf = (fold: HanFold): string => `${TERMS_VERSION}:${fold.size}`;
