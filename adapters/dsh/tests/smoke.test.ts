import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startHost } from './support/host.js';

test('the host answers, and keeps its log', async () => {
  const root = mkdtempSync(join(tmpdir(), 'palimpsest-dsh-'));
  const host = await startHost({ root, script: ['Hello Ana.'] });
  const chat = await host.open('s-1', root);
  await chat.say('I am Ana.');
  expect(chat.agent.session.events.map((event) => event.type)).toContain('turn/end');
  expect(chat.shown()).toContain('Hello Ana.');
  const { events } = await host.ctx.sessionPersistence.readFrom('s-1' as never, 0);
  expect(events.at(-1)?.type).toBe('turn/end');
  await chat.close();
  await host.close();
});
