import {
  Agent,
  Runner,
  Usage,
  type Model,
  type ModelRequest,
  type StreamEvent,
} from '@openai/agents';
import { agentMemory, agentTools } from 'palimpsest/openai-agents';
import { chatCases } from './chat-cases.js';
import { toolCases } from './tool-cases.js';

type Done = Extract<StreamEvent, { type: 'response_done' }>;
type Output = Done['response']['output'];

/** A model that answers as it is told, and remembers what it was given. */
class ScriptedModel implements Model {
  readonly requests: ModelRequest[] = [];
  readonly #answer: (turn: number) => Output;
  readonly #pieces: readonly string[];

  constructor(answer: (turn: number) => Output, pieces: readonly string[] = []) {
    this.#answer = answer;
    this.#pieces = pieces;
  }

  async getResponse(request: ModelRequest) {
    this.requests.push(request);
    return { usage: new Usage(), output: this.#answer(this.requests.length) };
  }

  async *getStreamedResponse(request: ModelRequest): AsyncIterable<StreamEvent> {
    this.requests.push(request);
    for (const delta of this.#pieces) yield { type: 'output_text_delta', delta };
    yield {
      type: 'response_done',
      response: {
        id: 'r',
        usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
        output: this.#answer(this.requests.length),
      },
    };
  }
}

const says = (text: string): Output => [
  {
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text }],
  },
];

const runner = new Runner({ tracingDisabled: true });

toolCases('OpenAI Agents', async (options) => {
  const tools = agentTools(options);
  return {
    names: async () => tools.map(({ name }) => name),
    async call(name, input) {
      const model = new ScriptedModel((turn) =>
        turn === 1
          ? [
              {
                type: 'function_call',
                callId: 'call_1',
                name,
                arguments: JSON.stringify(input),
                status: 'completed',
              },
            ]
          : says('Done.'),
      );
      const { newItems } = await runner.run(new Agent({ name: 'Test', model, tools }), '?');
      const result = newItems.find((item) => item.type === 'tool_call_output_item');
      if (result === undefined) throw new Error('The tool was not run.');
      const value = JSON.parse(String(result.output)) as Record<string, unknown>;
      return { isError: 'error' in value, value };
    },
  };
});

chatCases('OpenAI Agents', (options, pieces) => {
  const model = new ScriptedModel(() => says(pieces.join('')), pieces);
  const agent = new Agent({ name: 'Test', instructions: 'Be brief.', model });
  const { session, inputFilter } = agentMemory(options);
  const settings = { session, callModelInputFilter: inputFilter };
  return {
    async say(text) {
      const { finalOutput } = await runner.run(agent, text, settings);
      const { input, systemInstructions } = model.requests.at(-1)!;
      const seen = typeof input === 'string' ? [input] : input.map(textOf);
      return { seen: [systemInstructions, ...seen].join('\n'), answer: String(finalOutput) };
    },
    async stream(text) {
      const result = await runner.run(agent, text, { ...settings, stream: true });
      const got: string[] = [];
      for await (const event of result) {
        if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta') {
          got.push(event.data.delta);
        }
      }
      await result.completed;
      return got;
    },
  };
});

const textOf = (item: object): string => {
  if (!('content' in item)) return '';
  if (typeof item.content === 'string') return item.content;
  const parts = Array.isArray(item.content) ? (item.content as { text?: string }[]) : [];
  return parts.map(({ text }) => text ?? '').join('\n');
};
