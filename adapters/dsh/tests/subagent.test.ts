import SubagentRuntime from '@deepseek-ai/dsh-subagent';
import * as Spawn from '@deepseek-ai/dsh-subagent-spawn-in-process';
import * as SubagentTool from '@deepseek-ai/dsh-tool-subagent';
import { expect, test } from 'vitest';
import { projectOf } from '../src/host/project.js';
import { understanding } from './support/understanding.js';
import { command, digested, makeHome, memoryOf, startWithMemory } from './support/workspace.js';

const model = understanding({
  'I prefer tabs': { subject: 'Ana', predicate: 'prefers', object: 'tabs' },
  'use spaces only': { subject: 'Ana', predicate: 'prefers', object: 'spaces' },
});

test('a sub-agent that the host itself starts is told nothing, and is not listened to', async () => {
  const home = makeHome();
  const host = await startWithMemory(home, {
    script: [
      'Noted.',
      {
        tool: 'subagent',
        args: {
          description: 'format',
          prompt: 'What does Ana prefer? Please use spaces only.',
          run_in_background: false,
        },
      },
      'The child says: done.',
      'All done.',
    ],
    otherwise: model,
    plugins: [
      [SubagentRuntime],
      [Spawn, { providerName: 'spawn' }],
      [SubagentTool, { provider: 'spawn', enableRunInBackground: false }],
    ],
  });
  const chat = await host.open('s-1', home.project('shop'));
  await chat.say('I prefer tabs.');
  await digested(host, chat);
  const next = await host.open('s-2', home.project('shop'));
  await next.say('What does Ana prefer? Let somebody format it.');
  const shown = host.model.requests.map(({ messages, tools }) => ({
    isChild: JSON.stringify(messages).includes('use spaces only') && messages.length <= 2,
    hasMemory: JSON.stringify(messages).includes('<memory>'),
    hasTools: JSON.stringify(tools ?? []).includes('palimpsest_'),
  }));
  const children = shown.filter(({ isChild }) => isChild);
  expect(children).toEqual([{ isChild: true, hasMemory: false, hasTools: false }]);
  expect(shown.filter(({ isChild, hasMemory }) => !isChild && hasMemory)).toHaveLength(2);
  await command(host, chat, '/memory sweep');
  await digested(host, chat);
  const scope = { org: 'local', project: projectOf(home.project('shop')) };
  const facts = await memoryOf(host.ctx).facts(scope, { limit: 9 });
  expect(facts.map(({ object }) => object)).toEqual(['tabs']);
  await host.close();
});
