import { join } from 'node:path';
import { openMemory } from 'palimpsest';
import { expect, test } from 'vitest';
import { runUntilKilled } from './support/process.js';
import { command, makeHome, startWithMemory } from './support/workspace.js';

test('a process that is killed around the end of a turn loses nothing, and doubles nothing', async () => {
  const home = makeHome();
  const delays = [0, 1, 2, 4, 8, 16];
  for (const [i, killAfterMs] of delays.entries()) {
    const ended = await runUntilKilled('killed', {
      logs: home.logs,
      config: {
        directory: home.memory,
        graph: 'none',
        extraction: { by: 'none' },
        recall: { enabled: false },
      },
      session: 's-1',
      cwd: home.project('shop'),
      resume: i > 0,
      says: `This is turn ${i}.`,
      killAfterMs,
    });
    expect(ended).toBe('SIGKILL');
  }
  const host = await startWithMemory(home, { config: { extraction: { by: 'none' } } });
  const chat = await host.open('s-2', home.project('shop'));
  await command(host, chat, '/memory sweep');
  const { events } = await host.ctx.sessionPersistence.readFrom('s-1' as never, 0);
  await host.close();
  const said = events.flatMap((event) => {
    if (event.type === 'assistant/message') return [event.seq];
    const { source } = event.data as { source?: { kind: string } };
    return event.type === 'user/message' && source?.kind === 'user' ? [event.seq] : [];
  });
  expect(said).toHaveLength(2 * delays.length);
  await using memory = await openMemory({ path: join(home.memory, 'store'), graph: 'none' });
  const jobs = await memory.jobs();
  const captured = jobs.filter(({ session }) => session === 's-1').flatMap(({ seqs }) => seqs);
  expect(captured.sort((a, b) => a - b)).toEqual(said);
});
