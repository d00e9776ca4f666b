/** Turns texts into vectors: a service behind an endpoint, a library, or any function. */
export interface Embedder {
  /** Kept with the vectors: those of another model say nothing to this one. */
  readonly model: string;
  /** Numbers in each vector. */
  readonly dimensions: number;
  /**
   * One vector for each text, in their order, of any length but zero.
   *
   * @throws EmbeddingError, or anything else for what may go better later.
   */
  embed(
    texts: readonly string[],
    options: { readonly signal: AbortSignal },
  ): Promise<readonly (Float32Array | readonly number[])[]>;
  /**
   * The cosine below which two texts have nothing to do with each other: what is less like the question is
   * not found by its meaning. It differs from model to model. Default 0.3.
   */
  readonly floor?: number | undefined;
  /**
   * Milliseconds after which one call is given up, and the search goes on by words. Default 30,000 for a question,
   * 300,000 for a batch of texts.
   */
  readonly timeoutMs?: number | undefined;
  /** Whether the model can make sense of a text: what it cannot read is searched by words only. */
  reads?(text: string): boolean;
}

/** Why texts were not embedded. */
export class EmbeddingError extends Error {
  override readonly name = 'EmbeddingError';
  /** `later`: the same may go well another time. `never`: a text is to blame, and will be again. */
  readonly retry: 'later' | 'never';
  /** Not before so many milliseconds, where the endpoint said so. */
  readonly retryAfterMs: number | null;

  constructor(
    message: string,
    options: {
      readonly retry: 'later' | 'never';
      readonly retryAfterMs?: number | null;
      readonly cause?: unknown;
    },
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.retry = options.retry;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

export const DEFAULT_FLOOR = 0.3;

/** Of a text, in UTF-16 units: models cut off what is longer, or refuse it. */
const LONGEST = 8_000;

/**
 * The vectors of some texts, checked and brought to length one.
 *
 * @throws EmbeddingError for what are no such vectors, and what the embedder throws.
 */
export async function embedAll(
  embedder: Embedder,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<readonly Float32Array[]> {
  const given = await embedder.embed(
    texts.map((text) => text.slice(0, LONGEST)),
    { signal },
  );
  if (given.length !== texts.length) {
    throw new EmbeddingError(
      `${embedder.model} gave ${given.length} vectors for ${texts.length} texts.`,
      { retry: 'later' },
    );
  }
  return given.map((vector) => normalised(embedder, vector));
}

function normalised(embedder: Embedder, given: Float32Array | readonly number[]): Float32Array {
  const { model, dimensions } = embedder;
  if (given.length !== dimensions) {
    throw new EmbeddingError(
      `${model} gave a vector of ${given.length} dimensions; ${dimensions} were announced.`,
      { retry: 'later' },
    );
  }
  let squares = 0;
  for (const value of given) squares += value * value;
  if (!Number.isFinite(squares)) {
    throw new EmbeddingError(`${model} gave a vector which holds something that is no number.`, {
      retry: 'never',
    });
  }
  const length = Math.sqrt(squares);
  if (length === 0) {
    throw new EmbeddingError(`${model} gave a vector of nothing but zeros.`, { retry: 'never' });
  }
  return Float32Array.from(given, (value) => value / length);
}
