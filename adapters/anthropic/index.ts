import type Anthropic from '@anthropic-ai/sdk';
import {
  inputSchema,
  memoryTools,
  resultText,
  type RunOptions,
  type ToolsOptions,
} from 'palimpsest/tools';

/** Tools of a memory for the Messages API, and the answers to their calls. */
export interface AnthropicTools {
  /** For `tools` of Messages. */
  readonly tools: Anthropic.Tool[];
  /** Answers the memory's calls in a message's content; those of other tools are left to the caller. */
  answer(
    content: readonly Anthropic.ContentBlock[],
    options?: RunOptions,
  ): Promise<Anthropic.ToolResultBlockParam[]>;
}

/**
 * The memory's tools for Anthropic's Messages API.
 *
 * @example
 * const memoryTools = anthropicTools({ memory: memory.in({ org: 'acme', user: 'ana' }) });
 * const message = await anthropic.messages.create({ model, max_tokens, messages, tools: memoryTools.tools });
 * messages.push({ role: 'user', content: await memoryTools.answer(message.content) });
 */
export function anthropicTools(options: ToolsOptions): AnthropicTools {
  const tools = memoryTools(options);
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return {
    tools: tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      input_schema: inputSchema(tool),
    })),
    async answer(content, run) {
      const answers: Anthropic.ToolResultBlockParam[] = [];
      for (const block of content) {
        const tool = block.type === 'tool_use' ? byName.get(block.name) : undefined;
        if (tool === undefined || block.type !== 'tool_use') continue;
        const result = await tool.run(block.input, run);
        answers.push({
          type: 'tool_result',
          tool_use_id: block.id,
          content: resultText(result),
          is_error: !result.ok,
        });
      }
      return answers;
    },
  };
}
