import { describe, expect, test } from 'vitest';
import { isSmallTalk } from '../../lib/ingest/small-talk.js';
import { opened, SHOP } from '../memory/opened.js';
import { candidate, said, scripted } from './scripted.js';

describe('what says nothing about the world', () => {
  test.each([
    'hi',
    'Thanks!',
    'thank you so much',
    'OK.',
    'yes',
    'Great!!',
    'go on',
    '好的',
    '谢谢你',
    '是的。',
    '嗯嗯',
    '',
    '!',
  ])('%j', (text) => expect(isSmallTalk(text)).toBe(true));

  test.each(['We use Postgres', 'yes, since May', '我们用 Postgres', 'Ana', '对,去年开始的'])(
    'but not %j',
    (text) => expect(isSmallTalk(text)).toBe(false),
  );
});

describe('an answer to a question says something, however short', () => {
  test.each([
    ['Do we still use MySQL?', 'no'],
    ['Shall I note that Ana leads the project?', 'Yes.'],
    ['你们还在用 MySQL 吗？', '是'],
    ['你们还在用 MySQL 吗', '不是'],
    ['你们用的是 Postgres 吧。', '对'],
    ['How many shops are there?', '3'],
    ['I looked at the configuration. Is `db.internal` the host?', 'ok'],
  ])('%s — %s', (question, answer) => {
    expect(isSmallTalk(answer, question)).toBe(false);
  });

  test.each([
    ['Is there anything else?', 'Thanks!'],
    ['还有别的吗？', '谢谢'],
    ['I have moved the file.', 'ok'],
    ['Is it done? It is. I have moved everything to the new folder, as you asked.'.repeat(6), 'no'],
  ])('but not here: %s — %s', (before, answer) => {
    const statement = before.replaceAll('?', before.length > 100 ? '.' : '?');
    expect(isSmallTalk(answer, statement)).toBe(true);
  });
});

test('a call is made for an answer whose question was told before', async () => {
  const extractor = scripted([], [candidate({ seq: 2, action: 'deny', quote: 'no' })]);
  const memory = await opened({ ingest: { extractor } });
  const shop = memory.in(SHOP);
  await (
    await shop.ingest([
      said(0, 'We use Postgres.'),
      { ...said(1, 'Do you still use Postgres for the shop?'), role: 'assistant' },
    ])
  ).done;
  await (
    await shop.ingest([said(2, 'no')])
  ).done;
  expect(extractor.requests[1]?.context.map((e) => e.seq)).toEqual([0, 1]);
  expect(extractor.asked).toEqual([2, 1]);
  await (
    await shop.ingest([said(3, 'ok')])
  ).done;
  expect(extractor.asked).toEqual([2, 1]);
});
