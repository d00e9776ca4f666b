import { expect, test } from 'vitest';
import { projectOf } from '../src/host/project.js';
import { ALL_TOOLS } from '../src/tools/mount.js';
import type { Answer } from './support/scripted.js';
import type { Chat, Host } from './support/host.js';
import {
  command,
  digested,
  makeHome,
  memoryOf,
  startWithMemory,
  type Home,
} from './support/workspace.js';

/** Lets the model call one tool, and reads what it was given back. */
async function call(
  host: Host,
  chat: Chat,
  tool: string,
  args: Readonly<Record<string, unknown>>,
  says = 'Please do.',
): Promise<string> {
  host.model.script.push({ tool: `palimpsest_${tool}`, args }, 'Done.');
  await chat.say(says);
  const result = chat.agent.session.events.findLast((event) => event.type === 'tool/result');
  const data = result?.data as { message: { content: [{ content: { text: string }[] }] } };
  return data.message.content[0].content.map((block) => block.text).join('');
}

const start = async (home: Home, plugins: readonly (readonly [object, unknown?])[] = []) => {
  const host = await startWithMemory(home, {
    script: [] as Answer[],
    config: { extraction: { by: 'none' } },
    plugins,
  });
  const chat = await host.open('s-1', home.project('shop'));
  return { host, chat };
};

/** Somebody who answers when the host asks for approval. */
const answering = (outcome: 'allowed-once' | 'rejected') => ({
  name: 'person',
  apply: (ctx: { on(name: string, listener: () => Promise<string>): void }) => {
    ctx.on('approval/request', async () => outcome);
  },
});

test('every tool is shown to the model, by its prefix', async () => {
  const { host, chat } = await start(makeHome());
  host.model.script.push('Hello.');
  await chat.say('Hello.');
  const tools = host.model.requests[0]?.tools as { name: string }[];
  expect(tools.map(({ name }) => name).sort()).toEqual(
    ALL_TOOLS.map(({ name }) => `palimpsest_${name}`).sort(),
  );
  await host.close();
});

test('what the model remembers can be searched, explained, traced to the event, and ended', async () => {
  const { host, chat } = await start(makeHome());
  const told = await call(
    host,
    chat,
    'remember',
    { subject: 'shop', predicate: 'database', object: 'Postgres', quote: 'We moved to Postgres' },
    'We moved to Postgres, keep that in mind.',
  );
  expect(told).toContain('Done in transaction');
  const [, id = ''] = /now: (\S+):/u.exec(told) ?? [];
  expect(await call(host, chat, 'search', { query: 'database of the shop' })).toContain(
    '"Postgres"',
  );
  expect(await call(host, chat, 'why', { fact: id })).toContain('We moved to Postgres');
  const opened = await call(host, chat, 'read', { fact: id });
  expect(opened).toContain('We moved to Postgres, keep that in mind.');
  expect(await call(host, chat, 'read', { session: 'no-such', seq: 3 })).toContain(
    'the source is gone',
  );
  await call(host, chat, 'update', { subject: 'shop', predicate: 'database', object: 'MySQL' });
  expect(await call(host, chat, 'list', { subject: 'shop' })).not.toContain('"Postgres"');
  expect(await call(host, chat, 'history', { subject: 'shop' })).toContain('"Postgres"');
  await call(host, chat, 'end', { subject: 'shop', predicate: 'database' });
  expect(await call(host, chat, 'list', { subject: 'shop' })).toContain('Nothing is remembered');
  await host.close();
});

test('wrong arguments are refused before anything is done', async () => {
  const { host, chat } = await start(makeHome());
  expect(await call(host, chat, 'remember', { subject: 'shop' })).toContain('INVALID_ARGS');
  expect(await call(host, chat, 'search', { query: 'x', limit: 5000 })).toContain('INVALID_ARGS');
  expect(await call(host, chat, 'list', {})).toContain('Nothing is remembered');
  await host.close();
});

test('a word which the person did not say is the word of the model', async () => {
  const { host, chat } = await start(makeHome());
  await call(host, chat, 'remember', {
    subject: 'Ana',
    predicate: 'prefers',
    object: 'tabs',
    quote: 'I love tabs',
  });
  const scope = { org: 'local', project: projectOf(chat.agent.session.header.cwd ?? '') };
  const [fact] = await memoryOf(host.ctx).facts(scope, { limit: 5 });
  const { claims } = await memoryOf(host.ctx).why(scope, fact?.id ?? '');
  expect(claims[0]?.evidence).toMatchObject([{ role: 'assistant', quote: null }]);
  await host.close();
});

test('what a model writes for everybody waits until a person agrees', async () => {
  const home = makeHome();
  const { host, chat } = await start(home);
  const said = 'I prefer tabs everywhere.';
  const told = await call(
    host,
    chat,
    'remember',
    { subject: 'Ana', predicate: 'prefers', object: 'tabs', everywhere: true, quote: said },
    said,
  );
  expect(told).toContain('held');
  const other = await host.open('s-2', home.project('blog'));
  expect(await call(host, other, 'list', {})).toContain('Nothing is remembered');
  const [, claim = ''] = /^(\S+):/u.exec(await command(host, chat, '/memory review')) ?? [];
  expect(await command(host, chat, `/memory approve ${claim}`)).toContain('Done in transaction');
  expect(await call(host, other, 'list', {})).toContain('"tabs"');
  await host.close();
});

test.each([
  { outcome: 'rejected', remains: true },
  { outcome: 'allowed-once', remains: false },
] as const)('to forget something a person is asked: $outcome', async ({ outcome, remains }) => {
  const { host, chat } = await start(makeHome(), [[answering(outcome)]]);
  await call(host, chat, 'remember', {
    subject: 'shop',
    predicate: 'database',
    object: 'Postgres',
  });
  await call(host, chat, 'forget', { entity: 'shop' });
  expect((await call(host, chat, 'list', {})).includes('"Postgres"')).toBe(remains);
  await host.close();
});

test('where nobody can be asked, nothing is forgotten', async () => {
  const { host, chat } = await start(makeHome());
  await call(host, chat, 'remember', {
    subject: 'shop',
    predicate: 'database',
    object: 'Postgres',
  });
  await call(host, chat, 'forget', { entity: 'shop' });
  expect(await call(host, chat, 'list', {})).toContain('"Postgres"');
  await host.close();
});

test('what the memory itself printed is no evidence for it', async () => {
  const home = makeHome();
  const { host, chat } = await start(home);
  await call(host, chat, 'remember', {
    subject: 'shop',
    predicate: 'database',
    object: 'Postgres',
  });
  await call(host, chat, 'search', { query: 'database of the shop' });
  await digested(host, chat);
  const captured = await command(host, chat, '/memory status');
  // Two turns: what the person said, and what the model answered at the end of each.
  expect(captured).toContain('2 turns, 4 events');
  await host.close();
});

test('a policy of another plugin has the last word', async () => {
  const policy = {
    name: 'policy',
    apply: (ctx: { on(name: string, listener: () => unknown): void }) => {
      ctx.on('memory/pre-commit', () => ({ refuse: 'Nothing is written on Sundays.' }));
    },
  };
  const { host, chat } = await start(makeHome(), [[policy]]);
  const told = await call(host, chat, 'remember', { subject: 'a', predicate: 'b', object: 'c' });
  expect(told).toContain('Nothing is written on Sundays.');
  await host.close();
});

test('what was said in another workspace cannot be opened', async () => {
  const { host, chat } = await start(makeHome());
  const home = makeHome();
  const other = await host.open('s-2', home.project('blog'));
  host.model.script.push('Ok.');
  await other.say('The vault opens with amber.');
  const said = other.agent.session.events.find((event) => event.type === 'user/message');
  const event = { session: 's-2', seq: said?.seq ?? -1 };
  expect(await call(host, other, 'read', event)).toContain('amber');
  expect(await call(host, chat, 'read', event)).toContain('the source is gone');
  await host.close();
});

test('a name that another plugin has is told of, and the other tools are there', async () => {
  const other = {
    name: 'other',
    inject: ['tools'],
    apply: (ctx: { tools: { register(tool: object): void } }) => {
      ctx.tools.register({
        name: 'palimpsest_search',
        description: 'Of another plugin.',
        parameters: { type: 'object' },
        output: { schema: { type: 'string' }, render: () => [] },
        execute: async () => '',
      });
    },
  };
  const { host, chat } = await start(makeHome(), [[other]]);
  expect(await command(host, chat, '/memory status')).toContain('The tool palimpsest_search');
  expect(await call(host, chat, 'list', {})).toContain('Nothing is remembered');
  await host.close();
});

const ARGUMENTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  approve: { claim: 'c_x' },
  reject: { claim: 'c_x' },
  rollback: { tx: 1 },
  forget: { entity: 'shop' },
  merge: { from: 'shop', into: 'store' },
};

test('nothing that decides for others is done where nobody can be asked', async () => {
  const { host, chat } = await start(makeHome());
  await call(host, chat, 'remember', { subject: 'shop', predicate: 'database', object: 'MySQL' });
  const { transactions } = await memoryOf(host.ctx).health();
  const asking = ALL_TOOLS.filter(({ asks }) => asks !== null).map(({ name }) => name);
  expect(asking.sort()).toEqual(Object.keys(ARGUMENTS).sort());
  for (const name of asking) await call(host, chat, name, ARGUMENTS[name] ?? {});
  expect((await memoryOf(host.ctx).health()).transactions).toBe(transactions);
  await host.close();
});

test('what a policy of the host forbids is not done, whoever agrees', async () => {
  const forbidding = {
    name: 'forbidding',
    apply: (ctx: { on(name: string, listener: () => Promise<object>): void }) => {
      ctx.on('tools/pre-execute', async () => ({ kind: 'deny', reason: 'Not on Sundays.' }));
    },
  };
  const home = makeHome();
  // Mounted behind the plugin, so that it is asked first.
  const host = await startWithMemory(home, { script: [], config: { extraction: { by: 'none' } } });
  for (const plugin of [answering('allowed-once'), forbidding])
    await host.ctx.plugin(plugin as never, undefined as never);
  const chat = await host.open('s-1', home.project('shop'));
  expect(await call(host, chat, 'forget', { entity: 'shop' })).toContain('Not on Sundays.');
  await host.close();
});

test('a claim that waits can be refused, a change undone, and two names made one', async () => {
  const { host, chat } = await start(makeHome(), [[answering('allowed-once')]]);
  const told = await call(host, chat, 'remember', {
    subject: 'shop',
    predicate: 'database',
    object: 'MySQL',
  });
  const [, tx = ''] = /transaction (\d+)/u.exec(told) ?? [];
  await call(host, chat, 'rollback', { tx: Number(tx) });
  expect(await call(host, chat, 'list', {})).toContain('Nothing is remembered');
  await call(host, chat, 'remember', {
    subject: 'shop',
    predicate: 'colour',
    object: 'teal',
    everywhere: true,
  });
  const [, claim = ''] = /^(\S+):/u.exec(await call(host, chat, 'review', {})) ?? [];
  await call(host, chat, 'reject', { claim });
  expect(await call(host, chat, 'review', {})).toContain('Nothing waits');
  await call(host, chat, 'remember', { subject: 'the store', predicate: 'owner', object: 'Ana' });
  await call(host, chat, 'remember', { subject: 'store', predicate: 'opens', object: 'at nine' });
  await call(host, chat, 'merge', { from: 'the store', into: 'store' });
  expect(await call(host, chat, 'history', { subject: 'the store' })).toContain('at nine');
  await host.close();
});
