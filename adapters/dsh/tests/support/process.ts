import { execFile, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LIBRARY = fileURLToPath(new URL('../../../../lib/index.ts', import.meta.url));
// Below node_modules, so that packages are found as they are from the sources.
const CACHE = join(ROOT, 'node_modules/.cache/palimpsest-dsh');

const built = new Map<string, Promise<string>>();

async function build(script: string): Promise<string> {
  mkdirSync(CACHE, { recursive: true });
  const file = join(CACHE, `${script}.${process.pid}.mjs`);
  const bundle = await rolldown({
    input: join(ROOT, 'tests/children', `${script}.ts`),
    platform: 'node',
    resolve: { alias: { palimpsest: LIBRARY } },
    external: (id) => !id.startsWith('.') && !id.startsWith('/') && id !== 'palimpsest',
  });
  await bundle.write({ file, format: 'esm', codeSplitting: false });
  await bundle.close();
  return file;
}

/** Runs a file of `tests/children` in a process that kills itself, and says by which signal it ended. */
export async function runUntilKilled(script: string, input: unknown): Promise<string | null> {
  const building = built.get(script) ?? build(script);
  built.set(script, building);
  const child = spawn(process.execPath, [await building, JSON.stringify(input)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return new Promise((done) => {
    child.once('exit', (_code, signal) => done(signal));
  });
}

/** Runs a TypeScript file of `tests/children` in a Node process of its own, and reads what it answers. */
export async function runProcess(script: string, input: unknown): Promise<unknown> {
  const building = built.get(script) ?? build(script);
  built.set(script, building);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [await building, JSON.stringify(input)],
    { maxBuffer: 1 << 26 },
  );
  const answer = stdout.split('\n').findLast((line) => line.startsWith('answer '));
  if (answer === undefined) throw new Error(`${script} gave no answer: ${stdout}`);
  return JSON.parse(answer.slice('answer '.length));
}
