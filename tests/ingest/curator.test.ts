import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { EventInput, IngestOptions, Scope } from '../../lib/index.js';
import { opened as openedWith, refused, SHOP, type Opened } from '../memory/opened.js';
import { temporaryFolder } from '../support/folder.js';
import { said, scripted, type Answer, type Scripted } from './scripted.js';

const MINUTE = 60_000;

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'Date'],
    now: Date.parse('2026-01-01T12:00:00Z'),
  });
});
afterEach(() => {
  vi.useRealTimers();
});

async function idle(): Promise<void> {
  for (let i = 0; i < 100; i++) await new Promise((resolve) => setImmediate(resolve));
}

async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  await idle();
}

/** Answers nothing, however often. */
const patient = (...first: readonly Answer[]): Scripted =>
  scripted(...first, ...Array.from({ length: 200 }, (): Answer => []));

const opened = (extractor: Scripted, curator: IngestOptions['curator'] = {}) =>
  openedWith({ clock: () => Date.now(), ingest: { extractor, when: 'curated', curator } });

/** So many turns of a person, one event each. */
const turns = (session: string, count: number, from = 0): EventInput[] =>
  Array.from({ length: count }, (_, i) => said(from + i, 'We use Postgres.', session));

const sessionsOf = (extractor: Scripted): unknown[] =>
  extractor.requests.map((request) => request.events[0]?.session);

const states = async (memory: Opened): Promise<unknown[]> =>
  (await memory.jobs()).map((job) => `${job.session} ${job.state}`);

describe('it runs', () => {
  test('when 20 turns wait in all root sessions of a project together', async () => {
    const extractor = patient();
    const memory = await opened(extractor);
    const ana = memory.in({ ...SHOP, user: 'ana' });
    const ben = memory.in({ ...SHOP, user: 'ben' });
    const other = memory.in({ org: 'acme', project: 'other' });
    await ana.ingest(turns('a', 12));
    await ben.ingest(turns('b', 7));
    await ben.ingest(turns('sub', 30), { root: false });
    await other.ingest(turns('c', 19));
    await idle();
    expect(extractor.asked).toEqual([]);
    await ben.ingest(turns('b', 1, 7));
    await idle();
    // With the sub-agent's session, which only does not count; the other project waits for its own.
    expect(sessionsOf(extractor)).toEqual(['a', 'b', 'sub', 'b']);
    expect(await states(memory)).toContain('c queued');
  });

  test('not for what a tool or an assistant said: a turn is of a person', async () => {
    const extractor = patient();
    const memory = await opened(extractor, { turns: 2 });
    const answers = turns('a', 30, 1).map((e) => ({ ...e, role: 'assistant' as const }));
    await memory.in(SHOP).ingest([...turns('a', 1), ...answers]);
    await idle();
    expect(extractor.asked).toEqual([]);
    // The events of one turn are one turn, however many they are.
    await memory.in(SHOP).ingest(turns('b', 2).map((e) => ({ ...e, turn: 5 })));
    await idle();
    expect(extractor.asked).toHaveLength(2);
  });

  test('when a session begins, and not when one is resumed', async () => {
    const extractor = patient();
    const memory = await opened(extractor);
    const shop = memory.in(SHOP);
    await shop.ingest(turns('a', 1));
    await shop.sessionStarted({ resumed: true });
    await idle();
    expect(extractor.asked).toEqual([]);
    await memory.in({ org: 'acme', project: 'other' }).sessionStarted();
    await idle();
    expect(extractor.asked).toEqual([]);
    await shop.sessionStarted();
    await idle();
    expect(extractor.asked).toEqual([1]);
  });

  test('when any code says so, and tells what it did', async () => {
    const extractor = patient();
    const memory = await opened(extractor);
    await memory.in(SHOP).ingest(turns('a', 1));
    expect(await memory.in(SHOP).curate()).toEqual({
      cause: 'asked',
      at: '2026-01-01T12:00:00.000Z',
      sessions: 1,
      jobs: 1,
      failed: [],
      deferred: 0,
    });
    expect(await memory.in(SHOP).curate()).toMatchObject({ sessions: 0, jobs: 0 });
  });

  test('when nothing has come in for a while', async () => {
    const extractor = patient();
    const memory = await opened(extractor, { idleMs: 10 * MINUTE });
    await memory.in(SHOP).ingest(turns('a', 1));
    await pass(9 * MINUTE);
    await memory.in(SHOP).ingest(turns('a', 1, 1));
    await pass(9 * MINUTE);
    expect(extractor.asked).toEqual([]);
    await pass(MINUTE);
    expect(extractor.asked).toEqual([1, 1]);
  });

  test('after a restart as well, for what was left', async () => {
    const path = temporaryFolder();
    const ingest = (extractor: Scripted) =>
      ({ path, clock: () => Date.now(), ingest: { extractor, when: 'curated' as const } }) as const;
    const first = await openedWith(ingest(patient()));
    await first.in(SHOP).ingest(turns('a', 1));
    await first.close();
    const extractor = patient();
    const memory = await openedWith(ingest(extractor));
    await pass(10 * MINUTE);
    await vi.waitFor(async () => expect(await states(memory)).toEqual(['a done']));
  });
});

describe('a run', () => {
  test('takes 8 batches of 8 sessions, the oldest first, and leaves the rest to the next', async () => {
    const extractor = patient();
    const memory = await opened(extractor, { turns: 1_000 });
    const names = Array.from({ length: 66 }, (_, i) => `s-${String(99 - i)}`);
    for (const name of names) {
      await memory.in(SHOP).ingest(turns(name, 1));
      await pass(1);
    }
    expect(await memory.in(SHOP).curate()).toMatchObject({ sessions: 64, jobs: 64, deferred: 2 });
    expect(sessionsOf(extractor)).toEqual(names.slice(0, 64));
    expect(await memory.in(SHOP).curate()).toMatchObject({ sessions: 2, deferred: 0 });
    expect(sessionsOf(extractor)).toEqual(names);
  });

  test('passes over a session that fails: it keeps its turns, and the others go on', async () => {
    const extractor = patient([], new Error('Nonsense.'));
    const memory = await opened(extractor);
    const shop = memory.in(SHOP);
    for (const name of ['a', 'b', 'c']) {
      await shop.ingest(turns(name, 1));
      await pass(1);
    }
    await shop.ingest(turns('b', 1, 1));
    expect(await shop.curate()).toMatchObject({ sessions: 3, jobs: 3, failed: ['b'] });
    // What the failing session said after that waits as well, so that nothing is told out of turn.
    expect(await states(memory)).toEqual(['a done', 'b queued', 'c done', 'b queued']);
    await pass(2_000);
    expect(await states(memory)).toEqual(['a done', 'b done', 'c done', 'b done']);
  });

  test('leaves what arrives meanwhile to the next', async () => {
    const memory: Opened = await opened(
      patient(async () => {
        await memory.in(SHOP).ingest(turns('a', 1, 1));
        await memory.in(SHOP).ingest(turns('b', 1));
        return [];
      }),
    );
    await memory.in(SHOP).ingest(turns('a', 1));
    expect(await memory.in(SHOP).curate()).toMatchObject({ sessions: 1, jobs: 1, deferred: 0 });
    expect(await states(memory)).toEqual(['a done', 'a queued', 'b queued']);
    expect(await memory.in(SHOP).curate()).toMatchObject({ sessions: 2, jobs: 2 });
  });

  test('is one at a time, whoever asks', async () => {
    let running = 0;
    let most = 0;
    const slow: Answer = async () => {
      running += 1;
      most = Math.max(most, running);
      await idle();
      running -= 1;
      return [];
    };
    const memory = await opened(scripted(slow, slow, slow, slow));
    const scopes: Scope[] = [SHOP, { org: 'acme', project: 'other' }];
    for (const scope of scopes) {
      await memory.in(scope).ingest(turns('a', 1));
      await memory.in(scope).ingest(turns('b', 1));
    }
    const runs = await Promise.all(
      [...scopes, ...scopes].map((scope) => memory.in(scope).curate()),
    );
    expect(most).toBe(1);
    expect(runs.map((run) => run.jobs)).toEqual([2, 2, 0, 0]);
  });
});

test('nobody else curates a store while it is open', async () => {
  const path = temporaryFolder();
  const memory = await openedWith({ path, ingest: { extractor: patient(), when: 'curated' } });
  expect(await refused(() => openedWith({ path }))).toBe('STORE_LOCKED -');
  await memory.close();
  await openedWith({ path });
});
