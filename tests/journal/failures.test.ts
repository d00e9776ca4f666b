import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFileJournal } from '../../lib/journal/file-journal.js';
import { realFiles } from '../../lib/journal/files.js';
import type { FileJournal } from '../../lib/journal/port.js';
import { PalimpsestError } from '../../lib/model/errors.js';
import { temporaryFolder } from '../support/folder.js';
import { bodyOf, textsOf } from './bodies.js';
import type { Failing } from './failing-files.js';
import { failing, stuttering } from './failing-files.js';
import type { Crash } from './volatile-files.js';
import { VolatileDisk } from './volatile-files.js';

/** Segments so short that a life has many, and so long that its records lie behind one another. */
const segmentBytes = 500;
const longSegmentBytes = 20_000;
const body = (tx: number): Buffer => bodyOf(tx, 60 + ((tx * 37) % 200));

type Step =
  | { readonly verb: 'append'; readonly bodies: readonly Buffer[] }
  | { readonly verb: 'rewrite'; readonly drop: RegExp };

/** A life with single and batched appends, new segments, and two erasures. */
const life: readonly Step[] = [
  { verb: 'append', bodies: [body(1)] },
  { verb: 'append', bodies: [body(2), body(3), body(4)] },
  { verb: 'append', bodies: [body(5)] },
  { verb: 'append', bodies: [body(6), body(7)] },
  { verb: 'rewrite', drop: /^\{"tx":[36]\}/ },
  { verb: 'append', bodies: [body(8)] },
  { verb: 'append', bodies: [body(9), body(10), body(11)] },
  { verb: 'rewrite', drop: /^\{"tx":(?:1|8)\}/ },
  { verb: 'append', bodies: [body(12)] },
];

const after = (texts: readonly string[], step: Step): string[] =>
  step.verb === 'append'
    ? [...texts, ...step.bodies.map(String)]
    : texts.filter((text) => !step.drop.test(text));

async function take(journal: FileJournal, step: Step): Promise<void> {
  if (step.verb === 'append') {
    await journal.append(step.bodies);
    return;
  }
  async function* kept(drop: RegExp): AsyncGenerator<Buffer> {
    for await (const record of journal.records())
      if (!drop.test(String(record.body))) yield record.body;
  }
  await journal.rewrite(kept(step.drop));
}

/** Short records and long ones, each an append, over what was written ahead; and several at once in between. */
const busyLife: readonly Step[] = [
  ...[1, 2, 3, 4, 5, 6].map((tx): Step => ({ verb: 'append', bodies: [body(tx)] })),
  { verb: 'append', bodies: [bodyOf(7, 3_000)] },
  { verb: 'append', bodies: [body(8), bodyOf(9, 2_000), body(10)] },
  ...[11, 12, 13].map((tx): Step => ({ verb: 'append', bodies: [bodyOf(tx, 600 + tx * 100)] })),
  { verb: 'append', bodies: [bodyOf(14, 9_000)] },
  { verb: 'rewrite', drop: /^\{"tx":(?:4|7)\}/ },
  ...[15, 16, 17].map((tx): Step => ({ verb: 'append', bodies: [bodyOf(tx, 700)] })),
];

interface Course {
  readonly life: readonly Step[];
  readonly segmentBytes: number;
  readonly calls: number;
}

async function course(steps: readonly Step[], bytes: number): Promise<Course> {
  const files = failing(new VolatileDisk().files, { at: Infinity, errno: 'EIO' });
  const journal = await openFileJournal('/store/journal', { segmentBytes: bytes, files });
  for (const step of steps) await take(journal, step);
  await journal.close();
  return { life: steps, segmentBytes: bytes, calls: files.count() };
}

const short = await course(life, segmentBytes);
const busy = await course(busyLife, longSegmentBytes);

describe('when one file call fails', () => {
  /**
   * Lives a life in which one call fails: what was acknowledged is there, no half of anything is, a retry
   * works at once or, where the error says that the journal is broken, after opening it again.
   */
  async function liveWith(
    files: Failing,
    code: string,
    { life, segmentBytes }: Course = short,
  ): Promise<void> {
    const folder = join(temporaryFolder(), 'journal');
    const reopen = async (): Promise<FileJournal> => {
      try {
        return await openFileJournal(folder, { segmentBytes, files });
      } catch (error) {
        expect(PalimpsestError.isInstance(error) && error.code).toBe(code);
        return openFileJournal(folder, { segmentBytes, files });
      }
    };
    let journal = await reopen();
    const look = (): Promise<string[]> => files.quietly(() => textsOf(journal));
    let texts: string[] = [];
    for (const step of life) {
      const next = after(texts, step);
      try {
        await take(journal, step);
      } catch (error) {
        if (!PalimpsestError.isInstance(error)) throw error;
        const isBroken = /broken/.test(error.message);
        expect(error.code).toBe(
          isBroken || /old files/.test(error.message) ? 'STORE_FAILED' : code,
        );
        if (isBroken) {
          await journal.close();
          journal = await reopen();
        }
        const found = await look();
        expect(step.verb === 'append' ? [texts] : [texts, next]).toContainEqual(found);
        if (found.length !== next.length) await take(journal, step);
      }
      texts = next;
      expect(await look()).toEqual(texts);
    }
    await journal.close().catch((error: unknown) => {
      expect(PalimpsestError.isInstance(error) && error.code).toBe(code);
    });
    const again = await openFileJournal(folder, { segmentBytes });
    expect(await textsOf(again)).toEqual(texts);
    expect(again.tornTail).toBeNull();
    expect(realFiles.list(folder)).toHaveLength(1);
    await again.close();
  }

  test.each([
    { errno: 'EIO', code: 'STORE_FAILED', share: 0 },
    { errno: 'ENOSPC', code: 'STORE_FULL', share: 0.5 },
    { errno: 'EROFS', code: 'STORE_READ_ONLY', share: 1 },
  ])(
    '$errno, $share of a write done: nothing is lost or halved, and a retry repairs',
    async (failure) => {
      for (const which of [short, busy]) {
        for (let at = 1; at <= which.calls; at += 1) {
          await liveWith(failing(realFiles, { at, ...failure }), failure.code, which);
        }
      }
    },
  );

  test('a shorter append may follow a long one that failed', async () => {
    const folder = join(temporaryFolder(), 'journal');
    const journal = await openFileJournal(folder, {
      files: {
        ...realFiles,
        write: (fd, bytes, position) => {
          if (bytes.length < 10_000) return realFiles.write(fd, bytes, position);
          realFiles.write(fd, bytes.subarray(0, 9_000), position);
          throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
        },
      },
    });
    await expect(journal.append([bodyOf(1, 10_000)])).rejects.toMatchObject({ code: 'STORE_FULL' });
    await journal.append([bodyOf(2)]);
    await journal.close();
    const again = await openFileJournal(folder);
    expect(again.tornTail).toBeNull();
    expect(await textsOf(again)).toEqual([String(bodyOf(2))]);
    await again.close();
  });

  test('a rewrite is not mixed with the remains of one that failed', async () => {
    const folder = join(temporaryFolder(), 'journal');
    let isStuck = false;
    const journal = await openFileJournal(folder, {
      segmentBytes,
      files: {
        ...realFiles,
        remove: (path) => {
          if (isStuck) throw Object.assign(new Error('EBUSY'), { code: 'EBUSY' });
          realFiles.remove(path);
        },
      },
    });
    function* failingLate(): Generator<Buffer> {
      for (let tx = 1; tx <= 20; tx += 1) yield body(tx);
      isStuck = true;
      throw new Error('too late');
    }
    await expect(journal.rewrite(failingLate())).rejects.toThrow('too late');
    isStuck = false;
    await journal.rewrite([body(7)]);
    expect(await textsOf(journal)).toEqual([String(body(7))]);
    await journal.close();
  });

  test('short writes and reads are gone on with', async () => {
    await liveWith(failing(stuttering(realFiles, 7), { at: Infinity, errno: 'none' }), 'none');
  });
});

describe('when taking a failed write back fails as well', () => {
  test('the journal is broken, says why, and opening it again cuts the half away', async () => {
    const folder = join(temporaryFolder(), 'journal');
    const first = await openFileJournal(folder);
    const [at] = await first.append([body(1)]);
    await first.close();

    const probe = failing(realFiles, { at: Infinity, errno: 'EIO' });
    const probed = await openFileJournal(folder, { files: probe });
    const opening = probe.count();
    await probed.close();

    const files = failing(realFiles, { at: opening + 1, errno: 'ENOSPC', times: 2, share: 0.5 });
    const journal = await openFileJournal(folder, { files });
    await expect(journal.append([body(2)])).rejects.toMatchObject({ code: 'STORE_FAILED' });
    const broken = { code: 'STORE_FAILED', message: expect.stringMatching(/broken/) };
    await expect(journal.append([body(3)])).rejects.toMatchObject({
      ...broken,
      cause: { errors: [{ code: 'ENOSPC' }, { code: 'ENOSPC' }] },
    });
    await expect(journal.rewrite([])).rejects.toMatchObject(broken);
    await expect(textsOf(journal)).rejects.toMatchObject(broken);
    expect(() => journal.read(at ?? expect.fail())).toThrow(expect.objectContaining(broken));
    await journal.close();

    const again = await openFileJournal(folder);
    expect(again.tornTail?.bytes).toBeGreaterThan(0);
    expect(await textsOf(again)).toEqual([String(body(1))]);
    await again.close();
  });
});

describe('when the process or the power fails', () => {
  /** A small generator with a seed, so that a failing run can be repeated. */
  const randomFrom = (seed: number) => {
    let state = seed;
    return (): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state / 2 ** 32;
    };
  };

  /** What a reopened journal has shown must stay, whenever the next crash comes. */
  async function liveUntil(
    at: number,
    share: number,
    crash: Crash,
    thenCrash: 'before an append' | 'after an append',
    { life, segmentBytes }: Course = short,
  ): Promise<void> {
    const disk = new VolatileDisk();
    disk.files.makeFolder('/store');
    disk.files.flushFolder('/');
    const dying = failing(disk.files, { at, errno: 'EIO', times: Infinity, share });
    let texts: string[] = [];
    let next: string[] = [];
    try {
      const journal = await openFileJournal('/store/journal', { segmentBytes, files: dying });
      for (const step of life) {
        next = after(texts, step);
        await take(journal, step);
        texts = next;
      }
    } catch (error) {
      expect(PalimpsestError.isInstance(error)).toBe(true);
    }
    disk.crash(crash);
    const reopen = (): Promise<FileJournal> =>
      openFileJournal('/store/journal', { segmentBytes, files: disk.files });
    const found = await textsOf(await reopen());
    expect([texts, next]).toContainEqual(found);
    if (thenCrash === 'before an append') {
      disk.crash({ kind: 'all lost' });
      expect(await textsOf(await reopen())).toEqual(found);
    }
    await (await reopen()).append([body(99)]);
    disk.crash({ kind: 'all lost' });
    expect(await textsOf(await reopen())).toEqual([...found, String(body(99))]);
    expect(disk.files.list('/store/journal')).toHaveLength(1);
  }

  test.each([{ kind: 'all lost' }, { kind: 'all kept' }, { kind: 'only the process' }] as const)(
    'at any call ($kind): acknowledged records are there, the others whole or not at all',
    async (crash) => {
      for (const which of [short, busy]) {
        for (let at = 1; at <= which.calls + 1; at += 1) {
          for (const share of [0, 0.3, 0.7, 1]) {
            await liveUntil(at, share, crash, 'before an append', which);
            await liveUntil(at, share, crash, 'after an append', which);
          }
        }
      }
    },
  );

  test('at any call, what was not flushed partly there: the same', async () => {
    for (const [name, which] of Object.entries({ short, busy })) {
      for (let seed = 1; seed <= Number(process.env['SEEDS'] ?? 10); seed += 1) {
        for (let at = 1; at <= which.calls + 1; at += 1) {
          const random = randomFrom(seed * 100_003 + at);
          try {
            const next = random() < 0.5 ? 'before an append' : 'after an append';
            await liveUntil(at, random(), { kind: 'mixed', random }, next, which);
          } catch (error) {
            throw new Error(`Life ${name}, seed ${seed}, call ${at}.`, { cause: error });
          }
        }
      }
    }
  });
});
