import type OpenAI from 'openai';
import {
  inputSchema,
  memoryTools,
  resultText,
  type MemoryTool,
  type RunOptions,
  type ToolsOptions,
} from 'palimpsest/tools';

type ChatTool = OpenAI.Chat.Completions.ChatCompletionFunctionTool;
type ChatMessage = OpenAI.Chat.Completions.ChatCompletionMessage;
type ChatAnswer = OpenAI.Chat.Completions.ChatCompletionToolMessageParam;
type ResponseTool = OpenAI.Responses.FunctionTool;
type ResponseItem = OpenAI.Responses.ResponseOutputItem;
type ResponseAnswer = OpenAI.Responses.ResponseInputItem.FunctionCallOutput;

/** Tools of a memory for both of the APIs, and the answers to their calls. */
export interface OpenAiTools {
  /** For `tools` of Chat Completions. */
  readonly chat: ChatTool[];
  /** For `tools` of Responses. */
  readonly responses: ResponseTool[];
  /** Answers the memory's calls in a message, in their order; those of other tools are left to the caller. */
  answerChat(message: ChatMessage, options?: RunOptions): Promise<ChatAnswer[]>;
  /** Answers the memory's calls among output items. */
  answerResponses(output: readonly ResponseItem[], options?: RunOptions): Promise<ResponseAnswer[]>;
}

/**
 * The memory's tools for OpenAI's APIs, with strict schemas.
 *
 * @example
 * const tools = openAiTools({ memory: memory.in({ org: 'acme', user: 'ana' }) });
 * const { choices } = await openai.chat.completions.create({ model, messages, tools: tools.chat });
 * messages.push(choices[0].message, ...(await tools.answerChat(choices[0].message)));
 */
export function openAiTools(options: ToolsOptions): OpenAiTools {
  const tools = memoryTools(options);
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return {
    chat: tools.map((tool) => ({
      type: 'function',
      function: {
        name: tool.name,
        description: tool.description,
        parameters: inputSchema(tool),
        strict: true,
      },
    })),
    responses: tools.map((tool) => ({
      type: 'function',
      name: tool.name,
      description: tool.description,
      parameters: inputSchema(tool),
      strict: true,
    })),
    async answerChat(message, run) {
      const answers: ChatAnswer[] = [];
      for (const call of message.tool_calls ?? []) {
        const tool = call.type === 'function' ? byName.get(call.function.name) : undefined;
        if (tool === undefined || call.type !== 'function') continue;
        const content = await answer(tool, call.function.arguments, run);
        answers.push({ role: 'tool', tool_call_id: call.id, content });
      }
      return answers;
    },
    async answerResponses(items, run) {
      const answers: ResponseAnswer[] = [];
      for (const item of items) {
        const tool = item.type === 'function_call' ? byName.get(item.name) : undefined;
        if (tool === undefined || item.type !== 'function_call') continue;
        const output = await answer(tool, item.arguments, run);
        answers.push({ type: 'function_call_output', call_id: item.call_id, output });
      }
      return answers;
    },
  };
}

async function answer(tool: MemoryTool, args: string, options?: RunOptions): Promise<string> {
  let input: unknown = null;
  try {
    input = JSON.parse(args);
  } catch {
    // No JSON: the tool says so to the model, which wrote it.
    input = args;
  }
  return resultText(await tool.run(input, options));
}
