import { CallId, LlmAdapter } from '@deepseek-ai/dsh-llm';

/** One answer of the scripted model: words, or the call of a tool. */
export type Answer =
  | string
  /** Says this much, and no more until it is cut off. */
  | { readonly stuckAfter: string }
  | { readonly tool: string; readonly args: Readonly<Record<string, unknown>> };

interface Request {
  readonly system?: unknown;
  readonly tools?: unknown;
  readonly messages: readonly unknown[];
}

/** What answers a request that the script does not cover, such as one for extraction. */
export type Otherwise = (prompt: string) => string;

/** A model that says what it is told to say, and keeps what it was asked. */
export class ScriptedAdapter extends LlmAdapter {
  readonly requests: Request[] = [];
  readonly others: string[] = [];
  private calls = 0;

  constructor(
    readonly script: Answer[],
    private readonly otherwise: Otherwise = () => '{"candidates":[]}',
  ) {
    super();
  }

  override async *stream(options: never): AsyncIterable<never> {
    const { signal: _, ...request } = options as Request & { signal?: AbortSignal };
    const last = JSON.stringify(request.messages.at(-1));
    const isExtraction = request.messages.length === 1 && last.includes('candidates');
    if (isExtraction) {
      const [message] = request.messages as readonly { content: readonly { text: string }[] }[];
      const prompt = message?.content.map((block) => block.text).join('') ?? '';
      this.others.push(prompt);
      yield* chunksOf(this.otherwise(prompt), 'extract');
      return;
    }
    this.requests.push(structuredClone(request));
    const answer = this.script.shift();
    if (answer === undefined) throw new Error('The script is at its end.');
    this.calls += 1;
    if (typeof answer === 'object' && 'stuckAfter' in answer) {
      yield { type: 'block-start', index: 0, blockType: 'text' } as never;
      yield { type: 'text-delta', index: 0, text: answer.stuckAfter } as never;
      const { signal } = options as { signal: AbortSignal };
      await new Promise((_, fail) => {
        signal.addEventListener('abort', () => fail(new Error('cut off')), { once: true });
      });
      return;
    }
    yield* chunksOf(answer, `call-${this.calls}-${process.pid}`);
  }
}

function* chunksOf(
  answer: Exclude<Answer, { stuckAfter: string }>,
  callId: string,
): Generator<never> {
  const usage = { type: 'usage', usage: { inputTokens: 10, outputTokens: 5 } };
  if (typeof answer === 'string') {
    yield { type: 'block-start', index: 0, blockType: 'text' } as never;
    yield { type: 'text-delta', index: 0, text: answer } as never;
    yield { type: 'block-end', index: 0, block: { type: 'text', text: answer } } as never;
    yield usage as never;
    yield { type: 'finish', reason: { kind: 'stop' } } as never;
    return;
  }
  const id = CallId(callId);
  const args = JSON.stringify(answer.args);
  yield { type: 'block-start', index: 0, blockType: 'tool-call' } as never;
  yield { type: 'tool-call-delta', index: 0, id, name: answer.tool, argumentsDelta: args } as never;
  const block = { type: 'tool-call', id, name: answer.tool, arguments: args };
  yield { type: 'block-end', index: 0, block } as never;
  yield usage as never;
  yield { type: 'finish', reason: { kind: 'tool-calls' } } as never;
}
