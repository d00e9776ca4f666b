import {
  AIMessage,
  createMiddleware,
  HumanMessage,
  tool,
  type AgentMiddleware,
  type BaseMessage,
  type DynamicStructuredTool,
} from 'langchain';
import {
  memoryTools,
  remembering,
  resultText,
  inputSchema,
  type RememberingOptions,
  type ToolsOptions,
  type Turn,
} from 'palimpsest/tools';

export { memoryStore, type MemoryStoreOptions } from './store.js';

/**
 * The memory's tools for an agent.
 *
 * @example createAgent({ model, tools: langchainTools({ memory: memory.in({ org: 'acme' }) }) });
 */
export function langchainTools(options: ToolsOptions): DynamicStructuredTool[] {
  return memoryTools(options).map((each) =>
    tool(
      async (input: unknown, { signal }: { signal?: AbortSignal }) =>
        resultText(await each.run(input, { signal })),
      { name: each.name, description: each.description, schema: inputSchema(each) },
    ),
  );
}

/**
 * Middleware that tells the model what is known about the last message, and keeps what was said. One for each
 * conversation. Memory that fails is left out.
 *
 * @example createAgent({ model, middleware: [langchainMemory({ memory: shop, session: 'chat-7' })] });
 */
export function langchainMemory(options: RememberingOptions): AgentMiddleware {
  const memorizer = remembering(options);
  return createMiddleware({
    name: 'PalimpsestMemory',
    async wrapModelCall(request, handler) {
      const last = request.messages.at(-1);
      const recalled =
        last === undefined || !HumanMessage.isInstance(last)
          ? null
          : await memorizer.recall(last.text);
      const told =
        last === undefined || recalled === null
          ? request.messages
          : [...request.messages.slice(0, -1), withText(last, recalled.text)];
      const answer = await handler({ ...request, messages: told });
      if (AIMessage.isInstance(answer)) {
        await memorizer.capture([...request.messages, answer].flatMap(turnsOf));
      }
      return answer;
    },
  });
}

function withText(message: BaseMessage, text: string): HumanMessage {
  const { content } = message;
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  return new HumanMessage({
    ...(message.id === undefined ? {} : { id: message.id }),
    content: [...parts, { type: 'text', text }],
  });
}

/** System messages are the host's and no part of the conversation; what tools say only has its place. */
function turnsOf(message: BaseMessage): Turn[] {
  if (message.type === 'human') return [{ role: 'user', text: message.text }];
  if (message.type === 'ai') return [{ role: 'assistant', text: message.text }];
  return message.type === 'system' ? [] : [{ role: 'tool', text: '' }];
}
