import { expect, test } from 'vitest';
import { openMemory, readSession, type SessionEvent } from '../../lib/index.js';
import { DSH_LOG, DSH_SESSION } from '../../lib/cli/demo/dsh-log.js';
import { DSH_SCOPE, extractor, ingestSession } from '../../lib/cli/demo/dsh-session.js';
import { LAST_DAY, ontology } from '../../lib/cli/demo/story.js';

async function* bytes(): AsyncGenerator<Uint8Array> {
  yield Buffer.from(DSH_LOG);
}

const opened = () =>
  openMemory({
    store: 'memory',
    ontology,
    clock: () => Date.parse(LAST_DAY),
    ingest: { extractor },
  });

test('the session of the demo ends before the demo’s day', async () => {
  const events: SessionEvent[] = [];
  for await (const reading of readSession(bytes())) {
    if (reading.kind === 'event') events.push(reading.event);
  }
  expect(events.map((e) => e.seq)).toEqual([4, 15, 26, 34, 42]);
  for (const { at } of events) expect(at).toBeLessThan(Date.parse(LAST_DAY));
});

test('what a person and a tool said is believed, with the quotes; what was put in is not', async () => {
  await using memory = await opened();
  const { believed, held, job, skipped } = await ingestSession(memory);
  expect(skipped['injected']).toBe(2);
  const quotes = believed.map(({ fact, why }) => [
    fact.predicate,
    why.claims.flatMap((claim) => claim.evidence.map((e) => [e.seq, e.role, e.quote])),
  ]);
  expect(quotes).toEqual([
    ['orders database', [[15, 'tool', 'database: postgres://db.internal/shop']]],
    ['wants reports', [[34, 'user', 'give me a structured outline first, then the conclusions']]],
  ]);
  expect(job).toMatchObject({ state: 'held', session: DSH_SESSION });
  expect(job.receipt?.refused.map((r) => r.code)).toEqual(['QUOTE']);
  expect(held.map(({ claim }) => claim.predicate)).toEqual(['same_as']);
});

test('the two names are one once somebody agrees', async () => {
  await using memory = await opened();
  const { held } = await ingestSession(memory);
  const shop = memory.in(DSH_SCOPE);
  await shop.approve(held[0]!.id);
  const [database] = await shop.facts({ object: { entity: 'PostgreSQL' } });
  expect(database).toMatchObject({ predicate: 'orders database', subject: { name: 'shop-api' } });
  expect((await memory.jobs())[0]?.state).toBe('done');
});
