import { join } from 'node:path';
import FileSettingsProvider from '@deepseek-ai/dsh-settings-file';
import { expect, test } from 'vitest';
import { projectOf } from '../src/host/project.js';
import { digested, makeHome, memoryOf, startWithMemory } from './support/workspace.js';

test('what is set on the card counts from the next turn on', async () => {
  const home = makeHome();
  const host = await startWithMemory(home, {
    script: ['A.', 'B.'],
    config: { extraction: { by: 'none' } },
    plugins: [[FileSettingsProvider, { path: join(home.logs, '..', 'settings.json') }]],
  });
  const scope = { org: 'local', project: projectOf(home.project('shop')) };
  const said = { subject: 'shop', predicate: 'database', object: 'Postgres' };
  await memoryOf(host.ctx).remember(scope, said, { actor: 'ana', evidence: null });
  const described = host.ctx.settings.describe().map(({ ns }) => String(ns));
  expect(described).toContain('palimpsest');
  await host.ctx.settings.update('palimpsest' as never, { enabled: false });
  const off = await host.open('s-1', home.project('shop'));
  await off.say('Which database does the shop use?');
  expect(off.shown()).not.toContain('<memory>');
  await host.ctx.settings.update('palimpsest' as never, { enabled: true });
  const on = await host.open('s-2', home.project('shop'));
  await on.say('Which database does the shop use?');
  expect(on.shown()).toContain('<memory>');
  await host.close();
});

test('with a copy of what was said, earlier words are found where there is no fact', async () => {
  const home = makeHome();
  const host = await startWithMemory(home, {
    script: ['A.', 'B.'],
    config: { extraction: { by: 'none' }, events: 'keep' },
  });
  const first = await host.open('s-1', home.project('shop'));
  await first.say('The wifi of the warehouse is called tulip.');
  await digested(host, first);
  const second = await host.open('s-2', home.project('shop'));
  await second.say('What is the wifi of the warehouse called?');
  expect(second.shown()).toContain('s-1#');
  expect(second.shown()).toContain('called tulip');
  await host.close();
});
