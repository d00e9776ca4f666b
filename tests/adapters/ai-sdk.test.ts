import { generateText, streamText, wrapLanguageModel, type ModelMessage } from 'ai';
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test';
import { aiMemory, aiTools } from 'palimpsest/ai-sdk';
import { chatCases } from './chat-cases.js';
import { toolCases } from './tool-cases.js';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const stopped = { unified: 'stop', raw: 'stop' } as const;

toolCases('the AI SDK', async (options) => {
  const tools = aiTools(options);
  return {
    names: async () => Object.keys(tools),
    async call(toolName, input) {
      const call = { toolCallId: 'call_1', toolName, input: JSON.stringify(input) };
      const model = new MockLanguageModelV3({
        doGenerate: {
          content: [{ type: 'tool-call', ...call }],
          finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
          usage,
          warnings: [],
        },
      });
      const { content } = await generateText({ model, prompt: '?', tools });
      const result = content.find(({ type }) => type === 'tool-result' || type === 'tool-error');
      if (result?.type === 'tool-error') return { isError: true, value: { error: result.error } };
      if (result?.type !== 'tool-result') throw new Error('The tool was not run.');
      const value = result.output as Record<string, unknown>;
      return { isError: 'error' in value, value };
    },
  };
});

chatCases('the AI SDK', (options, pieces) => {
  const base = new MockLanguageModelV3({
    doGenerate: async () => ({
      content: [{ type: 'text', text: pieces.join('') }],
      finishReason: stopped,
      usage,
      warnings: [],
    }),
    doStream: async () => ({
      stream: simulateReadableStream({
        chunks: [
          { type: 'stream-start' as const, warnings: [] },
          { type: 'text-start' as const, id: '1' },
          ...pieces.map((delta) => ({ type: 'text-delta' as const, id: '1', delta })),
          { type: 'text-end' as const, id: '1' },
          { type: 'finish' as const, finishReason: stopped, usage },
        ],
      }),
    }),
  });
  const model = wrapLanguageModel({ model: base, middleware: aiMemory(options) });
  const messages: ModelMessage[] = [];
  return {
    async say(text) {
      messages.push({ role: 'user', content: text });
      const result = await generateText({ model, system: 'Be brief.', messages });
      messages.push(...result.response.messages);
      const seen = base.doGenerateCalls
        .at(-1)!
        .prompt.flatMap(({ content }) =>
          typeof content === 'string'
            ? [content]
            : content.map((part) => (part.type === 'text' ? part.text : '')),
        );
      return { seen: seen.join('\n'), answer: result.text };
    },
    async stream(text) {
      const { textStream } = streamText({ model, messages: [{ role: 'user', content: text }] });
      const got: string[] = [];
      for await (const piece of textStream) got.push(piece);
      return got;
    },
  };
});
