import OpenAI from 'openai';
import { openAiTools } from 'palimpsest/openai';
import { expect, test } from 'vitest';
import { asking, toolCases, world, type Answer } from './tool-cases.js';

/** The real client, with an endpoint that calls what it is told to. */
function clientThatCalls(name: string, args: string): OpenAI {
  const call = { id: 'call_1', type: 'function', function: { name, arguments: args } };
  const chat = {
    id: 'c',
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        finish_reason: 'tool_calls',
        message: { role: 'assistant', content: null, tool_calls: [call] },
      },
    ],
  };
  const response = {
    id: 'r',
    object: 'response',
    output: [{ type: 'function_call', id: 'fc', call_id: 'call_1', name, arguments: args }],
  };
  return new OpenAI({
    apiKey: 'none',
    fetch: async (url) =>
      Response.json(new Request(url).url.includes('/responses') ? response : chat),
  });
}

function answerOf(text: unknown): Answer {
  const value = JSON.parse(String(text)) as Record<string, unknown>;
  return { isError: 'error' in value, value };
}

toolCases('Chat Completions', async (options) => {
  const tools = openAiTools(options);
  return {
    names: async () => tools.chat.map((tool) => tool.function.name),
    async call(name, input) {
      const { choices } = await clientThatCalls(
        name,
        JSON.stringify(input),
      ).chat.completions.create({
        model: 'm',
        messages: [{ role: 'user', content: '?' }],
        tools: tools.chat,
      });
      const [answer] = await tools.answerChat(choices[0]!.message);
      expect(answer).toMatchObject({ role: 'tool', tool_call_id: 'call_1' });
      return answerOf(answer!.content);
    },
  };
});

toolCases('Responses', async (options) => {
  const tools = openAiTools(options);
  return {
    names: async () => tools.responses.map(({ name }) => name),
    async call(name, input) {
      const { output } = await clientThatCalls(name, JSON.stringify(input)).responses.create({
        model: 'm',
        input: '?',
        tools: tools.responses,
      });
      const [answer] = await tools.answerResponses(output);
      expect(answer).toMatchObject({ type: 'function_call_output', call_id: 'call_1' });
      return answerOf(answer!.output);
    },
  };
});

test('calls of other tools are left alone, and arguments that are no JSON are refused as data', async () => {
  const { shop } = await world();
  const tools = openAiTools({ memory: shop });
  const call = (name: string, args: string) => ({
    id: name,
    type: 'function' as const,
    function: { name, arguments: args },
  });
  const answers = await tools.answerChat({
    role: 'assistant',
    content: null,
    refusal: null,
    tool_calls: [
      call('weather', '{}'),
      call('memory_recall', '{"question'),
      call('memory_recall', JSON.stringify(asking)),
    ],
  });
  expect(answers).toHaveLength(2);
  expect(answers[0]!.content).toContain('INVALID_INPUT');
  expect(answers[1]!.content).toContain('Postgres');
});
