#!/usr/bin/env node
// Imports as little as it can: a host waits for each start of it.
import { readFileSync } from 'node:fs';

/** Set for the process that nobody waits for: what it is to do. */
const WORK = 'PALIMPSEST_HOOK_WORK';
/** Milliseconds after which a host does not wait any longer for what is known. */
const PATIENCE = 2_500;
const STDIN = 0;

/** Nothing that goes wrong here is the host's concern: the exit code is always 0. */
async function main(args: readonly string[]): Promise<void> {
  const work = process.env[WORK];
  if (work !== undefined) {
    const { keep } = await import('./index.js');
    await keep(JSON.parse(work), args);
    return;
  }
  const event = fieldsOf(JSON.parse(readFileSync(STDIN, 'utf8')));
  const name = event['hook_event_name'];
  if (name === 'UserPromptSubmit') {
    // Whatever still runs then is let go of: the journal survives that.
    setTimeout(() => process.exit(0), PATIENCE).unref();
    const { recallFor } = await import('./index.js');
    const answer = await recallFor(event, args);
    if (answer !== null) process.stdout.write(`${JSON.stringify(answer)}\n`);
  } else if (name === 'Stop' || name === 'SubagentStop' || name === 'SessionStart') {
    if (typeof event['transcript_path'] === 'string') await leave(event, args);
  }
}

/** Has the session read by a process of its own. */
async function leave(
  { hook_event_name, session_id, cwd, transcript_path }: Readonly<Record<string, unknown>>,
  args: readonly string[],
): Promise<void> {
  const { spawn } = await import('node:child_process');
  const work = JSON.stringify({ hook_event_name, session_id, cwd, transcript_path });
  const child = spawn(process.execPath, [process.argv[1] ?? '', ...args], {
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
    env: { ...process.env, [WORK]: work },
  });
  child.on('error', () => undefined);
  child.unref();
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (process.env['PALIMPSEST_DEBUG'] !== undefined) process.stderr.write(`${String(error)}\n`);
}
process.exitCode = 0;
