/** Texts drawn by Zipf's law: a few words in a tenth of all texts, most in hardly any. Always the same. */
export class Synthetic {
  #state: number;
  readonly #english: readonly string[];
  readonly #han: readonly string[];

  constructor(seed: number) {
    this.#state = seed;
    this.#english = Array.from({ length: 200_000 }, (_, rank) => word(rank));
    this.#han = Array.from({ length: 4000 }, (_, rank) => String.fromCodePoint(0x4e00 + rank * 5));
  }

  /** One text in four is Chinese. */
  text(): string {
    const chinese = this.random() < 0.25;
    const length = 12 + Math.floor(this.random() * 24);
    const from = chinese ? this.#han : this.#english;
    const parts = Array.from({ length }, () => from[this.rank(from.length)]!);
    return parts.join(chinese ? '' : ' ');
  }

  /** A question of words as common as those of texts, the commonest left to chance. */
  question(): string {
    const chinese = this.random() < 0.25;
    const from = chinese ? this.#han : this.#english;
    const length = chinese ? 14 : 7;
    const parts = Array.from({ length }, () => from[this.rank(from.length)]!);
    return parts.join(chinese ? '' : ' ');
  }

  /** Nothing but the commonest words. */
  commonQuestion(): string {
    const chinese = this.random() < 0.5;
    const from = chinese ? this.#han : this.#english;
    const parts = Array.from({ length: 12 }, () => from[Math.floor(this.random() * 25)]!);
    return parts.join(chinese ? '' : ' ');
  }

  random(): number {
    let t = (this.#state += 0x6d2b79f5);
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Ranks with a chance of about one over the rank. */
  private rank(count: number): number {
    return Math.min(count - 1, Math.floor((count + 1) ** this.random()) - 1);
  }
}

const CONSONANTS = 'bdfgklmnprtv';
const VOWELS = 'aou';

/** A word of its own for each number, which no stemmer changes. */
function word(rank: number): string {
  let out = '';
  for (let left = rank + 37; left > 0; left = Math.floor(left / 36)) {
    out += CONSONANTS[left % 12]! + VOWELS[Math.floor(left / 12) % 3]!;
  }
  return `${out}k`;
}
