import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { palimpsest } from './command-line.js';

const SCOPE = ['--scope', 'org=tidewater,project=harbour', '--graph', 'none'];
const folder = mkdtempSync(join(tmpdir(), 'palimpsest-cli-'));
const here = { env: { PALIMPSEST_STORE: join(folder, 'demo') } };

beforeAll(async () => {
  const made = await palimpsest(['demo', '--store', join(folder, 'demo'), '--graph', 'none']);
  if (made.code !== 0) throw new Error(made.stderr);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const Answer = z.looseObject({
  text: z.string(),
  snapshot: z.string().nullable(),
  hits: z.array(z.looseObject({ kind: z.string() })),
});

async function ask(...args: string[]): Promise<z.output<typeof Answer>> {
  const ran = await palimpsest([...args, ...SCOPE, '--json'], here);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  return Answer.parse(JSON.parse(ran.stdout));
}

describe('recall', () => {
  test('prints what a model is to read; the remark names the snapshot', async () => {
    const ran = await palimpsest(
      ['recall', 'Which', 'region', 'is', 'Harbour', 'in?', '--session', 'host-1', ...SCOPE],
      here,
    );
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain('eu-central');
    const [, id = ''] = /snapshot (s_[0-9a-f]{32})/u.exec(ran.stderr) ?? [];
    const shown = await palimpsest(['snapshots', id, ...SCOPE], here);
    expect(shown).toMatchObject({ code: 0, stdout: ran.stdout });
    const list = await palimpsest(['snapshots', '--session', 'host-1', ...SCOPE], here);
    expect(list.stdout).toContain(id);
    const compared = await palimpsest(['compare', id, ...SCOPE], here);
    const last = await palimpsest(['compare', '--session', 'host-1', ...SCOPE], here);
    expect(last.stdout).toBe(compared.stdout);
    expect(compared.stdout).toMatch(/^ {2}believed {3}Harbour ─region▶ eu-central/mu);
  });

  test('keeps to its budget, and keeps nothing where that is not wanted', async () => {
    const { snapshot, hits } = await ask(
      'recall',
      'Harbour',
      '--max-tokens',
      '60',
      '--no-snapshot',
    );
    expect(snapshot).toBeNull();
    expect(hits.length).toBeLessThan(5);
  });

  test('says where nothing is known', async () => {
    const ran = await palimpsest(['search', 'qwertzuiop', ...SCOPE], here);
    expect(ran).toMatchObject({ code: 0, stdout: '', stderr: 'Nothing is known about this.\n' });
  });
});

test('search: hits with their scores, of an asked time', async () => {
  const ran = await palimpsest(
    ['search', 'Harbour', 'region', '--valid', '2024-11-15', '--no-events', ...SCOPE],
    here,
  );
  expect(ran.stdout.split('\n')[1]).toMatch(/^\d\.\d{3} {2}Harbour ─region▶ eu-west /u);
});

test('compare: what was shown as it was then believed', async () => {
  const then = ['--valid', '2024-11-15', '--known', '2025-01-19'];
  const { snapshot } = await ask('recall', 'Harbour region', ...then);
  const compared = await palimpsest(['compare', snapshot ?? '', ...SCOPE], here);
  expect(compared.stdout).toMatch(/^ {2}corrected {2}Harbour ─region▶ eu-north/mu);
  expect(compared.stdout).toMatch(/^ {2}new {8}Harbour ─region▶ eu-west/mu);
});

test('compare and snapshots: what is not there is not found', async () => {
  const id = `s_${'0'.repeat(32)}`;
  for (const command of ['compare', 'snapshots']) {
    const ran = await palimpsest([command, id, ...SCOPE], here);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain('NOT_FOUND');
  }
});

test('profile: lines within a budget, as of any moment', async () => {
  const { stdout, stderr } = await palimpsest(['profile', '--max-tokens', '200', ...SCOPE], here);
  expect(stdout).toMatch(/^Harbour .*: /mu);
  expect(stderr).toMatch(/^\d+ of \d+ facts, \d+ tokens\n$/u);
  const then = await palimpsest(['profile', '--valid', '2020', '--json', ...SCOPE], here);
  expect(JSON.parse(then.stdout)).toMatchObject({ text: '', lines: [], facts: 0 });
});

describe('reembed', () => {
  test('asks an endpoint for the vectors of everything', async () => {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { input: string[] };
        const data = input.map((text, index) => ({ index, embedding: [text.length, 1] }));
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ data }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/v1`;
    const ran = await palimpsest(
      ['reembed', '--embedding-model', 'm', '--dimensions', '2', '--embedding-url', url],
      { env: { ...here.env, OPENAI_API_KEY: 'none' } },
    );
    expect(ran.stdout).toMatch(/^ready: \d+ embedded by m, 0 waiting, 0 held back, 0 refused\n$/u);
    expect(ran.code).toBe(0);
  });

  test('needs an embedder, and its dimensions', async () => {
    expect(await palimpsest(['reembed'], here)).toMatchObject({ code: 2 });
    const ran = await palimpsest(['reembed', '--embedding-model', 'm'], here);
    expect(ran).toMatchObject({ code: 2 });
    expect(ran.stderr).toContain('--dimensions');
  });
});
