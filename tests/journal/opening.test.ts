import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { openFileJournal } from '../../lib/journal/file-journal.js';
import { realFiles } from '../../lib/journal/files.js';
import type { Locator } from '../../lib/journal/port.js';
import { verifyJournal } from '../../lib/journal/verify.js';
import { temporaryFolder } from '../support/folder.js';
import { bodyOf, transactionsOf } from './bodies.js';

let folder: string;
beforeEach(() => {
  folder = join(temporaryFolder(), 'journal');
});

const segment = (number: number, generation = 1): string =>
  join(folder, `g${generation}`, `${String(number).padStart(6, '0')}.log`);

/** Writes calls of records and returns where each body lies. */
async function write(
  calls: readonly (readonly Buffer[])[],
  segmentBytes = 1e6,
): Promise<Locator[]> {
  const journal = await openFileJournal(folder, { segmentBytes });
  const locators: Locator[] = [];
  for (const bodies of calls) locators.push(...(await journal.append(bodies)));
  await journal.close();
  return locators;
}

async function reopen(): Promise<{ transactions: number[]; cut: number | null }> {
  const journal = await openFileJournal(folder);
  const transactions = await transactionsOf(journal);
  await journal.close();
  return { transactions, cut: journal.tornTail?.bytes ?? null };
}

function overwrite(path: string, offset: number, bytes: Buffer): void {
  const content = readFileSync(path);
  bytes.copy(content, offset);
  writeFileSync(path, content);
}

const flip = (path: string, offset: number): void =>
  overwrite(path, offset, Buffer.from([(readFileSync(path)[offset] ?? 0) ^ 1]));

test('a journal is readable by eye', async () => {
  await write([
    [Buffer.from('{"tx":1,"by":"ann"}\n{"claim":"c1"}\n')],
    [Buffer.from('{"tx":2}\n'), Buffer.from('{"tx":3}\n')],
  ]);
  expect(readFileSync(segment(1), 'utf8')).toMatchInlineSnapshot(`
    "palimpsest-journal 1
    #35 858e7f8d
    {"tx":1,"by":"ann"}
    {"claim":"c1"}
    #9 a9c6ece3 +
    {"tx":2}
    #9 a80486d4
    {"tx":3}
    "
  `);
});

describe('a torn tail', () => {
  test('is cut off wherever the write of the last record stopped', async () => {
    await write([[bodyOf(1)], [bodyOf(2)]]);
    const good = statSync(segment(1)).size;
    await write([[bodyOf(3, 40)]]);
    const whole = readFileSync(segment(1));
    for (let end = good + 1; end < whole.length; end += 1) {
      writeFileSync(segment(1), whole.subarray(0, end));
      expect(await reopen()).toEqual({ transactions: [1, 2], cut: end - good });
      expect(statSync(segment(1)).size).toBe(good);
    }
  });

  test('takes the other records of the same append along', async () => {
    await write([[bodyOf(1)]]);
    const good = statSync(segment(1)).size;
    await write([[bodyOf(2), bodyOf(3), bodyOf(4)]]);
    const whole = readFileSync(segment(1));
    for (let end = good + 1; end < whole.length; end += 1) {
      writeFileSync(segment(1), whole.subarray(0, end));
      expect(await reopen()).toEqual({ transactions: [1], cut: end - good });
    }
  });

  test('may be of zeros, which a file system leaves where pages were not written', async () => {
    await write([[bodyOf(1)]]);
    const good = statSync(segment(1)).size;
    await write([[bodyOf(2, 100)]]);
    const whole = readFileSync(segment(1));
    for (let end = good; end < whole.length; end += 1) {
      for (const zeros of [0, 5000]) {
        const bytes = Buffer.alloc(whole.length + zeros);
        whole.copy(bytes, 0, 0, end);
        writeFileSync(segment(1), bytes);
        // Zeros are not written, and alone they are what every journal leaves that was not closed.
        expect(await reopen()).toEqual({
          transactions: [1],
          cut: end === good ? null : end - good,
        });
      }
    }
  });

  test('may have gaps of whole sectors, which a disk leaves that writes them in its own order', async () => {
    await write([[bodyOf(1)]]);
    const good = statSync(segment(1)).size;
    await write([[bodyOf(2, 3000)]]);
    const whole = readFileSync(segment(1));
    for (let sector = 0; sector * 512 < whole.length; sector += 1) {
      const bytes = Buffer.concat([whole, Buffer.alloc(5000)]);
      bytes.fill(0, Math.max(good, sector * 512), Math.min(whole.length, (sector + 1) * 512));
      writeFileSync(segment(1), bytes);
      expect((await reopen()).transactions).toEqual([1]);
    }
  });

  test('has no gap of less than a sector, and none with a good record behind it: those are damage', async () => {
    await write([[bodyOf(1)]]);
    const good = statSync(segment(1)).size;
    await write([[bodyOf(2, 3000)]]);
    const whole = readFileSync(segment(1));
    await write([[bodyOf(3, 40)]]);
    const followed = readFileSync(segment(1));
    for (const bytes of [Buffer.from(followed), Buffer.from(whole)]) {
      bytes.fill(0, 1024, bytes.length === whole.length ? 1535 : 1536);
      writeFileSync(segment(1), bytes);
      await expect(reopen()).rejects.toMatchObject({ code: 'JOURNAL_DAMAGED' });
      expect(readFileSync(segment(1)).length).toBe(bytes.length);
    }
    expect(good).toBeLessThan(1024);
  });

  test('may be the header of a new segment', async () => {
    await write([[bodyOf(1)], [bodyOf(2)]], 10);
    const header = Buffer.from('palimpsest-journal 1\n');
    for (let end = 0; end < header.length; end += 1) {
      writeFileSync(segment(3), header.subarray(0, end));
      expect(await reopen()).toEqual({ transactions: [1, 2], cut: end });
      expect(readFileSync(segment(3))).toEqual(header);
    }
    await write([[bodyOf(3)]]);
    expect(await reopen()).toEqual({ transactions: [1, 2, 3], cut: null });
  });

  test('is written over by the next append', async () => {
    await write([[bodyOf(1)]]);
    appendFileSync(segment(1), '#500 0123abcd\n{"tx":2}\n');
    await write([[bodyOf(2)]]);
    expect(await reopen()).toEqual({ transactions: [1, 2], cut: null });
  });
});

describe('damage', () => {
  test('of any byte of any record, a torn end apart, is an error that names the place', async () => {
    const locators = await write([[bodyOf(1)], [bodyOf(2, 50)], [bodyOf(3)]]);
    const whole = readFileSync(segment(1));
    const starts = [21, ...locators.map((at) => at.offset + at.length)];
    for (let offset = 21; offset < whole.length; offset += 1) {
      writeFileSync(segment(1), whole);
      flip(segment(1), offset);
      const index = starts.findLastIndex((start) => start <= offset);
      const before = index === 0 ? 'Nothing before it' : `Transactions up to ${index} can`;
      const place = `segment 1 at byte ${starts[index]} (${segment(1)})`;
      // A changed length that reaches past the end of the very last record is no different from a tear.
      const isLength = index === 2 && offset < (locators[2]?.offset ?? 0) - 10;
      if (isLength && (await verifyJournal(folder)).tornTail !== null) continue;
      await expect(reopen()).rejects.toMatchObject({
        code: 'JOURNAL_DAMAGED',
        message: expect.stringContaining(place),
        hint: expect.stringContaining('palimpsest doctor'),
      });
      await expect(reopen()).rejects.toThrow(before);
      expect(statSync(segment(1)).size).toBe(whole.length);
    }
  });

  test('of a length does not pass for a torn tail when records follow', async () => {
    const [first] = await write([[bodyOf(1, 30)], [bodyOf(2, 600_000)], [bodyOf(3)]]);
    const line = `#${first?.length}`;
    expect(readFileSync(segment(1), 'utf8').slice(21, 21 + line.length)).toBe(line);
    overwrite(segment(1), 21, Buffer.from('#99'));
    const content = readFileSync(segment(1), 'utf8').replace(/^#99\S*/m, '#99999999');
    writeFileSync(segment(1), content);
    await expect(reopen()).rejects.toMatchObject({ code: 'JOURNAL_DAMAGED' });
  });

  test('of an earlier segment is none that may be cut', async () => {
    await write([[bodyOf(1)], [bodyOf(2)], [bodyOf(3)]], 10);
    truncateSync(segment(2), statSync(segment(2)).size - 3);
    await expect(reopen()).rejects.toThrow(/segment 2 at byte 21 .*Transactions up to 1 can/);
    await write([[bodyOf(1)]]).catch(() => undefined);
    rmSync(segment(2));
    await expect(reopen()).rejects.toThrow(
      /segment 2 at byte 0 .*missing\. Transactions up to 1 can/,
    );
  });

  test('of a header is an error, and a newer version another', async () => {
    await write([[bodyOf(1)]]);
    const whole = readFileSync(segment(1), 'utf8');
    writeFileSync(segment(1), whole.replace('palimpsest-journal', 'palimpsest_journal'));
    await expect(reopen()).rejects.toThrow(/segment 1 at byte 0/);
    writeFileSync(segment(1), whole.replace('journal 1', 'journal 2'));
    await expect(reopen()).rejects.toMatchObject({ code: 'JOURNAL_TOO_NEW' });
    await expect(verifyJournal(folder)).rejects.toMatchObject({ code: 'JOURNAL_TOO_NEW' });
    writeFileSync(segment(1), '');
    await expect(reopen()).rejects.toThrow(/segment 1 at byte 0/);
  });

  test('that comes while the journal is open is found by whoever walks past', async () => {
    const journal = await openFileJournal(folder);
    await journal.append([bodyOf(1)]);
    const [second] = await journal.append([bodyOf(2)]);
    flip(segment(1), (second?.offset ?? 0) + 3);
    await expect(transactionsOf(journal)).rejects.toMatchObject({ code: 'JOURNAL_DAMAGED' });
    await journal.close();
  });
});

describe('a checkpoint', () => {
  test('spares the reading of what lies before it', async () => {
    const locators = await write(
      Array.from({ length: 50 }, (_, index) => [bodyOf(index + 1, 10_000)]),
      100_000,
    );
    let bytesRead = 0;
    const files = {
      ...realFiles,
      read: (fd: number, into: Buffer, position: number): number => {
        bytesRead += into.length;
        return realFiles.read(fd, into, position);
      },
    };
    const verifiedUpTo = { generation: 1, at: locators[48] ?? expect.fail() };
    // What lies before is not looked at, be it as it may.
    flip(segment(1), 500);
    const journal = await openFileJournal(folder, { verifiedUpTo, files });
    expect(journal.verifiedFrom).toEqual(verifiedUpTo);
    expect(bytesRead).toBeLessThan(30_000);
    await journal.close();
    flip(segment(5), verifiedUpTo.at.offset + verifiedUpTo.at.length + 40);
    await expect(openFileJournal(folder, { verifiedUpTo })).rejects.toThrow(/up to 49 can/);
  });

  test('that is none of this journal is not trusted: all is read, and the caller is told', async () => {
    const [first, second] = await write([[bodyOf(1)], [bodyOf(2)]]);
    const at = second ?? expect.fail();
    for (const verifiedUpTo of [
      { generation: 2, at },
      { generation: 1, at: { ...at, segment: 2 } },
      { generation: 1, at: { ...at, length: 9999 } },
      { generation: 1, at: { ...at, length: at.length - 1 } },
      { generation: 1, at: { ...at, offset: at.offset - 1, length: at.length + 1 } },
      { generation: 1, at: { segment: 1, offset: 0, length: 21 } },
    ]) {
      const journal = await openFileJournal(folder, { verifiedUpTo });
      expect(journal.verifiedFrom).toBeNull();
      await journal.close();
    }
    flip(segment(1), (first?.offset ?? 0) + 2);
    const verifiedUpTo = { generation: 2, at };
    await expect(openFileJournal(folder, { verifiedUpTo })).rejects.toThrow(/at byte 21/);
  });
});

describe('an interrupted rewrite', () => {
  test('is discarded before its swap and completed after it', async () => {
    await write([[bodyOf(1)], [bodyOf(2)]], 10);
    cpSync(join(folder, 'g1'), join(folder, 'g2.tmp'), { recursive: true });
    rmSync(segment(2, 2).replace('g2', 'g2.tmp'));
    expect(await reopen()).toEqual({ transactions: [1, 2], cut: null });
    expect(readdirSync(folder)).toEqual(['g1']);

    cpSync(join(folder, 'g1'), join(folder, 'g2'), { recursive: true });
    rmSync(segment(2, 2));
    expect(await reopen()).toEqual({ transactions: [1], cut: null });
    expect(readdirSync(folder)).toEqual(['g2']);
  });

  test('a rewrite leaves nothing of the old text on the disk', async () => {
    const journal = await openFileJournal(folder, { segmentBytes: 300 });
    for (let tx = 1; tx <= 9; tx += 1)
      await journal.append([Buffer.from(`{"tx":${tx},"t":"secret-${tx}"}\n`)]);
    await journal.rewrite([Buffer.from('{"tx":1}\n')]);
    const names = readdirSync(folder, { recursive: true, withFileTypes: true });
    const texts = names
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
    expect(texts).toEqual([
      expect.stringMatching(/^palimpsest-journal 1\n#9 [0-9a-f]{8}\n\{"tx":1\}\n$/),
    ]);
    await journal.close();
  });

  test('a first journal that was not finished is begun again', async () => {
    mkdirSync(join(folder, 'g1.tmp'), { recursive: true });
    writeFileSync(join(folder, 'g1.tmp', '000001.log'), 'palimp');
    expect(await reopen()).toEqual({ transactions: [], cut: null });
    expect(readdirSync(folder)).toEqual(['g1']);
  });
});

describe('verifying', () => {
  test('tells what is there and changes nothing', async () => {
    const locators = await write([[bodyOf(1)], [bodyOf(2), bodyOf(3)], [bodyOf(4)]], 200);
    const sound = await verifyJournal(folder);
    expect(sound).toMatchObject({
      generation: 1,
      records: 4,
      lastTx: 4,
      damage: null,
      tornTail: null,
    });
    expect(sound.bytes).toBe(
      readdirSync(join(folder, 'g1')).reduce(
        (sum, name) => sum + statSync(join(folder, 'g1', name)).size,
        0,
      ),
    );
    const last = segment(sound.segments);
    appendFileSync(last, '#20 0');
    expect(await verifyJournal(folder)).toMatchObject({
      records: 4,
      tornTail: { bytes: 5 },
      damage: null,
    });
    expect(statSync(last).size).toBe(
      sound.bytes + 5 - (sound.segments > 1 ? statSync(segment(1)).size : 0),
    );
    const third = locators[2] ?? expect.fail();
    flip(segment(third.segment), third.offset + 12);
    expect(await verifyJournal(folder)).toMatchObject({
      records: 1,
      lastTx: 1,
      tornTail: null,
      damage: { segment: third.segment, file: segment(third.segment), readableUpToTx: 2 },
    });
  });

  test('needs a journal, and can be aborted', async () => {
    await expect(verifyJournal(folder)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(existsSync(folder)).toBe(false);
    await write([[bodyOf(1)]]);
    const signal = AbortSignal.abort();
    await expect(verifyJournal(folder, { signal })).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

test('a folder that may not be written is said to be so', async () => {
  await write([[bodyOf(1)]]);
  const files = {
    ...realFiles,
    open: (path: string, flags: 'r' | 'r+' | 'w+'): number => {
      if (flags === 'r') return realFiles.open(path, flags);
      throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
    },
  };
  await expect(openFileJournal(folder, { files })).rejects.toMatchObject({
    code: 'STORE_READ_ONLY',
  });
  expect((await verifyJournal(folder, { files })).records).toBe(1);
});

test('a segment size of nothing is refused', async () => {
  await expect(openFileJournal(folder, { segmentBytes: 0 })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    field: 'segmentBytes',
  });
});

test('a journal may be moved with its folder', async () => {
  await write([[bodyOf(1)]]);
  renameSync(folder, `${folder}2`);
  folder = `${folder}2`;
  expect((await reopen()).transactions).toEqual([1]);
});
