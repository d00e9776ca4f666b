import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openMemory, type Fact } from '../../lib/index.js';
import { Handle } from '../../lib/api/handle.js';
import { Ingestion } from '../../lib/api/ingestion.js';
import { Recall } from '../../lib/api/recall.js';
import { realFiles } from '../../lib/journal/files.js';
import { defaultPolicy } from '../../lib/memory/policy.js';
import type { Space } from '../../lib/memory/space.js';
import { PalimpsestError } from '../../lib/model/errors.js';
import { Store } from '../../lib/store/store.js';
import { failing, type Failing } from '../journal/failing-files.js';
import { temporaryFolder } from '../support/folder.js';

/** A store whose journal goes through `files`, with a handle on it. */
async function openOn(path: string, files: Failing): Promise<Opened> {
  let now = Date.parse('2026-01-01T00:00:00Z');
  const store = await Store.open({
    path,
    clock: () => (now += 1000),
    graph: 'none',
    resident: true,
    files,
    segmentBytes: 2_000,
  });
  const space: Space = { store, policy: defaultPolicy, code: new Map(), strict: false };
  const ingestion = new Ingestion(space, {});
  return {
    shop: new Handle(space, { org: 'acme' }, ingestion, new Recall(space, ingestion)),
    close: () => store.close(),
  };
}

interface Opened {
  readonly shop: Handle;
  readonly close: () => Promise<void>;
}

const told = (n: number) => ({
  subject: 'shop',
  predicate: 'uses',
  object: `thing ${n}`,
  validFrom: '2024-01-01',
  observedAt: '2024-01-01',
  statement: `The shop uses thing ${n}. ${'·'.repeat(200)}`,
  evidence: [{ session: `s${n % 3}`, seq: n, role: 'user' as const }],
});

interface Step {
  readonly run: (shop: Handle) => Promise<unknown>;
  /** What the shop uses when it has worked. */
  readonly after: (things: readonly string[]) => readonly string[];
}

const plus = (...numbers: number[]) => ({
  run: (shop: Handle) =>
    shop.transact((t) => {
      for (const n of numbers) t.assert(told(n));
    }),
  after: (things: readonly string[]) => [...things, ...numbers.map((n) => `thing ${n}`)].sort(),
});

const minus = (session: number) => ({
  run: (shop: Handle) => shop.forget({ session: `s${session}` }, { mode: 'erase' }),
  after: (things: readonly string[]) => things.filter((t) => Number(t.slice(6)) % 3 !== session),
});

/** A life with single and joint writes, new segments, an ending of the process, and two erasures. */
const life: readonly Step[] = [
  plus(1),
  plus(2, 3, 4),
  plus(5),
  minus(2),
  plus(6, 7),
  plus(9),
  minus(1),
  plus(12),
];
const REOPENED_BEFORE = 4;

const textOf = ({ object }: Fact): string => (typeof object === 'string' ? object : '');

async function things(shop: Handle): Promise<readonly string[]> {
  const facts = await shop.facts({ predicate: 'uses', validAt: '2025-01-01' });
  // The claims behind them are read from the journal itself.
  for (const fact of facts) {
    const [claim] = (await shop.why(fact)).claims;
    expect(claim?.statement).toContain(textOf(fact));
  }
  return facts.map(textOf).sort();
}

async function countCalls(): Promise<number> {
  const files = failing(realFiles, { at: Infinity, errno: 'EIO' });
  const folder = temporaryFolder();
  let memory = await openOn(folder, files);
  for (const [i, step] of life.entries()) {
    if (i === REOPENED_BEFORE) {
      await memory.close();
      memory = await openOn(folder, files);
    }
    await step.run(memory.shop);
  }
  await memory.close();
  return files.count();
}

describe('when one file call of the journal fails', () => {
  /**
   * Lives through it: what was acknowledged is there, nothing is there by half, and a retry works. In
   * memory where the system has such a folder: thousands of flushes are not what is tried here.
   */
  async function liveWith(files: Failing, code: string): Promise<void> {
    const home = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'palimpsest-'));
    try {
      await liveIn(join(home, 'store'), files, code);
    } finally {
      rmSync(home, { recursive: true });
    }
  }

  async function liveIn(folder: string, files: Failing, code: string): Promise<void> {
    const open = async (): Promise<Opened> => {
      try {
        return await openOn(folder, files);
      } catch (error) {
        expect(PalimpsestError.isInstance(error) && error.code).toBe(code);
        // The lock was given back, or this would say so.
        return openOn(folder, files);
      }
    };
    const close = async (memory: Opened): Promise<void> => {
      await memory.close().catch((error: unknown) => {
        expect(PalimpsestError.isInstance(error) && error.code).toBe(code);
        return memory.close();
      });
    };
    let memory = await open();
    let now: readonly string[] = [];
    for (const [i, step] of life.entries()) {
      if (i === REOPENED_BEFORE) {
        await close(memory);
        memory = await open();
      }
      const next = step.after(now);
      try {
        await step.run(memory.shop);
      } catch (error) {
        if (!PalimpsestError.isInstance(error)) throw error;
        const isBroken = /broken/.test(error.message);
        const isLeft = /old files/.test(error.message);
        expect(error.code).toBe(isBroken || isLeft ? 'STORE_FAILED' : code);
        if (isBroken) {
          await close(memory);
          memory = await open();
        }
        const found = await files.quietly(() => things(memory.shop));
        expect([now, next]).toContainEqual(found);
        if (found.join() !== next.join()) await step.run(memory.shop);
      }
      now = next;
      expect(await files.quietly(() => things(memory.shop))).toEqual(now);
    }
    await close(memory);
    const again = await openMemory({ path: folder, graph: 'none' });
    expect(await things(again.in({ org: 'acme' }))).toEqual(now);
    expect(await again.stats()).toMatchObject({ tornBytes: 0 });
    await again.close();
    expect(readdirSync(join(folder, 'journal'))).toHaveLength(1);
  }

  const failures = [
    { errno: 'EIO', code: 'STORE_FAILED', share: 0 },
    { errno: 'ENOSPC', code: 'STORE_FULL', share: 0.5 },
    { errno: 'EROFS', code: 'STORE_READ_ONLY', share: 1 },
  ] as const;

  test('at any call: nothing is lost or halved, and a retry repairs', async () => {
    const calls = await countCalls();
    expect(calls).toBeGreaterThan(60);
    for (let at = 1; at <= calls; at++) {
      const failure = failures[at % failures.length] ?? failures[0];
      try {
        await liveWith(failing(realFiles, { at, ...failure }), failure.code);
      } catch (error) {
        throw new Error(`${failure.errno} at call ${at}.`, { cause: error });
      }
    }
  });

  test('a disk that stays full refuses each write with its code, reads go on, and room is enough to go on', async () => {
    const folder = temporaryFolder();
    let isFull = false;
    const files = failing(
      {
        ...realFiles,
        write: (fd, bytes, position) => {
          if (!isFull) return realFiles.write(fd, bytes, position);
          throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
        },
      },
      { at: Infinity, errno: 'none' },
    );
    const memory = await openOn(folder, files);
    const { shop } = memory;
    await shop.assert(told(1));
    isFull = true;
    for (const n of [2, 3]) {
      await expect(shop.assert(told(n))).rejects.toMatchObject({ code: 'STORE_FULL' });
    }
    await expect(shop.forget({ session: 's1' }, { mode: 'erase' })).rejects.toMatchObject({
      code: 'STORE_FULL',
    });
    expect(await things(memory.shop)).toEqual(['thing 1']);
    isFull = false;
    await shop.assert(told(3));
    expect(await things(memory.shop)).toEqual(['thing 1', 'thing 3']);
    await memory.close();
  });
});

describe('when the index cannot be saved', () => {
  test('work goes on, the statistics say so, and the next opening reads the journal', async () => {
    const path = temporaryFolder();
    // A file in the place of the folder stands in every user's way, which a mode does not.
    const first = await openMemory({ path, graph: 'none' });
    writeFileSync(join(path, 'index'), 'in the way');
    await first.in({ org: 'acme' }).assert(told(1));
    await first.rebuild();
    expect((await first.stats()).checkpointFailure).toMatch(/EEXIST|ENOTDIR/);
    await first.in({ org: 'acme' }).assert(told(2));
    await first.close();
    const second = await openMemory({ path, graph: 'none' });
    expect(await things(second.in({ org: 'acme' }))).toEqual(['thing 1', 'thing 2']);
    rmSync(join(path, 'index'));
    await second.rebuild();
    expect((await second.stats()).checkpointFailure).toBeNull();
    await second.close();
    expect(readdirSync(join(path, 'index'))).toEqual(['belief.idx']);
  });

  test('half a file is not left behind', async () => {
    const path = temporaryFolder();
    const memory = await openMemory({ path, graph: 'none' });
    await memory.in({ org: 'acme' }).assert(told(1));
    // The swap fails: a folder cannot be replaced by a file.
    mkdirSync(join(path, 'index', 'belief.idx', 'x'), { recursive: true });
    await memory.close();
    expect(readdirSync(join(path, 'index'))).toEqual(['belief.idx']);
    const again = await openMemory({ path, graph: 'none' });
    expect(await things(again.in({ org: 'acme' }))).toEqual(['thing 1']);
    await again.close();
  });
});
