import { embedAll, EmbeddingError, type Embedder } from './embedder.js';
import type { StoredVector } from './vector-file.js';
import type { Waiting } from './waiting.js';

/** A text that nobody can object to, also for a model which reads no more than one language. */
const HARMLESS = 'hello';

/** Calls of an embedder, which all end when the memory closes. */
export class Calls {
  readonly #embedder: Embedder;
  readonly #closing: AbortSignal;

  constructor(embedder: Embedder, closing: AbortSignal) {
    this.#embedder = embedder;
    this.#closing = closing;
  }

  /** Of texts that are refused those to blame are found out by halving; what is done is kept at once. */
  async embedPart(
    waiting: readonly Waiting[],
    keep: (vectors: readonly StoredVector[]) => Promise<void>,
    refuse: (waiting: Waiting) => void,
  ): Promise<void> {
    let vectors: readonly Float32Array[];
    try {
      const texts = waiting.map(({ text }) => text);
      vectors = await this.embed(texts, this.#closing);
    } catch (error) {
      if (!(error instanceof EmbeddingError) || error.retry === 'later') throw error;
      const [only, second] = waiting;
      if (only !== undefined && second === undefined) {
        await this.#probe(error);
        refuse(only);
        return;
      }
      const half = Math.ceil(waiting.length / 2);
      await this.embedPart(waiting.slice(0, half), keep, refuse);
      await this.embedPart(waiting.slice(half), keep, refuse);
      return;
    }
    await keep(vectors.map((vector, i) => ({ key: waiting[i]?.key ?? '', vector })));
  }

  /** Who refuses a text that nobody can object to refuses everything: no text is to blame then. */
  async #probe({ message, cause }: EmbeddingError): Promise<void> {
    try {
      await this.embed([HARMLESS], this.#closing);
    } catch (error) {
      if (!(error instanceof EmbeddingError)) throw error;
      throw new EmbeddingError(message, { retry: 'later', cause });
    }
  }

  /** Ends with the signal, also where the embedder does not listen to it. */
  async embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]> {
    const either = AbortSignal.any([signal, this.#closing]);
    either.throwIfAborted();
    let stop: () => void = () => undefined;
    const aborted = new Promise<never>((_resolve, reject) => {
      stop = () => reject(either.reason);
      either.addEventListener('abort', stop, { once: true });
    });
    try {
      return await Promise.race([embedAll(this.#embedder, texts, either), aborted]);
    } finally {
      either.removeEventListener('abort', stop);
    }
  }
}
