import { InMemoryStore, type BaseStore } from '@langchain/langgraph-checkpoint';
import {
  AIMessage,
  createAgent,
  fakeModel,
  HumanMessage,
  ToolMessage,
  type BaseMessage,
} from 'langchain';
import { openMemory } from 'palimpsest';
import { langchainMemory, langchainTools, memoryStore } from 'palimpsest/langchain';
import { describe, expect, onTestFinished, test } from 'vitest';
import { chatCases } from './chat-cases.js';
import { toolCases, world } from './tool-cases.js';

toolCases('LangChain', async (options) => {
  const tools = langchainTools(options);
  return {
    names: async () => tools.map(({ name }) => name),
    async call(name, input) {
      const model = fakeModel()
        .respondWithTools([{ name, args: { ...input }, id: 'call_1' }])
        .respond(new AIMessage('Done.'));
      const { messages } = await createAgent({ model, tools }).invoke({ messages: '?' });
      const answer = messages.find((message) => ToolMessage.isInstance(message));
      if (answer === undefined) throw new Error('The tool was not run.');
      // What does not fit the schema is refused by the host, in words of its own.
      if (answer.text.startsWith('Error invoking tool')) {
        return { isError: true, value: { error: { code: 'INVALID_INPUT' } } };
      }
      const value = JSON.parse(answer.text) as Record<string, unknown>;
      return { isError: 'error' in value, value };
    },
  };
});

chatCases(
  'LangChain',
  (options, pieces) => {
    const model = fakeModel();
    const agent = createAgent({
      model,
      tools: [],
      systemPrompt: 'Be brief.',
      middleware: [langchainMemory(options)],
    });
    let messages: BaseMessage[] = [];
    return {
      async say(text) {
        model.respond(new AIMessage(pieces.join('')));
        const result = await agent.invoke({ messages: [...messages, new HumanMessage(text)] });
        messages = result.messages;
        const seen = model.calls.at(-1)!.messages.map((message) => message.text);
        return { seen: seen.join('\n'), answer: messages.at(-1)!.text };
      },
    };
  },
  { unstreamed: 'its middleware wraps whole answers' },
);

describe('the store', () => {
  async function stores(): Promise<readonly BaseStore[]> {
    const memory = await openMemory({ store: 'memory' });
    onTestFinished(() => memory.close());
    return [new InMemoryStore(), memoryStore({ memory: memory.in({ org: 'acme' }) })];
  }

  /** Times differ, and no order is promised among equals. */
  const plain = (answer: unknown): unknown => {
    if (!Array.isArray(answer)) return item(answer);
    return answer.map(item).toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
  };
  const item = (answer: unknown): unknown => {
    if (typeof answer !== 'object' || answer === null || !('key' in answer)) return answer;
    const { namespace, key, value } = answer as {
      namespace: unknown;
      key: unknown;
      value?: unknown;
    };
    return { namespace, key, value };
  };

  const steps: readonly (readonly [string, (store: BaseStore) => Promise<unknown>])[] = [
    ['nothing there', (s) => s.get(['users', 'ana'], 'likes')],
    ['put', (s) => s.put(['users', 'ana'], 'likes', { drink: 'tea', cups: 3 })],
    ['get', (s) => s.get(['users', 'ana'], 'likes')],
    ['another spelling', (s) => s.put(['users', 'ana'], 'Likes', { drink: 'mate', cups: 1 })],
    ['both spellings', (s) => s.search(['users', 'ana'])],
    ['another user', (s) => s.put(['users', 'ben'], 'likes', { drink: 'tea', cups: 5 })],
    ['a longer name', (s) => s.put(['users', 'ana', 'work'], 'likes', { drink: 'water' })],
    ['a name that begins so', (s) => s.put(['users2'], 'likes', { drink: 'beer' })],
    ['prefix', (s) => s.search(['users'])],
    ['filter', (s) => s.search(['users'], { filter: { drink: 'tea' } })],
    ['greater', (s) => s.search(['users'], { filter: { cups: { $gt: 2, $lt: 5 } } })],
    ['not', (s) => s.search(['users'], { filter: { drink: { $ne: 'tea' } } })],
    ['limit', async (s) => (await s.search(['users'], { limit: 2 })).length],
    ['offset', async (s) => (await s.search(['users'], { limit: 2, offset: 3 })).length],
    ['update', (s) => s.put(['users', 'ana'], 'likes', { drink: 'coffee', cups: [1, null] })],
    ['get the update', (s) => s.get(['users', 'ana'], 'likes')],
    ['back again', (s) => s.put(['users', 'ana'], 'likes', { drink: 'tea', cups: 3 })],
    ['get it back', (s) => s.get(['users', 'ana'], 'likes')],
    ['the same', (s) => s.put(['users', 'ana'], 'likes', { drink: 'tea', cups: 3 })],
    ['only once', (s) => s.search(['users', 'ana'], { filter: { cups: 3 } })],
    ['namespaces', (s) => s.listNamespaces()],
    ['by prefix', (s) => s.listNamespaces({ prefix: ['users'] })],
    ['by suffix', (s) => s.listNamespaces({ suffix: ['work'] })],
    ['by depth', (s) => s.listNamespaces({ maxDepth: 1 })],
    ['wildcard', (s) => s.listNamespaces({ prefix: ['*', 'ana'] })],
    ['delete', (s) => s.delete(['users', 'ana'], 'likes')],
    ['gone', (s) => s.get(['users', 'ana'], 'likes')],
    ['delete again', (s) => s.delete(['users', 'ana'], 'likes')],
    ['put anew', (s) => s.put(['users', 'ana'], 'likes', { drink: 'tea', cups: 3 })],
    ['get anew', (s) => s.get(['users', 'ana'], 'likes')],
    ['all', (s) => s.search([], { limit: 100 })],
  ];

  test('answers as the store in memory does, step by step', async () => {
    const [theirs, ours] = await stores();
    for (const [name, step] of steps) {
      expect(plain(await step(ours!)) ?? null, name).toEqual(plain(await step(theirs!)) ?? null);
    }
  });

  test('reads of a batch see what was there before it, and the last write of a key counts', async () => {
    for (const store of await stores()) {
      const namespace = ['n'];
      const [, read] = await store.batch([
        { namespace, key: 'k', value: { v: 1 } },
        { namespace, key: 'k' },
        { namespace, key: 'k', value: { v: 2 } },
      ]);
      expect(read).toBeNull();
      expect((await store.get(namespace, 'k'))?.value).toEqual({ v: 2 });
    }
  });

  test('finds by words, keeps what was, and keeps scopes apart', async () => {
    const { memory, shop, other } = await world();
    const store = memoryStore({ memory: shop });
    await store.put(['notes'], 'a', { text: 'The harbour is closed on Sundays.' });
    await store.put(['notes'], 'b', { text: 'Bread is baked at four.' });
    const [best] = await store.search(['notes'], { query: 'When is bread baked?' });
    expect(best?.key).toBe('b');
    const { transactions } = await memory.stats();
    await store.put(['notes'], 'b', { text: 'Bread is baked at five.' });
    const view = shop.asOf({ known: { tx: transactions } });
    const then = await view.facts({ predicate: 'langgraph item' });
    expect(JSON.stringify(then)).toContain('at four');
    expect(await memoryStore({ memory: other }).search([])).toEqual([]);
  });
});
