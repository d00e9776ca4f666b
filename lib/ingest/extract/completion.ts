import { z } from 'zod';
import type { Usage } from '../job.js';

/** Price of a million tokens, in a currency of the caller's choice. */
export interface Price {
  readonly inputPerMillion: number;
  readonly outputPerMillion: number;
}

/** What is read of a completion. Endpoints leave out, add and misspell the rest. */
const CompletionSchema = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        finish_reason: z.unknown().optional(),
        message: z
          .looseObject({
            content: z.unknown().optional(),
            refusal: z.unknown().optional(),
            tool_calls: z.unknown().optional(),
          })
          .nullish(),
      }),
    )
    .nullish(),
  usage: z.unknown().optional(),
});
export type Completion = z.infer<typeof CompletionSchema>;

/** `null` for what is no completion, such as a proxy's page. */
export const readCompletion = (value: unknown): Completion | null => {
  const { data } = CompletionSchema.safeParse(value);
  return data?.choices === undefined || data.choices === null ? null : data;
};

/** Some gateways answer 200 and put the error into the body. */
const WrappedErrorSchema = z.looseObject({
  error: z.looseObject({ code: z.unknown().optional(), message: z.unknown().optional() }),
});

export function wrappedError(value: unknown): { status: number; message: string } | null {
  const { data } = WrappedErrorSchema.safeParse(value);
  if (data === undefined) return null;
  const code = Number(data.error.code);
  const { message } = data.error;
  return {
    status: Number.isInteger(code) && code >= 400 && code < 600 ? code : 502,
    message: typeof message === 'string' ? message : '',
  };
}

/** The text of a message, be it a string, parts, or the arguments of a call of a tool. */
export function textOf(completion: Completion): string {
  const message = completion.choices?.[0]?.message;
  const content = partsOf(message?.content);
  if (content.trim() !== '') return content;
  return message?.tool_calls === undefined || message.tool_calls === null
    ? ''
    : JSON.stringify({ tool_calls: message.tool_calls });
}

const PartSchema = z.looseObject({ text: z.string() });

function partsOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => PartSchema.safeParse(part).data?.text ?? '').join('');
}

const count = z.number().nonnegative().catch(0);
const TokensSchema = z
  .looseObject({ prompt_tokens: count, completion_tokens: count })
  .catch({ prompt_tokens: 0, completion_tokens: 0 });

/** What one call has used, as the endpoint tells it. */
export function usageOf(completion: Completion, price: Price | null): Usage {
  const told = TokensSchema.parse(completion.usage);
  const inputTokens = Math.floor(told.prompt_tokens);
  const outputTokens = Math.floor(told.completion_tokens);
  const cost =
    price === null
      ? null
      : (inputTokens * price.inputPerMillion + outputTokens * price.outputPerMillion) / 1_000_000;
  return { calls: 1, inputTokens, outputTokens, cost };
}
