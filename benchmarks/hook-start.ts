import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { openMemory } from '../lib/index.js';

/** How long a host waits for the hook: for one that has nothing to do, at the end of a turn, and for a prompt. */

const RUNS = 11;
/** Milliseconds between two runs, for what is left running behind to end. */
const PAUSE = 1_000;
/** Milliseconds, median: what a host may wait where nothing is recalled. */
const BAR = 100;

const hook = join(import.meta.dirname, '../adapters/hook/main.js');
const folder = mkdtempSync(join(tmpdir(), 'palimpsest-hook-'));
const store = join(folder, 'store');

async function median(
  input: object,
  args: readonly string[] = [hook, '--store', store, '--scope', 'org=acme'],
): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < RUNS; i++) {
    const start = performance.now();
    const child = spawn(process.execPath, [...args], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(JSON.stringify(input));
    await once(child, 'close');
    times.push(performance.now() - start);
    await sleep(PAUSE);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(RUNS / 2)] ?? 0;
}

try {
  const memory = await openMemory({ path: store, graph: 'none' });
  const shop = memory.in({ org: 'acme', project: folder });
  await shop.assert({ subject: 'shop', predicate: 'database', object: 'Postgres' });
  await memory.close();

  const event = { session_id: 's-1', cwd: folder, transcript_path: join(folder, 'none') };
  const node = await median({}, ['--eval', '0']);
  const bare = await median({ ...event, hook_event_name: 'PreToolUse' });
  const stop = await median({ ...event, hook_event_name: 'Stop' });
  const prompt = await median({
    ...event,
    hook_event_name: 'UserPromptSubmit',
    prompt: 'Which database does the shop use?',
  });
  console.log(`Node itself        ${node.toFixed(0)} ms`);
  console.log(`nothing to do      ${bare.toFixed(0)} ms`);
  console.log(`end of a turn      ${stop.toFixed(0)} ms`);
  console.log(`a prompt, recalled ${prompt.toFixed(0)} ms`);
  if (bare > BAR || stop > BAR) {
    console.error(`The host may wait ${BAR} ms where nothing is recalled.`);
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
