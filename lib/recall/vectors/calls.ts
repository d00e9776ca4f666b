import { embedAll, EmbeddingError, type Embedder } from './embedder.js';
import type { StoredVector } from './vector-file.js';
import { unlessAborted } from '../unless-aborted.js';
import type { Waiting } from './waiting.js';

/** A text that nobody can object to, also for a model which reads no more than one language. */
const HARMLESS = 'hello';

/** How long an embedder is waited for that names no time itself, in milliseconds. */
const QUERY_PATIENCE = 30_000;
const BATCH_PATIENCE = 300_000;

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
      vectors = await this.#embed(texts, this.#closing, BATCH_PATIENCE);
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
      await this.#embed([HARMLESS], this.#closing, BATCH_PATIENCE);
    } catch (error) {
      if (!(error instanceof EmbeddingError)) throw error;
      throw new EmbeddingError(message, { retry: 'later', cause });
    }
  }

  /** The vector of a question, for which somebody waits. */
  async embedQuery(query: string, signal: AbortSignal): Promise<Float32Array | undefined> {
    const [vector] = await this.#embed([query], signal, QUERY_PATIENCE);
    return vector;
  }

  /** Ends with the signal or when patience is at an end, also where the embedder does not listen. */
  async #embed(
    texts: readonly string[],
    signal: AbortSignal,
    patience: number,
  ): Promise<readonly Float32Array[]> {
    const { model, timeoutMs = patience } = this.#embedder;
    const timeout = AbortSignal.timeout(timeoutMs);
    const either = AbortSignal.any([signal, this.#closing, timeout]);
    try {
      return await unlessAborted(() => embedAll(this.#embedder, texts, either), either);
    } catch (error) {
      if (!timeout.aborted || signal.aborted || this.#closing.aborted) throw error;
      throw new EmbeddingError(`${model} gave no answer within ${timeoutMs} ms.`, {
        retry: 'later',
        cause: error,
      });
    }
  }
}
