import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { healKuzu } from '../../../lib/store/kuzu/heal.js';

const installed = dirname(createRequire(import.meta.url).resolve('kuzu'));
const SOURCES = 'kuzu-source/tools/nodejs_api/src_js';
const binary = `prebuilt/kuzujs-${process.platform}-${process.arch}.node`;

describe('a package whose install script was blocked', () => {
  let folder: string;
  let blocked: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'palimpsest-heal-'));
    blocked = join(folder, 'kuzu');
    for (const part of ['package.json', SOURCES, binary]) {
      mkdirSync(dirname(join(blocked, part)), { recursive: true });
      cpSync(join(installed, part), join(blocked, part), { recursive: true });
    }
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** In a process of its own: two copies of one native module in a process disturb each other. */
  const answerOf = (entry: string): string => {
    const script = `const { Database, Connection } = require(process.argv[1]);
      const c = new Connection(new Database(':memory:', 64 * 2 ** 20, true, false, 2 ** 32));
      c.query('RETURN 42 AS n').then((r) => console.log(r.getNextSync().n));`;
    return execFileSync(process.execPath, ['-e', script, entry], { encoding: 'utf8' }).trim();
  };

  test('gets its parts put into place', async () => {
    expect(existsSync(join(blocked, 'index.js'))).toBe(false);
    const healed = await healKuzu(blocked, join(folder, 'cache'));
    expect(healed).toEqual({ entry: join(blocked, 'index.js'), cached: null });
    expect(answerOf(join(blocked, 'index.js'))).toBe('42');
    expect(existsSync(join(folder, 'cache'))).toBe(false);
    expect(await healKuzu(blocked)).toEqual(healed);
  });

  test('is used from a cache folder where it cannot take them', async () => {
    // A folder of the binary's name stands in the way for every user, which a mode does not.
    mkdirSync(join(blocked, 'kuzujs.node', 'x'), { recursive: true });
    const before = readdirSync(blocked);
    const healed = await healKuzu(blocked, join(folder, 'cache'));
    expect(healed?.entry).toMatch(/cache.kuzu-0\.11\.\d+-/);
    expect(healed?.cached).not.toBeNull();
    expect(answerOf(healed?.entry ?? '')).toBe('42');
    expect(readdirSync(blocked)).toEqual(before);
    expect((await healKuzu(blocked, join(folder, 'cache')))?.entry).toBe(healed?.entry);
  });

  test('has nothing to offer on a platform without a binary', async () => {
    rmSync(join(blocked, 'prebuilt'), { recursive: true });
    expect(await healKuzu(blocked, join(folder, 'cache'))).toBeNull();
  });
});
