import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSession, recordedExtractor, type SessionEvent } from '../../lib/index.js';
import { opened, refused, SHOP } from '../memory/opened.js';
import { filesOf } from '../support/bytes.js';
import { temporaryFolder } from '../support/folder.js';
import { candidate, said, scripted } from './scripted.js';

const SAMPLE = join(import.meta.dirname, '../data/dsh-session-sample.jsonl');

async function eventsOf(path: string): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  for await (const reading of readSession(path)) {
    if (reading.kind === 'event') events.push(reading.event);
  }
  return events;
}

describe('what a reader reads', () => {
  test('is taken in as it is', async () => {
    const events = await eventsOf(SAMPLE);
    expect(events.length).toBeGreaterThan(0);
    const memory = await opened();
    const job = await memory.in(SHOP).ingest(events);
    expect(job.seqs).toEqual(events.map((e) => e.seq));
    expect(await memory.jobs()).toMatchObject([{ scope: SHOP, session: events[0]?.session }]);
  });

  test('reaches the extractor with its time, its role and its turn', async () => {
    const events = await eventsOf(SAMPLE);
    const extractor = scripted(...Array.from({ length: 50 }, () => []));
    const memory = await opened({ ingest: { extractor } });
    await (
      await memory.in(SHOP).ingest(events)
    ).done;
    const bare = events.map(({ meta: _meta, ...event }) => event);
    expect(extractor.requests.flatMap((request) => request.events)).toEqual(bare);
  });
});

describe('an event', () => {
  test('has null for what a log does not say', async () => {
    const memory = await opened();
    const event = { ...said(0, 'Hello there.'), at: null, speaker: null, turn: null, meta: {} };
    expect((await memory.in(SHOP).ingest([event])).seqs).toEqual([0]);
  });

  test('may be as long as what a tool prints, and is shown to the extractor in part', async () => {
    const extractor = scripted([]);
    const memory = await opened({ ingest: { extractor } });
    const long = 'The shop uses Postgres. '.repeat(50_000);
    const job = await memory.in(SHOP).ingest([{ ...said(0, long), role: 'tool' }]);
    expect((await job.done).state).toBe('done');
    expect(await refused(() => memory.in(SHOP).ingest([said(1, 'x'.repeat(9_000_000))]))).toBe(
      'TOO_LARGE events[0].text',
    );
  });

  test('is refused with the name of the field that is wrong', async () => {
    const shop = (await opened()).in(SHOP);
    const wrong = (change: object) =>
      refused(() => shop.ingest([{ ...said(0, 'Hello.'), ...change }]));
    expect(await wrong({ seq: -1 })).toBe('INVALID_INPUT events[0].seq');
    expect(await wrong({ role: 'robot' })).toBe('INVALID_INPUT events[0].role');
    expect(await wrong({ at: 'soon' })).toBe('INVALID_INSTANT events[0].at');
    expect(await wrong({ text: '' })).toBe('INVALID_INPUT events[0].text');
    expect(await wrong({ extra: 1 })).toMatch(/^INVALID_INPUT events\[0\]/u);
    expect(await refused(() => shop.ingest([]))).toBe('INVALID_INPUT events');
    const two = [said(0, 'Hello.'), said(0, 'Hello.', 's-2')];
    expect(await refused(() => shop.ingest(two))).toBe('INVALID_INPUT events');
  });
});

test('a job is told in the words of the border: a scope, and times as text', async () => {
  const memory = await opened({ ingest: { extractor: scripted([candidate({})]) } });
  const { done, id } = await memory
    .in({ ...SHOP, user: 'ana' })
    .ingest([said(0, 'Postgres it is.')]);
  expect(await done).toEqual({
    id,
    scope: { ...SHOP, user: 'ana' },
    session: 's-1',
    seqs: [0],
    turns: 1,
    root: true,
    state: 'done',
    reason: null,
    attempts: 1,
    outages: 0,
    queuedAt: expect.stringMatching(/^2026-01-01T.*Z$/u),
    nextAttemptAt: null,
    updatedAt: expect.stringMatching(/^2026-01-01T.*Z$/u),
    receipt: {
      txs: [2],
      claims: [expect.stringMatching(/^c_/u)],
      held: [],
      refused: [],
      usage: { calls: 1, inputTokens: 0, outputTokens: 0, cost: null },
      extractor: 'scripted 1',
    },
    usage: { calls: 1, inputTokens: 0, outputTokens: 0, cost: null },
  });
});

test('an extractor is looked at when the memory is opened, not when it is first needed', async () => {
  for (const extractor of [
    {},
    { name: 'x', version: '1' },
    { extract: () => null, name: '', version: '1' },
  ]) {
    const open = () => opened({ ingest: { extractor: extractor as never } });
    expect(await refused(open)).toBe('INVALID_INPUT ingest.extractor');
  }
  await opened({ ingest: { extractor: recordedExtractor([]) } });
});

test('an erasure leaves nothing of a session, though all of it was refused, but its name in the receipt', async () => {
  const path = temporaryFolder();
  const extractor = scripted([candidate({ quote: 'Oracle' }), candidate({ target: 'f_0' })]);
  const memory = await opened({ path, ingest: { extractor } });
  const shop = memory.in(SHOP);
  const session = 'canary-7Q-session';
  const { receipt } = await (await shop.ingest([said(0, 'Postgres, zebra.', session)])).done;
  expect(receipt?.refused).toHaveLength(2);
  await shop.forget({ session }, { mode: 'erase' });
  expect(await memory.jobs()).toEqual([]);
  await memory.close();
  expect(filesOf(path).includes('zebra')).toBe(false);
  const receipts =
    filesOf(path)
      .toString('utf8')
      .match(/"op":"erased".*canary-7Q/gu) ?? [];
  expect(receipts).toHaveLength(1);
  expect(filesOf(path).toString('utf8').split('canary-7Q')).toHaveLength(2);
});
