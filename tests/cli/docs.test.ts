import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.js';
import { MAIN, palimpsest } from './command-line.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/cli.md'), 'utf8');

interface Example {
  readonly command: string;
  /** `null` where the page shows none. */
  readonly prints: string | null;
}

/** Commands after `$` in a `console` block, with what they print; and all lines of `sh` blocks. */
const examples = [...page.matchAll(/```(console|sh)\n([\s\S]*?)```/gu)].flatMap(
  ([, kind, block = '']): Example[] => {
    if (kind === 'console') {
      const [command = '', ...output] = block.split('\n');
      return [{ command: command.replace(/^\$ /u, ''), prints: output.join('\n') }];
    }
    const commands = block
      .trimEnd()
      .split('\n')
      .filter((line) => !line.startsWith('export '));
    return commands.map((command) => ({ command, prints: null }));
  },
);

test('every example in docs/cli.md works, and prints what is shown', async () => {
  expect(examples.length).toBeGreaterThan(10);
  const cwd = temporaryFolder();
  const env = { ...process.env, PALIMPSEST_STORE: '.palimpsest/demo' };
  const [first, ...others] = examples;
  expect(first?.command).toBe('palimpsest demo');
  await palimpsest(['demo'], { cwd });
  const run = promisify(execFile);
  for (const { command, prints } of others) {
    const line = command.replaceAll(/(^|\| )palimpsest /gu, `$1"${process.execPath}" "${MAIN}" `);
    const { stdout } = await run('/bin/sh', ['-c', line], { cwd, env });
    if (prints !== null) expect(`$ ${command}\n${stdout}`).toBe(`$ ${command}\n${prints}`);
  }
});

test('the page tells of every command', async () => {
  const { stdout } = await palimpsest(['--help']);
  const commands = [...stdout.matchAll(/^ {2}(\w+) (?:\[|<)/gmu)].map(([, name]) => name);
  expect(commands).toContain('facts');
  for (const name of commands) {
    if (name !== 'help') expect(page).toMatch(new RegExp(`^## .*\\b${name}\\b`, 'mu'));
  }
});
