import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openMemory, type Handle } from 'palimpsest';
import { keep, recallFor } from 'palimpsest/hook';
import { describe, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../support/folder.js';
import { scriptFor } from '../support/child.js';

const ROOT = resolve(import.meta.dirname, '../..');
const SESSION = '5b0a0d52-0000-4000-8000-000000000001';

const claudeLine = (uuid: string, role: 'user' | 'assistant', text: string): string =>
  `${JSON.stringify({
    type: role,
    uuid,
    sessionId: SESSION,
    cwd: '/home/ana/shop',
    timestamp: '2026-01-10T10:00:00.000Z',
    isSidechain: false,
    message: { role, content: role === 'user' ? text : [{ type: 'text', text }] },
  })}\n`;

const codexLine = (role: string, text: string): string =>
  `${JSON.stringify({
    timestamp: '2026-01-10T10:00:00.000Z',
    type: 'response_item',
    payload: { type: 'message', role, content: [{ type: 'input_text', text }] },
  })}\n`;

interface Setting {
  readonly store: string;
  readonly args: readonly string[];
  readonly transcript: string;
  readonly event: (name: string, more?: object) => object;
}

function setting(): Setting {
  const folder = temporaryFolder();
  const store = join(folder, 'store');
  const transcript = join(folder, `${SESSION}.jsonl`);
  return {
    store,
    args: ['--store', store, '--scope', 'org=acme'],
    transcript,
    event: (name, more = {}) => ({
      hook_event_name: name,
      session_id: SESSION,
      cwd: '/home/ana/shop',
      transcript_path: transcript,
      ...more,
    }),
  };
}

async function inMemory<T>(store: string, work: (shop: Handle) => Promise<T>): Promise<T> {
  await using memory = await openMemory({ path: store, graph: 'none' });
  return await work(memory.in({ org: 'acme', project: '/home/ana/shop' }));
}

const textsIn = (store: string): Promise<string[]> =>
  inMemory(store, async (shop) => {
    const { hits } = await shop.search('Postgres', { floor: 0 });
    return hits.flatMap((hit) => (hit.kind === 'event' ? [hit.text] : [])).toSorted();
  });

describe('a session', () => {
  test('of Claude Code is kept at its stop, and what came later at the next start', async () => {
    const { store, args, transcript, event } = setting();
    const before = claudeLine('u1', 'user', 'We run Postgres.');
    writeFileSync(transcript, before);
    expect(await keep(event('Stop'), args)).toBe(1);
    writeFileSync(transcript, before + claudeLine('u2', 'assistant', 'Postgres it is.'));
    expect(await keep(event('SessionStart'), args)).toBe(1);
    expect(await keep(event('SessionStart'), args)).toBe(0);
    expect(await textsIn(store)).toEqual(['Postgres it is.', 'We run Postgres.']);
  });

  test('of Codex is kept without what Codex says in the person’s place', async () => {
    const { store, args, transcript, event } = setting();
    writeFileSync(
      transcript,
      `${JSON.stringify({ type: 'session_meta', payload: { id: SESSION } })}\n` +
        codexLine('user', '<environment_context>Postgres</environment_context>') +
        codexLine('developer', 'Postgres rules') +
        codexLine('user', 'We run Postgres.') +
        codexLine('assistant', 'Postgres it is.') +
        '{"type":"response_item","payl',
    );
    expect(await keep(event('Stop'), args)).toBe(2);
    expect(await textsIn(store)).toEqual(['Postgres it is.', 'We run Postgres.']);
  });

  test('without a transcript has nothing to be kept', async () => {
    const { args, event } = setting();
    expect(await keep(event('Stop', { transcript_path: null }), args)).toBe(0);
  });
});

describe('a prompt', () => {
  test('is told what is known in its project, and what was shown is kept', async () => {
    const { store, args, event } = setting();
    await inMemory(store, (shop) =>
      shop.assert({ subject: 'shop', predicate: 'database', object: 'Postgres' }),
    );
    const prompt = 'Which database does the shop use?';
    const answer = await recallFor(event('UserPromptSubmit', { prompt }), args);
    expect(answer?.hookSpecificOutput.hookEventName).toBe('UserPromptSubmit');
    expect(answer?.hookSpecificOutput.additionalContext).toContain('Postgres');
    const shown = await inMemory(store, (shop) => shop.snapshots({ session: SESSION }));
    expect(shown).toHaveLength(1);
    const elsewhere = event('UserPromptSubmit', { prompt, cwd: '/home/ana/other' });
    expect(await recallFor(elsewhere, args)).toBeNull();
  });
});

describe('the command', () => {
  const script = scriptFor(join(ROOT, 'adapters/hook/main.ts'));
  const run = async (input: string, args: readonly string[]) => {
    const child = spawn(process.execPath, [script, ...args], { stdio: 'pipe' });
    let stdout = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    const [code] = (await once(child, 'close')) as [number];
    return { code, stdout };
  };

  test.each([
    ['no JSON', '{"hook'],
    ['nothing', ''],
    ['an event of no concern', '{"hook_event_name":"PreToolUse"}'],
    ['a prompt without a session', '{"hook_event_name":"UserPromptSubmit"}'],
  ])('does not fail its host for %s, and says nothing', async (_, input) => {
    const { args } = setting();
    expect(await run(input, args)).toEqual({ code: 0, stdout: '' });
  });

  test('tells a prompt what is known, and nothing else', async () => {
    const { store, args, event } = setting();
    await inMemory(store, (shop) =>
      shop.assert({ subject: 'shop', predicate: 'database', object: 'Postgres' }),
    );
    const prompt = 'Which database does the shop use?';
    const { code, stdout } = await run(JSON.stringify(event('UserPromptSubmit', { prompt })), args);
    expect(code).toBe(0);
    const { hookSpecificOutput } = JSON.parse(stdout) as { hookSpecificOutput: object };
    expect(JSON.stringify(hookSpecificOutput)).toContain('Postgres');
  });

  test('keeps a session without being waited for', async () => {
    const { store, args, transcript, event } = setting();
    writeFileSync(transcript, claudeLine('u1', 'user', 'We run Postgres.'));
    expect(await run(JSON.stringify(event('Stop')), args)).toEqual({ code: 0, stdout: '' });
    await vi.waitFor(async () => expect(await textsIn(store)).toEqual(['We run Postgres.']), {
      timeout: 30_000,
      interval: 200,
    });
  });

  test('does not fail its host where the store is none', async () => {
    const { store, args, event } = setting();
    writeFileSync(store, 'a file, and no folder');
    const input = JSON.stringify(event('UserPromptSubmit', { prompt: 'Which database?' }));
    expect(await run(input, args)).toEqual({ code: 0, stdout: '' });
  });
});

test('the plugin has the hooks that the command answers', () => {
  const folder = join(ROOT, 'adapters/hook/claude-code');
  const { hooks } = JSON.parse(readFileSync(join(folder, 'hooks/hooks.json'), 'utf8')) as {
    hooks: object;
  };
  expect(Object.keys(hooks)).toEqual(['SessionStart', 'UserPromptSubmit', 'Stop']);
});
