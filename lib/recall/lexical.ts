import { InternTable } from '../store/resident/intern.js';
import { Documents, REMOVED } from './documents.js';
import { PostingLists } from './posting-lists.js';
import { placeOf, posting, REFUSED, repeatsOf, Scoreboard, UNASKED } from './scoreboard.js';
import { type Scored, Top } from './top.js';
import { type Weighed, Weigher } from './weigh.js';

/** A list shorter than this is scored at once; looking for a way round it costs more. */
const WORTH_SKIPPING = 2000;

const TERM_PARTS = 3;
const POSTING_PARTS = 4;

export interface LexicalQuery {
  /** Scopes that the asker sees, without repeats. Nothing else is found, counted or weighed. */
  readonly scopes: readonly number[];
  readonly limit: number;
  /**
   * Asked before a document can take a place, once, and of no more documents than it has to be. It may
   * not search this index.
   */
  readonly accept?: (id: number) => boolean;
  /** Terms that a document need not have to say all that is asked. */
  readonly besides?: ReadonlySet<string>;
}

/** What one term of the question gives to a document. */
export interface TermScore {
  readonly term: string;
  /** Documents in the scopes that have the term. */
  readonly documents: number;
  readonly repeats: number;
  readonly score: number;
}

/** What a search found, and how much there was to find. */
export interface Found {
  /** Best first, and of equal ones the one with the larger number. */
  readonly hits: readonly Scored[];
  /**
   * What a document of average length that has every term of the question once scores; a term which no
   * document has counts like one that a single document has.
   */
  readonly whole: number;
  /** Documents in the scopes. */
  readonly documents: number;
}

/**
 * BM25 over documents that come one by one. How rare a term is, and how long a document is on average, are
 * counted anew for each search over the documents of its scopes: no score can tell what another tenant
 * or user has written, and a removed document weighs nothing at once.
 *
 * @example
 * const index = new LexicalIndex();
 * index.add(7, 0, tokenize('The shop deploys with Argo CD'));
 * index.search(tokenize('Who deploys?'), { scopes: [0], limit: 10 }); // [{ id: 7, score: 0.28… }]
 */
export class LexicalIndex {
  readonly #terms = new InternTable();
  readonly #postings = new PostingLists();
  readonly #documents = new Documents();
  readonly #board = new Scoreboard();
  #numbers = new Int32Array(256);
  readonly #weigher = new Weigher(this.#terms, this.#postings, this.#documents);

  /** Documents that can be found. */
  get size(): number {
    return this.#documents.size;
  }

  /** Bytes held, with room to grow and what searches use. */
  get memory(): number {
    const kept = this.#terms.memory + this.#postings.memory + this.#documents.memory;
    return kept + this.#board.memory + this.#weigher.memory + this.#numbers.byteLength;
  }

  has(id: number): boolean {
    return this.#documents.place(id) !== -1;
  }

  /** `id` and `scope` are small whole numbers from 0, as rows of a table are. A known id is replaced. */
  add(id: number, scope: number, terms: readonly string[]): void {
    this.remove(id);
    const place = this.#documents.add(id, scope, terms.length);
    if (this.#numbers.length < terms.length) this.#numbers = new Int32Array(terms.length * 2);
    const numbers = this.#numbers.subarray(0, terms.length);
    for (let i = 0; i < terms.length; i++) numbers[i] = this.#terms.intern(terms[i]!);
    numbers.sort();
    for (let i = 0; i < numbers.length;) {
      const term = numbers[i]!;
      const start = i;
      while (i < numbers.length && numbers[i] === term) i++;
      this.#postings.add(term, posting(place, i - start));
    }
  }

  /**
   * Takes a document out of every later answer and count; false where there is none of the number. Its
   * words stay in the memory until `compacted`.
   */
  remove(id: number): boolean {
    return this.#documents.remove(id);
  }

  /**
   * The best documents, best first, and of equal ones the one with the larger number. A term that the
   * question repeats counts once.
   */
  search(terms: readonly string[], query: LexicalQuery): readonly Scored[] {
    return this.find(terms, query).hits;
  }

  /** The same, with what says how good the hits are. */
  find(terms: readonly string[], query: LexicalQuery): Found {
    const weighed = this.#weigher.weigh(terms, query.scopes, query.besides);
    const { whole, documents } = weighed;
    if (weighed.terms.length === 0 || query.limit <= 0) return { hits: [], whole, documents };
    this.#board.start(this.#documents.places);
    try {
      this.#score(weighed, query);
      return { hits: this.#best(query).sorted(), whole, documents };
    } finally {
      this.#board.clear();
    }
  }

  /** How the score of a document comes about, the rarest term first; empty for a document out of sight. */
  explain(id: number, terms: readonly string[], scopes: readonly number[]): TermScore[] {
    const place = this.#documents.place(id);
    const { terms: weighed, base, slope } = this.#weigher.weigh(terms, scopes);
    return weighed.flatMap(({ term, entries, gain }) => {
      const entry = entries.find((e) => placeOf(e) === place);
      if (entry === undefined) return [];
      const repeats = repeatsOf(entry);
      const norm = base + slope * this.#documents.lengths()[place]!;
      const score = (gain * repeats) / (repeats + norm);
      return [{ term, documents: entries.length, repeats, score }];
    });
  }

  /**
   * The same index without a trace of what was removed, words that nothing else has included: what has
   * to be written after an erasure. `renumbered` gives documents other numbers, or -1 for one to leave out;
   * the numbers of what stays are in the same order as before.
   */
  compacted(renumbered: (id: number) => number = (id) => id): LexicalIndex {
    const out = new LexicalIndex();
    const scopes = this.#documents.scopes();
    const lengths = this.#documents.lengths();
    const places = scopes.map((scope, place) => {
      const id = scope === REMOVED ? REMOVED : renumbered(this.#documents.id(place));
      return id === REMOVED ? REMOVED : out.#documents.add(id, scope, lengths[place]!);
    });
    for (let term = 0; term < this.#terms.size; term++) {
      const entries = new Int32Array(this.#postings.length(term));
      this.#postings.copy(term, entries, 0);
      const kept = entries.filter((entry) => places[placeOf(entry)] !== REMOVED);
      if (kept.length === 0) continue;
      const number = out.#terms.intern(this.#terms.text(term));
      for (const entry of kept) {
        out.#postings.add(number, posting(places[placeOf(entry)]!, repeatsOf(entry)));
      }
    }
    return out;
  }

  /** Parts for `load`; views that are good until the next change. */
  dump(): readonly Buffer[] {
    return [...this.#terms.dump(), ...this.#postings.dump(), ...this.#documents.dump()];
  }

  load(parts: readonly Buffer[]): void {
    const documents = TERM_PARTS + POSTING_PARTS;
    this.#terms.load(parts.slice(0, TERM_PARTS));
    this.#postings.load(parts.slice(TERM_PARTS, documents));
    this.#documents.load(parts.slice(documents));
  }

  #score({ terms, base, slope }: Weighed, query: LexicalQuery): void {
    const board = this.#board;
    const lengths = this.#documents.lengths();
    let given = 0;
    let left = terms.reduce((sum, { gain }) => sum + gain, 0);
    let closed = false;
    for (const { entries, gain } of terms) {
      const long = entries.length >= WORTH_SKIPPING && entries.length > board.count / 4;
      if (long && left < given) {
        const { floor } = this.#best(query);
        // Once all that is left cannot lift a new document above the worst of the best, none has to be met.
        closed ||= left < floor;
        if (closed) board.keep(floor - left);
      }
      if (closed) board.addToMet(entries, lengths, { gain, base, slope });
      else board.add(entries, lengths, { gain, base, slope });
      given += gain;
      left -= gain;
    }
  }

  #best({ limit, accept }: LexicalQuery): Top {
    const board = this.#board;
    const top = new Top(limit);
    let floor = 0;
    for (const run of board.runs()) {
      // The newest first: of many that score the same, the first ones stay.
      for (let i = run.length - 1; i >= 0; i--) {
        const place = run[i]!;
        const score = board.score(place);
        if (score < floor || board.verdict(place) === REFUSED) continue;
        const id = this.#documents.id(place);
        if (!top.takes(id, score)) continue;
        if (accept !== undefined && board.verdict(place) === UNASKED) {
          if (!board.judge(place, accept(id))) continue;
        }
        top.push(id, score);
        floor = top.floor;
      }
    }
    return top;
  }
}
