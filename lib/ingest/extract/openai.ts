import type { OpenAI } from 'openai';
import { z } from 'zod';
import { boundedFetch } from '../../endpoint/bounded-fetch.js';
import { failureOf, isTimeout, refusedIn } from '../../endpoint/failure.js';
import { check } from '../../model/check.js';
import { systemClock } from '../../model/clock.js';
import { name } from '../../model/text.js';
import { addUsage, NO_USAGE, type Usage } from '../job.js';
import { readCompletion, textOf, usageOf, wrappedError, type Price } from './completion.js';
import { extractBy, type Repair, type Said } from './dialogue.js';
import { firstDialect, otherDialect, type Dialect, type Mode } from './dialect.js';
import { ExtractionError, type ExtractionRequest, type Extractor } from './port.js';
import { PROMPT_CHARACTERS, PROMPT_VERSION, type Prompt } from './prompt.js';
import { strictSchema } from './strict-schema.js';

export type { Price } from './completion.js';

export interface OpenAiExtractorOptions {
  /** Any endpoint that speaks the chat completions API. Default: OpenAI's, or `OPENAI_BASE_URL`. */
  readonly baseURL?: string | undefined;
  /** Servers that ask for none want some word all the same. */
  readonly apiKey: string;
  readonly model: string;
  /**
   * `schema`: strict structured output; `json`: JSON mode; `auto` (the default): the first, and the
   * second at endpoints that refuse it.
   */
  readonly mode?: Mode | undefined;
  /** For the whole of one call. Default 120,000. */
  readonly timeoutMs?: number | undefined;
  /** For the cost in receipts; without it the cost is `null`. */
  readonly price?: Price | undefined;
  /** Kept with every claim, beside the model's name. Default: the version of the prompt. */
  readonly version?: string | undefined;
  /** The most that an answer may take, whatever the size of the input. Default 8,192. */
  readonly maxOutputTokens?: number | undefined;
  /** Size of a prompt in UTF-16 units. Default 40,000. */
  readonly promptCharacters?: number | undefined;
}

const price = z.number().finite().nonnegative();

const OptionsSchema = z.strictObject({
  baseURL: z.url({ protocol: /^https?$/u, error: 'is no http address' }).optional(),
  // What a header cannot hold would come back in an error with the key in it.
  apiKey: z
    .string()
    .trim()
    .regex(/^[!-~]+$/u, { error: 'is empty, or holds characters that no key has' }),
  model: name(),
  mode: z.enum(['schema', 'json', 'auto']).optional(),
  timeoutMs: z.number().int().positive().max(2_147_483_647).optional(),
  price: z.strictObject({ inputPerMillion: price, outputPerMillion: price }).optional(),
  version: name().optional(),
  maxOutputTokens: z.number().int().min(64).optional(),
  promptCharacters: z.number().int().min(12_000).optional(),
});

/** Changes of dialect within one call at most: each part of it once. */
const DIALECTS = 3;

/**
 * An extractor that asks a model through the chat completions API. It makes one call for a portion of a
 * session, and a second one when the first answer is no good; trying again later is the ingestion's.
 *
 * @throws PalimpsestError `INVALID_INPUT`, `INVALID_NAME`
 * @example
 * const extractor = openAiExtractor({
 *   baseURL: 'https://api.deepseek.com',
 *   apiKey: process.env.DEEPSEEK_API_KEY ?? '',
 *   model: 'deepseek-chat',
 * });
 */
export function openAiExtractor(options: OpenAiExtractorOptions): Extractor {
  const checked = check(OptionsSchema, options, '');
  const endpoint = new Endpoint({
    baseURL: checked.baseURL ?? null,
    apiKey: checked.apiKey,
    model: checked.model,
    mode: checked.mode ?? 'auto',
    timeoutMs: checked.timeoutMs ?? 120_000,
    price: checked.price ?? null,
    maxOutputTokens: checked.maxOutputTokens ?? 8_192,
  });
  const promptCharacters = checked.promptCharacters ?? PROMPT_CHARACTERS;
  return {
    name: checked.model,
    version: checked.version ?? PROMPT_VERSION,
    extract(request, signal) {
      const call = new Call(endpoint, outputTokens(request), signal);
      return extractBy((prompt, repair) => call.ask(prompt, repair), request, {
        promptCharacters,
        usage: () => call.usage,
      });
    },
  };
}

/**
 * Tokens that the answer to these events may take: ample for what they can say, and little enough that
 * a model which rambles on is stopped.
 */
export const outputTokens = ({ events }: ExtractionRequest): number =>
  events.reduce((n, event) => n + 100 + Math.ceil(event.text.length / 4), 1_024);

interface EndpointSettings {
  readonly baseURL: string | null;
  readonly apiKey: string;
  readonly model: string;
  readonly mode: Mode;
  readonly timeoutMs: number;
  readonly price: Price | null;
  readonly maxOutputTokens: number;
}

/** One endpoint with what is known of its dialect. The client is loaded when it is first needed. */
class Endpoint {
  readonly settings: EndpointSettings;
  dialect: Dialect;
  /** It has answered in this dialect. */
  proven = false;
  #client: Promise<OpenAI> | null = null;

  constructor(settings: EndpointSettings) {
    this.settings = settings;
    const { mode, baseURL } = settings;
    this.dialect = firstDialect(mode, baseURL ?? process.env['OPENAI_BASE_URL'] ?? null);
  }

  client(): Promise<OpenAI> {
    const { apiKey, baseURL, timeoutMs } = this.settings;
    this.#client ??= import('openai').then(
      ({ OpenAI }) =>
        new OpenAI({
          apiKey,
          ...(baseURL === null ? {} : { baseURL }),
          timeout: timeoutMs,
          // Ingestion tries again, with the job at rest in between.
          maxRetries: 0,
          // At its talkative levels the client writes whole requests to the console.
          logLevel: 'off',
          fetch: boundedFetch,
        }),
    );
    return this.#client;
  }

  /** The answer in whatever dialect the endpoint understands. */
  async complete(prompt: Prompt, repair: Repair | null, tokens: number, signal: AbortSignal) {
    const client = await this.client();
    let { dialect } = this;
    for (let changes = 0; ; changes++) {
      try {
        const body = this.#body(dialect, prompt, repair, tokens);
        const response: unknown = await client.chat.completions.create(body, { signal });
        this.dialect = dialect;
        this.proven = true;
        return response;
      } catch (error) {
        const refused = refusedIn(error);
        const isProven = this.proven && dialect === this.dialect;
        const other =
          refused === null || changes >= DIALECTS
            ? null
            : otherDialect(dialect, refused, this.settings.mode, isProven);
        if (other === null) throw error;
        dialect = other;
      }
    }
  }

  #body(
    { format, cap, temperature }: Dialect,
    { rules, log }: Prompt,
    repair: Repair | null,
    tokens: number,
  ): OpenAI.ChatCompletionCreateParamsNonStreaming {
    return {
      model: this.settings.model,
      messages: [{ role: 'system', content: rules }, ...told(log, repair)],
      response_format:
        format === 'json'
          ? { type: 'json_object' }
          : {
              type: 'json_schema',
              json_schema: { name: 'candidates', strict: true, schema: strictSchema() },
            },
      [cap]: tokens,
      ...(temperature ? { temperature: 0 } : {}),
    };
  }
}

/** Some endpoints want the roles to take turns. */
function told(log: string, repair: Repair | null): OpenAI.ChatCompletionMessageParam[] {
  if (repair === null) return [{ role: 'user', content: log }];
  const { answer, request } = repair;
  if (answer === '') return [{ role: 'user', content: `${log}\n\n${request}` }];
  return [
    { role: 'user', content: log },
    { role: 'assistant', content: answer },
    { role: 'user', content: request },
  ];
}

/** The calls for one request, and what they have used. */
class Call {
  readonly #endpoint: Endpoint;
  readonly #tokens: number;
  readonly #signal: AbortSignal;
  usage: Usage = NO_USAGE;

  constructor(endpoint: Endpoint, tokens: number, signal: AbortSignal) {
    this.#endpoint = endpoint;
    this.#tokens = tokens;
    this.#signal = signal;
  }

  async ask(prompt: Prompt, repair: Repair | null): Promise<Said> {
    const { price, maxOutputTokens } = this.#endpoint.settings;
    // What was cut off, or came to nothing, may have been thoughts: there is more room for the second.
    const tokens = repair?.answer === '' ? this.#tokens * 2 : this.#tokens;
    const response = await this.#respond(prompt, repair, Math.min(tokens, maxOutputTokens));
    const completion = readCompletion(response);
    if (completion === null) throw this.#noCompletion(response);
    this.usage = addUsage(this.usage, usageOf(completion, price));
    const choice = completion.choices?.[0];
    const refusal = choice?.message?.refusal;
    if (typeof refusal === 'string' && refusal !== '') {
      throw this.#never('The model refuses to answer.');
    }
    if (choice?.finish_reason === 'content_filter') {
      throw this.#never("The endpoint's content filter has stopped the answer.");
    }
    return { text: textOf(completion), cut: choice?.finish_reason === 'length' };
  }

  async #respond(prompt: Prompt, repair: Repair | null, tokens: number): Promise<unknown> {
    const { timeoutMs } = this.#endpoint.settings;
    // The client's own limit ends with the headers; an answer may hang after them.
    const deadline = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([this.#signal, deadline]);
    try {
      return await this.#endpoint.complete(prompt, repair, tokens, signal);
    } catch (error) {
      this.#signal.throwIfAborted();
      if (deadline.aborted || isTimeout(error)) {
        // Whoever did not answer in time may have worked, and bill for it.
        this.usage = addUsage(this.usage, { ...NO_USAGE, calls: 1 });
        throw new ExtractionError(`The endpoint did not answer within ${timeoutMs} ms.`, {
          retry: 'later',
          usage: this.usage,
        });
      }
      throw this.#failure(error);
    }
  }

  #failure(error: unknown): ExtractionError {
    const { apiKey } = this.#endpoint.settings;
    const { message, retry, retryAfterMs, cause } = failureOf(error, apiKey, systemClock);
    return new ExtractionError(message, { retry, retryAfterMs, usage: this.usage, cause });
  }

  #noCompletion(response: unknown): ExtractionError {
    const error = wrappedError(response);
    if (error !== null) return this.#failure(error);
    return this.#never('What the endpoint answers is no chat completion. Check its address.');
  }

  #never(message: string): ExtractionError {
    return new ExtractionError(message, { retry: 'never', usage: this.usage });
  }
}
