import { describe, expect, test } from 'vitest';
import { readAnswer } from '../../../lib/ingest/extract/answer.js';
import { candidate } from './asking.js';

const whole = JSON.stringify({ candidates: [candidate()] });

describe('the candidates are found', () => {
  const wrapped: Readonly<Record<string, string>> = {
    'in plain JSON': whole,
    'behind a byte order mark': `\uFEFF${whole}`,
    'in a fence': `\`\`\`json\n${whole}\n\`\`\``,
    'in a fence without a language': `\`\`\`\n${whole}\n\`\`\``,
    'in a fence that is not closed': `\`\`\`json\n${whole}`,
    'with prose around': `Sure! Here is the JSON {as you asked}:\n${whole}\nLet me know [1] if {you} need more.`,
    'after thoughts': `<think>Perhaps {"candidates": []}? No.</think>\n${whole}`,
    'after a draft': `{"candidates": []}\nWait, there is one:\n${whole}`,
    'before an empty list in the prose': `${whole}\nSkipped: []`,
    'with Chinese around': `好的,以下是结果:${whole}希望有帮助。`,
    'as a list at top level': JSON.stringify([candidate()]),
    'as a single candidate': JSON.stringify(candidate()),
    'under another name': JSON.stringify({ facts: [candidate()] }),
    'one level further down': JSON.stringify({ result: { candidates: [candidate()] } }),
    'in a list with one answer': JSON.stringify([{ candidates: [candidate()] }]),
    'as a string of JSON': JSON.stringify(whole),
    'in the call of a tool': JSON.stringify({
      tool_calls: [{ type: 'function', function: { name: 'save', arguments: whole } }],
    }),
    'in a call that is told as text': JSON.stringify({
      name: 'save',
      arguments: { candidates: [candidate()] },
    }),
  };
  for (const [where, text] of Object.entries(wrapped)) {
    test(where, () => {
      expect(readAnswer(text)).toEqual({ candidates: [candidate()], good: 1, problems: [] });
    });
  }

  test('where there are none', () => {
    expect(readAnswer('{"candidates": []}').problems).toEqual([]);
    expect(readAnswer('[]')).toEqual({ candidates: [], good: 0, problems: [] });
  });
});

describe('what is plain is put right', () => {
  test('members left out or spelt as words are null, and members nobody knows are dropped', () => {
    const short = { action: 'Add', subject: 'shop', predicate: 'database', seq: '0', quote: 'q' };
    const { candidates, problems } = readAnswer(
      JSON.stringify({ candidates: [{ ...short, validTo: 'null', mood: 'good', target: '' }] }),
    );
    expect(problems).toEqual([]);
    expect(candidates).toEqual([
      candidate({
        quote: 'q',
        object: null,
        objectKind: null,
        statement: null,
        confidence: null,
      }),
    ]);
  });

  test('values that are no text become text, and their kind is kept', () => {
    const { candidates } = readAnswer(
      JSON.stringify([candidate({ object: 42, objectKind: undefined, validFrom: 2023 })]),
    );
    expect(candidates).toEqual([
      candidate({ object: '42', objectKind: 'number', validFrom: '2023' }),
    ]);
  });

  test('a kind that does not exist is none', () => {
    const { candidates } = readAnswer(JSON.stringify([candidate({ objectKind: 'colour' })]));
    expect(candidates).toEqual([candidate({ objectKind: null })]);
  });

  test('halves of surrogate pairs and NUL are dropped from texts, whole pairs stay', () => {
    const { candidates } = readAnswer(
      '{"candidates":[' +
        JSON.stringify(candidate()).replace(
          'We use Postgres',
          'We \\ud83duse\\u0000 \\ud83d\\ude00',
        ) +
        ']}',
    );
    expect(candidates).toEqual([candidate({ quote: 'We use 😀' })]);
  });

  test('a person may be called None', () => {
    const { candidates } = readAnswer(
      JSON.stringify([candidate({ subject: 'None', object: 'null' })]),
    );
    expect(candidates).toEqual([candidate({ subject: 'None', object: 'null' })]);
  });

  test('no name of the language itself gets through', () => {
    const { candidates } = readAnswer(
      `[${JSON.stringify(candidate()).slice(0, -1)},"__proto__":{"subjectType":"person"}}]`,
    );
    expect(candidates).toEqual([candidate()]);
  });
});

describe('the model is told what is wrong', () => {
  test.each([
    ['', 'The answer was empty.'],
    ['  \n\t', 'The answer was empty.'],
    [
      "I'm sorry, but I can't help with that.",
      'The answer holds no JSON that is valid and complete.',
    ],
    ['{"candidates": [{"action"', 'The answer holds no JSON that is valid and complete.'],
    ['{"candidates": "none"}', 'The JSON has no member "candidates" that is a list.'],
    ['{}', 'The JSON has no member "candidates" that is a list.'],
    ['42', 'The JSON has no member "candidates" that is a list.'],
    ['[1, 2]', 'The JSON has no member "candidates" that is a list.'],
  ])('%j', (text, problem) => {
    expect(readAnswer(text)).toEqual({ candidates: [], good: 0, problems: [problem] });
  });

  test.each([
    ['cut off after a whole candidate', JSON.stringify([candidate(), candidate()]).slice(0, -9)],
    ['with a comma too many', `{"candidates": [${JSON.stringify(candidate())},]}`],
    ['after a whole draft', `${whole}\nBetter: ${whole.slice(0, -1)}`],
    ['in a fence', `\`\`\`json\n${whole.slice(0, -2)}\n\`\`\``],
  ])('and no part of broken JSON is taken for the whole: %s', (_, text) => {
    expect(readAnswer(text)).toEqual({
      candidates: [],
      good: 0,
      problems: ['The answer holds no JSON that is valid and complete.'],
    });
  });

  test('with the member of the candidate', () => {
    const { good, problems } = readAnswer(
      JSON.stringify([candidate(), candidate({ seq: 'first' }), candidate({ quote: null })]),
    );
    expect(good).toBe(1);
    expect(problems.map((p) => p.split(':')[0])).toEqual([
      'candidates[1].seq',
      'candidates[2].quote',
    ]);
  });
});

describe('hostile answers cost no time', () => {
  test.each([
    ['open brackets', '{'.repeat(2_000_000)],
    ['open lists', '['.repeat(2_000_000)],
    ['open texts', '{"'.repeat(1_000_000)],
    ['nesting', `${'[{"a":'.repeat(100_000)}1`],
    ['thoughts without an end', '<think>'.repeat(300_000)],
    ['closed nesting', '['.repeat(100_000) + ']'.repeat(100_000)],
  ])('%s', (_, text) => {
    const before = performance.now();
    expect(readAnswer(text).good).toBe(0);
    expect(performance.now() - before).toBeLessThan(3_000);
  });

  test('an answer with thousands of candidates is not followed to its end', () => {
    const many = Array.from({ length: 500 }, () => candidate());
    expect(readAnswer(JSON.stringify(many)).candidates).toHaveLength(200);
  });
});
