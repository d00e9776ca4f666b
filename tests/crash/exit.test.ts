import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openMemory } from '../../lib/index.js';
import { ended, runChild } from '../support/child.js';
import { temporaryFolder } from '../support/folder.js';

describe('a process that has a memory open with its graph', () => {
  test.each([
    'closed',
    'synced',
    'asked',
    'reading the graph',
    'about to catch up',
    'catching up',
    'closing with everything under way',
    'erasing while it catches up',
    'process.exit',
    'thrown',
  ])('%s: ends by itself, cleanly and soon', async (how) => {
    const folder = join(temporaryFolder(), 'store');
    const started = Date.now();
    const child = runChild(new URL('children/exiting.ts', import.meta.url), [folder, how]);
    expect(await ended(child)).toBe(0);
    expect(Date.now() - started).toBeLessThan(20_000);
    // The next one finds the store free, and the graph in order or to be had again.
    const memory = await openMemory({ path: folder, resident: false });
    const facts = await memory.in({ org: 'acme' }).facts();
    if (!how.startsWith('erasing')) expect(facts.length).toBeGreaterThanOrEqual(5);
    await memory.close();
  });
});

test('a second process is refused while the first lives, and let in as soon as it is killed', async () => {
  const folder = join(temporaryFolder(), 'store');
  const child = runChild(new URL('children/writer.ts', import.meta.url), [folder, 'short']);
  await new Promise<void>((resolve) => child.on('message', (m) => m === 3 && resolve()));
  await expect(openMemory({ path: folder })).rejects.toMatchObject({
    code: 'STORE_LOCKED',
    message: expect.stringContaining(String(child.pid)),
  });
  child.kill('SIGKILL');
  expect(await ended(child)).toBe('SIGKILL');
  const memory = await openMemory({ path: folder });
  const shop = memory.in({ org: 'acme', project: 'shop' });
  expect(await shop.facts({ predicate: 'mark' })).not.toHaveLength(0);
  // And this process is no exception.
  await expect(openMemory({ path: folder })).rejects.toMatchObject({ code: 'STORE_LOCKED' });
  await memory.close();
  await memory.close();
});
