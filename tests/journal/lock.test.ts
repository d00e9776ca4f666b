import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { acquireStoreLock } from '../../lib/journal/lock.js';
import { ended, runChild } from '../support/child.js';
import { temporaryFolder } from '../support/folder.js';

const children: ChildProcess[] = [];

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(children.map(ended));
  children.length = 0;
});

const nextMessage = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve) => child.once('message', resolve));

async function startHolder(): Promise<ChildProcess> {
  const child = runChild(new URL('children/lock-holder.ts', import.meta.url));
  children.push(child);
  expect(await nextMessage(child)).toBe('ready');
  return child;
}

function ask(child: ChildProcess, message: string): Promise<unknown> {
  const answer = nextMessage(child);
  child.send(message);
  return answer;
}

const lockFiles = (folder: string): string[] => readdirSync(folder).toSorted();

function writeLock(folder: string, content: object | string): void {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  writeFileSync(join(folder, 'lock.7'), text);
}

describe('the store lock', () => {
  test('lets one in at a time within a process', async () => {
    const folder = join(temporaryFolder(), 'new', 'store');
    const lock = await acquireStoreLock(folder);
    const refusal = { code: 'STORE_LOCKED', message: expect.stringContaining('this process') };
    await expect(acquireStoreLock(folder)).rejects.toMatchObject(refusal);
    await expect(acquireStoreLock(join(folder, '..', 'store'))).rejects.toMatchObject(refusal);
    await lock.release();
    const next = await acquireStoreLock(folder);
    await lock.release();
    await expect(acquireStoreLock(folder)).rejects.toMatchObject(refusal);
    await next.release();
    const attempts = Array.from({ length: 10 }, () => acquireStoreLock(folder));
    const settled = await Promise.allSettled(attempts);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('keeps another process out, and says which one is in', async () => {
    const folder = temporaryFolder();
    const child = await startHolder();
    expect(await ask(child, folder)).toBe('held');
    await expect(acquireStoreLock(folder)).rejects.toMatchObject({
      code: 'STORE_LOCKED',
      message: expect.stringContaining(`process ${child.pid}`),
    });
    expect(await ask(child, 'release')).toBe('released');
    const lock = await acquireStoreLock(folder);
    expect(await ask(child, folder)).toBe('STORE_LOCKED');
    await lock.release();
  });

  // Elsewhere the system does not tell a dead process that its parent has not noticed from a living one.
  test.runIf(process.platform === 'linux')(
    'is taken over at once when its owner is killed, whether or not its parent has noticed',
    async () => {
      const folder = temporaryFolder();
      for (let round = 0; round < 5; round += 1) {
        const child = await startHolder();
        expect(await ask(child, folder)).toBe('held');
        const { pid = 0 } = child;
        process.kill(pid, 'SIGKILL');
        // Without a turn of the event loop the dead child stays unreaped; only dying takes it a moment.
        while (isRunning(pid));
        await (await acquireStoreLock(folder)).release();
      }
      expect(lockFiles(folder)).toEqual(['lock.10']);
    },
  );

  test('of a dead owner goes to exactly one of eight who want it at the same time', async () => {
    const folder = temporaryFolder();
    const racers = await Promise.all(Array.from({ length: 8 }, startHolder));
    for (let round = 0; round < 30; round += 1) {
      // Every third lock is left by a killed owner, the others are released.
      const answers = await Promise.all(racers.map((racer) => ask(racer, folder)));
      expect(answers.filter((answer) => answer === 'held')).toHaveLength(1);
      expect(answers.filter((answer) => answer === 'STORE_LOCKED')).toHaveLength(7);
      const index = answers.indexOf('held');
      const winner = racers[index] ?? expect.fail();
      if (round % 3 === 0) {
        winner.kill('SIGKILL');
        await ended(winner);
        racers[index] = await startHolder();
      } else {
        expect(await ask(winner, 'release')).toBe('released');
      }
      expect(lockFiles(folder)).toEqual([`lock.${round + 1}`]);
    }
  });

  test('is not given twice while all of eight take and release it over and over', async () => {
    const folder = temporaryFolder();
    const racers = await Promise.all(
      Array.from({ length: 8 }, () => {
        const child = runChild(new URL('children/lock-racer.ts', import.meta.url), [folder]);
        children.push(child);
        return nextMessage(child);
      }),
    );
    const total = racers.map(Number).reduce((sum, won) => sum + won, 0);
    expect(total).toBe(8 * 25);
    expect(readFileSync(join(folder, 'holders'), 'utf8')).toBe('');
  });

  test('of a process that has ended is free, though its number lives on in another', async () => {
    const folder = temporaryFolder();
    const owner = { pid: process.pid, host: hostname(), state: 'held' };
    writeLock(folder, { ...owner, started: 'another-boot:1' });
    await (await acquireStoreLock(folder)).release();
    rmSync(join(folder, 'lock.8'));
    // Where the system does not tell when a process began, a living number counts.
    writeLock(folder, { ...owner, started: null });
    await expect(acquireStoreLock(folder)).rejects.toMatchObject({ code: 'STORE_LOCKED' });
    writeLock(folder, { ...owner, pid: 2 ** 22 + 1, started: null });
    await (await acquireStoreLock(folder)).release();
  });

  test('of another machine is not judged from here', async () => {
    const folder = temporaryFolder();
    writeLock(folder, { pid: 2 ** 22 + 1, host: 'elsewhere', started: null, state: 'held' });
    await expect(acquireStoreLock(folder)).rejects.toMatchObject({
      code: 'STORE_LOCKED',
      message: expect.stringContaining('elsewhere'),
      hint: expect.stringContaining(join(folder, 'lock.7')),
    });
    writeLock(folder, { pid: 1, host: 'elsewhere', started: null, state: 'released' });
    await (await acquireStoreLock(folder)).release();
    expect(lockFiles(folder)).toEqual(['lock.8']);
  });

  test('that cannot be read is not taken, and the file is named', async () => {
    const folder = temporaryFolder();
    for (const content of ['', '{"pid":', '{"pid":-1}']) {
      writeLock(folder, content);
      await expect(acquireStoreLock(folder)).rejects.toMatchObject({
        code: 'STORE_LOCKED',
        hint: expect.stringContaining('delete'),
      });
    }
  });

  test('leaves nothing but itself, and sweeps up after the killed', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'lock.3fa85f64-5717-4562-b3fc-2c963f66afa6.tmp'), '');
    writeFileSync(join(folder, 'lock.txt'), 'not ours');
    const lock = await acquireStoreLock(folder);
    expect(lockFiles(folder)).toEqual(['lock.1', 'lock.txt']);
    await lock.release();
    expect(lockFiles(folder)).toEqual(['lock.1', 'lock.txt']);
  });

  test('is released without complaint when the store was deleted meanwhile', async () => {
    const folder = join(temporaryFolder(), 'store');
    const lock = await acquireStoreLock(folder);
    rmSync(folder, { recursive: true });
    await lock.release();
    expect(() => readdirSync(folder)).toThrow('ENOENT');
  });
});

function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
