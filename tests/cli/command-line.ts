import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { scriptFor } from '../support/child.js';

export const MAIN = scriptFor(new URL('../../lib/cli/main.ts', import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
}

export function start(
  args: readonly string[],
  options: RunOptions = {},
): ChildProcessWithoutNullStreams {
  const { PALIMPSEST_STORE: _, ...env } = process.env;
  return spawn(process.execPath, [MAIN, ...args], {
    cwd: options.cwd,
    env: { ...env, ...options.env },
  });
}

/** Runs `palimpsest` in a process of its own. */
export async function palimpsest(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const child = start(args, options);
  child.stdin.end(options.input ?? '');
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    closed,
  ]);
  return { code, stdout, stderr };
}

/** A command line as a shell would split it: blanks outside of single quotes. */
export const words = (line: string): string[] =>
  [...line.matchAll(/(?:'[^']*'|\S)+/gu)].map(([word]) => word.replaceAll("'", ''));
