import { tool, type LanguageModelMiddleware, type ToolSet } from 'ai';
import {
  memoryTools,
  remembering,
  type Memorizer,
  type RememberingOptions,
  type ToolsOptions,
  type Turn,
} from 'palimpsest/tools';

type Wrap = NonNullable<LanguageModelMiddleware['wrapStream']>;
type CallParams = Parameters<Wrap>[0]['params'];
type Prompt = CallParams['prompt'];

/**
 * The memory's tools as a tool set.
 *
 * @example await generateText({ model, prompt, tools: aiTools({ memory: memory.in({ org: 'acme' }) }) });
 */
export function aiTools(options: ToolsOptions): ToolSet {
  return Object.fromEntries(
    memoryTools(options).map((each) => [
      each.name,
      tool({
        title: each.title,
        description: each.description,
        inputSchema: each.input,
        strict: true,
        execute: async (input: unknown, { abortSignal }: { abortSignal?: AbortSignal }) => {
          const result = await each.run(input, { signal: abortSignal });
          return result.ok ? result.value : { error: result.error };
        },
      }),
    ]),
  );
}

/**
 * Middleware that tells a model what is known about the last message, and keeps what was said. One for each
 * conversation: prompts are taken to be given whole, from its first message on. Memory that fails is left out.
 *
 * @example
 * const model = wrapLanguageModel({ model: base, middleware: aiMemory({ memory: shop, session: 'chat-7' }) });
 */
export function aiMemory(options: RememberingOptions): LanguageModelMiddleware {
  const memorizer = remembering(options);
  /** What was asked, without what this put in. */
  const asked = new WeakMap<object, Prompt>();
  return {
    specificationVersion: 'v3',
    async transformParams({ params }) {
      const recalled = await recallFor(memorizer, params);
      if (recalled === null) return params;
      const told = { ...params, prompt: withText(params.prompt, recalled) };
      asked.set(told, params.prompt);
      return told;
    },
    async wrapGenerate({ doGenerate, params }) {
      const result = await doGenerate();
      const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      await memorizer.capture(turnsOf(asked.get(params) ?? params.prompt, text));
      return result;
    },
    async wrapStream({ doStream, params }) {
      const { stream, ...rest } = await doStream();
      let text = '';
      const watched = stream.pipeThrough(
        new TransformStream<StreamPart, StreamPart>({
          transform(part, controller) {
            if (part.type === 'text-delta') text += part.delta;
            controller.enqueue(part);
          },
          flush: () => memorizer.capture(turnsOf(asked.get(params) ?? params.prompt, text)),
        }),
      );
      return { stream: watched, ...rest };
    },
  };
}

type StreamPart =
  Awaited<ReturnType<Wrap>>['stream'] extends ReadableStream<infer Part> ? Part : never;

/** Asked once a turn: what follows a tool's answer has its memory already. */
async function recallFor(memorizer: Memorizer, params: CallParams): Promise<string | null> {
  const last = params.prompt.at(-1);
  if (last?.role !== 'user') return null;
  const question = textOf(last.content);
  return (await memorizer.recall(question, params.abortSignal))?.text ?? null;
}

function withText(prompt: Prompt, text: string): Prompt {
  const last = prompt.at(-1);
  if (last?.role !== 'user') return prompt;
  return [...prompt.slice(0, -1), { ...last, content: [...last.content, { type: 'text', text }] }];
}

const textOf = (content: readonly { readonly type: string }[]): string =>
  content
    .flatMap((part) => (part.type === 'text' && 'text' in part ? [String(part.text)] : []))
    .join('\n');

/** System messages are the host's and no part of the conversation. */
function turnsOf(prompt: Prompt, answer: string): Turn[] {
  const turns = prompt.flatMap((message): Turn[] =>
    message.role === 'user' || message.role === 'assistant'
      ? [{ role: message.role, text: textOf(message.content) }]
      : message.role === 'tool'
        ? [{ role: 'tool', text: '' }]
        : [],
  );
  return [...turns, { role: 'assistant', text: answer }];
}
