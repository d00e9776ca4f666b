import type { OpenAI } from 'openai';
import { z } from 'zod';
import { boundedFetch } from '../../endpoint/bounded-fetch.js';
import { failureOf, isTimeout } from '../../endpoint/failure.js';
import { check } from '../../model/check.js';
import { systemClock } from '../../model/clock.js';
import { name } from '../../model/text.js';
import { EmbeddingError, type Embedder } from './embedder.js';

export interface OpenAiEmbedderOptions {
  /** Any endpoint that speaks the embeddings API. Default: OpenAI's, or `OPENAI_BASE_URL`. */
  readonly baseURL?: string | undefined;
  /** Servers that ask for none want some word all the same. */
  readonly apiKey: string;
  readonly model: string;
  /** Numbers in each vector of the model. */
  readonly dimensions: number;
  /** See `Embedder.floor`. */
  readonly floor?: number | undefined;
  /** Ask the endpoint to shorten its vectors to `dimensions`; few models can. Default false. */
  readonly shorten?: boolean | undefined;
  /** Texts in one request. Default 64. */
  readonly batch?: number | undefined;
  /** For one request. Default 60,000. */
  readonly timeoutMs?: number | undefined;
  /** Tries again at once, after a 429 or when the endpoint is away. Default 2. */
  readonly retries?: number | undefined;
}

const OptionsSchema = z.strictObject({
  baseURL: z.url({ protocol: /^https?$/u, error: 'is no http address' }).optional(),
  // What a header cannot hold would come back in an error with the key in it.
  apiKey: z
    .string()
    .trim()
    .regex(/^[!-~]+$/u, { error: 'is empty, or holds characters that no key has' }),
  model: name(),
  dimensions: z.number().int().min(1).max(65_536),
  floor: z.number().min(0).max(1).optional(),
  shorten: z.boolean().optional(),
  batch: z.number().int().min(1).max(2_048).optional(),
  timeoutMs: z.number().int().positive().max(2_147_483_647).optional(),
  retries: z.number().int().min(0).max(10).optional(),
});

const AnswerSchema = z.object({
  data: z.array(z.object({ index: z.number().int().optional(), embedding: z.array(z.number()) })),
});

/** What an endpoint says of a text, and not of the account, the model or the load. */
const OF_THE_TEXT = new Set([400, 413, 422]);

/**
 * An embedder that asks a model through the embeddings API.
 *
 * @throws PalimpsestError `INVALID_INPUT`, `INVALID_NAME`
 * @example
 * const embedder = openAiEmbedder({
 *   baseURL: 'http://localhost:11434/v1',
 *   apiKey: 'none',
 *   model: 'nomic-embed-text',
 *   dimensions: 768,
 * });
 */
export function openAiEmbedder(options: OpenAiEmbedderOptions): Embedder {
  const checked = check(OptionsSchema, options, '');
  const { model, dimensions, shorten = false, batch = 64, timeoutMs = 60_000 } = checked;
  const { apiKey, baseURL, retries = 2 } = checked;
  let client: Promise<OpenAI> | null = null;
  const connected = (): Promise<OpenAI> =>
    (client ??= import('openai').then(
      (openai) =>
        new openai.OpenAI({
          apiKey,
          ...(baseURL === undefined ? {} : { baseURL }),
          timeout: timeoutMs,
          maxRetries: retries,
          // At its talkative levels the client writes whole requests to the console.
          logLevel: 'off',
          fetch: boundedFetch,
        }),
    ));

  async function ask(texts: readonly string[], outer: AbortSignal): Promise<readonly number[][]> {
    // The client's own limit ends with the headers; an answer may hang after them.
    const deadline = AbortSignal.timeout(timeoutMs * (retries + 1));
    const signal = AbortSignal.any([outer, deadline]);
    try {
      const { embeddings } = await connected();
      const answer: unknown = await embeddings.create(
        {
          model,
          input: [...texts],
          // Unless told, the client asks for base64, which not every server knows.
          encoding_format: 'float',
          ...(shorten ? { dimensions } : {}),
        },
        { signal },
      );
      return vectorsIn(answer, texts.length);
    } catch (error) {
      outer.throwIfAborted();
      throw failed(error, deadline);
    }
  }

  function failed(error: unknown, deadline: AbortSignal): EmbeddingError {
    if (error instanceof EmbeddingError) return error;
    if (deadline.aborted || isTimeout(error)) {
      return new EmbeddingError(`The endpoint did not answer within ${timeoutMs} ms.`, {
        retry: 'later',
      });
    }
    const { message, status, retryAfterMs, cause } = failureOf(error, apiKey, systemClock);
    const retry = status !== null && OF_THE_TEXT.has(status) ? 'never' : 'later';
    return new EmbeddingError(message, { retry, retryAfterMs, cause });
  }

  return {
    model,
    dimensions,
    floor: checked.floor,
    async embed(texts, { signal }) {
      const vectors: (readonly number[])[] = [];
      for (let i = 0; i < texts.length; i += batch) {
        vectors.push(...(await ask(texts.slice(i, i + batch), signal)));
      }
      return vectors;
    },
  };
}

/** In the order of the texts, whatever the order of the answer. */
function vectorsIn(answer: unknown, count: number): readonly number[][] {
  const parsed = AnswerSchema.safeParse(answer);
  if (!parsed.success) {
    throw new EmbeddingError(
      'What the endpoint answers is no list of embeddings. Check its address and model.',
      { retry: 'later' },
    );
  }
  const { data } = parsed.data;
  const vectors: number[][] = [];
  for (const [i, { index, embedding }] of data.entries()) vectors[index ?? i] = embedding;
  if (data.length !== count || vectors.length !== count || vectors.some((v) => v === undefined)) {
    throw new EmbeddingError(`The endpoint gave ${data.length} embeddings for ${count} texts.`, {
      retry: 'later',
    });
  }
  return vectors;
}
