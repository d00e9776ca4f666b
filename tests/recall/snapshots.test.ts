import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ended, runChild } from '../support/child.js';
import { filesWith } from '../support/files.js';
import { temporaryFolder } from '../support/folder.js';
import { opened, refusal, SHOP, testClock, type ontology } from '../memory/opened.js';
import type { Handle } from '../../lib/index.js';

const Told = z.object({ snapshot: z.string(), text: z.string() });

type Shop = Handle<typeof ontology>;

/** One value of `is`, said in a session. */
const telling = (object: string, from: string, session = 's-1', seq = 0) => ({
  subject: 'database',
  predicate: 'is' as const,
  object,
  validFrom: from,
  observedAt: from,
  evidence: [{ session, seq, quote: `The database is ${object}.` }],
});

const coded = async (work: Promise<unknown>, code: string): Promise<void> =>
  expect((await refusal(() => work)).code).toBe(code);

const QUESTION = 'Which database is it?';

async function shownTo(shop: Shop, session = 'host-1', query = QUESTION): Promise<string> {
  const { snapshot } = await shop.recall(query, { session });
  if (snapshot === null) throw new Error('Nothing was kept.');
  return snapshot;
}

const fates = async (shop: Shop, id: string) =>
  (await shop.compare(id)).facts.map(({ was, fate }) => [was.object, fate]);

describe('a snapshot', () => {
  test('is what was shown, to the byte, after any later change and in another process', async () => {
    const path = temporaryFolder();
    const before = await opened({ path });
    const shop = before.in(SHOP);
    await shop.assert(telling('SQLite', '2024-01-10'));
    const answer = await shop.recall(QUESTION, { session: 'host-1', maxTokens: 200 });
    const kept = JSON.stringify(await shop.snapshot(answer.snapshot));
    expect(JSON.parse(kept)).toMatchObject({
      state: 'kept',
      id: answer.snapshot,
      session: 'host-1',
      query: QUESTION,
      scope: SHOP,
      text: answer.text,
      tokens: answer.tokens,
      asOf: answer.asOf,
      hits: [{ kind: 'fact', fact: { object: 'SQLite', validTo: null } }],
    });
    await shop.assert(telling('Postgres', '2025-06-01', 's-2'));
    const [fact] = await shop.facts({ subject: 'database', predicate: 'is' });
    await shop.retract(fact!);
    expect(JSON.stringify(await shop.snapshot(answer.snapshot))).toBe(kept);
    await before.close();
    const after = await opened({ path });
    expect(JSON.stringify(await after.in(SHOP).snapshot(answer.snapshot))).toBe(kept);
  });

  test('outlives a process that is killed as soon as it was shown', async () => {
    const path = temporaryFolder();
    const child = runChild(new URL('./children/recalling.ts', import.meta.url), [path]);
    const shown = await new Promise<unknown>((resolve) => child.once('message', resolve));
    child.kill('SIGKILL');
    await ended(child);
    const { snapshot, text } = Told.parse(shown);
    const shop = (await opened({ path })).in(SHOP);
    expect(await shop.snapshot(snapshot)).toMatchObject({ state: 'kept', text });
  });

  test('that was damaged on the disk is not passed off as what was shown', async () => {
    const path = temporaryFolder();
    const memory = await opened({ path });
    const shop = memory.in(SHOP);
    await shop.assert(telling('SQLite', '2024-01-10'));
    const id = await shownTo(shop);
    const [file = ''] = filesWith(join(path, 'snapshots'), 'SQLite');
    const bytes = readFileSync(file);
    const at = bytes.lastIndexOf('SQLite');
    bytes.write('MySQL!', at);
    writeFileSync(file, bytes);
    await coded(shop.snapshot(id), 'JOURNAL_DAMAGED');
  });

  test('has one id for one content, and another for any other', async () => {
    const memory = await opened();
    const shop = memory.in(SHOP);
    await shop.assert(telling('SQLite', '2024-01-10'));
    const ask = { session: 'host-1', validAt: '2025-01-01' };
    const first = await shop.recall(QUESTION, ask);
    const again = await shop.recall(QUESTION, ask);
    const other = await shop.recall(QUESTION, { ...ask, session: 'host-2' });
    expect(again.snapshot).toBe(first.snapshot);
    expect(other.snapshot).not.toBe(first.snapshot);
    expect((await shop.snapshots()).map(({ id }) => id)).toEqual([first.snapshot, other.snapshot]);
    expect(await shop.snapshots({ session: 'host-2' })).toMatchObject([
      { id: other.snapshot, session: 'host-2', state: 'kept', scope: SHOP },
    ]);
  });

  test('is kept only where it is wanted', async () => {
    const path = temporaryFolder();
    const memory = await opened({ path });
    const shop = memory.in(SHOP);
    await shop.assert(telling('SQLite', '2024-01-10'));
    expect((await shop.recall(QUESTION, { snapshot: false })).snapshot).toBeNull();
    expect(await shop.snapshots()).toEqual([]);
  });

  test('is seen only from where its scope is seen', async () => {
    const memory = await opened();
    const id = await shownTo(memory.in({ ...SHOP, user: 'ana' }));
    expect((await memory.in({ ...SHOP, user: 'ana', agent: 'x' }).snapshot(id)).id).toBe(id);
    for (const scope of [SHOP, { ...SHOP, user: 'ben' }, { org: 'other' }]) {
      const elsewhere = memory.in(scope);
      await coded(elsewhere.snapshot(id), 'NOT_FOUND');
      await coded(elsewhere.compare(id), 'NOT_FOUND');
      expect(await elsewhere.snapshots()).toEqual([]);
    }
  });

  test('keeps no credential of the question', async () => {
    const path = temporaryFolder();
    const memory = await opened({ path });
    const id = await shownTo(
      memory.in(SHOP),
      'host-1',
      'Is the password hunter2secret still good?',
    );
    const shown = await memory.in(SHOP).snapshot(id);
    expect(shown).toMatchObject({ query: expect.stringContaining('removed') });
    expect(filesWith(path, 'hunter2secret')).toEqual([]);
  });

  test('that does not exist is not found, and what is no id is refused', async () => {
    const shop = (await opened()).in(SHOP);
    await coded(shop.snapshot(`s_${'0'.repeat(32)}`), 'NOT_FOUND');
    await coded(shop.snapshot('f_1'), 'INVALID_ID');
    await coded(shop.snapshot(null), 'INVALID_ID');
  });
});

describe('what was shown, against what is believed now', () => {
  test('is still believed', async () => {
    const shop = (await opened()).in(SHOP);
    await shop.assert(telling('SQLite', '2024-01-10'));
    const id = await shownTo(shop);
    await shop.assert(telling('SQLite', '2024-01-10', 's-9'));
    expect(await fates(shop, id)).toEqual([['SQLite', 'believed']]);
    expect(await shop.compare(id)).toMatchObject({ snapshot: id, unchanged: true, fresh: [] });
  });

  test('is unchanged while nothing has changed: what happened, and what found no room, is no news', async () => {
    const memory = await opened({
      ontology: { predicates: { released: { cardinality: 'many', kind: 'event' } } },
    });
    const shop = memory.in(SHOP);
    await shop.assert({ ...telling('version 1', '2024-01-10'), predicate: 'released' });
    await shop.assert({ ...telling('version 2', '2024-03-10'), predicate: 'released' });
    for (const tool of ['Redis', 'Kafka', 'Nats']) {
      await shop.assert({ ...telling(tool, '2024-01-10'), predicate: 'uses' });
    }
    const options = { session: 'host-1', limit: 2 };
    const happened = (await shop.recall('What was released?', options)).snapshot;
    const used = (await shop.recall('What uses Kafka?', { ...options, limit: 1 })).snapshot;
    expect(await shop.compare(happened)).toMatchObject({
      facts: [{ fate: 'believed' }, { fate: 'believed' }],
      fresh: [],
      unchanged: true,
    });
    expect(await shop.compare(used)).toMatchObject({ fresh: [], unchanged: true });
    await shop.assert({ ...telling('Bull', '2024-01-10'), predicate: 'uses' });
    await shop.assert({ ...telling('version 3', '2024-05-10'), predicate: 'released' });
    expect(await shop.compare(used)).toMatchObject({ fresh: [{ object: 'Bull' }] });
    expect(await shop.compare(happened)).toMatchObject({ fresh: [{ object: 'version 3' }] });
  });

  test('has ended, and something else took its place', async () => {
    const shop = (await opened()).in(SHOP);
    await shop.assert(telling('SQLite', '2024-01-10'));
    const id = await shownTo(shop);
    await shop.assert(telling('Postgres', '2025-06-01', 's-2'));
    const compared = await shop.compare(id);
    expect(compared).toMatchObject({
      unchanged: false,
      facts: [{ was: { object: 'SQLite' }, fate: 'ended', now: [{ object: 'Postgres' }] }],
      fresh: [{ object: 'Postgres' }],
    });
  });

  test('has come to its end by itself', async () => {
    const clock = testClock('2025-01-01');
    const shop = (await opened({ clock })).in(SHOP);
    await shop.assert({ ...telling('SQLite', '2024-01-10'), validTo: '2025-06-01' });
    const id = await shownTo(shop);
    clock.set('2026-01-01');
    expect(await fates(shop, id)).toEqual([['SQLite', 'ended']]);
  });

  test('was asked of a time of its own, and is looked at again at that time', async () => {
    const shop = (await opened()).in(SHOP);
    await shop.assert(telling('SQLite', '2024-01-10'));
    const { snapshot } = await shop.recall(QUESTION, { validAt: '2024-06-01' });
    await shop.assert(telling('Postgres', '2025-06-01', 's-2'));
    // It has an end now, and held at that time all the same.
    expect(await fates(shop, snapshot!)).toEqual([['SQLite', 'changed']]);
    expect((await shop.compare(snapshot!)).asOf.validAt).toBe('2024-06-01T00:00:00.000Z');
  });

  test('was corrected', async () => {
    const shop = (await opened()).in(SHOP);
    const {
      opened: [fact],
    } = await shop.assert(telling('SQLite', '2024-01-10'));
    const id = await shownTo(shop);
    await shop.correct({ was: fact!, object: 'MySQL' });
    expect(await shop.compare(id)).toMatchObject({
      facts: [{ fate: 'corrected', now: [{ object: 'MySQL' }] }],
      fresh: [{ object: 'MySQL' }],
    });
  });

  test('was withdrawn, or forgotten on request', async () => {
    const shop = (await opened()).in(SHOP);
    const sqlite = await shop.assert(telling('SQLite', '2024-01-10'));
    const tea = await shop.assert({ ...telling('tea', '2024-01-10', 's-7'), predicate: 'has' });
    const id = await shownTo(shop);
    await shop.retract(sqlite.opened[0]!);
    await shop.forget({ fact: tea.opened[0]! }, { mode: 'retract' });
    expect(new Map((await fates(shop, id)) as [string, string][])).toEqual(
      new Map([
        ['SQLite', 'withdrawn'],
        ['tea', 'forgotten'],
      ]),
    );
  });

  test('is said in other bounds', async () => {
    const shop = (await opened()).in(SHOP);
    await shop.assert(telling('SQLite', '2024-01-10'));
    const id = await shownTo(shop);
    await shop.assert({ ...telling('SQLite', '2023-03-01', 's-2'), observedAt: '2025-01-01' });
    expect(await shop.compare(id)).toMatchObject({
      facts: [{ fate: 'changed', now: [{ validFrom: '2023-03-01T00:00:00.000Z' }] }],
      fresh: [],
    });
  });

  test('is hidden by what a narrower scope says', async () => {
    const memory = await opened();
    const own = memory.in({ ...SHOP, user: 'ana' });
    await memory.in(SHOP).assert(telling('SQLite', '2024-01-10'));
    const id = await shownTo(own);
    await own.assert(telling('DuckDB', '2024-01-10', 's-2'));
    expect(await fates(own, id)).toEqual([['SQLite', 'hidden']]);
  });
});

describe('an erasure', () => {
  const CANARY = 'Zanzibar';

  async function withCanary(path?: string) {
    const memory = await opened(path === undefined ? {} : { path });
    const shop = memory.in(SHOP);
    await shop.assert(telling('SQLite', '2024-01-10', 'other'));
    const first = await shownTo(shop, 'host-1');
    const secret = await shop.assert({
      ...telling(CANARY, '2024-02-01', 'secret'),
      predicate: 'has',
    });
    const second = await shownTo(shop, 'host-2');
    return { memory, shop, first, second, secret };
  }

  test('takes the content of what rests on it, keeps the rest, and names the sessions', async () => {
    const path = temporaryFolder();
    const { memory, shop, first, second, secret } = await withCanary(path);
    const kept = JSON.stringify(await shop.snapshot(first));
    expect(JSON.stringify(await shop.snapshot(second))).toContain(CANARY);
    expect(filesWith(path, CANARY)).not.toEqual([]);
    const meant = await shop.forget({ claim: secret.claims[0]! }, { mode: 'erase', dryRun: true });
    const receipt = await shop.forget({ claim: secret.claims[0]! }, { mode: 'erase' });
    expect(receipt.sessions).toEqual(['host-2', 'secret']);
    expect(meant.sessions).toEqual(receipt.sessions);
    expect(JSON.stringify(await shop.snapshot(first))).toBe(kept);
    expect(await shop.snapshot(second)).toEqual({
      state: 'erased',
      id: second,
      at: expect.any(String),
      erasedAt: expect.any(String),
      scope: SHOP,
      session: 'host-2',
      notice: expect.stringContaining('erased'),
    });
    await coded(shop.compare(second), 'NOT_FOUND');
    expect(filesWith(path, CANARY)).toEqual([]);
    await memory.close();
    expect(filesWith(path, CANARY)).toEqual([]);
    const again = (await opened({ path })).in(SHOP);
    expect((await again.snapshots()).map(({ id, state }) => [id, state])).toEqual([
      [first, 'kept'],
      [second, 'erased'],
    ]);
  });

  test('leaves nothing in what is being shown meanwhile', async () => {
    const path = temporaryFolder();
    const shop = (await opened({ path })).in(SHOP);
    const secret = await shop.assert(telling(CANARY, '2024-02-01', 'secret', 1));
    await shop.ingest([{ session: 'secret', seq: 1, role: 'user', text: `It is ${CANARY}.` }]);
    const ask = (i: number) => shop.recall(QUESTION, { session: `host-${i}` });
    expect((await ask(0)).text).toContain(CANARY);
    const early = Array.from({ length: 10 }, (_, i) => ask(i));
    const erased = shop.forget({ claim: secret.claims[0]! }, { mode: 'erase' });
    const late = Array.from({ length: 10 }, (_, i) => ask(100 + i));
    await Promise.all([...early, erased, ...late]);
    expect(filesWith(path, CANARY)).toEqual([]);
    for (const { id } of await shop.snapshots()) {
      expect(JSON.stringify(await shop.snapshot(id))).not.toContain(CANARY);
    }
  });

  test('reaches what had no more than a date from it', async () => {
    const shop = (await opened()).in(SHOP);
    await shop.assert(telling('SQLite', '2024-01-10', 'first'));
    await shop.assert(telling('Postgres', '2025-06-01', 'second'));
    const { snapshot } = await shop.recall(QUESTION, { validAt: '2024-06-01', session: 'host-1' });
    expect(await shop.snapshot(snapshot)).toMatchObject({
      hits: [{ fact: { object: 'SQLite', validTo: '2025-06-01T00:00:00.000Z' } }],
    });
    const receipt = await shop.forget({ session: 'second' }, { mode: 'erase' });
    expect(receipt.sessions).toContain('host-1');
    expect((await shop.snapshot(snapshot)).state).toBe('erased');
  });

  test('of a session takes what was shown in it; of a scope, all that was shown there', async () => {
    const memory = await opened();
    const own = memory.in({ ...SHOP, user: 'ana' });
    await memory.in(SHOP).assert(telling('SQLite', '2024-01-10'));
    const inSession = await shownTo(own, 'talk');
    const elsewhere = await shownTo(own, 'host-1');
    await own.assert({ ...telling('tea', '2024-01-10', 'talk'), predicate: 'has' });
    await own.forget({ session: 'talk' }, { mode: 'erase' });
    expect((await own.snapshot(inSession)).state).toBe('erased');
    expect((await own.snapshot(elsewhere)).state).toBe('kept');
    await own.assert({ ...telling('tea', '2024-01-10', 's-5'), predicate: 'has' });
    await memory.admin({ org: 'acme' }).forget({ user: 'ana' }, { mode: 'erase' });
    expect((await own.snapshot(elsewhere)).state).toBe('erased');
  });

  test('of an entity reaches the questions that name it', async () => {
    const shop = (await opened()).in(SHOP);
    await shop.assert({ subject: 'Casimir', predicate: 'has', object: 'tea' });
    const id = await shownTo(shop, 'host-1', 'Nothing here but Casimir?');
    await shop.forget({ entity: 'Casimir' }, { mode: 'erase' });
    expect(JSON.stringify(await shop.snapshot(id))).not.toContain('Casimir');
  });
});
