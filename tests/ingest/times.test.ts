import { describe, expect, test } from 'vitest';
import { opened, SHOP } from '../memory/opened.js';
import { candidate, said, scripted } from './scripted.js';

/** The interval that the memory gives a claim of one event. */
async function interval(
  text: string,
  times: { readonly validFrom?: string; readonly validTo?: string },
  { at = '2025-03-15T20:00:00Z' as string | null, timeZone = 'UTC' } = {},
): Promise<string> {
  const extractor = scripted([candidate({ ...times, quote: text })]);
  // The clock is far from the event, and says nothing.
  const memory = await opened({ timeZone, ingest: { extractor } });
  const { receipt } = await (await memory.in(SHOP).ingest([{ ...said(0, text), at }])).done;
  expect(receipt?.refused).toEqual([]);
  const { facts } = await memory.in(SHOP).history({ subject: 'shop' });
  const [fact] = facts;
  return `${fact?.validFrom ?? '?'} ${fact?.validTo ?? '…'} ${fact?.precision.from}`;
}

describe('words are read against the time of the event, never against the clock', () => {
  test.each([
    ['yesterday', '2025-03-14T00:00:00.000Z', 'day'],
    ['last week', '2025-03-03T00:00:00.000Z', 'week'],
    ['in 2023', '2023-01-01T00:00:00.000Z', 'year'],
    ['since last May', '2024-05-01T00:00:00.000Z', 'month'],
    ['昨天', '2025-03-14T00:00:00.000Z', 'day'],
    ['去年', '2024-01-01T00:00:00.000Z', 'year'],
    ['上个月', '2025-02-01T00:00:00.000Z', 'month'],
    ['2024-06', '2024-06-01T00:00:00.000Z', 'month'],
  ])('%s', async (words, from, precision) => {
    expect(await interval(`We use Postgres ${words}.`, { validFrom: words })).toBe(
      `${from} … ${precision}`,
    );
  });

  test.each([
    ['until last Friday', '2025-03-14T00:00:00.000Z'],
    ['到去年', '2024-01-01T00:00:00.000Z'],
    ['2025-02', '2025-02-01T00:00:00.000Z'],
  ])('an end: %s', async (words, to) => {
    const said = await interval(`Postgres, ${words}`, { validFrom: '2020', validTo: words });
    expect(said.split(' ')[1]).toBe(to);
  });
});

test('and in the time zone of the space', async () => {
  // Eight in the evening in London is the next morning in Shanghai.
  const words = { validFrom: '昨天' };
  expect(await interval('昨天换成了 Postgres', words, { timeZone: 'Asia/Shanghai' })).toBe(
    '2025-03-14T16:00:00.000Z … day',
  );
  expect(await interval('昨天换成了 Postgres', words, { timeZone: 'America/New_York' })).toBe(
    '2025-03-14T04:00:00.000Z … day',
  );
});

test('an event whose time nobody knows gives relative words no meaning', async () => {
  const text = 'We use Postgres since yesterday.';
  const without = await interval(text, { validFrom: 'yesterday' }, { at: null });
  const told = await interval(text, {}, { at: null });
  expect(without).toBe(told);
});

test('an end that nobody can tell is not taken for none', async () => {
  const text = 'We used Postgres from 2020 until that thing happened.';
  const extractor = scripted([
    candidate({ validFrom: '2020', validTo: 'that thing happened', quote: text }),
  ]);
  const memory = await opened({ ingest: { extractor } });
  await (
    await memory.in(SHOP).ingest([said(0, text)])
  ).done;
  const told = await memory.admin({ org: 'acme' }).transactions().toArray();
  const claims = told.flatMap((t) => t.entries).flatMap((e) => (e.op === 'claim' ? [e.claim] : []));
  expect(claims.map((c) => c.validTo)).toEqual(['unknown']);
});

test('a date as an object keeps its precision', async () => {
  const extractor = scripted([
    candidate({ predicate: 'opens', object: 'last week', objectKind: 'date', quote: 'last week' }),
  ]);
  const memory = await opened({ ingest: { extractor } });
  await (
    await memory
      .in(SHOP)
      .ingest([{ ...said(0, 'It opened last week.'), at: '2025-03-15T20:00:00Z' }])
  ).done;
  expect((await memory.in(SHOP).facts())[0]?.object).toEqual({
    instant: '2025-03-03T00:00:00.000Z',
    precision: 'week',
  });
});
