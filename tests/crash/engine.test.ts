import { fork } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { ended, runChild } from '../support/child.js';
import { temporaryFolder } from '../support/folder.js';

const script = new URL('children/engine.ts', import.meta.url);
const packages = resolve(dirname(fileURLToPath(import.meta.url)), '../../node_modules');
/** Where `runChild` keeps what it has compiled. */
const compiled = join(packages, '.cache/palimpsest-test-children');
const kuzu = dirname(createRequire(import.meta.url).resolve('kuzu'));

type Engines = readonly ('kuzu, its install script blocked' | 'ladybug')[];

/** The library in a folder of its own, with its dependencies and these engines beside it. */
function install(engines: Engines): string {
  const app = join(temporaryFolder(), 'app');
  for (const part of ['lib', 'tests', 'package.json']) {
    cpSync(join(compiled, part), join(app, part), { recursive: true });
  }
  const beside = join(app, 'node_modules');
  mkdirSync(beside);
  for (const name of readdirSync(packages)) {
    if (name.startsWith('.') || name === 'kuzu' || name === '@ladybugdb') continue;
    symlinkSync(join(packages, name), join(beside, name));
  }
  if (engines.includes('ladybug'))
    symlinkSync(join(packages, '@ladybugdb'), join(beside, '@ladybugdb'));
  if (engines.includes('kuzu, its install script blocked')) {
    const binary = `prebuilt/kuzujs-${process.platform}-${process.arch}.node`;
    for (const part of ['package.json', 'kuzu-source/tools/nodejs_api/src_js', binary]) {
      mkdirSync(dirname(join(beside, 'kuzu', part)), { recursive: true });
      cpSync(join(kuzu, part), join(beside, 'kuzu', part), { recursive: true });
    }
  }
  return app;
}

async function answerOf(app: string): Promise<unknown> {
  const store = join(app, 'store');
  const child = fork(join(app, 'tests/crash/children/engine.js'), [store]);
  let answer: unknown;
  child.on('message', (message) => (answer = message));
  expect(await ended(child)).toBe(0);
  return answer;
}

describe('a memory beside', () => {
  beforeAll(async () => {
    // Without a folder it does nothing, and is compiled all the same.
    expect(await ended(runChild(script))).toBe(0);
  });

  test('Kuzu whose install script was blocked has its graph', async () => {
    const app = install(['kuzu, its install script blocked']);
    expect(existsSync(join(app, 'node_modules/kuzu/index.js'))).toBe(false);
    const graph = { state: 'ready', engine: 'kuzu', appliedTx: 1 };
    expect(await answerOf(app)).toEqual({ facts: 1, asked: 1, graph, told: graph });
  });

  test('LadybugDB alone has its graph there', async () => {
    const graph = { state: 'ready', engine: 'ladybug', appliedTx: 1 };
    expect(await answerOf(install(['ladybug']))).toEqual({
      facts: 1,
      asked: 1,
      graph,
      told: graph,
    });
  });

  test('no engine works all the same, and says so', async () => {
    const graph = { state: 'unavailable', why: expect.stringMatching(/kuzu is not installed/) };
    expect(await answerOf(install([]))).toEqual({
      facts: 1,
      asked: 'ENGINE_UNAVAILABLE',
      graph,
      told: graph,
    });
  });

  test('an engine that is taken away keeps its history, without the graph', async () => {
    const app = install(['ladybug']);
    await answerOf(app);
    rmSync(join(app, 'node_modules/@ladybugdb'));
    expect(await answerOf(app)).toMatchObject({ facts: 1, asked: 'ENGINE_UNAVAILABLE' });
  });
});
