import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectOf } from '../src/host/project.js';
import { startHost, type Host } from './support/host.js';
import { understanding } from './support/understanding.js';
import {
  command,
  digested,
  makeHome,
  memoryOf,
  startWithMemory,
  type Home,
} from './support/workspace.js';

const model = understanding({
  'I prefer tabs': { subject: 'Ana', predicate: 'prefers', object: 'tabs' },
  'The moon is cheese': { subject: 'moon', predicate: 'made of', object: 'cheese' },
  'we ship from Rotterdam': { subject: 'shop', predicate: 'ships from', object: 'Rotterdam' },
});

const scopeOf = (home: Home) => ({ org: 'local', project: projectOf(home.project('shop')) });

const believed = async (host: Host, home: Home): Promise<readonly string[]> => {
  const facts = await memoryOf(host.ctx).facts(scopeOf(home), { limit: 50 });
  return facts.map(({ object }) => object).sort();
};

test('of a turn that was cut off, the words of the person count and the answer does not', async () => {
  const home = makeHome();
  const host = await startWithMemory(home, {
    script: [{ stuckAfter: 'The moon is cheese' }, 'Yes.'],
    otherwise: model,
  });
  const chat = await host.open('s-1', home.project('shop'));
  const saying = chat.say('I prefer tabs.');
  await expect.poll(() => host.model.script.length).toBe(1);
  chat.agent.cancel({ kind: 'user' });
  await saying;
  expect(JSON.stringify(chat.agent.session.events)).toContain('The moon is cheese');
  await digested(host, chat);
  expect(await believed(host, home)).toEqual(['tabs']);
  await host.close();
});

test('a turn that was open when the process died tells what the person had said', async () => {
  const home = makeHome();
  const first = await startHost({ root: home.logs, script: [{ stuckAfter: 'Hm' }] });
  const dying = await first.open('s-1', home.project('shop'));
  void dying.say('I prefer tabs.').catch(() => undefined);
  await expect.poll(() => dying.shown()).toContain('tabs');
  await first.ctx.sessions.flush(dying.agent.session);

  const host = await startWithMemory(home, { otherwise: model });
  await expect.poll(() => believed(host, home)).toEqual(['tabs']);
  await host.close();
  dying.agent.cancel({ kind: 'user' });
  await first.close();
});

test('a fork does not tell again what its parent told', async () => {
  const home = makeHome();
  const host = await startWithMemory(home, { script: ['Ok.', 'Ok.'], otherwise: model });
  const parent = await host.open('s-1', home.project('shop'));
  await parent.say('I prefer tabs.');
  const fork = await host.open('s-2', home.project('shop'), { forkOf: parent });
  await fork.say('Also, we ship from Rotterdam.');
  await digested(host, fork);
  const [tabs] = (await memoryOf(host.ctx).facts(scopeOf(home), { limit: 9 })).filter(
    ({ object }) => object === 'tabs',
  );
  const { claims } = await memoryOf(host.ctx).why(scopeOf(home), tabs?.id ?? '');
  expect(claims.flatMap(({ evidence }) => evidence.map(({ session }) => session))).toEqual(['s-1']);
  expect(await believed(host, home)).toEqual(['Rotterdam', 'tabs']);
  await host.close();
});

test('a resumed session is not taken in twice', async () => {
  const home = makeHome();
  const first = await startWithMemory(home, { script: ['Ok.'], otherwise: model });
  const chat = await first.open('s-1', home.project('shop'));
  await chat.say('I prefer tabs.');
  await digested(first, chat);
  await first.close();
  const second = await startWithMemory(home, { script: ['Ok.'], otherwise: model });
  const again = await second.open('s-1', home.project('shop'), { resume: true });
  await again.say('And we ship from Rotterdam.');
  await digested(second, again);
  expect(await command(second, again, '/memory status')).toContain('1 turns, 2 events');
  expect(second.model.others).toHaveLength(1);
  expect(await believed(second, home)).toEqual(['Rotterdam', 'tabs']);
  await second.close();
});

test('sub-agents are not listened to, get nothing, and see no tool', async () => {
  const home = makeHome();
  const host = await startWithMemory(home, { script: ['Ok.', 'Ok.', 'Ok.'], otherwise: model });
  const root = await host.open('s-1', home.project('shop'));
  await root.say('I prefer tabs.');
  await digested(host, root);
  const child = await host.open('s-2', home.project('shop'), { subagentOf: 's-1' });
  await child.say('What does Ana prefer? The moon is cheese.');
  await digested(host, root);
  expect(await believed(host, home)).toEqual(['tabs']);
  const request = JSON.stringify(host.model.requests.at(-1));
  expect(request).not.toContain('<memory>');
  expect(request).not.toContain('palimpsest_search');
  await host.close();
});

test('what was injected is never taken for something that a person said', async () => {
  const home = makeHome();
  const host = await startWithMemory(home, { script: ['Ok.', 'Tabs.'], otherwise: model });
  const first = await host.open('s-1', home.project('shop'));
  await first.say('I prefer tabs.');
  await digested(host, first);
  const second = await host.open('s-2', home.project('shop'));
  await second.say('What does Ana prefer, then?');
  expect(second.shown()).toContain('<memory>');
  await digested(host, second);
  const [fact] = await memoryOf(host.ctx).facts(scopeOf(home), { limit: 9 });
  const { claims } = await memoryOf(host.ctx).why(scopeOf(home), fact?.id ?? '');
  expect(claims.flatMap(({ evidence }) => evidence.map(({ session }) => session))).toEqual(['s-1']);
  await host.close();
});

test('twenty turns over three sessions of a project make the curator run', async () => {
  const home = makeHome();
  const host = await startWithMemory(home, {
    script: Array.from({ length: 20 }, () => 'Ok.'),
    otherwise: model,
    config: { extraction: { when: 'curated', turns: 20 } },
  });
  const chats = [];
  for (const id of ['s-1', 's-2', 's-3']) chats.push(await host.open(id, home.project('shop')));
  const [first] = chats;
  await first?.say('I prefer tabs.');
  for (let i = 1; i < 19; i++) await chats[i % 3]?.say(`Go on with number ${i}.`);
  expect(await believed(host, home)).toEqual([]);
  expect(host.model.others).toEqual([]);
  await chats[1]?.say('By the way, we ship from Rotterdam.');
  await expect.poll(() => believed(host, home)).toEqual(['Rotterdam', 'tabs']);
  await host.close();
});

test('a new session makes the curator run, and one that is resumed does not', async () => {
  const home = makeHome();
  const config = { extraction: { when: 'curated' as const } };
  const host = await startWithMemory(home, { script: ['Ok.'], otherwise: model, config });
  const chat = await host.open('s-1', home.project('shop'));
  await chat.say('I prefer tabs.');
  await chat.close();
  const again = await host.open('s-1', home.project('shop'), { resume: true });
  expect(await command(host, again, '/memory status')).toContain('1 jobs wait');
  await host.open('s-2', home.project('shop'));
  await expect.poll(() => believed(host, home)).toEqual(['tabs']);
  await host.close();
});

test('when nothing more comes in, the curator runs', async () => {
  const home = makeHome();
  const config = { extraction: { when: 'curated' as const, idleMs: 30 } };
  const host = await startWithMemory(home, { script: ['Ok.'], otherwise: model, config });
  const chat = await host.open('s-1', home.project('shop'));
  await chat.say('I prefer tabs.');
  await expect.poll(() => believed(host, home)).toEqual(['tabs']);
  await host.close();
});

test('what was said before the memory was wanted is left out', async () => {
  const home = makeHome();
  const without = await startHost({ root: home.logs, script: ['Fine.'] });
  const before = await without.open('s-1', home.project('shop'));
  await before.say('I prefer tabs.');
  await without.close();
  const since = new Date(Date.now() + 1).toISOString();
  await new Promise((done) => {
    setTimeout(done, 5);
  });
  const host = await startWithMemory(home, {
    script: ['Ok.'],
    otherwise: model,
    config: { since },
  });
  const chat = await host.open('s-2', home.project('shop'));
  await chat.say('And we ship from Rotterdam.');
  await command(host, chat, '/memory sweep');
  await digested(host, chat);
  expect(await believed(host, home)).toEqual(['Rotterdam']);
  await host.close();
});

test('another plugin may send word that it is time', async () => {
  const home = makeHome();
  const host = await startWithMemory(home, {
    script: ['Ok.'],
    otherwise: model,
    config: { extraction: { when: 'curated' } },
  });
  const chat = await host.open('s-1', home.project('shop'));
  await chat.say('I prefer tabs.');
  expect(await believed(host, home)).toEqual([]);
  const events: { emit(name: string, request: object): void } = host.ctx as never;
  events.emit('memory/curate', { cwd: home.project('shop') });
  await expect.poll(() => believed(host, home)).toEqual(['tabs']);
  await host.close();
});

test('a second process says that its capture is off, and is caught up with', async () => {
  const home = makeHome();
  const first = await startWithMemory(home, { script: [], otherwise: model });
  const second = await startWithMemory(home, { script: ['Ok.'], config: { retryMs: 20 } });
  const chat = await second.open('s-1', home.project('shop'));
  await chat.say('I prefer tabs.');
  expect(await command(second, chat, '/memory status')).toContain('CAPTURE IS OFF');
  const watching = await first.open('s-2', home.project('shop'));
  await command(first, watching, '/memory sweep');
  await digested(first, watching);
  expect(await believed(first, home)).toEqual(['tabs']);
  await first.close();
  await expect.poll(() => command(second, chat, '/memory status')).toContain('Capture is on');
  expect(await believed(second, home)).toEqual(['tabs']);
  await second.close();
});

test('of a log that is gone the memory says so, and forgets it where that is the policy', async () => {
  for (const gone of ['mark', 'forget'] as const) {
    const home = makeHome();
    const host = await startWithMemory(home, {
      script: ['Ok.', 'Ok.'],
      otherwise: model,
      config: { gone },
    });
    const chat = await host.open('s-1', home.project('shop'));
    await chat.say('I prefer tabs.');
    const other = await host.open('s-2', home.project('shop'));
    await other.say('And we ship from Rotterdam.');
    await digested(host, other);
    const { header } = chat.agent.session;
    const path = host.ctx.sessionPersistence.locate(header)?.path ?? '';
    expect(readFileSync(path, 'utf8')).toContain('tabs');
    await chat.close();
    const { rmSync } = await import('node:fs');
    rmSync(join(path, '..'), { recursive: true });
    await command(host, other, '/memory sweep');
    expect(await believed(host, home)).toEqual(['Rotterdam', 'tabs']);
    await command(host, other, '/memory sweep');
    if (gone === 'mark') {
      expect(await command(host, other, '/memory status')).toContain('gone: s-1');
      expect(await believed(host, home)).toEqual(['Rotterdam', 'tabs']);
    } else expect(await believed(host, home)).toEqual(['Rotterdam']);
    await host.close();
  }
});

test('who finds ctx.memory taken says by whom it is to be asked, and the host goes on', async () => {
  const home = makeHome();
  const other = {
    name: 'other-memory',
    apply: (ctx: { provide(name: string, value: unknown): void }) => ctx.provide('memory', {}),
  };
  const host = await startWithMemory(home, { script: ['Hello.'], plugins: [[other]] });
  const chat = await host.open('s-1', home.project('shop'));
  await chat.say('Hello.');
  const status = await command(host, chat, '/memory status');
  expect(status).toContain('CAPTURE IS OFF');
  expect(status).toContain('ctx.memory');
  expect(status).toContain('other-memory');
  await host.close();
});
