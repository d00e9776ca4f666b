import type { InternTable } from '../store/resident/intern.js';
import type { Documents } from './documents.js';
import type { PostingLists } from './posting-lists.js';
import { placeOf } from './scoreboard.js';

/** Saturation of repeats, and how far long documents are held back. */
const K1 = 1.2;
const B = 0.75;

/** Terms of a question at most that a document has to have to say all that is asked. */
const COUNTED = 24;

/** Terms of a question that are looked for, the rarest: what a long text is about is in them. */
const LOOKED_FOR = 64;

const NO_TERMS: ReadonlySet<string> = new Set();

export interface QueryTerm {
  readonly term: string;
  /** Its visible postings, in order of place. */
  readonly entries: Int32Array;
  /** What it can give to a document at most. */
  readonly gain: number;
}

export interface Weighed {
  /** The rarest first. */
  readonly terms: readonly QueryTerm[];
  readonly base: number;
  readonly slope: number;
  /**
   * What a document of average length that has every term once scores; a term which no document has counts
   * like one that a single document has.
   */
  readonly whole: number;
  /** Documents in the scopes. */
  readonly documents: number;
}

interface NumberedTerm {
  readonly term: string;
  readonly number: number;
}

/** Weighs the terms of a question over the documents of its scopes, and of no others. */
export class Weigher {
  readonly #terms: InternTable;
  readonly #postings: PostingLists;
  readonly #documents: Documents;
  #entries = new Int32Array(1024);

  constructor(terms: InternTable, postings: PostingLists, documents: Documents) {
    this.#terms = terms;
    this.#postings = postings;
    this.#documents = documents;
  }

  get memory(): number {
    return this.#entries.byteLength;
  }

  /** The entries of the terms are good until the next call. `besides` are terms that need not be there. */
  weigh(
    terms: readonly string[],
    scopes: readonly number[],
    besides: ReadonlySet<string> = NO_TERMS,
  ): Weighed {
    const { documents, terms: length } = this.#documents.extent(scopes);
    const asked = [...new Set(terms)];
    const numbered = asked
      .map((term) => ({ term, number: this.#terms.find(term) }))
      .filter(({ number }) => number !== -1);
    const { rare, others } = this.#rarest(numbered, scopes, documents);
    const weighed = this.#visible(rare, scopes, documents)
      .map(({ term, entries }) => {
        const rarity = (documents - entries.length + 0.5) / (entries.length + 0.5);
        return { term, entries, gain: Math.log1p(rarity) * (K1 + 1) };
      })
      .filter(({ entries }) => entries.length > 0)
      .sort((a, b) => a.entries.length - b.entries.length);
    const known = new Set([...others, ...besides, ...weighed.map(({ term }) => term)]);
    const rarest = Math.log1p(Math.max(0, documents - 0.5) / 1.5);
    // What has the rarest terms of a long question says enough.
    const counted = [
      ...asked.filter((term) => !known.has(term)).map(() => rarest),
      ...weighed.filter(({ term }) => !besides.has(term)).map(({ gain }) => gain / (K1 + 1)),
    ].slice(0, COUNTED);
    return {
      terms: weighed,
      whole: counted.reduce((sum, weight) => sum + weight, 0),
      documents,
      base: K1 * (1 - B),
      slope: length === 0 ? 0 : (K1 * B * documents) / length,
    };
  }

  /**
   * Of a long question the terms that fewest documents of the scopes have, and the others which some have.
   * What is written out of sight plays no part.
   */
  #rarest(
    terms: readonly NumberedTerm[],
    scopes: readonly number[],
    documents: number,
  ): { readonly rare: readonly NumberedTerm[]; readonly others: readonly string[] } {
    if (terms.length <= LOOKED_FOR) return { rare: terms, others: [] };
    const counted = terms
      .map((term) => {
        const [seen] = this.#visible([term], scopes, documents);
        return { term, count: seen?.entries.length ?? 0 };
      })
      .filter(({ count }) => count > 0)
      .sort((a, b) => a.count - b.count)
      .map(({ term }) => term);
    return {
      rare: counted.slice(0, LOOKED_FOR),
      others: counted.slice(LOOKED_FOR).map(({ term }) => term),
    };
  }

  /** The postings of the terms in the scopes, one run after the other in an array that searches share. */
  #visible(
    terms: readonly NumberedTerm[],
    scopes: readonly number[],
    documents: number,
  ): { readonly term: string; readonly entries: Int32Array }[] {
    const need = terms.reduce((sum, { number }) => sum + this.#postings.length(number), 0);
    if (this.#entries.length < need) this.#entries = new Int32Array(Math.ceil(need * 1.25));
    const all = documents === this.#documents.places;
    const seen = all ? new Uint8Array(0) : sight(scopes);
    let start = 0;
    return terms.map(({ term, number }) => {
      const from = start;
      const end = this.#postings.copy(number, this.#entries, from);
      start = all ? end : sift(this.#entries, from, end, this.#documents.scopes(), seen);
      return { term, entries: this.#entries.subarray(from, start) };
    });
  }
}

/** By scope plus one, so that the -1 of a removed document has its place, too. */
function sight(scopes: readonly number[]): Uint8Array {
  const seen = new Uint8Array(scopes.reduce((most, scope) => Math.max(most, scope), 0) + 2);
  for (const scope of scopes) seen[scope + 1] = 1;
  return seen;
}

/** Moves the entries that are in sight to the front, and says where they end. */
function sift(
  entries: Int32Array,
  from: number,
  to: number,
  scopes: Int32Array,
  seen: Uint8Array,
): number {
  let end = from;
  for (let i = from; i < to; i++) {
    const entry = entries[i]!;
    if (seen[scopes[placeOf(entry)]! + 1] === 1) entries[end++] = entry;
  }
  return end;
}
