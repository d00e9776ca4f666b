import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readerNamed, readSession, tally } from '../../../lib/ingest/readers/index.js';
import { fixture } from '../../support/fixtures.js';
import { all, eventsOf, fates, problems, readLines, readRows, spoken } from './lines.js';

const openai = readerNamed('openai');
const plain = readerNamed('plain');
const sweAgent = readerNamed('swe-agent');

const CONVERSATION = [
  { role: 'developer', content: 'Be brief.' },
  { role: 'user', content: '我搬到了上海', name: 'ana', timestamp: '2024-03-05T10:00:00+08:00' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', function: { name: 'lookup', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: 'c1', content: 'Shanghai' },
  { role: 'assistant', content: 'Noted.', reasoning_content: 'hm', created_at: 1_709_604_000 },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'See this' },
      { type: 'image_url', image_url: {} },
    ],
  },
  { role: 'user', content: '<system-reminder>be kind</system-reminder>' },
  { role: 'robot', content: 'x' },
];

describe('messages of the OpenAI kind', () => {
  test.each([
    ['a line each', CONVERSATION.map((message) => JSON.stringify(message))],
    ['an array', [JSON.stringify(CONVERSATION)]],
    ['an array over many lines', JSON.stringify(CONVERSATION, null, 2).split('\n')],
    ['a request', [JSON.stringify({ messages: CONVERSATION, model: 'm' })]],
    [
      'a request over many lines',
      JSON.stringify({ model: 'm', messages: CONVERSATION }, null, 2).split('\n'),
    ],
  ])('are read alike as %s', async (_, lines) => {
    const readings = await readLines(openai, lines, { session: 's1' });
    expect(fates(readings)).toEqual([
      'system',
      'user',
      'tool-call',
      'tool',
      'assistant',
      'user',
      'injected',
      'bad',
    ]);
    expect(eventsOf(readings).map((e) => [e.seq, e.turn, e.speaker, e.at, e.text])).toEqual([
      [0, null, null, null, 'Be brief.'],
      [1, 1, 'ana', Date.UTC(2024, 2, 5, 2), '我搬到了上海'],
      [3, 1, null, null, 'Shanghai'],
      [4, 1, null, 1_709_604_000_000, 'Noted.'],
      [5, 2, null, null, 'See this'],
    ]);
    expect(eventsOf(readings)[2]?.meta).toEqual({ callId: 'c1', tool: 'lookup' });
    expect(eventsOf(readings)[4]?.meta).toEqual({ omitted: ['image_url'] });
  });

  test('belong to no session until one is named', async () => {
    expect(fates(await readRows(openai, [CONVERSATION[1]]))).toEqual(['bad']);
  });

  test('in a broken or too large document are one bad reading', async () => {
    const text = JSON.stringify(CONVERSATION);
    const options = { session: 's1' };
    expect(problems(await readLines(openai, [text.slice(0, -1)], options))).toEqual([
      'is not JSON',
    ]);
    const small = { ...options, maxDocumentBytes: 100 };
    expect(problems(await readLines(openai, [text], small))).toEqual(['is longer than 100 bytes']);
  });
});

describe('the plain format', () => {
  const row = { session: 's1', seq: 0, at: '2024-03-05T10:00:00Z', role: 'user', text: '你好' };

  test('is taken at its word', async () => {
    const readings = await readRows(plain, [
      row,
      { ...row, seq: 5, role: 'document', at: 1_709_632_800_000, speaker: 'Ana', turn: 2 },
      { ...row, session: 's2', at: null, text: '<system-reminder>as is</system-reminder>' },
    ]);
    expect(eventsOf(readings)).toEqual([
      {
        session: 's1',
        seq: 0,
        at: 1_709_632_800_000,
        role: 'user',
        text: '你好',
        speaker: null,
        turn: null,
      },
      {
        session: 's1',
        seq: 5,
        at: 1_709_632_800_000,
        role: 'document',
        text: '你好',
        speaker: 'Ana',
        turn: 2,
      },
      {
        session: 's2',
        seq: 0,
        at: null,
        role: 'user',
        text: '<system-reminder>as is</system-reminder>',
        speaker: null,
        turn: null,
      },
    ]);
    expect(readings.filter((r) => r.kind === 'session').map((r) => r.session.id)).toEqual([
      's1',
      's2',
    ]);
  });

  test('reads local times in the zone that it is given', async () => {
    const local = { ...row, at: '2024-03-05 18:00' };
    const readings = await readRows(plain, [local], { timeZone: 'Asia/Shanghai' });
    expect(eventsOf(readings)[0]?.at).toBe(1_709_632_800_000);
  });

  test.each([
    ['seq', { seq: -1 }],
    ['seq', { seq: 1.5 }],
    ['role', { role: 'admin' }],
    ['text', { text: 7 }],
    ['at: is not an instant', { at: 'yesterday' }],
    ['session: is missing', { session: undefined }],
    ['a field which the format does not have', { sneaker: 'x' }],
    ['NUL', { text: 'a\0b' }],
    ['surrogate', { speaker: '\udc00' }],
  ])('refuses a line with a wrong field (%s): %o', async (problem, wrong) => {
    const readings = await readRows(plain, [{ ...row, ...wrong }, row]);
    expect(fates(readings)).toEqual(['bad', 'user']);
    expect(problems(readings)[0]).toContain(problem);
  });

  test('counts an event once, and never a refused line in its place', async () => {
    const rows = [{ ...row, text: ' ' }, row, { ...row, text: 'again' }, { ...row, seq: 1 }];
    expect(fates(await readRows(plain, rows))).toEqual(['no-text', 'user', 'repeat', 'user']);
  });
});

const logs = fixture('sessions/swe-agent');

describe('SWE-agent trajectories', () => {
  test.skipIf(logs === null)('a true one', async () => {
    const file = join(logs ?? '', 'pydicom__pydicom-1458.traj');
    expect(await tally(readSession(file))).toEqual({
      lines: 29,
      sessions: ['pydicom__pydicom-1458'],
      events: { system: 1, document: 1, assistant: 12, tool: 11 },
      skipped: { demonstration: 1, repeat: 1, bookkeeping: 2 },
      bad: [],
    });
    const [, task, first] = eventsOf(await all(readSession(file)));
    expect(task).toMatchObject({
      seq: 2,
      role: 'document',
      text: expect.stringContaining('ISSUE:'),
    });
    expect(first).toMatchObject({ seq: 3, role: 'assistant', turn: 1 });
  });

  const entry = (role: string, content: unknown, more: object = {}) => ({ role, content, ...more });

  test('a template around an issue is a document, observations are the tool’s, demonstrations nobody’s', async () => {
    const document = {
      history: [
        entry('system', 'You are a programmer.', { agent: 'main' }),
        entry('user', 'Do as here', { agent: 'main', is_demo: true }),
        entry('user', [{ type: 'text', text: '修复这个错误' }], { agent: 'main' }),
        entry('assistant', 'ls', { agent: 'main', message_type: 'action' }),
        entry('user', 'a.py', { agent: 'main', message_type: 'observation' }),
        entry('tool', 'b.py', { agent: 'main', tool_call_ids: ['t1'] }),
        entry('user', 'Find it for me', { agent: 'searcher' }),
        entry('nobody', 'x'),
      ],
      trajectory: [{ response: 'ls', observation: 'a.py' }],
      info: {},
    };
    const readings = await readRows(sweAgent, [document], { session: 's1' });
    expect(fates(readings)).toEqual([
      'system',
      'demonstration',
      'document',
      'assistant',
      'tool',
      'tool',
      'subagent',
      'bad',
      'repeat',
      'bookkeeping',
    ]);
  });

  test('steps are read where there is no history', async () => {
    const document = { trajectory: [{ response: 'ls', observation: 'a.py' }, 7], info: {} };
    const readings = await readRows(sweAgent, [document], { fileName: 'task-1' });
    expect(spoken(readings)).toEqual([
      [0, 'assistant', 'ls'],
      [1, 'tool', 'a.py'],
    ]);
    expect(fates(readings).slice(2)).toEqual(['bad', 'bad', 'bookkeeping']);
  });

  test.each([
    ['is not JSON', '{"history": ['],
    ['neither', '{"info": {}}'],
    ['not a JSON object', '[]'],
  ])('that are none are one bad reading: %s', async (problem, text) => {
    expect(problems(await readLines(sweAgent, [text], { session: 's' }))).toEqual([
      expect.stringContaining(problem),
    ]);
  });
});
