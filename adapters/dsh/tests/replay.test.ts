import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { projectOf } from '../src/host/project.js';
import { runProcess } from './support/process.js';
import { makeHome, memoryOf, startWithMemory, type Home } from './support/workspace.js';
import type { Visit } from './children/session.js';

interface Seen {
  /** What the model is shown when the process begins with the session, and when it ends. */
  readonly before: string;
  readonly after: string;
  readonly requests: readonly { system: string; tools: string; messages: readonly string[] }[];
}

const QUESTION = 'Which database does the shop use?';

const visit = async (home: Home, given: Partial<Visit>): Promise<Seen> =>
  (await runProcess('session', {
    logs: home.logs,
    config: {
      directory: home.memory,
      graph: 'none',
      extraction: { by: 'none' },
      recall: { deadlineMs: 20_000 },
    },
    session: 's-1',
    cwd: home.project('shop'),
    resume: false,
    ...given,
  })) as Seen;

async function remember(home: Home, object: string): Promise<void> {
  const host = await startWithMemory(home);
  const scope = { org: 'local', project: projectOf(home.project('shop')) };
  const by = { actor: 'ana', evidence: null };
  await memoryOf(host.ctx).remember(scope, { subject: 'shop', predicate: 'database', object }, by);
  await host.close();
}

/** The first request of a process that goes on with what another one showed the model last. */
function ensureGoesOn(next: Seen, last: Seen): void {
  expect(next.before).toBe(last.after);
  const [request] = next.requests;
  const shown = (JSON.parse(last.after) as unknown[]).map((message) => JSON.stringify(message));
  expect(request?.messages.slice(0, shown.length)).toEqual(shown);
  expect(request?.system).toBe(last.requests.at(-1)?.system);
  expect(request?.tools).toBe(last.requests.at(-1)?.tools);
}

test('a resumed session shows the model the same bytes, with the store changed and with it erased', async () => {
  const home = makeHome();
  await remember(home, 'SQLite');
  const first = await visit(home, {
    script: [{ tool: 'palimpsest_search', args: { query: 'database' } }, 'SQLite.', 'Yes.'],
    says: [QUESTION, 'Are you sure?'],
  });
  expect(first.after).toContain('SQLite');
  expect(first.after).toContain('palimpsest');

  await remember(home, 'Postgres');
  const second = await visit(home, { resume: true, script: ['Postgres.'], says: [QUESTION] });
  ensureGoesOn(second, first);
  expect(second.after).toContain('Postgres');

  rmSync(home.memory, { recursive: true, force: true });
  const third = await visit(home, { resume: true, script: ['Still so.'], says: [QUESTION] });
  ensureGoesOn(third, second);
});
