import { PassThrough, Writable } from 'node:stream';
import { Client as ClientV2, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport as InMemoryV1 } from '@modelcontextprotocol/sdk/inMemory.js';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { mcpHandler, mcpServer, serveMcp, type McpOptions } from 'palimpsest/mcp';
import { describe, expect, onTestFinished, test } from 'vitest';
import { asking, toolCases, world, type Answer, type ToolHost } from './tool-cases.js';

const NAME = { name: 'test', version: '1' };

async function clientV2(options: McpOptions): Promise<ClientV2> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await mcpServer(options).connect(ours);
  const client = new ClientV2(NAME);
  await client.connect(theirs);
  onTestFinished(() => client.close());
  return client;
}

async function clientOverHttp(options: McpOptions): Promise<ClientV2> {
  const handler = mcpHandler(options);
  const client = new ClientV2(NAME);
  const transport = new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
    fetch: (url, init) => handler.fetch(new Request(url, init)),
  });
  await client.connect(transport);
  onTestFinished(async () => {
    await client.close();
    await handler.close();
  });
  return client;
}

async function clientV1(options: McpOptions): Promise<ClientV1> {
  const [ours, theirs] = InMemoryV1.createLinkedPair();
  await mcpServer(options).connect(ours);
  const client = new ClientV1(NAME);
  await client.connect(theirs);
  onTestFinished(() => client.close());
  return client;
}

interface AnyClient {
  listTools(): Promise<{ tools: readonly { name: string }[] }>;
  callTool(call: {
    name: string;
    arguments: Record<string, unknown>;
  }): Promise<Readonly<Record<string, unknown>>>;
}

const hostOf = (client: AnyClient): ToolHost => ({
  names: async () => (await client.listTools()).tools.map(({ name }) => name),
  call: async (name, input) => answerOf(await client.callTool({ name, arguments: { ...input } })),
});

function answerOf(result: Readonly<Record<string, unknown>>): Answer {
  const [part] = result['content'] as { text: string }[];
  const isError = result['isError'] === true;
  const value = JSON.parse(part!.text) as Record<string, unknown>;
  if (!isError) expect(result['structuredContent']).toEqual(value);
  return { isError, value };
}

toolCases('a client of the second generation', async (o) => hostOf(await clientV2(o)));
toolCases('a client over streamable HTTP', async (o) => hostOf(await clientOverHttp(o)));
toolCases('a client of the first generation', async (o) => hostOf(await clientV1(o)));

describe('a server', () => {
  test('says which tools only read and which destroy', async () => {
    const { shop } = await world();
    const { tools } = await (await clientV2({ memory: shop, approve: () => true })).listTools();
    const hints = new Map(tools.map(({ name, annotations }) => [name, annotations]));
    expect(hints.get('memory_recall')).toMatchObject({ readOnlyHint: true, openWorldHint: false });
    expect(hints.get('memory_remember')).toMatchObject({
      readOnlyHint: false,
      destructiveHint: false,
    });
    expect(hints.get('memory_forget')).toMatchObject({ destructiveHint: true });
  });

  test('gives facts, entities, profile and snapshots as resources', async () => {
    const { shop, other } = await world();
    const client = await clientV2({ memory: shop });
    const read = async (uri: string): Promise<string> => {
      const { contents } = await client.readResource({ uri });
      return String((contents[0] as { text?: string }).text);
    };
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri).toSorted()).toEqual([
      'palimpsest://entities',
      'palimpsest://facts',
      'palimpsest://profile',
    ]);
    expect(await read('palimpsest://profile')).toContain('shop database: Postgres');
    const [fact] = JSON.parse(await read('palimpsest://facts')) as { id: string }[];
    expect(await read(`palimpsest://facts/${fact!.id}`)).toContain('We run Postgres.');
    expect(await read('palimpsest://entities/shop')).toContain('Postgres');
    const { snapshot } = await shop.recall('database of the shop');
    expect(await read(`palimpsest://snapshots/${snapshot}`)).toContain('Postgres');
    const [hidden] = await other.facts();
    await expect(read(`palimpsest://facts/${hidden!.id}`)).rejects.toThrow(/fact/u);
  });

  test('has prompts that recall and remember', async () => {
    const { shop } = await world();
    const client = await clientV2({ memory: shop });
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['recall', 'remember']);
    const { messages } = await client.getPrompt({
      name: 'recall',
      arguments: { question: asking.question },
    });
    expect(JSON.stringify(messages)).toContain('Postgres');
  });
});

describe('over stdio', () => {
  const line = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
  const opening =
    line({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: NAME },
    }) + line({ method: 'notifications/initialized' });
  const calls = line({
    id: 2,
    method: 'tools/call',
    params: { name: 'memory_recall', arguments: asking },
  });

  test('answers what came before the end of stdin, writes protocol only, and ends', async () => {
    const { shop } = await world();
    const stdin = new PassThrough();
    let written = '';
    const stdout = new Writable({
      write(chunk: Buffer, _, done) {
        written += chunk.toString();
        done();
      },
    });
    const served = serveMcp({ memory: shop, stdin, stdout });
    stdin.end(opening + calls);
    await served;
    const messages = written
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text) as { jsonrpc: string; id: number; result: object });
    expect(messages.map(({ jsonrpc, id }) => [jsonrpc, id])).toEqual([
      ['2.0', 1],
      ['2.0', 2],
    ]);
    expect(JSON.stringify(messages[1]!.result)).toContain('Postgres');
  });

  test('ends when it is told to', async () => {
    const { shop } = await world();
    const controller = new AbortController();
    const stdout = new PassThrough();
    const stdin = new PassThrough();
    const served = serveMcp({ memory: shop, stdin, stdout, signal: controller.signal });
    controller.abort();
    await expect(served).resolves.toBeUndefined();
  });
});
