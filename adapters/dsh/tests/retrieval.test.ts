import { createUserMessage } from '@deepseek-ai/dsh-llm';
import { expect, test } from 'vitest';
import { projectOf } from '../src/host/project.js';
import type { Chat, Host } from './support/host.js';
import { makeHome, memoryOf, startWithMemory, type Home } from './support/workspace.js';

const scopeOf = (home: Home) => ({ org: 'local', project: projectOf(home.project('shop')) });
const nobody = { actor: 'test', evidence: null };

const remember = (host: Host, home: Home, predicate: string, object: string) =>
  memoryOf(host.ctx).remember(scopeOf(home), { subject: 'shop', predicate, object }, nobody);

const config = { extraction: { by: 'none' as const } };

/** What was injected, as the host's log keeps it. */
const injected = (chat: Chat) =>
  chat.agent.session.events.flatMap((event) => {
    if (event.type !== 'user/message') return [];
    const { content, source } = event.data as unknown as {
      content: { text: string }[];
      source: { kind: string; facts: { id: string }[]; snapshot: string; profile: boolean };
    };
    return source.kind === 'palimpsest' ? [{ text: content[0]?.text ?? '', ...source }] : [];
  });

test('nothing is injected where nothing is known', async () => {
  const home = makeHome();
  const host = await startWithMemory(home, { script: ['Hello.'], config });
  const chat = await host.open('s-1', home.project('shop'));
  await chat.say('Which database?');
  expect(injected(chat)).toEqual([]);
  await host.close();
});

test('what the model still has before it is not shown again, and what is new is', async () => {
  const home = makeHome();
  const host = await startWithMemory(home, { script: ['A.', 'B.', 'C.'], config });
  await remember(host, home, 'database', 'Postgres');
  const chat = await host.open('s-1', home.project('shop'));
  await chat.say('Which database does the shop use?');
  await chat.say('Really, which database does the shop use?');
  expect(injected(chat)).toHaveLength(1);
  await remember(host, home, 'database engine version', 'seventeen');
  await chat.say('Which database version does the shop use?');
  const [first, second] = injected(chat);
  expect(second?.text).toContain('seventeen');
  const before = new Set(first?.facts.map(({ id }) => id));
  expect(second?.facts.filter(({ id }) => before.has(id))).toEqual([]);
  await host.close();
});

test('a profile is shown once in a session', async () => {
  const home = makeHome();
  const host = await startWithMemory(home, { script: ['A.', 'B.'], config });
  await remember(host, home, 'database', 'Postgres');
  await remember(host, home, 'ships from', 'Rotterdam');
  const chat = await host.open('s-1', home.project('shop'));
  await chat.say('Good morning!');
  await remember(host, home, 'colour', 'teal');
  await chat.say('Tell me about the colour of the shop.');
  expect(injected(chat).map(({ profile }) => profile)).toEqual([true, false]);
  await host.close();
});

test('its source names the snapshot, which the memory can show as it was', async () => {
  const home = makeHome();
  const host = await startWithMemory(home, {
    script: ['A.'],
    config: { ...config, recall: { profileTokens: 0, deadlineMs: 20_000 } },
  });
  await remember(host, home, 'database', 'Postgres');
  const chat = await host.open('s-1', home.project('shop'));
  await chat.say('Which database does the shop use?');
  const [message] = injected(chat);
  const kept = await memoryOf(host.ctx).snapshot(scopeOf(home), message?.snapshot ?? '');
  expect(kept).not.toBe(null);
  expect(message?.text).toContain(kept);
  await host.close();
});

test.each([
  { how: 'fails', recall: () => Promise.reject(new Error('out of order')) },
  { how: 'never answers', recall: () => new Promise(() => undefined) },
])('a turn goes on when the memory $how', async ({ recall }) => {
  const home = makeHome();
  const host = await startWithMemory(home, {
    script: ['Hello.'],
    config: { ...config, recall: { deadlineMs: 50 } },
  });
  await remember(host, home, 'database', 'Postgres');
  Object.assign(memoryOf(host.ctx), { recall, profile: recall });
  const chat = await host.open('s-1', home.project('shop'));
  await chat.say('Which database does the shop use?');
  expect(chat.shown()).toContain('Hello.');
  expect(injected(chat)).toEqual([]);
  await host.close();
});

test('only the first step of a turn is given anything', async () => {
  const home = makeHome();
  const host = await startWithMemory(home, {
    script: [{ tool: 'palimpsest_stats', args: {} }, 'Done.'],
    config,
  });
  await remember(host, home, 'database', 'Postgres');
  const chat = await host.open('s-1', home.project('shop'));
  await chat.say('Which database does the shop use?');
  expect(host.model.requests).toHaveLength(2);
  expect(injected(chat)).toHaveLength(1);
  await host.close();
});

test('what a summary has taken out of the sight of the model is shown again', async () => {
  const home = makeHome();
  const host = await startWithMemory(home, {
    script: ['A.', 'B.', 'C.'],
    config: { ...config, recall: { profileTokens: 0, deadlineMs: 20_000 } },
  });
  await remember(host, home, 'database', 'Postgres');
  const chat = await host.open('s-1', home.project('shop'));
  const question = 'Which database does the shop use?';
  await chat.say(question);
  await chat.say(question);
  expect(injected(chat)).toHaveLength(1);
  // As a compaction does: one message in the place of all that were shown.
  const { session } = chat.agent;
  const shown = [...session.surface.nodes];
  const content = [{ type: 'text' as const, text: 'They talked.' }];
  const summary = createUserMessage({
    content,
    source: { kind: 'plugin', plugin: 'summary' } as never,
  });
  const surfaceOp = { op: 'replace' as const, start: shown[0] ?? 0, end: shown.at(-1) ?? 0 };
  session.append('user/message', summary, { surfaceOp, sourceEventSeqs: shown });
  expect(chat.shown()).not.toContain('Postgres');
  await chat.say(question);
  expect(injected(chat)).toHaveLength(2);
  await host.close();
});
