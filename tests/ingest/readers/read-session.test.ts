import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Line } from '../../../lib/ingest/readers/index.js';
import { detectReader, readSession, tally } from '../../../lib/ingest/readers/index.js';
import { splitLines } from '../../../lib/ingest/readers/split.js';
import { measureFrame, zstdFrames } from '../../../lib/ingest/readers/zstd-frames.js';
import { temporaryFolder } from '../../support/folder.js';
import { all, eventsOf, fates, problems } from './lines.js';

const SAMPLE = join(import.meta.dirname, '../../data/dsh-session-sample.jsonl');
const sample = readFileSync(SAMPLE);
const HAS_ZSTD = 'createZstdDecompress' in zlib;

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const out: T[] = [];
  for await (const item of items) out.push(item);
  return out;
}

/** A zstd frame of raw blocks, which needs no compressor. */
function rawFrame(content: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58)];
  for (let at = 0; at === 0 || at < content.length; at += 50_000) {
    const block = content.subarray(at, at + 50_000);
    const header = (block.length << 3) | (at + 50_000 >= content.length ? 1 : 0);
    parts.push(Uint8Array.of(header & 0xff, (header >> 8) & 0xff, header >> 16), block);
  }
  return Buffer.concat(parts);
}
const skippable = Uint8Array.of(0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9);

describe('lines', () => {
  const split = (bytes: Uint8Array, size = 3): Promise<Line[]> =>
    collect(splitLines(pieces(bytes, size), { first: 10, rest: 5 }));

  test('are cut at newlines alone, wherever the pieces end', async () => {
    const text = '一\r\ntwo\n\n\u2028x\nend';
    for (let size = 1; size < 12; size += 1) {
      expect(await split(Buffer.from(text), size)).toEqual(['一', 'two', '', '\u2028x', 'end']);
    }
  });

  test('above the limit, and those that are no text, take their place among the others', async () => {
    const bytes = Buffer.concat([
      Buffer.from('\ufeff0123456\n012345\nok\n'),
      Buffer.of(0xff, 0x0a),
      Buffer.from('ok'),
    ]);
    expect(await split(bytes)).toEqual([
      '0123456',
      { problem: 'is longer than 5 bytes' },
      'ok',
      { problem: 'is not UTF-8' },
      'ok',
    ]);
  });
});

describe('a log', () => {
  const write = (name: string, bytes: Uint8Array | string): string => {
    const path = join(temporaryFolder(), name);
    writeFileSync(path, bytes);
    return path;
  };

  test('is the same from a path, a URL, a stream and a gzip of several members', async () => {
    const expected = await all(readSession(SAMPLE));
    expect(await all(readSession(pathToFileURL(SAMPLE)))).toEqual(expected);
    expect(await all(readSession(pieces(sample, 7)))).toEqual(expected);
    const half = sample.indexOf(0x0a, 4_000) + 1;
    const members = [sample.subarray(0, half), sample.subarray(half)].map((part) =>
      zlib.gzipSync(part),
    );
    expect(await all(readSession(write('log.jsonl.gz', Buffer.concat(members))))).toEqual(expected);
  });

  test('whose gzip is cut off is read up to there, and says so', async () => {
    const packed = zlib.gzipSync(sample);
    const readings = await all(readSession(pieces(packed.subarray(0, packed.length - 200), 1_000)));
    expect(eventsOf(readings).length).toBeGreaterThan(0);
    expect(problems(readings)).toEqual([expect.stringContaining('damaged packed data')]);
  });

  test('of zstd frames is read where Node can, and refused with a code where not', async () => {
    const frames = sample
      .toString()
      .split(/(?<=\n)/u)
      .map((line) => rawFrame(Buffer.from(line)));
    const path = write('session.jsonl.zstd', Buffer.concat([...frames, skippable]));
    if (HAS_ZSTD) {
      expect(await all(readSession(path))).toEqual(await all(readSession(SAMPLE)));
      const torn = Buffer.concat([...frames, frames[4] ?? Buffer.of()]).subarray(0, -3);
      const readings = await all(readSession(write('torn.zst', torn)));
      expect(eventsOf(readings)).toHaveLength(5);
      expect(problems(readings)).toEqual(['stands in a zstd frame that is cut off']);
    } else {
      await expect(all(readSession(path))).rejects.toMatchObject({
        code: 'IMPORT_FAILED',
        hint: expect.stringContaining('22.15'),
      });
    }
  });

  test.each([
    ['dsh', '{"type":"session","version":0,"id":"s"}'],
    ['claude-code', '{"type":"summary","summary":"x","leafUuid":"u"}'],
    ['plain', '{"seq":0,"role":"user","text":"x"}'],
    ['openai', '{"role":"user","content":"x"}'],
    ['openai', '[{"content":"x","role":"user"}]'],
    ['openai', '{"messages":[]}'],
    ['swe-agent', '{"environment":"e","trajectory":[],"history":[]}'],
    ['dsh', '{"type":"turn/start","seq":1,"data":{"turn":1}}'],
  ])('of %s is recognised, also behind a bad line: %s', (format, line) => {
    expect(detectReader([line]).name).toBe(format);
    const isDocument = /^\[|"messages"|"history"/u.test(line);
    if (!isDocument) expect(detectReader(['', '{"bro', line]).name).toBe(format);
  });

  test('of no known format is refused, and so is one whose session nobody named', async () => {
    const refusal = { code: 'INVALID_INPUT', field: 'format' };
    await expect(all(readSession(write('x.txt', 'hello\n')))).rejects.toMatchObject(refusal);
    const messages = write('m.json', '[{"role":"user","content":"hi"}]');
    await expect(all(readSession(messages))).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      field: 'session',
    });
    expect(fates(await all(readSession(messages, { session: 's1' })))).toEqual(['user']);
    expect(await all(readSession(write('empty.jsonl', '')))).toEqual([]);
  });

  test('is looked for, and may be given up', async () => {
    await expect(all(readSession(join(temporaryFolder(), 'none')))).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(all(readSession(temporaryFolder()))).rejects.toMatchObject({
      code: 'IMPORT_FAILED',
    });
    const signal = AbortSignal.abort();
    await expect(all(readSession(SAMPLE, { signal }))).rejects.toMatchObject({ code: 'ABORTED' });
    const wrong = { maxLineBytes: 0 };
    expect(() => readSession(SAMPLE, wrong)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT' }),
    );
  });

  test('with a line above the limit is read around it', async () => {
    const long = JSON.stringify({ session: 's', seq: 0, role: 'user', text: 'x'.repeat(5_000) });
    const short = JSON.stringify({ session: 's', seq: 1, role: 'user', text: 'short' });
    const path = write('plain.jsonl', `${short}\n${long}\n${long}\n`);
    const counts = await tally(readSession(path, { maxLineBytes: 1_000, format: 'plain' }));
    expect(counts.events).toEqual({ user: 1 });
    expect(counts.bad.map((line) => line.line)).toEqual([2, 3]);
  });
});

describe('zstd frames', () => {
  test('are measured without unpacking them', async () => {
    const one = rawFrame(Buffer.alloc(120_000, 'a'));
    const two = rawFrame(Buffer.from('b'));
    const file = Buffer.concat([one, skippable, two, two.subarray(0, 5)]);
    const found = await collect(zstdFrames(pieces(file, 1_000), 1_000_000));
    expect(
      found.map((frame) => (frame instanceof Uint8Array ? frame.length : frame.problem)),
    ).toEqual([one.length, two.length, 'stands in a zstd frame that is cut off']);
  });

  test('have all kinds of headers', () => {
    // Single segment with a four-byte size, a checksum, and one run-length block.
    const frame = Uint8Array.of(
      0x28,
      0xb5,
      0x2f,
      0xfd,
      0xa4,
      5,
      0,
      0,
      0,
      0x2b,
      0,
      0,
      0x61,
      1,
      2,
      3,
      4,
    );
    expect(measureFrame(frame)).toEqual({ kind: 'frame', length: frame.length });
    for (let end = 0; end < frame.length; end += 1) {
      expect(measureFrame(frame.subarray(0, end)).kind).toBe('short');
    }
    expect(measureFrame(Uint8Array.of(1, 2, 3, 4, 5))).toEqual({ kind: 'damaged' });
  });

  test('that are damaged or too large end the reading with a mark', async () => {
    const good = rawFrame(Buffer.from('a'));
    const damaged = Buffer.concat([good, Buffer.from('garbage!')]);
    expect(await collect(zstdFrames(pieces(damaged, 4), 1_000))).toEqual([
      new Uint8Array(good),
      { problem: 'stands after damaged zstd data' },
    ]);
    const large = rawFrame(Buffer.alloc(5_000));
    expect(await collect(zstdFrames(pieces(large, 100), 1_000))).toEqual([
      { problem: expect.stringContaining('more than 1000 bytes') },
    ]);
  });
});
