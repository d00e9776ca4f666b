import { expect, test } from 'vitest';
import { ended, runChild } from '../support/child.js';

async function run(isAwaited: 'yes' | 'no'): Promise<readonly [unknown, readonly unknown[]]> {
  const child = runChild(new URL('children/waiter.ts', import.meta.url), [isAwaited]);
  const told: unknown[] = [];
  child.on('message', (message) => told.push(message));
  return [await ended(child), told];
}

test('a process that awaits a job stays until it is done, however long the provider is away', async () => {
  expect(await run('yes')).toEqual([0, ['done', 3]]);
});

test('a process that awaits nothing is not kept by work that waits', async () => {
  const [end, told] = await run('no');
  expect(end).toBe(0);
  expect(told).not.toContain('done');
});
