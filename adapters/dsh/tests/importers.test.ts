import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { projectOf } from '../src/host/project.js';
import type { MemoryFact } from '../src/index.js';
import { command, makeHome, memoryOf, startWithMemory } from './support/workspace.js';

const JOURNAL = `---
title: Shop
created: 2024-01-10
---
# Decisions
## 2024-02-03
- We take SQLite for now,
  since it is there.
- [x] Orders are numbered from 1000.

## 2024-05-20 14:30
Moved the site to Rotterdam.

\`\`\`
- no statement, but code
\`\`\`
`;

const MCP = `{"type":"entity","name":"Ana","entityType":"person","observations":["Likes tabs"]}
{"type":"relation","from":"Ana","to":"shop","relationType":"owns"}
not json
`;

const MEM0 = JSON.stringify({
  results: [
    { id: '1', memory: 'Prefers tea', user_id: 'ana', created_at: '2024-03-01T10:00:00-07:00' },
    { id: '2', user_id: 'ana' },
  ],
});

const GRAPHITI = JSON.stringify({
  nodes: [
    { uuid: 'n1', name: 'Ana' },
    { uuid: 'n2', name: 'Acme' },
  ],
  edges: [
    {
      uuid: 'e1',
      source_node_uuid: 'n1',
      target_node_uuid: 'n2',
      name: 'WORKS_AT',
      fact: 'Ana works at Acme',
      created_at: '2024-01-05T00:00:00Z',
      valid_at: '2023-06-01T00:00:00Z',
      invalid_at: '2024-08-01T00:00:00Z',
      expired_at: '2024-09-01T00:00:00Z',
    },
  ],
});

async function imported(
  fileName: string,
  text: string,
  flags = '',
): Promise<{
  report: string;
  again: string;
  facts: readonly MemoryFact[];
  asOf: (validAt: string, knownAt: string) => Promise<readonly string[]>;
}> {
  const home = makeHome();
  const host = await startWithMemory(home, { config: { extraction: { by: 'none' } } });
  onTestFinished(() => host.close());
  const chat = await host.open('s-1', home.project('shop'));
  const folder = join(home.memory, 'old');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, fileName);
  writeFileSync(path, text);
  const report = await command(host, chat, `/memory import ${path} ${flags}`);
  const again = await command(host, chat, `/memory import ${path} ${flags}`);
  const scope = { org: 'local', project: projectOf(home.project('shop')) };
  const facts = await memoryOf(host.ctx).facts(scope, { limit: 50 });
  return {
    report,
    again,
    facts,
    asOf: async (validAt, knownAt) =>
      (await memoryOf(host.ctx).facts(scope, { validAt, knownAt, limit: 50 })).map(
        ({ object }) => object,
      ),
  };
}

test('a journal in Markdown: its entries, known on the dates of their headings', async () => {
  const { report, again, facts, asOf } = await imported('journal.md', JOURNAL);
  expect(report).toContain('Imported 3 statements');
  expect(again).toContain('Imported 0 statements');
  expect(facts.map(({ object }) => object).sort()).toEqual([
    'Moved the site to Rotterdam.',
    'Orders are numbered from 1000.',
    'We take SQLite for now, since it is there.',
  ]);
  expect(await asOf('2025', '2024-03-01')).toHaveLength(2);
  expect(await asOf('2025', '2024-01-20')).toEqual([]);
});

test('the lines of the MCP memory server, with what is none of them named', async () => {
  const { report, facts } = await imported('memory.jsonl', MCP);
  expect(report).toContain('Left out: line 3');
  expect(
    facts.map(({ subject, predicate, object }) => [subject, predicate, object]).sort(),
  ).toEqual([
    ['Ana', 'is a', 'person'],
    ['Ana', 'noted', 'Likes tabs'],
    ['Ana', 'owns', 'shop'],
  ]);
});

test('an export of mem0, with the zone of its times', async () => {
  const { report, facts } = await imported('mem0.json', MEM0);
  expect(report).toContain('Left out: entry 1 has no text');
  expect(facts).toMatchObject([{ subject: 'ana', object: 'Prefers tea' }]);
  expect(facts[0]?.knownFrom).toBe('2024-03-01T17:00:00.000Z');
});

test("Graphiti's edges keep both axes: what ended, and when that became known", async () => {
  const { asOf } = await imported('graphiti.json', GRAPHITI);
  expect(await asOf('2024-02', '2024-02')).toEqual(['Acme']);
  expect(await asOf('2024-08-15', '2024-08-15')).toEqual(['Acme']);
  expect(await asOf('2024-08-15', '2024-10')).toEqual([]);
  expect(await asOf('2024-02', '2024-10')).toEqual(['Acme']);
});

test('a dry run says what would come of it, and changes nothing', async () => {
  const { report, facts } = await imported('journal.md', JOURNAL, '--dry-run');
  expect(report).toContain('Would import 3 statements');
  expect(facts).toEqual([]);
});

test('what is exported is a file that another memory can read', async () => {
  const home = makeHome();
  const host = await startWithMemory(home, { config: { extraction: { by: 'none' } } });
  const chat = await host.open('s-1', home.project('shop'));
  const scope = { org: 'local', project: projectOf(home.project('shop')) };
  const said = { subject: 'shop', predicate: 'database', object: 'Postgres' };
  await memoryOf(host.ctx).remember(scope, said, { actor: 'ana', evidence: null });
  const file = join(home.memory, 'export.jsonl');
  await command(host, chat, `/memory export ${file}`);
  expect(readFileSync(file, 'utf8')).toContain('"Postgres"');
  await host.close();
});
