import { expect, test } from 'vitest';
import { projectOf } from '../src/host/project.js';
import type { Chat, Host } from './support/host.js';
import { understanding } from './support/understanding.js';
import { digested, makeHome, memoryOf, startWithMemory } from './support/workspace.js';

const model = understanding({
  'I like my tests in one file': {
    subject: 'Ana',
    predicate: 'wants tests',
    object: 'in one file',
  },
  'the shop runs on MySQL': { subject: 'shop', predicate: 'database', object: 'MySQL' },
  'it was never MySQL, it is Postgres': {
    action: 'correct',
    subject: 'shop',
    predicate: 'database',
    object: 'Postgres',
  },
});

/** What the last session was given with its question. */
const given = (host: Host): string => JSON.stringify(host.model.requests.at(-1)?.messages);

const lastResult = (chat: Chat): string =>
  JSON.stringify(chat.agent.session.events.findLast((e) => e.type === 'tool/result')?.data);

test('told in one session, curated over three, used in a new one, corrected, and still known as it was', async () => {
  const home = makeHome();
  const project = home.project('shop');
  const config = { extraction: { when: 'curated' as const, turns: 20 } };
  const first = await startWithMemory(home, {
    script: Array.from({ length: 21 }, () => 'Fine.'),
    otherwise: model,
    config,
  });
  // Session A tells what is wanted; with B and C it comes to twenty turns.
  const a = await first.open('a', project);
  await a.say('I like my tests in one file, and the shop runs on MySQL.');
  const b = await first.open('b', project);
  const c = await first.open('c', project);
  for (let i = 0; i < 19; i++) await (i % 2 === 0 ? b : c).say(`Next, number ${i}.`);
  const scope = { org: 'local', project: projectOf(project) };
  await expect
    .poll(async () => (await memoryOf(first.ctx).facts(scope, { limit: 9 })).length)
    .toBe(2);
  const { transactions } = await memoryOf(first.ctx).health();
  await first.close();

  // A new process, and a new session, which is helped by what A told.
  const script = ['In one file.', 'Noted.', 'Postgres.'];
  const second = await startWithMemory(home, { script, otherwise: model, config });
  const helped = await second.open('helped', project);
  await helped.say('How does Ana want her tests?');
  expect(given(second)).toContain('in one file');
  expect(given(second)).toContain('MySQL');

  // Session D corrects, and E is given what is right.
  const d = await second.open('d', project);
  await d.say('About the database of the shop: it was never MySQL, it is Postgres.');
  await digested(second, d);
  const e = await second.open('e', project);
  await e.say('Which database does the shop run on?');
  expect(given(second)).toContain('Postgres');
  expect(given(second)).not.toContain('\\"MySQL\\"');

  // What was believed before D can still be asked.
  const known = await memoryOf(second.ctx).facts(scope, {
    predicate: 'database',
    knownAt: { tx: transactions },
    limit: 9,
  });
  expect(known.map(({ object }) => object)).toEqual(['MySQL']);
  const at = known[0]?.knownFrom ?? '';
  second.model.script.push(
    { tool: 'palimpsest_as_of', args: { known_at: at, subject: 'shop' } },
    'MySQL.',
  );
  await e.say('What did we believe before?');
  expect(lastResult(e)).toContain('MySQL');
  expect(lastResult(e)).not.toContain('Postgres');
  // The session that was shown the wrong thing has it in its log still, as it was shown.
  expect(helped.shown()).toContain('MySQL');
  await second.close();
});
