import {
  MemorySession,
  tool,
  type AgentInputItem,
  type CallModelInputFilter,
  type FunctionTool,
  type Session,
} from '@openai/agents';
import {
  memoryTools,
  remembering,
  resultText,
  type Memorizer,
  type MemoryTool,
  type RememberingOptions,
  type ToolsOptions,
  type Turn,
} from 'palimpsest/tools';

/**
 * The memory's tools for an agent.
 *
 * @example new Agent({ name: 'Ana', tools: agentTools({ memory: memory.in({ org: 'acme' }) }) });
 */
export function agentTools(
  options: ToolsOptions,
): FunctionTool<unknown, MemoryTool['input'], unknown>[] {
  return memoryTools(options).map((each) =>
    tool({
      name: each.name,
      description: each.description,
      parameters: each.input,
      strict: true,
      execute: async (input) => resultText(await each.run(input)),
      // The host checks the input by the schema: what it refuses is told as the memory tells it.
      errorFunction: (_, error) =>
        resultText({
          ok: false,
          value: null,
          error: {
            code: 'INVALID_INPUT',
            message: error instanceof Error ? error.message : String(error),
            field: null,
            hint: 'Give every field, and null for what is not meant.',
          },
        }),
    }),
  );
}

export interface AgentMemoryOptions extends RememberingOptions {
  /** Where the host's items are kept. Default: in memory, for this process. */
  readonly items?: Session | undefined;
}

export interface AgentMemory {
  /** Keeps what is said, and hands the items on to the session that has them. */
  readonly session: Session;
  /** Tells the model what is known about the last message. */
  readonly inputFilter: CallModelInputFilter;
}

/**
 * A memory around one conversation of agents.
 *
 * @example
 * const { session, inputFilter } = agentMemory({ memory: shop, session: 'chat-7' });
 * await run(agent, 'Which database?', { session, callModelInputFilter: inputFilter });
 */
export function agentMemory(options: AgentMemoryOptions): AgentMemory {
  const memorizer = remembering(options);
  const items = options.items ?? new MemorySession({ sessionId: options.session });
  return {
    session: new CapturingSession(memorizer, items, options.session),
    async inputFilter({ modelData }) {
      const last = modelData.input.at(-1);
      const question = last === undefined ? null : turnOf(last);
      if (question?.role !== 'user') return modelData;
      const recalled = await memorizer.recall(question.text);
      if (recalled === null) return modelData;
      // Beside the items, which the host would keep as said.
      const instructions = [modelData.instructions, recalled.text].filter((text) => text);
      return { ...modelData, instructions: instructions.join('\n\n') };
    },
  };
}

class CapturingSession implements Session {
  readonly #memorizer: Memorizer;
  readonly #items: Session;
  readonly #id: string;
  /** Place of the next item; what was taken back leaves its place empty. */
  #next: number | null = null;

  constructor(memorizer: Memorizer, items: Session, id: string) {
    this.#memorizer = memorizer;
    this.#items = items;
    this.#id = id;
  }

  async getSessionId(): Promise<string> {
    return this.#id;
  }

  getItems(limit?: number): Promise<AgentInputItem[]> {
    return this.#items.getItems(limit);
  }

  async addItems(items: AgentInputItem[]): Promise<void> {
    const first = this.#next ?? (await this.#items.getItems()).length;
    this.#next = first + items.length;
    await this.#items.addItems(items);
    await this.#memorizer.capture(
      items.map((item): Turn => turnOf(item) ?? { role: 'tool', text: '' }),
      first,
    );
  }

  popItem(): Promise<AgentInputItem | undefined> {
    return this.#items.popItem();
  }

  clearSession(): Promise<void> {
    return this.#items.clearSession();
  }
}

/** What a person or a model said; `null` for all else. */
function turnOf(item: AgentInputItem): Turn | null {
  if (!('role' in item) || (item.role !== 'user' && item.role !== 'assistant')) return null;
  const { role, content } = item;
  if (typeof content === 'string') return { role, text: content };
  const texts = content.flatMap((part) =>
    part.type === 'input_text' || part.type === 'output_text' ? [part.text] : [],
  );
  return { role, text: texts.join('\n') };
}
