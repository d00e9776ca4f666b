import { setImmediate } from 'node:timers/promises';
import type { SearchDocuments } from '../ports.js';
import type { Embedder } from './embedder.js';
import type { VectorKey } from './vector-file.js';

/** A text that has no vector yet. */
export interface Waiting {
  readonly key: VectorKey;
  /** Of the document. */
  readonly number: number;
  readonly text: string;
}

export type KeyOf = (kind: 'claim' | 'event', number: number) => VectorKey;

/** Documents looked at in one go, before others have their turn. */
const STRIDE = 256;

/** Goes through the documents, and finds those that wait for a vector. */
export class Waitlist {
  #claims = 0;
  #events = 0;
  #generation = -1;
  #heldBack = 0;
  readonly #refused = new Set<VectorKey>();

  get heldBack(): number {
    return this.#heldBack;
  }

  get refused(): number {
    return this.#refused.size;
  }

  /** What the embedder refuses is left alone until it is started again. */
  refuse(key: VectorKey): void {
    this.#refused.add(key);
  }

  restart(): void {
    this.#claims = 0;
    this.#events = 0;
    this.#heldBack = 0;
    this.#refused.clear();
  }

  /** How many have not been looked at. */
  left(documents: SearchDocuments): number {
    const { claims, events, generation } = documents;
    if (generation !== this.#generation) return claims + events;
    return claims - this.#claims + (events - this.#events);
  }

  /** The next so many; those before must have got their vectors. Empty when none waits. */
  async next(
    documents: SearchDocuments,
    embedder: Embedder,
    keyOf: KeyOf,
    isThere: (key: VectorKey) => boolean,
    limit: number,
  ): Promise<{ readonly waiting: readonly Waiting[]; readonly advance: () => void }> {
    if (documents.generation !== this.#generation) {
      this.#generation = documents.generation;
      this.restart();
    }
    const waiting: Waiting[] = [];
    let heldBack = 0;
    let looked = 0;
    const look = async (
      kind: 'claim' | 'event',
      from: number,
      end: number,
      textOf: (number: number) => string | null,
    ): Promise<number> => {
      let number = from;
      for (; number < end && waiting.length < limit; number++) {
        if (++looked % STRIDE === 0) {
          await setImmediate();
        }
        const key = keyOf(kind, number);
        if (isThere(key) || this.#refused.has(key)) continue;
        const text = textOf(number)?.trim() ?? '';
        if (text === '') continue;
        if (embedder.reads?.(text) === false) heldBack++;
        else waiting.push({ key, number, text });
      }
      return number;
    };
    const claims = await look('claim', this.#claims, documents.claims, (n) =>
      documents.claimText(n),
    );
    const events = await look('event', this.#events, documents.events, (n) =>
      documents.eventText(n),
    );
    const { generation } = documents;
    const advance = (): void => {
      if (generation !== this.#generation) return;
      this.#claims = claims;
      this.#events = events;
      this.#heldBack += heldBack;
    };
    return { waiting, advance };
  }
}
