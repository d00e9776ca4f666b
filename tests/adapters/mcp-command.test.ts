import { once } from 'node:events';
import { join } from 'node:path';
import { openMemory } from 'palimpsest';
import { expect, test } from 'vitest';
import { palimpsest, start } from '../cli/command-line.js';
import { temporaryFolder } from '../support/folder.js';
import { asking, told } from './tool-cases.js';

const line = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;

const opening =
  line({
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    },
  }) + line({ method: 'notifications/initialized' });

const call = (id: number, name: string, input: object): string =>
  line({ id, method: 'tools/call', params: { name, arguments: input } });

test('palimpsest mcp answers all that was asked before stdin ends, and what it wrote is durable', async () => {
  const store = join(temporaryFolder(), 'store');
  const { code, stdout, stderr } = await palimpsest(
    ['mcp', '--store', store, '--graph', 'none', '--scope', 'org=acme,project=shop'],
    { input: opening + call(2, 'memory_remember', told) + call(3, 'memory_recall', asking) },
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const messages = stdout
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text) as { id: number; result?: { isError?: boolean } });
  expect(messages.map(({ id }) => id).toSorted()).toEqual([1, 2, 3]);
  for (const { result } of messages) expect(result?.isError ?? false).toBe(false);
  await using memory = await openMemory({ path: store, graph: 'none' });
  const facts = await memory.in({ org: 'acme', project: 'shop' }).facts({ subject: 'Ana' });
  expect(facts).toMatchObject([{ object: 'tea' }]);
});

test('palimpsest mcp ends in good order when it is told to', async () => {
  const store = join(temporaryFolder(), 'store');
  const child = start(['mcp', '--store', store, '--graph', 'none', '--scope', 'org=acme']);
  child.stdin.write(opening);
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  const [code] = (await once(child, 'close')) as [number];
  expect(code).toBe(0);
  await using memory = await openMemory({ path: store, graph: 'none' });
  expect(await memory.in({ org: 'acme' }).facts()).toEqual([]);
});

test('palimpsest mcp without a scope says what is missing, and nothing on stdout', async () => {
  const { code, stdout, stderr } = await palimpsest(['mcp']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('--scope is missing');
});
