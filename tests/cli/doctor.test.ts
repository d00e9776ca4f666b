import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inspectStore, openMemory } from '../../lib/index.js';
import { temporaryFolder } from '../support/folder.js';
import { palimpsest } from './command-line.js';

/** A closed store with a few transactions, one of which takes a claim out. */
async function storeIn(path: string, graph: 'auto' | 'none' = 'none'): Promise<string> {
  await using memory = await openMemory({ path, graph });
  const shop = memory.in({ org: 'acme' });
  for (const object of ['SQLite', 'Postgres', 'Redis']) {
    await shop.assert({ subject: 'shop', predicate: 'uses', object });
  }
  await shop.retract((await shop.facts({ object: 'Redis' })).map((fact) => fact.id));
  return path;
}

/** The journal's last segment. */
function segmentOf(path: string): string {
  const journal = join(path, 'journal');
  const files = readdirSync(journal, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes('"op":"claim"'));
  const [file] = files;
  if (file === undefined) throw new Error(`There is no segment in ${journal}.`);
  return file;
}

function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

const doctor = (path: string, ...more: string[]) =>
  palimpsest(['doctor', '--store', path, '--graph', 'none', ...more]);

describe('doctor', () => {
  test('finds a healthy store healthy, with its index saved', async () => {
    const path = await storeIn(temporaryFolder());
    const report = await inspectStore(path, { graph: 'none' });
    expect(report).toMatchObject({ healthy: true, findings: [], openIn: null });
    expect(report.checkpoint).toEqual({ state: 'ready', tx: report.journal?.lastTx });
    const ran = await doctor(path);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain('All is well.');
  });

  test('names the place of a damaged record', async () => {
    const path = await storeIn(temporaryFolder());
    const segment = segmentOf(path);
    flip(segment, readFileSync(segment).indexOf('SQLite'));
    const { code, stdout } = await doctor(path);
    expect(code).toBe(1);
    expect(stdout).toMatch(/wrong {2}The journal is damaged in segment 1 at byte \d+/u);
    expect(stdout).toContain(segment);
    expect(stdout).not.toContain('All is well');
  });

  test('takes a commit that was cut short for what it is', async () => {
    const path = await storeIn(temporaryFolder());
    appendFileSync(segmentOf(path), '#00');
    const { code, stdout } = await doctor(path);
    expect(code).toBe(0);
    expect(stdout).toContain('never acknowledged');
  });

  test('reports a damaged index, and builds it anew', async () => {
    const path = await storeIn(temporaryFolder());
    flip(join(path, 'index', 'belief.idx'), 200);
    expect(await doctor(path)).toMatchObject({ code: 1 });
    expect(await doctor(path, '--rebuild')).toMatchObject({ code: 0, stderr: '' });
  });

  test('reports a damaged graph, and builds it anew', async () => {
    const path = await storeIn(temporaryFolder(), 'auto');
    const ask = (...more: string[]) => palimpsest(['doctor', '--store', path, '--json', ...more]);
    const before = await ask();
    expect(JSON.parse(before.stdout)).toMatchObject({ graph: { state: 'ready', engine: 'kuzu' } });
    const graph = join(path, 'graph');
    const generation = readdirSync(graph).find((name) => /^g\d+$/u.test(name)) ?? '';
    writeFileSync(join(graph, generation, 'graph.kuzu'), 'no graph');
    const damaged = await ask();
    expect(damaged.code).toBe(1);
    expect(JSON.parse(damaged.stdout)).toMatchObject({
      healthy: false,
      graph: { state: 'damaged' },
    });
    const rebuilt = await ask('--rebuild');
    expect(JSON.parse(rebuilt.stdout)).toMatchObject({ healthy: true, graph: { state: 'ready' } });
  });

  test('says who has it open, and that a missing index is only slow', async () => {
    const path = temporaryFolder();
    const memory = await openMemory({ path, graph: 'none' });
    await memory.in({ org: 'acme' }).assert({ subject: 'a', predicate: 'b', object: 'c' });
    expect((await inspectStore(path, { graph: 'none' })).openIn).toBe(process.pid);
    await memory.close();
    rmSync(join(path, 'index'), { recursive: true });
    expect(await inspectStore(path, { graph: 'none' })).toMatchObject({
      healthy: true,
      openIn: null,
      checkpoint: { state: 'missing' },
    });
  });
});
