/**
 * Postings carry a document's place, up to 134 million, and in the low four bits how often it has the
 * term.
 */
const REPEAT_BITS = 4;
/** More repeats than this say nothing more: BM25 is at 93 % of its limit there. */
const MOST_REPEATS = 2 ** REPEAT_BITS - 1;

export const posting = (place: number, repeats: number): number =>
  (place << REPEAT_BITS) | Math.min(repeats, MOST_REPEATS);
export const placeOf = (entry: number): number => entry >>> REPEAT_BITS;
export const repeatsOf = (entry: number): number => entry & MOST_REPEATS;

export const UNASKED = 0;
export const ACCEPTED = 1;
export const REFUSED = 2;

/** What a term gives to a document: `gain * repeats / (repeats + base + slope * length)`. */
export interface Weights {
  readonly gain: number;
  readonly base: number;
  readonly slope: number;
}

/** The scores of one search by place. Kept between searches, since clearing costs less than making. */
export class Scoreboard {
  #scores = new Float64Array(0);
  #met = new Int32Array(0);
  #verdicts = new Uint8Array(0);
  #count = 0;
  /** Where the documents begin that each term has brought in. */
  #begins: number[] = [];

  start(places: number): void {
    if (this.#scores.length < places) {
      const room = Math.ceil(places * 1.25);
      this.#scores = new Float64Array(room);
      this.#met = new Int32Array(room);
      this.#verdicts = new Uint8Array(room);
    }
    this.#count = 0;
    this.#begins = [];
  }

  /** Documents with a score, which `met` lists. */
  get count(): number {
    return this.#count;
  }

  /** The places with a score; in order of place after `keep`. */
  met(): Int32Array {
    return this.#met.subarray(0, this.#count);
  }

  /**
   * The same, those that the first term has brought in first, which are the good ones; each run in order of place.
   */
  *runs(): Iterable<Int32Array> {
    for (const [i, begin] of this.#begins.entries()) {
      yield this.#met.subarray(begin, this.#begins[i + 1] ?? this.#count);
    }
  }

  score(place: number): number {
    return this.#scores[place]!;
  }

  /** What the filter said of a document: `UNASKED`, `ACCEPTED` or `REFUSED`. */
  verdict(place: number): number {
    return this.#verdicts[place]!;
  }

  judge(place: number, accepted: boolean): boolean {
    this.#verdicts[place] = accepted ? ACCEPTED : REFUSED;
    return accepted;
  }

  /** Adds a term to every document that has it. */
  add(entries: Int32Array, lengths: Int32Array, { gain, base, slope }: Weights): void {
    const scores = this.#scores;
    const met = this.#met;
    let count = this.#count;
    this.#begins.push(count);
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i]!;
      const place = entry >>> REPEAT_BITS;
      const repeats = entry & MOST_REPEATS;
      const before = scores[place]!;
      if (before === 0) met[count++] = place;
      scores[place] = before + (gain * repeats) / (repeats + base + slope * lengths[place]!);
    }
    this.#count = count;
  }

  /** Adds a term to the documents already met, and to no other. */
  addToMet(entries: Int32Array, lengths: Int32Array, { gain, base, slope }: Weights): void {
    let from = 0;
    for (let i = 0; i < this.#count; i++) {
      const place = this.#met[i]!;
      from = seek(entries, from, place);
      if (from === entries.length) return;
      const entry = entries[from]!;
      if (placeOf(entry) !== place) continue;
      const repeats = repeatsOf(entry);
      this.#scores[place]! += (gain * repeats) / (repeats + base + slope * lengths[place]!);
    }
  }

  /** Forgets the documents with less than `least`, and puts the others in order of place. */
  keep(least: number): void {
    let kept = 0;
    for (let i = 0; i < this.#count; i++) {
      const place = this.#met[i]!;
      if (this.#scores[place]! < least) this.#forget(place);
      else this.#met[kept++] = place;
    }
    this.#count = kept;
    this.met().sort();
    this.#begins = [0];
  }

  clear(): void {
    for (let i = 0; i < this.#count; i++) this.#forget(this.#met[i]!);
    this.#count = 0;
  }

  #forget(place: number): void {
    this.#scores[place] = 0;
    this.#verdicts[place] = UNASKED;
  }

  get memory(): number {
    return this.#scores.byteLength + this.#met.byteLength + this.#verdicts.byteLength;
  }
}

/** The first entry from `from` on whose place is not before `place`: doubling steps, then halving ones. */
function seek(entries: Int32Array, from: number, place: number): number {
  let step = 1;
  let low = from;
  while (low + step < entries.length && placeOf(entries[low + step]!) < place) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step, entries.length);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (placeOf(entries[middle]!) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}
