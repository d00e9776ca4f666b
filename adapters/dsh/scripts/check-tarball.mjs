// Tier 2: packs the plugin, adds the tarball to a bare profile of the real `dsh` with install scripts blocked, and
// runs sessions in it: what the first one told is shown to a later one. Then it is removed again.
//
// Needs a folder with the whole host (see docs/dsh.md, "Tests"): DSH_FULL=<folder> node scripts/check-tarball.mjs
import { execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const here = join(import.meta.dirname, '..');
const step = (text) => console.log(`dsh tarball: ${text}`);
const full = process.env.DSH_FULL ?? join(tmpdir(), 'palimpsest-dsh-host');
const folder = mkdtempSync(join(tmpdir(), 'palimpsest-dsh-tarball-'));

const path = [
  join(here, 'node_modules/.bin'),
  join(full, 'node_modules/.bin'),
  join(full, 'tool/node_modules/.bin'),
  process.env.PATH,
].join(delimiter);
const log = join(folder, 'llm.jsonl');
const env = { ...process.env, PATH: path, DSH_HOME: join(folder, 'home'), SCRIPTED_LLM_LOG: log };
// A home of its own: the two profiles pack their logs in different ways here.
const webEnv = { ...env, DSH_HOME: join(folder, 'web-home') };
const run = (command, args, cwd, environment = env) =>
  execFileSync(command, args, {
    cwd,
    env: environment,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });

function ensureHost() {
  if (existsSync(join(full, 'node_modules/.bin/dsh'))) return;
  step('fetches the host');
  mkdirSync(join(full, 'tool'), { recursive: true });
  writeFileSync(join(full, 'tool/package.json'), '{"private":true}\n');
  run(
    'npm',
    ['install', '--no-audit', '--no-fund', '--silent', 'pnpm@10.34.8'],
    join(full, 'tool'),
  );
  const overrides = {
    '@deepseek-ai/cordis-plugin-hmr': '1.0.16',
    '@deepseek-ai/cordis-plugin-include': '1.0.6',
    '@deepseek-ai/cordis-plugin-loader': '1.0.2',
  };
  const dependencies = { '@deepseek-ai/dsh': '0.1.0-rc.8' };
  const host = { name: 'host', private: true, dependencies, pnpm: { overrides } };
  writeFileSync(join(full, 'package.json'), JSON.stringify(host));
  run('pnpm', ['install', '--ignore-scripts', '--silent'], full);
}

const freePort = () =>
  new Promise((done) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });

const until = async (what, test) => {
  for (let i = 0; i < 100; i++) {
    const found = await test().catch(() => null);
    if (found !== null && found !== false) return found;
    await new Promise((done) => {
      setTimeout(done, 200);
    });
  }
  throw new Error(`In vain waited for ${what}.`);
};

/** The web profile, by its HTTP API: what one session told is shown to a later one. */
async function checkWeb(work) {
  const port = await freePort();
  const server = spawn('dsh', ['--profile', 'web', '--no-open', '--port', String(port)], {
    cwd: work,
    env: webEnv,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const call = async (method, payload) => {
    const body = JSON.stringify({ type: 'client-request', rpcId: '1', method, payload });
    const headers = { 'content-type': 'application/json' };
    const url = `http://127.0.0.1:${port}/api/${method}`;
    const { result } = await (await fetch(url, { method: 'POST', headers, body })).json();
    if (!result.ok) throw new Error(`${method}: ${JSON.stringify(result)}`);
    return result.value;
  };
  const begin = async () => (await call('session.create', { cwd: work })).sessionId;
  const say = (sessionId, text) =>
    call('session.prompt', { sessionId, mode: 'queue', content: [{ type: 'text', text }] });
  const history = async (sessionId) => JSON.stringify(await call('session.history', { sessionId }));
  try {
    const first = await until('the web server', begin);
    await say(first, 'Note that orders are in Postgres now.');
    await until('an answer', async () => (await history(first)).includes('Understood.'));
    await until('the memory', async () => {
      const later = await begin();
      await say(later, 'Which database does the shop use?');
      await until('an answer', async () => (await history(later)).includes('Understood.'));
      const shown = await history(later);
      return shown.includes('<memory>') && shown.includes('Postgres');
    });
  } finally {
    if (server.exitCode === null) {
      const ended = new Promise((done) => {
        server.once('exit', done);
      });
      server.kill();
      await ended;
    }
  }
}

try {
  ensureHost();
  run(process.execPath, [join(here, 'scripts/pack.mjs'), folder], here);
  const model = join(here, 'tests/fixtures/scripted-llm');
  run('npm', ['pack', '--silent', '--pack-destination', folder], model);
  const tarballs = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  step(`adds ${tarballs.join(' and ')} to a bare profile`);
  const dsh = (...args) => run('dsh', args, folder);
  dsh('plugin', '--profile', 'headless', 'add', ...tarballs.map((name) => join(folder, name)));

  writeFileSync(
    join(folder, 'overlay.yml'),
    "- id: session-persistence-jsonl\n  config:\n    root: !!js dshHomePath('sessions')\n    compression: none\n",
  );
  const work = join(folder, 'work');
  mkdirSync(work);
  const overlay = ['--profile', 'headless', '--patch', join(folder, 'overlay.yml')];
  run('dsh', [...overlay, 'Note that orders are in Postgres now.'], work);
  let shown = null;
  for (let i = 0; shown === null && i < 5; i++) {
    run('dsh', [...overlay, `Which database does the shop use? (${i})`], work);
    const asked = readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    shown = asked.find(({ messages }) => JSON.stringify(messages).includes('<memory>')) ?? null;
  }
  if (shown === null) throw new Error('No session was shown what the first one told.');
  if (!JSON.stringify(shown.messages).includes('Postgres')) throw new Error(JSON.stringify(shown));
  if (!shown.tools.includes('palimpsest_search')) throw new Error('The model saw no tools.');
  step('a later session is shown what the first one told');

  const files = tarballs.map((name) => join(folder, name));
  run('dsh', ['plugin', '--profile', 'web', 'add', ...files], folder, webEnv);
  const site = join(folder, 'site');
  mkdirSync(site);
  await checkWeb(site);
  step('so it is in the web profile');

  dsh('plugin', '--profile', 'headless', 'remove', 'palimpsest-dsh');
  rmSync(log);
  run('dsh', [...overlay, 'And now?'], work);
  const last = readFileSync(log, 'utf8');
  if (last.includes('palimpsest_search') || last.includes('<memory>')) {
    throw new Error('It is still there after its removal.');
  }
  step('removed, the host is as it was');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
