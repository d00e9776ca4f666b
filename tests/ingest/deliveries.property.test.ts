import { fc, test } from '@fast-check/vitest';
import { expect } from 'vitest';
import { ExtractionError, openMemory, type EventInput, type Extractor } from '../../lib/index.js';
import { SHOP } from '../memory/opened.js';
import { candidate, said } from './scripted.js';

const SESSIONS = ['a', 'b'];
const EVENTS = 6;

/** A delivery of some events of one session: overlapping, repeated, out of order, as hosts do it. */
const delivery = fc.record({
  session: fc.constantFrom(...SESSIONS),
  seqs: fc.array(fc.nat(EVENTS - 1), { minLength: 1, maxLength: 8 }),
});
/** What becomes of each call of the provider; after the last of them it is well. */
const outcome = fc.constantFrom('well', 'away', 'broken', 'twice');

const eventOf = (session: string, seq: number): EventInput =>
  said(seq, `The shop keeps ${session} ${seq}.`, session);

test.prop([fc.array(delivery, { maxLength: 12 }), fc.array(outcome, { maxLength: 10 })], {
  numRuns: 60,
})(
  'however events are delivered and whatever fails, each is extracted into one claim',
  async (deliveries, outcomes) => {
    const left = [...outcomes];
    const extractor: Extractor = {
      name: 'moody',
      version: '1',
      extract: async ({ events }) => {
        const now = left.shift() ?? 'well';
        if (now === 'away') throw new ExtractionError('Away.', { retry: 'later' });
        if (now === 'broken') throw new Error('Broken.');
        const made = events.map(({ session, seq }) =>
          candidate({
            seq,
            predicate: 'keeps',
            object: `${session} ${seq}`,
            quote: `${session} ${seq}`,
          }),
        );
        const usage = { calls: 1, inputTokens: 0, outputTokens: 0, cost: null };
        return { candidates: now === 'twice' ? [...made, ...made] : made, usage };
      },
    };
    await using memory = await openMemory({
      store: 'memory',
      graph: 'none',
      ingest: { extractor, attempts: 100, backoff: { first: 0.1, longest: 0.1 } },
    });
    const shop = memory.in(SHOP);
    const told = new Set<string>();
    const jobs = [];
    for (const { session, seqs } of deliveries) {
      const job = await shop.ingest(seqs.map((seq) => eventOf(session, seq)));
      const fresh = [...new Set(seqs.map((seq) => `${session} ${seq}`))].filter(
        (e) => !told.has(e),
      );
      expect(job.seqs.map((seq) => `${session} ${seq}`).sort()).toEqual(fresh.sort());
      for (const event of fresh) told.add(event);
      jobs.push(job);
    }
    for (const job of jobs) expect((await job.done).state).toBe('done');
    const all = await memory.jobs();
    expect(all.flatMap((job) => job.seqs.map((seq) => `${job.session} ${seq}`)).sort()).toEqual(
      [...told].sort(),
    );
    const facts = await shop.facts({ predicate: 'keeps' });
    expect(facts.map((f) => f.object).sort()).toEqual([...told].sort());
    expect((await memory.stats()).claims).toBe(told.size);
    expect(await memory.health()).toMatchObject({ state: 'ok', queued: 0, running: 0 });
  },
);
