import { expect, test } from 'vitest';
import { openWith } from '../../lib/api/open.js';
import type { IngestOptions } from '../../lib/index.js';
import { temporaryFolder } from '../support/folder.js';
import { SHOP } from '../memory/opened.js';
import { candidate, said, scripted } from './scripted.js';

const events = [said(0, 'We use Postgres.')];

/** A memory whose disk fails once, just before a step of the arrival of events is taken. */
async function failing(at: 'arrive' | 'arrived', path: string) {
  let left = 1;
  return openWith(
    { path, graph: 'none', ingest: { extractor: scripted([candidate({})], [candidate({})]) } },
    {
      onStep: (step) => {
        if (step === at && left-- > 0) throw new Error('The disk is full.');
      },
    },
  );
}

test.each(['arrive', 'arrived'] as const)(
  'a host that is told of a failure before "%s" tells it again, and it is there once',
  async (step) => {
    await using memory = await failing(step, temporaryFolder());
    const shop = memory.in(SHOP);
    await expect(shop.ingest(events)).rejects.toThrow('The disk is full.');
    const again = await shop.ingest(events);
    expect((await again.done).state).toBe('done');
    expect(await memory.jobs()).toHaveLength(1);
    expect(await shop.facts()).toHaveLength(1);
  },
);

test('a host that tells it no more has left nothing behind that waits for ever', async () => {
  await using memory = await failing('arrive', temporaryFolder());
  const shop = memory.in(SHOP);
  await expect(shop.ingest(events)).rejects.toThrow('The disk is full.');
  expect(await memory.jobs()).toEqual([]);
  expect(await memory.health()).toMatchObject({ state: 'ok', oldestWaiting: null });
  expect((await (await shop.ingest([said(1, 'Postgres it is.')])).done).state).toBe('done');
});

test('without an extractor events are kept as evidence, and are at hand for one that comes later', async () => {
  const path = temporaryFolder();
  const first = await openWith({ path, graph: 'none' }, {});
  const job = await (await first.in(SHOP).ingest(events)).done;
  expect(job).toMatchObject({ state: 'done', receipt: null });
  expect((await first.health()).state).toBe('off');
  await first.close();
  const extractor = scripted([candidate({})]);
  await using memory = await openWith({ path, graph: 'none', ingest: { extractor } }, {});
  expect(extractor.asked).toEqual([]);
  const anew = await memory.in(SHOP).reextract('s-1');
  await anew.apply();
  expect(await memory.in(SHOP).facts()).toHaveLength(1);
});

test('a queue that an opening without an extractor finds is left for one that has it', async () => {
  const path = temporaryFolder();
  const open = (ingest: IngestOptions) => openWith({ path, graph: 'none', ingest }, {});
  const first = await open({ extractor: scripted(), when: 'curated' });
  await first.in(SHOP).ingest(events);
  await first.close();
  const between = await open({});
  expect(await between.in(SHOP).curate()).toMatchObject({ jobs: 0 });
  expect(await between.jobs()).toMatchObject([{ state: 'queued' }]);
  expect((await between.health()).queued).toBe(1);
  await between.close();
  await using memory = await open({ extractor: scripted([candidate({})]) });
  await expect.poll(async () => (await memory.jobs())[0]?.state).toBe('done');
  expect(await memory.in(SHOP).facts()).toHaveLength(1);
});

test('what is told twice in one call, or out of order, is one event in its place', async () => {
  const extractor = scripted([]);
  await using memory = await openWith({ store: 'memory', ingest: { extractor } }, {});
  const told = [said(2, 'Third.'), said(0, 'First.'), said(0, 'Again.'), said(1, 'Second.')];
  const job = await memory.in(SHOP).ingest(told);
  expect(job.seqs).toEqual([0, 1, 2]);
  await job.done;
  expect(extractor.requests[0]?.events.map((e) => e.text)).toEqual(['First.', 'Second.', 'Third.']);
});

test('sessions of one name in two scopes are two sessions', async () => {
  const extractor = scripted([candidate({})], [candidate({ object: 'Redis', quote: 'Redis' })]);
  await using memory = await openWith({ store: 'memory', ingest: { extractor } }, {});
  const other = memory.in({ org: 'acme', project: 'other' });
  await (
    await memory.in(SHOP).ingest(events)
  ).done;
  const job = await other.ingest([said(0, 'We use Redis.')]);
  expect(job.seqs).toEqual([0]);
  await job.done;
  expect((await other.facts()).map((f) => f.object)).toEqual(['Redis']);
  expect((await memory.in(SHOP).facts()).map((f) => f.object)).toEqual(['Postgres']);
});

test('events that are erased while they are extracted never become claims', async () => {
  const path = temporaryFolder();
  let answer = (): void => undefined;
  const begun = new Promise<void>((begin) => {
    answer = begin;
  });
  const extractor = scripted(async () => {
    answer();
    return new Promise<never>(() => undefined);
  }, []);
  await using memory = await openWith({ path, graph: 'none', ingest: { extractor } }, {});
  const shop = memory.in(SHOP);
  const { done } = await shop.ingest(events);
  const { done: other } = await shop.ingest([said(0, 'We use Redis.', 's-2')]);
  await begun;
  await shop.forget({ session: 's-1' }, { mode: 'erase' });
  expect(await done).toMatchObject({ state: 'done', reason: 'Its events were erased.' });
  expect((await other).state).toBe('done');
  expect(await memory.jobs()).toMatchObject([{ session: 's-2' }]);
  expect(await shop.facts()).toEqual([]);
  // Told again by the host, they do not come back.
  expect((await shop.ingest(events)).seqs).toEqual([]);
});
