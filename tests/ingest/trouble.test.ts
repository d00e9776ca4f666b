import { describe, expect, test } from 'vitest';
import { openWith } from '../../lib/api/open.js';
import type { IngestOptions } from '../../lib/index.js';
import { STEPS, type Step } from '../../lib/ingest/run.js';
import { temporaryFolder } from '../support/folder.js';
import { SHOP } from '../memory/opened.js';
import { candidate, said, scripted } from './scripted.js';

const WORKING = STEPS.filter((step) => step !== 'arrive' && step !== 'arrived');

/** A memory in which something fails once, just before a step is taken. */
function failing(at: Step, ingest: IngestOptions) {
  let left = 1;
  return openWith(
    {
      path: temporaryFolder(),
      graph: 'none',
      ingest: { backoff: { first: 1, longest: 2 }, ...ingest },
    },
    {
      onStep: (step) => {
        if (step === at && left-- > 0) throw new Error('The disk is full.');
      },
    },
  );
}

/** Says the same as often as it is asked. */
const steady = () => scripted([candidate({})], [candidate({})], [candidate({})]);

describe('a failure of the store leaves the job to be done, once', () => {
  test.each(WORKING)('before %s', async (step) => {
    await using memory = await failing(step, { extractor: steady() });
    const shop = memory.in(SHOP);
    const job = await (await shop.ingest([said(0, 'We use Postgres.')])).done;
    expect(job).toMatchObject({ state: 'done', receipt: { claims: [expect.anything()] } });
    expect(job.receipt?.txs).toHaveLength(1);
    expect(await shop.facts()).toHaveLength(1);
    expect((await memory.stats()).claims).toBe(1);
    expect((await memory.health()).state).toBe('ok');
  });
});

test('while it lasts, the memory says that it is degraded, and why', async () => {
  const backoff = { first: 60_000, longest: 60_000 };
  await using memory = await failing('start', { extractor: steady(), backoff });
  await memory.in(SHOP).ingest([said(0, 'We use Postgres.')]);
  await expect.poll(async () => (await memory.health()).state).toBe('degraded');
  expect(await memory.health()).toMatchObject({ queued: 1, reason: 'The disk is full.' });
});

test('whoever asks the curator is told of it, and may ask again', async () => {
  await using memory = await failing('start', { extractor: steady(), when: 'curated' });
  const shop = memory.in(SHOP);
  await shop.ingest([said(0, 'We use Postgres.')]);
  await expect(shop.curate()).rejects.toThrow('The disk is full.');
  expect(await shop.curate()).toMatchObject({ jobs: 1, failed: [] });
  expect(await shop.facts()).toHaveLength(1);
});

test('a run of the curator that nobody waits for says so in the health of the memory', async () => {
  const curator = { turns: 1 };
  await using memory = await failing('start', { extractor: steady(), when: 'curated', curator });
  const shop = memory.in(SHOP);
  await shop.ingest([said(0, 'We use Postgres.')]);
  await expect.poll(async () => (await memory.health()).reason).toBe('The disk is full.');
  await shop.curate();
  expect((await memory.health()).state).toBe('ok');
  expect(await shop.facts()).toHaveLength(1);
});
