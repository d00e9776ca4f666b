import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.js';
import { palimpsest, words } from './command-line.js';

test('the demo fits a screenful or two, and every command that it prints works', async () => {
  const cwd = temporaryFolder();
  const { code, stdout, stderr } = await palimpsest(['demo'], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const lines = stdout.trimEnd().split('\n');
  expect(lines.length).toBeLessThan(100);
  expect(lines[1]).toMatch(/Graph: kuzu, up to tx 39\./u);
  const headings = lines.flatMap((line) => /^(\d) {2}/u.exec(line)?.[1] ?? []);
  expect(headings).toEqual(['1', '2', '3', '4', '5', '6', '7']);
  expect(stdout).toContain('as believed on 2025-01-19: eu-north');
  expect(stdout).toContain('as believed now:           eu-west');
  expect(stdout).toContain('#15 (tool) “database: postgres://db.internal/shop”');
  expect(stdout).toContain('#34 (user) “give me a structured outline first, then the conclusions”');
  expect(stdout).toContain('to be reviewed: Postgres ─same_as▶ PostgreSQL');
  expect(stdout).toContain('refused: a claim out of injected context.');

  const commands = lines.flatMap((line) => /^ +npx palimpsest (.*)$/u.exec(line)?.[1] ?? []);
  expect(commands.length).toBeGreaterThanOrEqual(5);
  for (const command of commands) {
    const ran = await palimpsest(words(command), { cwd });
    expect({ command, code: ran.code, stderr: ran.stderr }).toEqual({
      command,
      code: 0,
      stderr: '',
    });
    expect(ran.stdout.length).toBeGreaterThan(100);
  }
});

test('the demo makes its own folder anew, and no other', async () => {
  const cwd = temporaryFolder();
  const demo = (...more: string[]) => palimpsest(['demo', '--graph', 'none', ...more], { cwd });
  const first = await demo('--json');
  expect(JSON.parse(first.stdout)).toMatchObject({ believedThen: [{ object: 'eu-north' }] });
  expect(await demo('--json')).toEqual(first);

  const other = join(cwd, 'other');
  mkdirSync(other);
  writeFileSync(join(other, 'letters.txt'), 'mine');
  const refused = await demo('--store', other);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(/^palimpsest: CONFLICT: /u);
  expect(readdirSync(other)).toEqual(['letters.txt']);
});

test('the demo says that it has no graph', async () => {
  const { stdout } = await palimpsest(['demo', '--graph', 'none'], { cwd: temporaryFolder() });
  expect(stdout).toContain('No graph at rest');
});

test('a store may stand above the demo', async () => {
  const cwd = temporaryFolder();
  await palimpsest(['demo', '--graph', 'none'], { cwd });
  const event = {
    op: 'assert',
    fact: { subject: 'shop', predicate: 'database', object: 'SQLite' },
  };
  const ran = await palimpsest(['import', '-', '--scope', 'org=acme', '--graph', 'none'], {
    cwd,
    input: JSON.stringify(event),
  });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
});
