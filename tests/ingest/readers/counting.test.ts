import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FORMATS, SKIP_REASONS } from '../../../lib/ingest/event.js';
import { isWellFormed } from '../../../lib/model/text.js';
import type { Line } from '../../../lib/ingest/readers/index.js';
import { readerNamed } from '../../../lib/ingest/readers/index.js';
import { readLines } from './lines.js';

const hostile: readonly Line[] = [
  '',
  '   ',
  'null',
  '42',
  '"text"',
  '[1]',
  '{}',
  '{"silly":"this"}',
  '{"type":null}',
  '{"__proto__":{"type":"user"}}',
  '{"type":"constructor"}',
  '{"type":"__proto__","data":{}}',
  '{"type":"user","message":null,"sessionId":"s"}',
  '{"type":"user/message","seq":1,"data":null}',
  '{"broken":',
  '\ufeff{}',
  'x'.repeat(300),
  { problem: 'is not UTF-8' },
];

const sample = readFileSync(
  join(import.meta.dirname, '../../data/dsh-session-sample.jsonl'),
  'utf8',
);

const texts = fc.oneof(
  fc.string(),
  fc.constantFrom('你好', 'a\0b', '\ud800', '<system-reminder>x</system-reminder>', ' '),
);
const content = fc.oneof(
  texts,
  fc.array(
    fc.record({ type: fc.constantFrom('text', 'tool_use', 'tool_result', 'image'), text: texts }),
  ),
);
const role = fc.constantFrom('user', 'assistant', 'tool', 'system', 'robot');
const number = fc.oneof(fc.nat(20), fc.constant(-1), fc.constant(null));

const rows = fc.oneof(
  fc.record({ seq: number, role, text: texts, session: fc.constantFrom('s', '', 7) }),
  fc.record({ role, content }),
  fc.record({
    type: fc.constantFrom('user', 'assistant', 'attachment', 'system'),
    sessionId: fc.constantFrom('s', 't'),
    uuid: fc.constantFrom('1', '2', '3'),
    isSidechain: fc.boolean(),
    message: fc.record({ role, content }),
  }),
  fc.record({
    type: fc.constantFrom(
      'user/message',
      'assistant/message',
      'tool/result',
      'text-chunks',
      'session',
    ),
    seq: number,
    data: fc.record({
      content,
      source: fc.record({ kind: fc.constantFrom('user', 'goal') }),
      message: fc.record({ content }),
      texts: fc.array(fc.string()),
    }),
  }),
);
const line: fc.Arbitrary<Line> = fc.oneof(
  rows.map((row) => JSON.stringify(row)),
  fc.constantFrom(...hostile),
  fc.constantFrom(...sample.trimEnd().split('\n')),
  fc.string(),
);

describe('count in is count out', () => {
  test.each(FORMATS.filter((format) => format !== 'swe-agent'))(
    '%s gives one reading for each line, in order, and only text that can be kept',
    async (format) => {
      const first = format === 'openai' ? ['{"role":"user","content":"hi"}'] : [];
      await fc.assert(
        fc.asyncProperty(fc.array(line, { maxLength: 30 }), fc.boolean(), async (body, reads) => {
          const lines = [...first, ...body];
          const readings = await readLines(readerNamed(format), lines, {
            session: 's',
            maxLineBytes: 250,
            subagents: reads ? 'read' : 'skip',
          });
          const numbers = readings.flatMap((r) => (r.line === null ? [] : [r.line]));
          expect(numbers).toEqual(lines.map((_, index) => index + 1));
          const named = new Set<string>();
          for (const reading of readings) {
            if (reading.kind !== 'event') continue;
            const { session, seq, text } = reading.event;
            expect(isWellFormed(text) && !text.includes('\0') && text.trim() !== '').toBe(true);
            expect(named.has(`${seq} ${session}`)).toBe(false);
            named.add(`${seq} ${session}`);
          }
        }),
        { numRuns: 150 },
      );
    },
  );

  test('swe-agent gives one for each entry and each other section', async () => {
    const entry = fc.oneof(fc.record({ role, content }), fc.constantFrom(null, 7, {}, []));
    await fc.assert(
      fc.asyncProperty(fc.array(entry), fc.boolean(), async (history, both) => {
        const document = { history, ...(both ? { trajectory: [1], info: {} } : {}) };
        const readings = await readLines(readerNamed('swe-agent'), [JSON.stringify(document)], {
          session: 's',
        });
        const numbers = readings.flatMap((r) => (r.line === null ? [] : [r.line]));
        const expected = history.length + (both ? 2 : 0);
        expect(numbers).toEqual(Array.from({ length: expected }, (_, index) => index + 1));
      }),
      { numRuns: 100 },
    );
  });
});

test('a problem never repeats what the line says', async () => {
  const secret = 'hunter2-hunter2';
  for (const format of FORMATS) {
    const lines = [
      `{"password": ${secret}`,
      JSON.stringify({ type: secret, seq: secret, role: secret, text: secret, at: secret }),
      JSON.stringify({ session: 's', seq: 1, role: 'user', text: 'x', at: secret, [secret]: 1 }),
      JSON.stringify({ type: `a ${secret}`, sessionId: 's', seq: 1, data: {} }),
    ];
    const readings = await readLines(readerNamed(format), lines, { session: 's' });
    const said = readings.map((r) =>
      r.kind === 'bad'
        ? r.problem
        : r.kind === 'skipped' && r.reason.code !== 'unknown-type'
          ? r.reason.text
          : '',
    );
    expect(said.join('\n')).not.toContain(secret);
  }
});

test('every reason is documented', () => {
  const page = readFileSync(
    join(import.meta.dirname, '../../../docs/readers.md'),
    'utf8',
  ).replaceAll(/ +/gu, ' ');
  for (const [code, text] of Object.entries(SKIP_REASONS)) {
    expect(page).toContain(`| \`${code}\` | ${text} |`);
  }
});
