import { expect, test } from 'vitest';
import { projectOf } from '../src/host/project.js';
import { understanding } from './support/understanding.js';
import { digested, makeHome, memoryOf, startWithMemory } from './support/workspace.js';

const model = understanding({
  'orders are in Postgres': { subject: 'shop', predicate: 'database', object: 'Postgres' },
  'I prefer tabs': { subject: 'Ana', predicate: 'prefers', object: 'tabs' },
});

test('what a person says is believed, with the event as its evidence', async () => {
  const home = makeHome();
  const host = await startWithMemory(home, { script: ['Noted.'], otherwise: model });
  const chat = await host.open('s-1', home.project('shop'));
  await chat.say('By the way, orders are in Postgres now.');
  await digested(host, chat);
  const scope = { org: 'local', project: projectOf(home.project('shop')) };
  const [fact] = await memoryOf(host.ctx).facts(scope, { limit: 10 });
  expect(fact).toMatchObject({ subject: 'shop', predicate: 'database', object: 'Postgres' });
  const { claims } = await memoryOf(host.ctx).why(scope, fact?.id ?? '');
  const evidence = claims[0]?.evidence[0];
  const said = chat.agent.session.events.find((event) => event.seq === evidence?.seq);
  expect(evidence).toMatchObject({ session: 's-1', role: 'user' });
  expect(JSON.stringify(said?.data)).toContain('orders are in Postgres now');
  await host.close();
});

test('what was said while the plugin was away is caught up with', async () => {
  const home = makeHome();
  const { startHost } = await import('./support/host.js');
  const without = await startHost({ root: home.logs, script: ['Fine.'] });
  const chat = await without.open('s-1', home.project('shop'));
  await chat.say('I prefer tabs.');
  await without.close();

  const host = await startWithMemory(home, { script: ['Yes.'], otherwise: model });
  const other = await host.open('s-2', home.project('shop'));
  await other.say('Hello, who are you?');
  await expect
    .poll(() =>
      memoryOf(host.ctx).facts(
        { org: 'local', project: projectOf(home.project('shop')) },
        { limit: 9 },
      ),
    )
    .toMatchObject([{ subject: 'Ana', object: 'tabs' }]);
  await host.close();
});

test('a later session is shown what an earlier one told', async () => {
  const home = makeHome();
  const host = await startWithMemory(home, {
    script: ['Noted.', 'In Postgres.'],
    otherwise: model,
  });
  const first = await host.open('s-1', home.project('shop'));
  await first.say('The orders are in Postgres.');
  await digested(host, first);
  const second = await host.open('s-2', home.project('shop'));
  await second.say('Which database is used for the orders of the shop?');
  const [, request] = host.model.requests;
  expect(JSON.stringify(request?.messages)).toContain('Postgres');
  const types = second.agent.session.events
    .filter((event) => event.type === 'user/message')
    .map((event) => (event.data as { source: { kind: string } }).source.kind);
  expect(types.slice(0, 2)).toEqual(['user', 'palimpsest']);
  await host.close();
});
