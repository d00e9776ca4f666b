import { expect, test } from 'vitest';
import type { ConfigInput } from '../src/index.js';
import { startHost, type Chat, type Host } from './support/host.js';
import * as palimpsest from '../src/index.js';
import { understanding } from './support/understanding.js';
import { digested, makeHome, type Home } from './support/workspace.js';

/** Each says something of its own, in words that the others will ask for. */
const SECRETS = ['amber', 'birch', 'cobalt', 'damson'] as const;
const model = understanding(
  Object.fromEntries(
    SECRETS.map((word) => [
      `the password hint is ${word}`,
      { subject: 'vault', predicate: 'hint', object: word },
    ]),
  ),
);

const start = (home: Home, config: ConfigInput): Promise<Host> =>
  startHost({
    root: home.logs,
    script: Array.from({ length: 20 }, () => 'Ok.'),
    otherwise: model,
    plugins: [
      [
        palimpsest,
        {
          directory: home.memory,
          graph: 'none',
          extraction: { when: 'now' },
          recall: { deadlineMs: 20_000 },
          ...config,
        },
      ],
    ],
  });

/** What a new session of the same kind is shown of the question that all of them could answer. */
async function shownTo(chat: Chat): Promise<readonly string[]> {
  await chat.say('What is the hint of the vault?');
  return SECRETS.filter((word) => chat.shown().includes(word));
}

test('two workspaces, two users and a sub-agent: nothing crosses', async () => {
  const home = makeHome();
  // The host knows no users: those who share a machine have a configuration each, and here one memory.
  const users = ['ana', 'ben'] as const;
  const projects = ['shop', 'blog'] as const;
  let next = 0;
  for (const user of users) {
    const host = await start(home, { user });
    for (const project of projects) {
      const chat = await host.open(`${user}-${project}`, home.project(project));
      await chat.say(`Remember: the password hint is ${SECRETS[next]}.`);
      next += 1;
      await digested(host, chat);
    }
    await host.close();
  }
  next = 0;
  for (const user of users) {
    const host = await start(home, { user });
    for (const project of projects) {
      const chat = await host.open(`${user}-${project}-again`, home.project(project));
      expect(await shownTo(chat), `${user} in ${project}`).toEqual([SECRETS[next]]);
      next += 1;
      const child = await host.open(`${user}-${project}-child`, home.project(project), {
        subagentOf: `${user}-${project}-again`,
      });
      expect(await shownTo(child), `a sub-agent of ${user} in ${project}`).toEqual([]);
    }
    const stranger = await host.open(`${user}-elsewhere`, home.project('elsewhere'));
    expect(await shownTo(stranger), `${user} elsewhere`).toEqual([]);
    await host.close();
  }
});

test('only sessions of the configured workspaces are listened to, see the tools and are shown anything', async () => {
  const home = makeHome();
  const config = { workspaces: [home.project('shop')] };
  const host = await start(home, config);
  const outside = await host.open('outside', home.project('blog'));
  await outside.say('Remember: the password hint is amber.');
  const inside = await host.open('inside', home.project('shop'));
  await inside.say('Remember: the password hint is birch.');
  await digested(host, inside);
  expect(await shownTo(await host.open('inside-2', home.project('shop')))).toEqual(['birch']);
  expect(await shownTo(await host.open('outside-2', home.project('blog')))).toEqual([]);
  const tools = host.model.requests.map(({ tools }) =>
    JSON.stringify(tools ?? []).includes('palimpsest_'),
  );
  expect(tools).toEqual([false, true, true, false]);
  const guided = host.model.requests.map(({ system }) =>
    String(system).includes('long-term memory'),
  );
  expect(guided).toEqual([false, true, true, false]);
  await host.close();
});

test('a link to a folder, and a folder within its repository, are the same project', async () => {
  const home = makeHome();
  const { mkdirSync, symlinkSync } = await import('node:fs');
  const shop = home.project('shop');
  mkdirSync(`${shop}/src`);
  symlinkSync(shop, `${shop}-link`);
  const host = await start(home, {});
  const chat = await host.open('s-1', `${shop}/src`);
  await chat.say('Remember: the password hint is amber.');
  await digested(host, chat);
  expect(await shownTo(await host.open('s-2', `${shop}-link`))).toEqual(['amber']);
  await host.close();
});
