import { expect, test } from 'vitest';
import { projectOf } from '../src/host/project.js';
import * as palimpsest from '../src/index.js';
import { startHost } from './support/host.js';
import { understanding } from './support/understanding.js';
import { command, digested, makeHome, memoryOf } from './support/workspace.js';

const model = understanding({
  'I prefer tabs': { subject: 'Ana', predicate: 'prefers', object: 'tabs' },
  'we ship from Rotterdam': { subject: 'shop', predicate: 'ships from', object: 'Rotterdam' },
});

test('it can be taken out of a running host and put back, and nothing of it is left in between', async () => {
  const home = makeHome();
  const host = await startHost({
    root: home.logs,
    script: ['One.', 'Two.', 'Three.'],
    otherwise: model,
  });
  const config = {
    directory: home.memory,
    graph: 'none',
    extraction: { when: 'now' },
    recall: { deadlineMs: 20_000 },
  };
  const plug = () => host.ctx.plugin(palimpsest as never, config as never);
  const seen = () => {
    const { tools, system } = host.model.requests.at(-1) ?? {};
    return [tools, system].map((part) => JSON.stringify(part ?? '').includes('palimpsest_search'));
  };
  const chat = await host.open('s-1', home.project('shop'));
  const first = await plug();
  await chat.say('I prefer tabs.');
  expect(seen()).toEqual([true, true]);
  await digested(host, chat);

  await first.dispose();
  expect(host.ctx.get('memory' as never)).toBe(undefined);
  await chat.say('Also, we ship from Rotterdam.');
  expect(seen()).toEqual([false, false]);
  expect(await command(host, chat, '/memory status')).toBe('');

  await plug();
  await command(host, chat, '/memory sweep');
  await chat.say('That is all.');
  expect(seen()).toEqual([true, true]);
  await digested(host, chat);
  const scope = { org: 'local', project: projectOf(home.project('shop')) };
  const facts = await memoryOf(host.ctx).facts(scope, { limit: 9 });
  expect(facts.map(({ object }) => object).sort()).toEqual(['Rotterdam', 'tabs']);
  await host.close();
});
