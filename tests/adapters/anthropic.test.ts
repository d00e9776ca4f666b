import Anthropic from '@anthropic-ai/sdk';
import { anthropicTools } from 'palimpsest/anthropic';
import { expect } from 'vitest';
import { toolCases } from './tool-cases.js';

toolCases('Messages', async (options) => {
  const memory = anthropicTools(options);
  return {
    names: async () => memory.tools.map(({ name }) => name),
    async call(name, input) {
      const client = new Anthropic({
        apiKey: 'none',
        fetch: async () =>
          Response.json({
            id: 'm',
            type: 'message',
            role: 'assistant',
            stop_reason: 'tool_use',
            content: [
              { type: 'text', text: 'I look it up.' },
              { type: 'tool_use', id: 'other', name: 'weather', input: {} },
              { type: 'tool_use', id: 'call_1', name, input },
            ],
          }),
      });
      const { content } = await client.messages.create({
        model: 'm',
        max_tokens: 100,
        messages: [{ role: 'user', content: '?' }],
        tools: memory.tools,
      });
      const answers = await memory.answer(content);
      expect(answers).toMatchObject([{ type: 'tool_result', tool_use_id: 'call_1' }]);
      const value = JSON.parse(answers[0]!.content as string) as Record<string, unknown>;
      return { isError: answers[0]!.is_error === true, value };
    },
  };
});
