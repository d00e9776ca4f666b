import { createServer, type Server } from 'node:http';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { filesWith } from '../support/files.js';
import { temporaryFolder } from '../support/folder.js';
import { palimpsest, start, type Ran } from './command-line.js';

const LOG = join(import.meta.dirname, '../data/dsh-session-sample.jsonl');
const SESSION = 'session-7b1d2c30-sample';
const SCOPE = ['--scope', 'org=acme,project=shop-api'];

interface Shell {
  readonly cwd: string;
  readonly run: (...args: string[]) => Promise<Ran>;
  readonly json: (...args: string[]) => Promise<unknown>;
  readonly lines: (...args: string[]) => Promise<unknown[]>;
  readonly file: (name: string, value: unknown) => string;
}

function shell(env: NodeJS.ProcessEnv = {}): Shell {
  const cwd = temporaryFolder();
  const clean = { PALIMPSEST_MODEL: '', OPENAI_BASE_URL: '', OPENAI_API_KEY: '' };
  const run = (...args: string[]): Promise<Ran> =>
    palimpsest([...args, '--store', 'store', '--graph', 'none'], {
      cwd,
      env: { ...clean, ...env },
    });
  return {
    cwd,
    run,
    json: async (...args) => JSON.parse((await run(...args, '--json')).stdout) as unknown,
    lines: async (...args) =>
      (await run(...args, '--json')).stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line): unknown => JSON.parse(line)),
    file: (name, value) => {
      writeFileSync(join(cwd, name), typeof value === 'string' ? value : JSON.stringify(value));
      return name;
    },
  };
}

const answers = [
  { session: SESSION, seq: 4, candidates: [] },
  {
    session: SESSION,
    seq: 15,
    candidates: [
      {
        action: 'add',
        subject: 'shop-api',
        predicate: 'database',
        object: 'Postgres',
        quote: 'database: postgres://db.internal/shop',
      },
      {
        action: 'add',
        subject: 'shop-api',
        predicate: 'cache',
        object: 'Redis',
        quote: 'cache: redis',
      },
    ],
  },
  {
    session: SESSION,
    seq: 26,
    candidates: [
      {
        action: 'merge',
        subject: 'Postgres',
        predicate: 'same_as',
        object: 'PostgreSQL',
        quote: 'points at PostgreSQL',
      },
    ],
  },
  { session: SESSION, seq: 34, candidates: [] },
  { session: SESSION, seq: 42, candidates: [] },
];

const Report = z.object({
  files: z.array(
    z.object({
      lines: z.number(),
      events: z.number(),
      taken: z.number(),
      skipped: z.record(z.string(), z.object({ count: z.number(), reason: z.string() })),
      skippedLines: z.array(z.object({ line: z.number(), code: z.string(), reason: z.string() })),
      bad: z.array(z.object({ line: z.number(), problem: z.string() })),
    }),
  ),
  jobs: z.array(z.object({ id: z.string(), state: z.string() })),
});

describe('ingest', () => {
  test('reads a log, lists what it skips, and makes claims of the rest, once', async () => {
    const { run, json, lines, file } = shell();
    const recorded = file('answers.json', answers);
    const first = Report.parse(
      await json('ingest', LOG, ...SCOPE, '--answers', recorded, '--skipped'),
    );
    const [log] = first.files;
    expect(log).toMatchObject({ lines: 43, events: 5, taken: 5, bad: [] });
    const skipped = Object.values(log!.skipped).reduce((n, { count }) => n + count, 0);
    // The first line tells of the session itself.
    expect(skipped).toBe(43 - 5 - 1);
    expect(log!.skippedLines).toHaveLength(skipped);
    expect(log!.skippedLines.filter((l) => l.code === 'injected')).toHaveLength(2);
    expect(first.jobs.map((job) => job.state)).toEqual(['held']);
    const facts = await lines('facts', ...SCOPE);
    expect(facts).toMatchObject([{ predicate: 'database', object: 'Postgres' }]);

    const again = await run('ingest', LOG, ...SCOPE, '--answers', recorded);
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect(again.stdout).toContain('5 events, 0 of them new');
    expect(await lines('facts', ...SCOPE)).toEqual(facts);
  });

  test('without a model events are kept, and can be extracted later', async () => {
    const { run, lines, file } = shell();
    const kept = await run('ingest', LOG, ...SCOPE);
    expect(kept.code).toBe(0);
    expect(kept.stderr).toContain('--model');
    expect(await lines('facts', ...SCOPE)).toEqual([]);
    const recorded = file('answers.json', answers);
    const diff = await run('reextract', SESSION, ...SCOPE, '--answers', recorded);
    expect(diff.stdout).toContain('+ shop-api ─database▶ Postgres');
    expect(diff.stdout).toContain('? Postgres ─same_as▶ PostgreSQL');
    expect(diff.stderr).toContain('--apply');
    expect(await lines('facts', ...SCOPE), 'shown, and not yet so').toEqual([]);
    const applied = await run('reextract', SESSION, ...SCOPE, '--answers', recorded, '--apply');
    expect(applied).toMatchObject({ code: 0, stderr: '' });
    expect(await lines('facts', ...SCOPE)).toMatchObject([{ object: 'Postgres' }]);
    const third = await run('reextract', SESSION, ...SCOPE, '--answers', recorded);
    expect(third.stdout).toMatch(/1 kept, 0 new/u);
  });

  test('a bad line among good ones is told of and stops nothing', async () => {
    const { run, file } = shell();
    const good = (seq: number) =>
      JSON.stringify({ session: 's-1', seq, role: 'user', text: `Number ${seq}.` });
    file('log.jsonl', [good(0), '{"session":', good(1)].join('\n'));
    const { code, stdout } = await run('ingest', 'log.jsonl', ...SCOPE);
    expect(code).toBe(0);
    expect(stdout).toContain('bad  line 2');
    expect(stdout).toContain('2 events');
  });

  test('several logs, of several formats, in one go', async () => {
    const { json, file } = shell();
    const said = { session: 's-1', seq: 0, role: 'user', text: 'We use Go.' };
    file('plain.jsonl', JSON.stringify(said));
    const report = Report.parse(await json('ingest', LOG, 'plain.jsonl', ...SCOPE));
    expect(report.files.map((f) => f.events)).toEqual([5, 1]);
    expect(await json('ingest', LOG, 'plain.jsonl', ...SCOPE)).toMatchObject({
      files: [{ taken: 0 }, { taken: 0 }],
    });
  });

  const mistakes: readonly (readonly [string, readonly string[], number, RegExp])[] = [
    ['no log', [], 2, /USAGE/u],
    ['no such log', ['nothing.jsonl', ...SCOPE], 1, /NOT_FOUND: There is no file nothing/u],
    ['a folder', ['.', ...SCOPE], 1, /NOT_FOUND/u],
    ['no scope', [LOG], 2, /INVALID_SCOPE/u],
    ['a format that there is not', [LOG, ...SCOPE, '--format', 'tape'], 2, /USAGE/u],
    ['one session for two logs', [LOG, LOG, ...SCOPE, '--session', 's'], 2, /USAGE/u],
    ['a model without a key', [LOG, ...SCOPE, '--model', 'm'], 2, /OPENAI_API_KEY/u],
    ['answers that are none', [LOG, ...SCOPE, '--answers', LOG], 2, /USAGE: --answers/u],
  ];
  test.each(mistakes)('says what is wrong: %s', async (_what, args, code, message) => {
    const ran = await shell().run('ingest', ...args);
    expect(ran).toMatchObject({ code, stdout: '' });
    expect(ran.stderr).toMatch(message);
    expect(ran.stderr.trim().split('\n')).toHaveLength(1);
  });
});

/** A server that speaks the chat completions API, and is down for its first `outages` calls. */
async function endpoint(answer: (prompt: string) => unknown, outages = 0) {
  let calls = 0;
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      calls += 1;
      if (calls <= outages) {
        response.writeHead(503, { 'retry-after': '0' }).end();
        return;
      }
      const content = JSON.stringify(answer(Buffer.concat(chunks).toString()));
      const message = { role: 'assistant', content };
      const body = {
        id: 'c',
        object: 'chat.completion',
        created: 0,
        model: 'm',
        choices: [{ index: 0, message, finish_reason: 'stop' }],
        usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
      };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: urlOf(server), calls: () => calls };
}

function urlOf(server: Server): string {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server on TCP has an address of this form
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}/v1`;
}

const postgres = {
  action: 'add',
  subject: 'shop',
  subjectType: null,
  predicate: 'database',
  object: 'Postgres',
  objectType: null,
  objectKind: 'string',
  validFrom: null,
  validTo: null,
  statement: null,
  confidence: 0.9,
  seq: 0,
  quote: 'We use Postgres',
  target: null,
};
const said = JSON.stringify({
  session: 's-1',
  seq: 0,
  role: 'user',
  text: 'We use Postgres here.',
});

test('a model at an endpoint extracts, named by options or by the environment', async () => {
  const { url } = await endpoint(() => ({ candidates: [postgres] }), 1);
  const { run, lines, file } = shell({ OPENAI_API_KEY: 'any', PALIMPSEST_MODEL: 'm' });
  file('log.jsonl', said);
  const ran = await run('ingest', 'log.jsonl', ...SCOPE, '--base-url', url);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toContain('1 job: 1 done.  1 claim.');
  expect(await lines('facts', ...SCOPE)).toMatchObject([{ object: 'Postgres' }]);
});

test('an interrupt leaves what waits in the queue', async () => {
  const reached: { resolve: () => void } = { resolve: () => undefined };
  const asked = new Promise<void>((resolve) => {
    reached.resolve = resolve;
  });
  const server = createServer(() => reached.resolve());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { cwd, lines, file } = shell();
  file('log.jsonl', said);
  const child = start(
    [
      'ingest',
      'log.jsonl',
      ...SCOPE,
      '--model',
      'm',
      '--base-url',
      urlOf(server),
      '--store',
      'store',
      '--graph',
      'none',
    ],
    { cwd, env: { OPENAI_API_KEY: 'any' } },
  );
  child.stdin.end();
  const ended = new Promise((resolve) => child.once('close', resolve));
  await asked;
  child.kill('SIGINT');
  expect(await ended).toBe(130);
  expect(await lines('jobs')).toMatchObject([{ state: 'queued', attempts: 0 }]);
});

test('a dead letter is listed with its reason, makes health degraded, and can be replayed', async () => {
  const { run, lines, json, file } = shell();
  file('log.jsonl', said);
  const none = file('none.json', []);
  const failed = await run('ingest', 'log.jsonl', ...SCOPE, '--answers', none);
  expect(failed.code).toBe(1);
  expect(failed.stdout).toContain('Nothing is recorded of s-1 #0.');
  const [job] = z
    .array(z.object({ id: z.string(), reason: z.string() }))
    .parse(await lines('jobs', '--state', 'failed'));
  expect(job?.reason).toContain('Nothing is recorded');
  const health = await run('health', '--json');
  expect(health.code).toBe(1);
  expect(JSON.parse(health.stdout)).toMatchObject({ state: 'degraded', failed: 1 });

  expect(await run('jobs', '--replay', 'j_0')).toMatchObject({ code: 1, stdout: '' });
  const some = file('some.json', [
    { session: 's-1', seq: 0, candidates: [{ ...postgres, seq: undefined }] },
  ]);
  const again = await run('jobs', '--replay', job!.id.slice(0, 8), '--answers', some);
  expect(again).toMatchObject({ code: 0, stderr: '' });
  expect(again.stdout).toContain('done');
  expect(await lines('facts', ...SCOPE)).toMatchObject([{ object: 'Postgres' }]);
  expect(await json('health')).toMatchObject({ state: 'ok', failed: 0 });
});

test('what waits is not touched by commands that only read, and curate takes it up', async () => {
  const { run, lines, json, file } = shell();
  file('log.jsonl', said);
  const some = file('some.json', [
    { session: 's-1', seq: 0, candidates: [{ ...postgres, seq: undefined }] },
  ]);
  const taken = await run('ingest', 'log.jsonl', ...SCOPE, '--answers', some, '--no-wait');
  expect(taken.stderr).toContain('1 job waits');
  for (const command of [['facts', ...SCOPE], ['stats'], ['health'], ['review', ...SCOPE]]) {
    expect((await run(...command)).code).toBe(0);
    expect(await lines('jobs')).toMatchObject([{ state: 'queued' }]);
  }
  expect(await run('curate', ...SCOPE)).toMatchObject({ code: 2, stdout: '' });
  expect(await json('curate', ...SCOPE, '--answers', some)).toMatchObject({
    cause: 'asked',
    sessions: 1,
    jobs: 1,
    failed: [],
  });
  expect(await lines('jobs')).toMatchObject([{ state: 'done' }]);
});

test('review lists what waits with its evidence, approves and rejects', async () => {
  const { run, lines, file } = shell();
  const recorded = file('answers.json', answers);
  await run('ingest', LOG, ...SCOPE, '--answers', recorded);
  const listed = await run('review', ...SCOPE);
  expect(listed.stdout).toContain('Postgres ─same_as▶ PostgreSQL');
  expect(listed.stdout).toContain(`${SESSION} #26 (assistant) “points at PostgreSQL”`);
  const [held] = z.array(z.object({ id: z.string() })).parse(await lines('review', ...SCOPE));
  expect(await run('review', ...SCOPE, '--approve', 'c_ffffffff')).toMatchObject({
    code: 1,
    stdout: '',
  });
  const approved = await run(
    'review',
    ...SCOPE,
    '--approve',
    held!.id.slice(0, 10),
    '--actor',
    'ana',
  );
  expect(approved).toMatchObject({ code: 0, stderr: '' });
  expect(approved.stdout).toMatch(/^approved {2}Postgres/u);
  expect(await lines('review', ...SCOPE)).toEqual([]);
  expect(await lines('jobs', '--state', 'held')).toEqual([]);
});

describe('forget', () => {
  const told = async () => {
    const made = shell();
    await made.run('ingest', LOG, ...SCOPE, '--answers', made.file('answers.json', answers));
    return made;
  };

  test('shows what would change, and changes it when told so', async () => {
    const { run, lines } = await told();
    const event = ['--event', `${SESSION}#15`];
    const shown = await run('forget', ...SCOPE, ...event);
    expect(shown).toMatchObject({ code: 0 });
    expect(shown.stdout).toContain('Would be withdrawn: 1 claim.');
    expect(shown.stdout).toContain('- shop-api ─database▶ Postgres');
    expect(shown.stdout).toContain(SESSION);
    expect(shown.stderr).toContain('--yes');
    expect(await lines('facts', ...SCOPE)).toHaveLength(1);
    const done = await run('forget', ...SCOPE, ...event, '--yes', '--reason', 'Asked to.');
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(await lines('facts', ...SCOPE)).toEqual([]);
    const again = await run('forget', ...SCOPE, ...event, '--yes');
    expect(again.stdout).toBe('There is nothing left to forget.\n');
  });

  test('erases, with the events', async () => {
    const { run, json, lines, cwd } = await told();
    const shown = await json('forget', ...SCOPE, '--session', SESSION, '--erase');
    expect(shown).toMatchObject({ committed: false, claims: 2, events: 5, sessions: [SESSION] });
    const done = await json('forget', ...SCOPE, '--session', SESSION, '--erase', '--yes');
    expect(done).toMatchObject({ committed: true, claims: 2, events: 5 });
    expect(await lines('jobs')).toEqual([]);
    expect(filesWith(join(cwd, 'store'), 'PostgreSQL')).toEqual([]);
    expect(await run('ingest', LOG, ...SCOPE)).toMatchObject({ code: 0 });
    expect(await json('forget', ...SCOPE, '--everything')).toMatchObject({ nothingLeft: true });
  });

  test.each([
    [[], /USAGE: Give one of/u],
    [['--session', 'a', '--user', 'b'], /USAGE: Give one of/u],
    [['--event', 'nothing'], /USAGE: --event/u],
  ])('says what is wrong: %s', async (args, message) => {
    const { run } = await told();
    const ran = await run('forget', ...SCOPE, ...args);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toMatch(message);
  });
});

describe('options before the command', () => {
  test('mean the same as after it', async () => {
    const { run, cwd } = shell();
    await run('ingest', LOG, ...SCOPE);
    const after = await run('entities', ...SCOPE, '--json');
    const store = ['--store', join(cwd, 'store'), '--graph', 'none'];
    for (const args of [
      [...store, ...SCOPE, '--json', 'entities'],
      [...store, '--scope', 'org=acme', 'entities', '--scope', 'project=shop-api', '--json'],
    ]) {
      expect(await palimpsest(args)).toEqual(after);
    }
  });

  test('which the command does not take are refused', async () => {
    const ran = await palimpsest(['--scope', 'org=acme', 'doctor']);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain('doctor takes no option --scope');
  });
});
