import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.js';
import { objects, opened, refused, testClock, type Opened } from './opened.js';

/** Values that break whoever builds keys, patterns or queries from them. */
const HOSTILE: readonly string[] = [
  'a',
  'A',
  ' a',
  'a ',
  'a\u0000',
  '\u0000',
  '%',
  '_',
  'a%',
  '%a%',
  '\\',
  '\\\\',
  '\\%',
  "'",
  '"',
  "''",
  '"";',
  '`',
  '$$',
  'a/b',
  'a|b',
  'a:b',
  'a,b',
  'a=b',
  'a\nb',
  'a\tb',
  '*',
  '?',
  '.',
  '..',
  '../x',
  '[]',
  '{}',
  'null',
  'undefined',
  'true',
  '["acme",null,null,null]',
  '","project":"b',
  '{"org":"acme"}',
  's:x',
  '\\u0000',
  '</script>',
  "' OR 1=1 --",
  '🙂',
  '🙃',
  '👩‍👩‍👧',
  'e\u0301',
  '\u00e9',
  'ﬁ',
  'fi',
  'İ',
  'i',
  'ß',
  'ss',
  '\u200b',
  'a\u200b',
  '\u202ea',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'x'.repeat(10_000),
  `${'x'.repeat(9_999)}y`,
  '数据',
  '數據',
];

async function plant(
  memory: Opened,
  scopes: readonly Parameters<Opened['in']>[0][],
): Promise<void> {
  for (const [i, scope] of scopes.entries()) {
    await memory.in(scope).assert({
      subject: 'it',
      predicate: 'has',
      object: `secret ${i}`,
      evidence: [{ session: `s${i}`, seq: 1 }],
    });
  }
}

async function expectApart(
  memory: Opened,
  scopes: readonly Parameters<Opened['in']>[0][],
): Promise<void> {
  for (const [i, scope] of scopes.entries()) {
    const handle = memory.in(scope);
    const facts = await handle.facts();
    expect(objects(facts)).toEqual([`secret ${i}`]);
    expect(facts[0]?.scope).toEqual(scope);
    expect((await handle.entities.list().toArray()).length).toBe(1);
  }
}

describe.each(['org', 'project', 'user', 'agent'] as const)('hostile values of %s', (dimension) => {
  test('are kept apart and come back as they were, also after opening again', async () => {
    const path = temporaryFolder();
    const scopes = HOSTILE.map((value) => ({ org: 'acme', [dimension]: value }));
    const clock = testClock();
    const memory = await opened({ path, clock });
    await plant(memory, scopes);
    await expectApart(memory, scopes);
    await memory.close();
    const again = await opened({ path, clock });
    await expectApart(again, scopes);
    await again.rebuild();
    await expectApart(again, scopes);
  });
});

test('a value of one dimension is none of another, however it is written', async () => {
  const parts = ['b', '","', 'null', '"b"', ',', 'a,b'];
  const scopes = parts.flatMap((value) => [
    { org: 'acme', project: value },
    { org: 'acme', user: value },
    { org: 'acme', agent: value },
    { org: 'acme', project: value, user: 'other' },
    { org: `acme","${value}` },
    { org: `["acme","${value}",null,null]` },
  ]);
  const memory = await opened();
  await plant(memory, scopes);
  for (const [i, scope] of scopes.entries()) {
    const seen = objects(await memory.in(scope).facts());
    const wanted = scopes.flatMap((other, j) =>
      Object.entries(other).every(([d, v]) =>
        Object.entries(scope).some(([e, w]) => d === e && v === w),
      )
        ? [`secret ${j}`]
        : [],
    );
    expect(wanted).toContain(`secret ${i}`);
    expect(seen).toEqual(wanted.sort());
  }
});

test('forgetting a hostile user forgets that one alone', async () => {
  const memory = await opened();
  const scopes = HOSTILE.map((user) => ({ org: 'acme', user }));
  await plant(memory, scopes);
  for (const user of ['%', 'a', '\\', 'x'.repeat(10_000)]) {
    const receipt = await memory.admin({ org: 'acme' }).forget({ user });
    expect(receipt.claims).toBe(1);
  }
  const left = await Promise.all(scopes.map(async (s) => (await memory.in(s).facts()).length));
  expect(left.filter((n) => n === 0)).toHaveLength(4);
});

test('any two different scopes are two, and any value comes back', async () => {
  const value = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 8 })
    .filter((s) => s.isWellFormed());
  const scope = fc.record(
    { org: value, project: value, user: value, agent: value },
    { requiredKeys: ['org'], noNullPrototype: true },
  );
  await fc.assert(
    fc.asyncProperty(scope, scope, async (a, b) => {
      const memory = await opened();
      await memory.in(a).assert({ subject: 'it', predicate: 'has', object: 'a' });
      await memory.in(b).assert({ subject: 'it', predicate: 'has', object: 'b' });
      const [fact] = await memory.in(a).facts({ object: 'a' });
      expect(fact?.scope).toEqual(a);
      const sees = Object.entries(b).every(([d, v]) =>
        Object.entries(a).some(([e, w]) => d === e && v === w),
      );
      expect(await memory.in(a).facts({ object: 'b' })).toHaveLength(sees ? 1 : 0);
    }),
    { numRuns: 100 },
  );
});

test.each([
  ['no org', {}, 'INVALID_SCOPE scope.org'],
  ['no scope', undefined, 'INVALID_SCOPE scope'],
  ['null', null, 'INVALID_SCOPE scope'],
  ['a text', 'acme', 'INVALID_SCOPE scope'],
  ['an empty org', { org: '' }, 'INVALID_SCOPE scope.org'],
  ['an empty user', { org: 'acme', user: '' }, 'INVALID_SCOPE scope.user'],
  ['a user of null', { org: 'acme', user: null }, 'INVALID_SCOPE scope.user'],
  ['a number', { org: 7 }, 'INVALID_SCOPE scope.org'],
  ['a list', { org: ['acme'] }, 'INVALID_SCOPE scope.org'],
  ['an unknown dimension', { org: 'acme', team: 'x' }, 'INVALID_SCOPE scope'],
  ['a prototype', JSON.parse('{"org":"acme","__proto__":{"user":"x"}}'), 'INVALID_SCOPE scope'],
  ['half a surrogate pair', { org: '\ud83d' }, 'INVALID_TEXT scope.org'],
  ['20 kB', { org: 'x'.repeat(20_000) }, 'TOO_LARGE scope.org'],
])('a scope with %s is refused', async (_what, scope, error) => {
  const memory = await opened();
  expect(await refused(() => memory.in(scope as never))).toBe(error);
});
