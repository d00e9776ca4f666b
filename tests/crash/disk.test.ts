import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openMemory, type Memory } from '../../lib/index.js';
import { temporaryFolder } from '../support/folder.js';

const run = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;

/** A disk of its own, of so many kilobytes; `null` where this user may not mount one. */
function smallDisk(kilobytes: number): string | null {
  const folder = join(temporaryFolder(), 'disk');
  mkdirSync(folder);
  if (!run('mount', '-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', folder)) return null;
  // Runs before the folder is removed.
  onTestFinished(() => void run('umount', '-l', folder));
  return folder;
}

/** Writes until it is refused; returns how many were acknowledged. */
async function fill(
  memory: Memory,
): Promise<{ readonly written: number; readonly refusal: unknown }> {
  const shop = memory.in({ org: 'acme' });
  for (let n = 1; ; n++) {
    try {
      await shop.assert({
        subject: 'shop',
        predicate: 'uses',
        object: n,
        validFrom: '2024',
        statement: 'x'.repeat(20_000),
      });
    } catch (refusal) {
      return { written: n - 1, refusal };
    }
  }
}

const skipped = (): void => console.log('skipped: this user may not mount a small disk');

const count = async (memory: Memory): Promise<number> =>
  (await memory.in({ org: 'acme' }).facts({ validAt: '2025-01-01' })).length;

describe('a disk', () => {
  test.each(['none', 'kuzu'] as const)(
    'that is full refuses what is written, and keeps what was (graph: %s)',
    async (graph) => {
      const disk = smallDisk(graph === 'none' ? 1_000 : 3_000);
      if (disk === null) return skipped();
      const reserve = join(disk, '.reserve');
      writeFileSync(reserve, Buffer.alloc(400_000, 1));
      const path = join(disk, 'store');
      const memory = await openMemory({ path, graph });
      const { written, refusal } = await fill(memory);
      expect(refusal).toMatchObject({
        code: 'STORE_FULL',
        message: expect.stringMatching(/no space/),
      });
      expect(written).toBeGreaterThan(5);
      expect(await count(memory)).toBe(written);
      await memory.syncGraph();
      // Closing needs no room, and the folder can be opened again by this process when there is some.
      await memory.close();
      rmSync(reserve);
      const again = await openMemory({ path, graph });
      expect(await count(again)).toBe(written);
      expect(
        await again
          .in({ org: 'acme' })
          .assert({ subject: 'shop', predicate: 'uses', object: 'more' }),
      ).toMatchObject({ committed: true });
      await again.close();
    },
  );

  test('that is read-only is said to be', async () => {
    const disk = smallDisk(2_000);
    if (disk === null) return skipped();
    const path = join(disk, 'store');
    const memory = await openMemory({ path, graph: 'none' });
    await memory.close();
    expect(run('mount', '-o', 'remount,ro', disk)).toBe(true);
    const refused = { code: 'STORE_READ_ONLY', message: expect.stringMatching(/EROFS/) };
    await expect(openMemory({ path, graph: 'none' })).rejects.toMatchObject(refused);
    await expect(openMemory({ path: join(disk, 'new'), graph: 'none' })).rejects.toMatchObject(
      refused,
    );
    expect(run('mount', '-o', 'remount,rw', disk)).toBe(true);
    await (await openMemory({ path, graph: 'none' })).close();
  });
});
