import { expect, test } from 'vitest';
import type { EventSource, SessionEvent } from '../../lib/index.js';
import { opened, refused, SHOP } from '../memory/opened.js';
import { filesOf } from '../support/bytes.js';
import { temporaryFolder } from '../support/folder.js';
import { candidate, said, scripted } from './scripted.js';

/** A host that keeps the text of its sessions itself. */
function host(texts: Record<string, string>): EventSource & { readonly read: EventSource['read'] } {
  return {
    read: async (session, seq): Promise<SessionEvent | null> => {
      const text = texts[`${session} ${seq}`];
      if (text === undefined) return null;
      return { session, seq, text, at: null, role: 'assistant', speaker: null, turn: null };
    },
  };
}

test('a space that keeps references reads the text from its host, and has none of it in its files', async () => {
  const path = temporaryFolder();
  const extractor = scripted([candidate({ quote: 'Postgres' })]);
  const source = host({ 's-1 0': 'We use Postgres in the zebra-crossing cluster.' });
  const memory = await opened({ path, ingest: { extractor, events: 'reference', source } });
  const shop = memory.in(SHOP);
  const job = await shop.ingest([said(0, 'We use Postgres in the zebra-crossing cluster.')]);
  expect((await job.done).state).toBe('done');
  // Who said it, and when, is as it was told; only the text is asked for.
  expect(extractor.requests[0]?.events).toEqual([
    {
      session: 's-1',
      seq: 0,
      role: 'user',
      text: 'We use Postgres in the zebra-crossing cluster.',
      at: Date.parse('2025-12-31T10:00:00Z'),
      speaker: null,
      turn: null,
    },
  ]);
  const [fact] = await shop.facts();
  expect((await shop.why(fact?.id ?? '')).claims[0]?.evidence).toMatchObject([
    { session: 's-1', seq: 0, quote: 'Postgres', role: 'user' },
  ]);
  await memory.close();
  const files = filesOf(path);
  expect(files.includes('Postgres')).toBe(true);
  expect(files.includes('zebra-crossing')).toBe(false);
});

test('what the host has thrown away is passed over, and the job says so', async () => {
  const extractor = scripted([candidate({ seq: 1 })]);
  const source = host({ 's-1 1': 'We use Postgres.' });
  const memory = await opened({ ingest: { extractor, events: 'reference', source } });
  const job = await memory.in(SHOP).ingest([said(0, 'gone'), said(1, 'We use Postgres.')]);
  expect(await job.done).toMatchObject({
    state: 'done',
    reason: '1 of its events could not be read any more.',
  });
  expect(await memory.in(SHOP).facts()).toHaveLength(1);
  expect((await memory.health()).state).toBe('ok');
});

test('a credential in the text of a host reaches no extractor', async () => {
  const key = ['sk', 'live', '9f8aQx72LmZp4TnV0KcY'].join('-');
  const extractor = scripted([]);
  const source = host({ 's-1 0': `The key of the shop is ${key}, and it uses Postgres.` });
  const memory = await opened({ ingest: { extractor, events: 'reference', source } });
  await (
    await memory.in(SHOP).ingest([said(0, 'whatever')])
  ).done;
  expect(JSON.stringify(extractor.requests)).not.toContain(key);
  expect(extractor.requests[0]?.events[0]?.text).toContain('and it uses Postgres.');
});

test('a host that cannot be reached is asked again', async () => {
  let asked = 0;
  const texts = host({ 's-1 0': 'We use Postgres.' });
  const source: EventSource = {
    read: (session, seq) => {
      asked += 1;
      return asked === 1 ? Promise.reject(new Error('No route.')) : texts.read(session, seq);
    },
  };
  const backoff = { first: 1, longest: 1 };
  const ingest = { extractor: scripted([candidate({})]), events: 'reference', source, backoff };
  const memory = await opened({ ingest: { ...ingest, events: 'reference' } });
  const job = await memory.in(SHOP).ingest([said(0, 'We use Postgres.')]);
  expect(await job.done).toMatchObject({ state: 'done', attempts: 2 });
});

test('references that nobody could read are refused when the memory is opened', async () => {
  expect(
    await refused(() => opened({ ingest: { extractor: scripted(), events: 'reference' } })),
  ).toBe('INVALID_INPUT ingest.source');
});
