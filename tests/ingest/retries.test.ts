import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ExtractionError, type IngestOptions } from '../../lib/index.js';
import { opened as openedWith, refused, SHOP } from '../memory/opened.js';
import { temporaryFolder } from '../support/folder.js';
import { candidate, said, scripted, type Scripted } from './scripted.js';

const START = '2026-01-01T12:00:00.000Z';
const SECOND = 1_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.parse(START) });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Lets everything run that waits for no timer. */
async function idle(): Promise<void> {
  for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
}

async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  await idle();
}

const opened = (extractor: Scripted | null, ingest: IngestOptions = {}, path?: string) =>
  openedWith({
    ...(path === undefined ? {} : { path }),
    clock: () => Date.now(),
    ingest: { ...(extractor === null ? {} : { extractor }), ...ingest },
  });

const away = (retryAfterMs?: number) =>
  new ExtractionError('The provider is away.', {
    retry: 'later',
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });

const at = (seconds: number): string =>
  new Date(Date.parse(START) + seconds * SECOND).toISOString();

describe('a provider that is away', () => {
  test('is asked again after longer and longer, and work goes on by itself when it is back', async () => {
    const extractor = scripted(away(), away(), away(), away(), away(), away(), [candidate({})]);
    const memory = await opened(extractor, { backoff: { first: 1_000, longest: 4_000 } });
    const job = await memory.in(SHOP).ingest([said(0, 'We use Postgres.')]);
    await idle();
    const waits: unknown[] = [];
    for (let seconds = 0; (await memory.jobs())[0]?.state !== 'done'; seconds++) {
      const [now] = await memory.jobs();
      if (now?.nextAttemptAt !== waits.at(-1)) waits.push(now?.nextAttemptAt);
      await pass(SECOND);
    }
    expect(waits).toEqual([at(1), at(3), at(7), at(11), at(15), at(19)]);
    expect(await job.done).toMatchObject({ attempts: 1, outages: 0, reason: null });
    expect(await memory.in(SHOP).facts()).toHaveLength(1);
  });

  test('is not asked before it said that it would be back', async () => {
    const extractor = scripted(away(30_000), []);
    const memory = await opened(extractor);
    await memory.in(SHOP).ingest([said(0, 'We use Postgres.')]);
    await pass(29 * SECOND);
    expect(extractor.asked).toHaveLength(1);
    await pass(2 * SECOND);
    expect(extractor.asked).toHaveLength(2);
  });

  test('is a reason to call the memory degraded, with the age of the oldest event that waits', async () => {
    const extractor = scripted(away(), away(), []);
    const memory = await opened(extractor, { backoff: { first: 60_000, longest: 60_000 } });
    expect(await memory.health()).toMatchObject({ state: 'ok', oldestWaiting: null });
    await memory.in(SHOP).ingest([said(0, 'We use Postgres.')]);
    await pass(20 * SECOND);
    await memory.in(SHOP).ingest([said(0, 'We use Redis.', 's-2')]);
    await pass(5 * SECOND);
    expect(await memory.health()).toMatchObject({
      state: 'degraded',
      queued: 2,
      running: 0,
      held: 0,
      failed: 0,
      oldestWaiting: 25 * SECOND,
      reason: 'The provider is away.',
    });
  });

  test('is found back by the next process', async () => {
    const path = temporaryFolder();
    const first = await opened(scripted(away()), {}, path);
    await first.in(SHOP).ingest([said(0, 'We use Postgres.')]);
    await idle();
    await first.close();
    const memory = await opened(scripted([candidate({})]), {}, path);
    await pass(2 * SECOND);
    await vi.waitFor(async () => expect((await memory.jobs())[0]?.state).toBe('done'));
  });
});

describe('a job that fails', () => {
  test('is tried as often as it is said, and is a dead letter then, which can be replayed', async () => {
    const broken = () => new Error('The model answers nonsense.');
    const extractor = scripted(broken(), broken(), broken());
    const memory = await opened(extractor, { attempts: 3 });
    const shop = memory.in(SHOP);
    const { id, done } = await shop.ingest([said(0, 'We use Postgres.')]);
    await pass(60 * SECOND);
    expect(await done).toMatchObject({
      state: 'failed',
      attempts: 3,
      reason: 'The model answers nonsense.',
      nextAttemptAt: null,
    });
    expect(await memory.jobs({ state: 'failed' })).toMatchObject([{ id, scope: SHOP }]);
    expect(await memory.health()).toMatchObject({ state: 'degraded', failed: 1 });
    await pass(3600 * SECOND);
    expect(extractor.asked).toHaveLength(3);

    extractor.script([candidate({})]);
    expect(await memory.replay(id)).toMatchObject({ id, state: 'queued', attempts: 0 });
    await idle();
    expect(await shop.facts()).toHaveLength(1);
    expect(await memory.health()).toMatchObject({ state: 'ok', failed: 0, reason: null });
    expect(await refused(() => memory.replay(id))).toBe('NOT_FOUND job');
  });

  test('does not stop what the same session says later, nor other sessions', async () => {
    const no = new ExtractionError('No.', { retry: 'never' });
    const later = candidate({ seq: 1, object: 'Redis', quote: 'Redis' });
    const memory = await opened(scripted(no, [later], [candidate({})]));
    const shop = memory.in(SHOP);
    await shop.ingest([said(0, 'We use Postgres.')]);
    await shop.ingest([said(1, 'We use Redis.')]);
    await shop.ingest([said(0, 'We use Postgres.', 's-2')]);
    await idle();
    expect((await memory.jobs()).map((job) => job.state)).toEqual(['failed', 'done', 'done']);
    expect(await shop.facts()).toHaveLength(2);
  });

  test('keeps the claims of the part of a long session that was through', async () => {
    const long = 'The shop uses Postgres. '.repeat(1_000);
    const second = candidate({ seq: 1, object: 'Redis', quote: 'shop uses' });
    const extractor = scripted([candidate({})], new ExtractionError('No.', { retry: 'never' }));
    const memory = await opened(extractor);
    const shop = memory.in(SHOP);
    const job = await shop.ingest([said(0, long), said(1, long)]);
    expect(await job.done).toMatchObject({
      state: 'failed',
      receipt: { claims: [expect.anything()] },
    });
    expect(await shop.facts()).toHaveLength(1);
    extractor.script([second]);
    await memory.replay(job.id);
    await idle();
    expect(await shop.facts()).toHaveLength(2);
    expect((await memory.jobs())[0]?.receipt?.txs).toHaveLength(2);
    expect(extractor.requests.map((r) => r.events.map((e) => e.seq))).toEqual([[0], [1], [1]]);
    // What the first part told is known by the time of the second.
    expect(extractor.requests[1]?.facts).toHaveLength(1);
  });
});

describe('too much at once', () => {
  test('is refused while too many events wait, and nothing of it is kept', async () => {
    const memory = await opened(scripted(away(), [], []), { maxWaiting: 2 });
    const shop = memory.in(SHOP);
    await shop.ingest([said(0, 'We use Postgres.'), said(1, 'And Redis.')]);
    const more = [said(0, 'We use MySQL.', 's-2')];
    expect(await refused(() => shop.ingest(more))).toBe('QUEUE_FULL events');
    expect(await memory.jobs()).toHaveLength(1);
    await pass(5 * SECOND);
    expect((await shop.ingest(more)).seqs).toEqual([0]);
  });
});

describe('the calls of a day', () => {
  test('are counted by scope; the rest waits for the next day, UTC', async () => {
    const extractor = scripted([], [], [], []);
    const memory = await opened(extractor, { dailyCalls: 2 });
    const shop = memory.in(SHOP);
    for (const seq of [0, 1, 2]) await shop.ingest([said(seq, 'We use Postgres.')]);
    await memory.in({ org: 'acme', project: 'other' }).ingest([said(0, 'We use Postgres.')]);
    await idle();
    expect(extractor.asked).toHaveLength(3);
    expect(await memory.jobs({ state: 'queued' })).toMatchObject([
      { scope: SHOP, seqs: [2], attempts: 0, nextAttemptAt: '2026-01-02T00:00:00.000Z' },
    ]);
    expect((await memory.health()).reason).toContain('calls of the day');
    await pass(12 * 3600 * SECOND);
    expect((await memory.jobs()).map((job) => job.state)).toEqual(Array(4).fill('done'));
  });

  test('are counted within a job as well, which goes on the next day where it stopped', async () => {
    const long = 'Postgres it is. '.repeat(1_000);
    const extractor = scripted([], [], [], []);
    const memory = await opened(extractor, { dailyCalls: 2 });
    await memory.in(SHOP).ingest([0, 1, 2, 3].map((seq) => said(seq, long)));
    await idle();
    expect(extractor.asked).toHaveLength(2);
    await pass(12 * 3600 * SECOND);
    expect(extractor.requests.map((r) => r.events[0]?.seq)).toEqual([0, 1, 2, 3]);
    expect(await memory.jobs()).toMatchObject([{ state: 'done', usage: { calls: 4 } }]);
  });

  test('are remembered by the next process', async () => {
    const path = temporaryFolder();
    const first = await opened(scripted([]), { dailyCalls: 1 }, path);
    await (
      await first.in(SHOP).ingest([said(0, 'We use Postgres.')])
    ).done;
    await first.close();
    const extractor = scripted([]);
    const memory = await opened(extractor, { dailyCalls: 1 }, path);
    await memory.in(SHOP).ingest([said(1, 'We use Redis.')]);
    await vi.waitFor(async () =>
      expect((await memory.jobs())[1]?.reason).toContain('calls of the day'),
    );
    expect(extractor.asked).toHaveLength(0);
  });

  test('are not needed for small talk', async () => {
    const memory = await opened(scripted(), { dailyCalls: 0 });
    const job = await memory.in(SHOP).ingest([said(0, 'Thanks!')]);
    expect((await job.done).state).toBe('done');
  });

  test('hold for an extraction anew, too', async () => {
    const memory = await opened(scripted([]), { dailyCalls: 1 });
    await (
      await memory.in(SHOP).ingest([said(0, 'We use Postgres.')])
    ).done;
    expect(await refused(() => memory.in(SHOP).reextract('s-1'))).toBe(
      'QUEUE_FULL ingest.dailyCalls',
    );
  });
});

describe('closing while something is extracted', () => {
  test('breaks it off, and the next process does it, though the extractor heeds no signal', async () => {
    const path = temporaryFolder();
    const never = () => new Promise<never>(() => undefined);
    const first = await opened(scripted(never), {}, path);
    const { done } = await first.in(SHOP).ingest([said(0, 'We use Postgres.')]);
    await vi.waitFor(async () => expect((await first.jobs())[0]?.state).toBe('running'));
    await first.close();
    expect(await done).toMatchObject({ state: 'queued', attempts: 0 });
    const memory = await opened(scripted([candidate({})]), {}, path);
    await vi.waitFor(async () => expect((await memory.jobs())[0]?.state).toBe('done'));
    expect(await memory.in(SHOP).facts()).toHaveLength(1);
  });
});
