import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openMemory, recordedExtractor } from '../../lib/index.js';
import { EventLog } from '../../lib/ingest/event-log.js';
import { STEPS } from '../../lib/ingest/run.js';
import { ended, runChild } from '../support/child.js';
import { temporaryFolder } from '../support/folder.js';
import { generator } from '../support/random.js';
import { everyEvent, everyOrder, recorded, SESSIONS, tellings } from './sessions.js';

const ROUNDS = Number(process.env['PALIMPSEST_KILLS'] ?? 6);
const SHOP = { org: 'acme', project: 'shop' };

function tell(folder: string, where = '', times = 0, mode = 'now') {
  const teller = new URL('children/teller.ts', import.meta.url);
  return runChild(teller, [
    join(folder, 'store'),
    join(folder, 'told'),
    where,
    String(times),
    mode,
  ]);
}

/** What the child was told is safe is known to the store that it left behind. */
async function checkAcknowledged(folder: string): Promise<void> {
  const told = join(folder, 'told');
  if (!existsSync(told)) return;
  const memory = await openMemory({
    path: join(folder, 'store'),
    graph: 'none',
    ingest: { extractor: recorded(), when: 'curated' },
  });
  const known = new Set(
    (await memory.jobs()).flatMap((job) => job.seqs.map((seq) => `${job.session} ${seq}`)),
  );
  await memory.close();
  const safe = readFileSync(told, 'utf8').trim().split('\n');
  expect(safe.filter((event) => !known.has(event))).toEqual([]);
}

/** Everything is there, and nothing twice, although the host tells it all once more. */
async function checkAll(folder: string): Promise<void> {
  const path = join(folder, 'store');
  // It would fail for whatever it were asked about: nobody is to ask.
  const memory = await openMemory({
    path,
    graph: 'none',
    ingest: { extractor: recordedExtractor([]) },
  });
  const shop = memory.in(SHOP);
  for (const events of tellings()) {
    const job = await shop.ingest(events);
    expect(job.seqs).toEqual([]);
    expect(['done', 'held']).toContain((await job.done).state);
  }
  const jobs = await memory.jobs();
  const taken = jobs.flatMap((job) => job.seqs.map((seq) => `${job.session} ${seq}`));
  expect(taken.sort()).toEqual([...everyEvent].sort());
  expect(jobs.map((job) => job.state).filter((state) => state !== 'done')).toEqual([
    'held',
    'held',
  ]);

  const claims: unknown[] = [];
  const held: unknown[] = [];
  const txs: number[] = [];
  for await (const { tx, entries } of memory.admin({ org: 'acme' }).transactions()) {
    for (const entry of entries) {
      if (entry.op !== 'claim' && entry.op !== 'hold') continue;
      const { object } = entry.claim;
      (entry.op === 'claim' ? claims : held).push('string' in object ? object.string : object);
      txs.push(tx);
    }
  }
  expect(claims.sort()).toEqual(everyEvent.filter((e) => !everyOrder.includes(e)).sort());
  expect(held.sort()).toEqual([...everyOrder].sort());
  // Each job knows of its commits, although it may have been killed before it could say so.
  expect(jobs.flatMap((job) => job.receipt?.txs ?? []).sort()).toEqual([...new Set(txs)].sort());
  expect(jobs.flatMap((job) => job.receipt?.held ?? [])).toHaveLength(everyOrder.length);
  expect(jobs.flatMap((job) => job.receipt?.claims ?? [])).toHaveLength(claims.length);

  const facts = await shop.facts({ predicate: 'keeps', limit: 1000 });
  expect(facts).toHaveLength(claims.length);
  expect((await memory.health()).state).toBe('ok');
  await memory.close();

  const log = await EventLog.open(path);
  const kept: string[] = [];
  for await (const { events } of log.after(null)) {
    for (const { session, seq } of events) kept.push(`${session} ${seq}`);
  }
  await log.close();
  expect(kept.sort()).toEqual([...everyEvent].sort());
}

describe('killed at a step of the pipeline, again and again, it loses nothing and doubles nothing', () => {
  test.each(STEPS)('before %s', async (step) => {
    const folder = temporaryFolder();
    let kills = 0;
    for (let times = 1; ; times++) {
      const end = await ended(tell(folder, step, times));
      await checkAcknowledged(folder);
      if (end === 0) break;
      expect(end).toBe('SIGKILL');
      kills += 1;
    }
    expect(kills).toBeGreaterThan(1);
    await checkAll(folder);
  });
});

test(`killed ${ROUNDS} times at any moment, it loses nothing and doubles nothing`, async () => {
  const folder = temporaryFolder();
  const random = generator(20_250_601);
  for (let round = 0; round < ROUNDS; round++) {
    const child = tell(folder);
    const opened = new Promise((resolve) => child.once('message', resolve));
    await Promise.race([opened, ended(child)]);
    setTimeout(() => child.kill('SIGKILL'), random() * 120);
    await ended(child);
    await checkAcknowledged(folder);
  }
  expect(await ended(tell(folder))).toBe(0);
  await checkAll(folder);
});

test('a curator that is killed lets go of its lock, and the next one goes on where it stopped', async () => {
  const folder = temporaryFolder();
  let kills = 0;
  for (let times = 1; ; times++) {
    const end = await ended(tell(folder, 'committed', times, 'curated'));
    await checkAcknowledged(folder);
    if (end === 0) break;
    expect(end).toBe('SIGKILL');
    kills += 1;
  }
  expect(kills).toBeGreaterThan(1);
  await checkAll(folder);
});

test('so many events are told that a session is committed in portions', async () => {
  const folder = temporaryFolder();
  expect(await ended(tell(folder))).toBe(0);
  await checkAll(folder);
  const memory = await openMemory({ path: join(folder, 'store'), graph: 'none' });
  const long = (await memory.jobs()).filter((job) => job.session === SESSIONS[1].session);
  expect(long.map((job) => job.receipt?.txs.length)).toEqual([3, 1]);
  await memory.close();
});
