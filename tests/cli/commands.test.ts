import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { temporaryFolder } from '../support/folder.js';
import { MAIN, palimpsest, start } from './command-line.js';

const SCOPE = ['--scope', 'org=tidewater,project=harbour'];
const folder = mkdtempSync(join(tmpdir(), 'palimpsest-cli-'));
const store = join(folder, 'demo');
const here = { env: { PALIMPSEST_STORE: store } };

beforeAll(async () => {
  const made = await palimpsest(['demo', '--store', store, '--graph', 'none']);
  if (made.code !== 0) throw new Error(made.stderr);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const Facts = z.array(z.looseObject({ id: z.string(), object: z.unknown() }));
const jsonLines = (stdout: string): unknown[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));

describe('answers', () => {
  test('facts: now, then, and as believed then', async () => {
    const ask = async (...more: string[]): Promise<unknown[]> => {
      const ran = await palimpsest(
        ['facts', 'Harbour', 'region', ...SCOPE, '--json', ...more],
        here,
      );
      expect(ran).toMatchObject({ code: 0, stderr: '' });
      return Facts.parse(jsonLines(ran.stdout)).map((fact) => fact.object);
    };
    expect(await ask()).toEqual(['eu-central']);
    expect(await ask('--valid', '2024-11-15')).toEqual(['eu-west']);
    expect(await ask('--valid', '2024-11-15', '--known', '2025-01-19')).toEqual(['eu-north']);
    expect(await ask('--valid', '2024-11-15', '--known', 'tx:10')).toEqual(['eu-north']);
    expect(await ask('--during', '2024-06..2025-08')).toEqual(['eu-central', 'eu-west']);
  });

  test('facts: a table in which Chinese lines up', async () => {
    const { stdout, stderr } = await palimpsest(
      ['facts', '移动端', 'framework', 'owner', ...SCOPE],
      here,
    );
    expect(stderr).toBe('');
    const [title, ...rows] = stdout.trimEnd().split('\n');
    expect(title).toMatch(/^subject {2}predicate {2}object {8}valid {11}certainty {2}known since/u);
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatch(/^移动端 {3}owner {6}林悦 {10}2025-08-18 – … {2}presumed/u);
    expect(rows[1]).toMatch(/^移动端 {3}framework {2}React Native {2}2025-05-01 – … {2}presumed/u);
  });

  test('history: the picture over the table', async () => {
    const { code, stdout } = await palimpsest(['history', 'Harbour', 'region', ...SCOPE], here);
    expect(code).toBe(0);
    const lines = stdout.split('\n');
    expect(lines[0]).toMatch(/^Harbour ─region▶/u);
    expect(lines[2]).toMatch(/^known ▼ +2024-05-06 +2024-09-01 +2025-06-01 +2025-07-01$/u);
    expect(lines[3]).toMatch(/^2024-05-06 09:04 {2}tx 3 +┣─ eu-west ─+▶$/u);
    expect(lines[4]).toMatch(/^2024-09-02 10:00 {2}tx 10 +┣╌ eu-west ╌+┫┣× eu-north ×+▶$/u);
    expect(lines[7]).toMatch(/^2025-05-20 13:00 {2}tx 28 +┣━ eu-west ━+┫┣━ eu-central ━*▶$/u);
    expect(stdout).toMatch(/^eu-north +2024-09-01 – … .* corrected +f_/mu);
    expect(stdout).not.toContain('\u001B');
  });

  test('history up to a known time knows nothing of what came later', async () => {
    const { stdout } = await palimpsest(
      ['history', 'Harbour', 'region', '--known', '2024-12-01', ...SCOPE],
      here,
    );
    expect(stdout).toContain('━ eu-north');
    expect(stdout).not.toContain('corrected');
  });

  test('why: by id, by the start of an id, and by subject', async () => {
    const { stdout } = await palimpsest(
      ['facts', 'Harbour', 'region', '--valid', '2024-11-15', '--json', ...SCOPE],
      here,
    );
    const [fact] = Facts.parse(jsonLines(stdout));
    const id = fact?.id ?? '';
    const whole = await palimpsest(['why', id, ...SCOPE], here);
    expect(whole).toMatchObject({ code: 0, stderr: '' });
    expect(whole.stdout).toContain('“Harbour never ran in eu-north”');
    expect((await palimpsest(['why', id.slice(0, 10), ...SCOPE], here)).stdout).toBe(whole.stdout);
    const named = await palimpsest(
      ['why', 'Harbour', 'region', '--valid', '2024-11-15', ...SCOPE],
      here,
    );
    expect(named.stdout).toContain('host in eu-west');
  });

  test('changes: after one known time, up to another', async () => {
    const { stdout } = await palimpsest(
      ['changes', '--from', 'tx:9', '--to', 'tx:10', ...SCOPE],
      here,
    );
    expect(stdout).toContain('- Harbour ─region▶ eu-west  2024-05-06 – …  (ended)');
    expect(stdout).toContain('+ Harbour ─region▶ eu-north  2024-09-01 – …');
    expect(stdout.match(/tx \d+/gu)).toEqual(['tx 10']);
  });

  test('entities: all, by another name, and as known before it', async () => {
    const all = await palimpsest(['entities', '--type', 'person', ...SCOPE], here);
    expect(all.stdout).toContain('陈涛');
    const alias = await palimpsest(['entities', '港湾', '--json', ...SCOPE], here);
    expect(jsonLines(alias.stdout)).toMatchObject([
      { name: 'Harbour', names: ['Harbour', '港湾'] },
    ]);
    const before = await palimpsest(['entities', '港湾', '--known', 'tx:3', ...SCOPE], here);
    expect(before).toMatchObject({ code: 1, stdout: '' });
  });

  test('stats and doctor: a document', async () => {
    const stats = await palimpsest(
      ['stats', '--json', '--scope', 'org=tidewater', '--graph', 'none'],
      here,
    );
    expect(JSON.parse(stats.stdout)).toMatchObject({
      transactions: 39,
      scopes: [
        { scope: { org: 'tidewater', project: 'harbour' } },
        { scope: { org: 'tidewater', project: 'shop-api' } },
      ],
    });
    const doctor = await palimpsest(['doctor', '--json', '--graph', 'none'], here);
    expect(doctor.code).toBe(0);
    expect(JSON.parse(doctor.stdout)).toMatchObject({ healthy: true, journal: { damage: null } });
  });

  test('help and version', async () => {
    const { version } = z
      .object({ version: z.string() })
      .parse(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')));
    expect(await palimpsest(['--version'])).toEqual({
      code: 0,
      stdout: `${version}\n`,
      stderr: '',
    });
    const help = await palimpsest(['facts', '--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain('--known <instant|tx:n>');
  });
});

describe('scopes', () => {
  const region = ['facts', 'Harbour', 'region', '--json'];
  test.each([
    [['--scope', 'org=tidewater', '--scope', 'project=harbour']],
    [['--scope', '{"org":"tidewater","project":"harbour"}']],
    [['--scope', 'org=tidewater,project=harbour,user=ana']],
  ])('%j sees it', async (scope) => {
    expect((await palimpsest([...region, ...scope], here)).stdout).toContain('eu-central');
  });

  test('another one sees nothing', async () => {
    const other = await palimpsest([...region, '--scope', 'org=tidewater,project=other'], here);
    expect(other).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test.each([
    [[]],
    [['--scope', 'tidewater']],
    [['--scope', 'project=harbour']],
    [['--scope', 'org=']],
    [['--scope', 'org=a,org=b']],
    [['--scope', 'org=a,team=b']],
    [['--scope', 'org=a,__proto__=b']],
    [['--scope', '{"org":1}']],
    [['--scope', '{"org"']],
  ])('%j is refused', async (scope) => {
    const { code, stdout, stderr } = await palimpsest([...region.slice(0, 3), ...scope], here);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^palimpsest: INVALID_SCOPE: [^\n]+\n$/u);
  });
});

describe('mistakes', () => {
  test.each([
    [['facts', '--bogus'], 2, 'USAGE'],
    [['bogus'], 2, 'USAGE'],
    [['why', ...SCOPE], 2, 'USAGE'],
    [['facts', ...SCOPE, '--graph', 'neo4j'], 2, 'USAGE'],
    [['facts', ...SCOPE, '--limit', '0'], 2, 'USAGE'],
    [['facts', ...SCOPE, '--known', 'tx:one'], 2, 'USAGE'],
    [['facts', ...SCOPE, '--during', '2024'], 2, 'USAGE'],
    [['facts', ...SCOPE, '--valid', '2024-13-40'], 2, 'INVALID_INSTANT'],
    [['facts', ...SCOPE, '--known', 'tx:999'], 1, 'NOT_FOUND'],
    [['why', `f_${'0'.repeat(32)}`, ...SCOPE], 1, 'NOT_FOUND'],
    [['why', 'f_0000000', ...SCOPE], 1, 'NOT_FOUND'],
    [['history', 'Nobody', ...SCOPE], 1, 'NOT_FOUND'],
    [['import', 'no-such-file', ...SCOPE], 1, 'NOT_FOUND'],
    [['facts', ...SCOPE, '--store', 'no-such-store'], 1, 'NOT_FOUND'],
    [['doctor', '--store', 'no-such-store'], 1, 'NOT_FOUND'],
  ])('%j ends with %i, %s', async (args, exit, name) => {
    const told = await palimpsest(args, here);
    expect({ code: told.code, stdout: told.stdout }).toEqual({ code: exit, stdout: '' });
    expect(told.stderr).toMatch(new RegExp(`^palimpsest: ${name}: [^\\n]+\\n$`, 'u'));
    const inJson = await palimpsest([...args, '--json'], here);
    expect({ code: inJson.code, stdout: inJson.stdout }).toEqual({ code: exit, stdout: '' });
    expect(JSON.parse(inJson.stderr)).toMatchObject({ code: name, message: expect.any(String) });
  });

  test('a question makes no store', async () => {
    const cwd = temporaryFolder();
    expect((await palimpsest(['facts', ...SCOPE], { cwd })).code).toBe(1);
    expect((await palimpsest(['doctor'], { cwd })).stderr).toContain('.palimpsest');
  });

  test('nothing found is no failure, and is said to people only', async () => {
    const found = await palimpsest(['facts', 'Harbour', 'no such thing', ...SCOPE], here);
    expect(found).toEqual({ code: 0, stdout: '', stderr: 'No facts.\n' });
  });
});

describe('pipes', () => {
  test('a reader that leaves early is no failure', async () => {
    const child = spawn(
      '/bin/sh',
      ['-c', `"${process.execPath}" "${MAIN}" export; echo "exit $?" >&2`],
      { env: { ...process.env, PALIMPSEST_STORE: store } },
    );
    const closed = new Promise((resolve) => child.once('close', resolve));
    child.stdout.once('data', () => child.stdout.destroy());
    expect(await text(child.stderr)).toBe('exit 0\n');
    await closed;
  });

  test('head gets its line', async () => {
    const child = spawn('/bin/sh', ['-c', `"${process.execPath}" "${MAIN}" export | head -n 1`], {
      env: { ...process.env, PALIMPSEST_STORE: store },
    });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(jsonLines(stdout)).toMatchObject([{ palimpsest: 'export' }]);
    expect(stderr).toBe('');
  });

  test('an export goes through standard input into an empty store, which gives the same export', async () => {
    const cwd = temporaryFolder();
    const exported = await palimpsest(['export'], here);
    const taken = await palimpsest(['import', '-', '--json', '--graph', 'none'], {
      cwd,
      input: exported.stdout,
    });
    expect(taken).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(taken.stdout)).toMatchObject({ format: 'export' });
    expect((await palimpsest(['export'], { cwd })).stdout).toBe(exported.stdout);
  });
});

describe('import', () => {
  const event = (n: number): string =>
    JSON.stringify({
      tx: new Date(Date.UTC(2024, 0, 1) + n * 60_000).toISOString(),
      op: 'assert',
      key: `k${n}`,
      fact: { subject: `thing ${n}`, predicate: 'state', object: 'on' },
    });

  test('takes an event stream once, with the ontology that it is given', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'events.jsonl'), [1, 2, 3].map(event).join('\n'));
    writeFileSync(join(cwd, 'ontology.json'), '{"predicates":{"state":{"cardinality":"one"}}}');
    const args = [
      'import',
      'events.jsonl',
      '--scope',
      'org=acme',
      '--ontology',
      'ontology.json',
      '--graph',
      'none',
      '--json',
    ];
    const first = await palimpsest(args, { cwd });
    expect(first.stderr).toBe('');
    expect(JSON.parse(first.stdout)).toMatchObject({ lines: 3, claims: 3, skipped: 0 });
    const again = await palimpsest(args, { cwd });
    expect(JSON.parse(again.stdout)).toMatchObject({ lines: 3, claims: 0, skipped: 3 });
    const stats = await palimpsest(['stats', '--json', '--graph', 'none'], { cwd });
    expect(JSON.parse(stats.stdout)).toMatchObject({ claims: 3, predicates: ['state'] });
  });

  test('names the line that is wrong', async () => {
    const ran = await palimpsest(['import', '-', '--scope', 'org=acme', '--graph', 'none'], {
      cwd: temporaryFolder(),
      input: `${event(1)}\nnot json\n`,
    });
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/^palimpsest: IMPORT_FAILED: .*2/u);
  });

  test('needs a scope for an event stream', async () => {
    const ran = await palimpsest(['import', '-', '--graph', 'none'], {
      cwd: temporaryFolder(),
      input: event(1),
    });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('INVALID_SCOPE');
  });

  test('an interrupt stops it, keeps what was committed, and a second run goes on', async () => {
    const cwd = temporaryFolder();
    const args = ['import', '-', '--scope', 'org=acme', '--graph', 'none'];
    const child = start(args, { cwd });
    const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
    child.stdin.write(`${[1, 2, 3].map(event).join('\n')}\n`);
    await waitForJournal(join(cwd, '.palimpsest'));
    child.kill('SIGINT');
    const [stderr, code] = await Promise.all([text(child.stderr), closed]);
    expect(code).toBe(130);
    expect(stderr).toMatch(/^palimpsest: ABORTED: [^\n]+\n$/u);
    const again = await palimpsest([...args, '--json'], {
      cwd,
      input: [1, 2, 3, 4].map(event).join('\n'),
    });
    expect(JSON.parse(again.stdout)).toMatchObject({ lines: 4, tx: 4 });
  });
});

/** Until something has been committed. */
async function waitForJournal(path: string): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const { stdout } = await palimpsest(['doctor', '--json', '--graph', 'none', '--store', path]);
    const report = z
      .object({ journal: z.object({ records: z.number() }).nullable() })
      .safeParse(stdout === '' ? null : JSON.parse(stdout));
    if ((report.data?.journal?.records ?? 0) > 0) return;
  }
  throw new Error('Nothing was committed.');
}
