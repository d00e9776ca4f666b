import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readerNamed, readSession, tally } from '../../../lib/ingest/readers/index.js';
import { fixture } from '../../support/fixtures.js';
import { all, eventsOf, fates, problems, readLines, readRows, spoken } from './lines.js';

const dsh = readerNamed('dsh');
const SAMPLE = join(import.meta.dirname, '../../data/dsh-session-sample.jsonl');

const header = (more: object = {}) => ({
  type: 'session',
  version: 0,
  id: 's1',
  createdAt: 1_000,
  cwd: '/home/dev/shop',
  ...more,
});
const event = (seq: number, type: string, data: object, more: object = {}) => ({
  type,
  seq,
  time: 1_000 + seq,
  data,
  ...more,
});
const text = (words: string) => [{ type: 'text', text: words }];
const said = (seq: number, words: string, more: object = {}) =>
  event(
    seq,
    'user/message',
    { role: 'user', content: text(words), source: { kind: 'user' } },
    more,
  );
const answered = (seq: number, words: string, more: object = {}) =>
  event(seq, 'assistant/message', {
    turn: 1,
    step: 1,
    message: { role: 'assistant', content: text(words), source: { kind: 'model', model: 'm1' } },
    ...more,
  });
const result = (seq: number, callId: string, words: string, more: object = {}) =>
  event(
    seq,
    'tool/result',
    {
      turn: 1,
      message: {
        role: 'user',
        source: { kind: 'tool', callId },
        content: [
          { type: 'tool-result', toolCallId: callId, content: text(words), isError: false },
        ],
      },
    },
    more,
  );

describe('the sample log', () => {
  test('gives the questions, the tool result and the answers under their sequence numbers', async () => {
    const readings = await all(readSession(SAMPLE));
    expect(readings[0]).toEqual({
      kind: 'session',
      line: 1,
      session: {
        id: 'session-7b1d2c30-sample',
        format: 'dsh',
        cwd: '/home/dev/shop-api',
        createdAt: 1796075733622,
        parent: null,
        origin: 'root',
        seedLength: null,
        agent: null,
      },
    });
    expect(eventsOf(readings).map((e) => [e.seq, e.turn, e.role])).toEqual([
      [4, 1, 'user'],
      [15, 1, 'tool'],
      [26, 1, 'assistant'],
      [34, 2, 'user'],
      [42, 2, 'assistant'],
    ]);
    expect(eventsOf(readings)[1]).toMatchObject({
      session: 'session-7b1d2c30-sample',
      at: 1796075733637,
      text: '# config/database.yml\ndatabase: postgres://db.internal/shop\nmigrated_from: sqlite\n',
      meta: { callId: 'call_1', tool: 'read_config' },
    });
  });

  test('has a reason for each of the other lines', async () => {
    expect(await tally(readSession(SAMPLE))).toEqual({
      lines: 43,
      sessions: ['session-7b1d2c30-sample'],
      events: { user: 2, tool: 1, assistant: 2 },
      skipped: { inbox: 4, bookkeeping: 14, injected: 2, chunk: 15, 'tool-call': 2 },
      bad: [],
    });
  });
});

const logs = fixture('sessions/dsh');

describe.skipIf(logs === null)('true logs', () => {
  const log = (name: string): string => join(logs ?? '', `${name}-session.jsonl`);

  test('of a headless run', async () => {
    expect(await tally(readSession(log('headless-agent-advanced-toolchain')))).toEqual({
      lines: 75,
      sessions: ['11111111-1111-4111-8111-111111111111'],
      events: { user: 1, tool: 5, assistant: 1 },
      skipped: { inbox: 2, bookkeeping: 20, summary: 1, chunk: 30, 'tool-call': 14 },
      bad: [],
    });
  });

  test('of a goal in Chinese: what the host repeats of it is not said by a person', async () => {
    const file = log('web-goal-multi-turn-actions');
    expect(await tally(readSession(file))).toEqual({
      lines: 183,
      sessions: ['{{sessionId}}'],
      events: { tool: 11, assistant: 4 },
      skipped: { bookkeeping: 35, command: 2, inbox: 6, injected: 4, chunk: 101, 'tool-call': 19 },
      bad: [],
    });
    const texts = eventsOf(await all(readSession(file))).map((e) => e.text);
    expect(texts).toContain('两个 turn 均已完成，目标达成，标记 goal 为完成。');
    expect(texts.join()).not.toContain('goal_round');
  });

  test.each(['headless-agent-advanced-toolchain', 'web-goal-multi-turn-actions'])(
    'number their events as their own cross references do, where the numbers were taken out: %s',
    async (name) => {
      const rows = readFileSync(log(name), 'utf8').split('\n');
      let compared = 0;
      for (const reading of await all(readSession(log(name)))) {
        if (reading.kind !== 'event') continue;
        const row: { sourceEventSeqs?: number[] } = JSON.parse(rows[reading.line - 1] ?? '');
        const last = row.sourceEventSeqs?.at(-1);
        if (reading.event.role !== 'assistant' || last === undefined) continue;
        // An answer's last chunk stands right before it.
        expect(reading.event.seq).toBe(last + 1);
        compared += 1;
      }
      expect(compared).toBeGreaterThan(0);
    },
  );
});

describe('what a person said', () => {
  test('is a message whose source is the user, and no other', async () => {
    const readings = await readRows(dsh, [
      header(),
      event(0, 'agent/inbox/spliced', { inserted: [{ content: text('我们用 Postgres') }] }),
      event(1, 'turn/start', { turn: 1 }),
      said(2, '我们用 Postgres，不再用 SQLite'),
      event(3, 'user/message', { content: text('memory'), source: { kind: 'dsh-memory' } }),
      event(4, 'user/message', { content: text('skills'), source: { kind: 'skill-catalog' } }),
      event(5, 'user/message', { content: text('round 1'), source: { kind: 'goal' } }),
      event(6, 'user/message', { content: text('no source') }),
      event(7, 'command/run', { name: 'goal', args: ' do it', source: { kind: 'user' } }),
    ]);
    expect(spoken(readings)).toEqual([[2, 'user', '我们用 Postgres，不再用 SQLite']]);
    expect(fates(readings).slice(1)).toEqual([
      'inbox',
      'bookkeeping',
      'user',
      'injected',
      'injected',
      'injected',
      'injected',
      'command',
    ]);
    expect(readings[4]).toMatchObject({
      reason: { text: expect.stringContaining('(dsh-memory)') },
    });
  });

  test('stays said when the turn was aborted; the answer that was cut off is left out', async () => {
    const readings = await readRows(dsh, [
      header(),
      event(0, 'turn/start', { turn: 1 }),
      said(1, 'we moved to Oslo'),
      answered(2, 'Noted that you mo', { interrupted: true }),
      event(3, 'turn/end', { turn: 1, reason: { kind: 'aborted', reason: 'user' } }),
    ]);
    expect(spoken(readings)).toEqual([[1, 'user', 'we moved to Oslo']]);
    expect(fates(readings).slice(3)).toEqual(['interrupted', 'bookkeeping']);
    expect(readings[4]).toMatchObject({
      reason: { text: expect.stringContaining('aborted by user') },
    });
  });

  test('is not counted again when the host shows it anew', async () => {
    const readings = await readRows(dsh, [
      header(),
      said(0, 'hello', { surfaceOp: 'append' }),
      said(1, 'hello', { surfaceOp: 'replace' }),
    ]);
    expect(fates(readings)).toEqual(['session', 'user', 'repeat']);
  });
});

describe('answers and tools', () => {
  test('reasoning and calls are left out of an answer, and named', async () => {
    const block = { type: 'tool-call', id: 'c', name: 'bash', arguments: '{}' };
    const answer = (seq: number, content: object[]) =>
      event(seq, 'assistant/message', { turn: 1, message: { role: 'assistant', content } });
    const readings = await readRows(dsh, [
      header(),
      answer(0, [{ type: 'reasoning', text: 'hm' }, ...text('yes'), block]),
      answer(1, [{ type: 'reasoning', text: 'hm' }]),
      answer(2, [{ type: 'reasoning', text: 'hm' }, block]),
      answer(3, []),
    ]);
    expect(fates(readings)).toEqual(['session', 'assistant', 'reasoning', 'tool-call', 'no-text']);
    expect(eventsOf(readings)[0]).toMatchObject({
      text: 'yes',
      meta: { omitted: ['reasoning', 'tool-call'] },
    });
  });

  test('a result is joined with its call, and a shortened second one is not read', async () => {
    const readings = await readRows(dsh, [
      header(),
      event(0, 'tool/call', { turn: 1, callId: 'c1', name: 'bash', arguments: '{}' }),
      result(1, 'c1', 'all of it'),
      result(2, 'c1', 'less of it'),
      result(3, 'c1', 'less of it', { surfaceOp: 'replace' }),
    ]);
    expect(spoken(readings)).toEqual([[1, 'tool', 'all of it']]);
    expect(eventsOf(readings)[0]?.meta).toEqual({ callId: 'c1', tool: 'bash' });
    expect(fates(readings).slice(3)).toEqual(['repeat', 'repeat']);
  });

  test('packed rows stand for several events, which keep their numbers', async () => {
    const { seq: _, time: __, ...unnumbered } = answered(0, 'one two');
    const readings = await readRows(dsh, [
      header(),
      { type: 'text-chunks', data: { turn: 1, dt: [1, 1], texts: ['o', 'ne', ' two'] } },
      { type: 'tool-call-chunks', data: { turn: 1, id: 'c', dt: [1], args: ['{', '}'] } },
      unnumbered,
      // Deltas may fall between the halves of a pair; nobody reads them.
      { type: 'reasoning-chunks', seq0: 6, data: { texts: ['\ud83d', '\ude00', '!'] } },
      said(9, '好'),
    ]);
    expect(spoken(readings)).toEqual([
      [5, 'assistant', 'one two'],
      [9, 'user', '好'],
    ]);
    expect(fates(readings)).toEqual(['session', 'chunk', 'chunk', 'assistant', 'chunk', 'user']);
  });
});

describe('other sessions in a session', () => {
  test('a fork does not count again what it inherited', async () => {
    const readings = await readRows(dsh, [
      header({ id: 'child', parentSession: 'parent', seedLength: 3 }),
      event(0, 'turn/start', { turn: 7 }),
      said(1, 'I live in Rome'),
      event(2, 'turn/end', { turn: 7, reason: { kind: 'completed' } }),
      event(3, 'session/end-seed', {}),
      said(4, 'I live in Oslo'),
    ]);
    expect(readings[0]).toMatchObject({
      session: { id: 'child', parent: 'parent', origin: 'fork', seedLength: 3 },
    });
    expect(fates(readings).slice(1)).toEqual([
      'inherited',
      'inherited',
      'inherited',
      'bookkeeping',
      'user',
    ]);
    expect(eventsOf(readings)[0]).toMatchObject({ session: 'child', seq: 4, turn: 7 });
  });

  test('a fork whose header lacks the length of the seed is told by the time of its creation', async () => {
    const readings = await readRows(dsh, [
      header({ id: 'child', parentSession: 'parent', createdAt: 1_003 }),
      said(0, 'I live in Rome'),
      event(1, 'session/end-seed', {}),
      said(2, 'since last year'),
      event(3, 'session/end-seed', {}),
      said(4, 'I live in Oslo'),
    ]);
    expect(fates(readings).slice(1)).toEqual([
      'inherited',
      'inherited',
      'inherited',
      'bookkeeping',
      'user',
    ]);
  });

  test('a resume is no fork: what stands before its border is the session’s own', async () => {
    const readings = await readRows(dsh, [
      header(),
      said(0, 'before'),
      event(1, 'session/end-seed', {}),
      said(2, 'after'),
    ]);
    expect(eventsOf(readings).map((e) => e.text)).toEqual(['before', 'after']);
  });

  test.each([{ origin: 'subagent', parentSession: 'p' }, { delegationDepth: 1 }])(
    'a sub-agent’s session is marked, and its prompt is no person’s: %o',
    async (lineage) => {
      const rows = [header(lineage), said(0, 'Reply with OK.'), answered(1, 'OK')];
      const skippedAll = await readRows(dsh, rows);
      expect(skippedAll[0]).toMatchObject({ session: { origin: 'subagent' } });
      expect(fates(skippedAll)).toEqual(['session', 'subagent', 'subagent']);
      const read = await readRows(dsh, rows, { subagents: 'read' });
      expect(fates(read)).toEqual(['session', 'system', 'assistant']);
    },
  );
});

describe('damage', () => {
  test('a bad line among good ones is quarantined, and the rest is read', async () => {
    const rows = [
      header(),
      said(0, 'one'),
      said(1, 'two\u0000'),
      said(2, 'three \ud800'),
      said(3, '四'),
    ];
    const lines = rows.map((row) => JSON.stringify(row));
    lines.splice(2, 0, '{"type":"user/mess');
    lines.push(JSON.stringify(event(4, 'user/message', { content: 7, source: { kind: 'user' } })));
    const readings = await readLines(dsh, lines);
    expect(fates(readings)).toEqual(['session', 'user', 'bad', 'bad', 'bad', 'user', 'bad']);
    expect(problems(readings)).toEqual([
      'is not JSON',
      'holds a NUL character',
      'holds half of a surrogate pair',
      expect.stringContaining('content'),
    ]);
    expect(spoken(readings).at(-1)).toEqual([3, 'user', '四']);
  });

  test('no number is guessed behind a line that was lost', async () => {
    const { seq: _, ...unnumbered } = said(0, 'which number am I?');
    const readings = await readRows(dsh, [
      header(),
      'lost',
      unnumbered,
      said(5, 'five'),
      unnumbered,
    ]);
    expect(fates(readings)).toEqual(['session', 'bad', 'bad', 'user', 'user']);
    expect(eventsOf(readings).map((e) => e.seq)).toEqual([5, 6]);
  });

  test('lines that were written twice are read once', async () => {
    const readings = await readRows(dsh, [
      header(),
      said(0, 'a'),
      said(1, 'b'),
      said(0, 'a'),
      said(1, 'b'),
    ]);
    expect(fates(readings)).toEqual(['session', 'user', 'user', 'repeat', 'repeat']);
  });

  test('so is a log that was appended to itself, or to another', async () => {
    const one = [header(), said(0, 'a'), said(1, 'b')];
    const two = [header({ id: 's2' }), said(0, 'c')];
    const readings = await readRows(dsh, [...one, ...two, ...one]);
    expect(eventsOf(readings).map((e) => [e.session, e.seq])).toEqual([
      ['s1', 0],
      ['s1', 1],
      ['s2', 0],
    ]);
  });

  test('a log of an unknown version is not guessed at', async () => {
    const readings = await readRows(dsh, [header({ version: 3 }), said(0, 'hello')]);
    expect(fates(readings)).toEqual(['bad', 'unknown-version']);
  });

  test('without a header there is no evidence, unless the session is named', async () => {
    expect(fates(await readRows(dsh, [said(41, 'tail')]))).toEqual(['bad']);
    const named = await readRows(dsh, [said(41, 'tail')], { session: 's1' });
    expect(eventsOf(named)).toMatchObject([{ session: 's1', seq: 41 }]);
  });

  test('types nobody knows are listed by name', async () => {
    const readings = await readRows(dsh, [header(), event(0, 'ours/x', {})]);
    expect(readings[1]).toMatchObject({
      reason: { code: 'unknown-type', text: expect.stringContaining('ours/x') },
    });
  });
});
