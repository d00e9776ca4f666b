import { describe, expect, test } from 'vitest';
import { tableLines } from '../../lib/cli/table.js';
import { clip, displayWidth, padTo, printable } from '../../lib/cli/width.js';

const output = { style: (_: unknown, text: string): string => text };

describe('columns of a terminal', () => {
  test.each([
    ['Harbour', 7],
    ['移动端', 6],
    ['港湾 v2', 7],
    ['한국어', 6],
    ['カナ', 4],
    ['é', 1],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['─▶', 2],
    ['', 0],
  ])('%s takes %i', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });

  test('padding and cutting count them', () => {
    expect(padTo('移动端', 8)).toBe('移动端  ');
    expect(clip('移动端上线', 6)).toBe('移动…');
    expect(clip('移动端', 6)).toBe('移动端');
    expect(displayWidth(clip('a移动端上线', 6))).toBeLessThanOrEqual(6);
  });

  test('text from a store gives no commands to the terminal', () => {
    expect(printable('\u001B[2Jred\u202E\n')).toBe('�[2Jred��');
  });
});

test('a table of Chinese and Latin lines up', () => {
  const columns = [{ title: 'subject' }, { title: 'predicate' }, { title: 'object' }];
  const rows = [
    ['Harbour', 'owner', 'Mira'],
    ['移动端', '负责人', '林悦'],
    ['港湾 2', 'framework', 'React Native'],
  ];
  expect(tableLines(columns, rows, output)).toEqual([
    'subject  predicate  object',
    'Harbour  owner      Mira',
    '移动端   负责人     林悦',
    '港湾 2   framework  React Native',
  ]);
});
