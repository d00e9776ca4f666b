import assert from 'node:assert/strict';
import type { MemoryEngine } from '../engine/engine.js';
import type { Author, Scope, Statement } from '../engine/vocabulary.js';

/** One thing that every engine must do. It is given an empty memory of its own. */
export interface ConformanceCase {
  readonly name: string;
  readonly run: (engine: MemoryEngine) => Promise<void>;
}

const SHOP: Scope = { org: 'acme', project: 'shop' };
const BLOG: Scope = { org: 'acme', project: 'blog' };
const OTHERS: Scope = { org: 'other', project: 'shop' };

const by = (session: string, seq: number, at: string): Author => ({
  actor: 'ana',
  evidence: { session, seq, role: 'user', at: Date.parse(at) },
});

const database = (object: string, validFrom: string): Statement => ({
  subject: 'shop',
  predicate: 'database',
  object,
  validFrom,
});

const objects = async (
  engine: MemoryEngine,
  scope: Scope,
  query: { readonly validAt?: string; readonly subject?: string } = {},
): Promise<readonly string[]> =>
  (await engine.facts(scope, { ...query, limit: 100 })).map(({ object }) => object).sort();

const rejectsWithCode = (work: Promise<unknown>): Promise<void> =>
  assert.rejects(work, (error: unknown) => {
    assert.ok(error instanceof Error && 'code' in error && typeof error.code === 'string');
    return true;
  });

const asking = (question: string, known: readonly string[] = []) => ({
  question,
  session: 's-9',
  maxTokens: 500,
  deadlineMs: 60_000,
  signal: new AbortController().signal,
  known,
});

/**
 * What `ctx.memory` promises, whoever provides it. Independent of any test framework.
 *
 * @example
 * for (const { name, run } of conformanceCases) test(name, async () => run(await emptyEngine()));
 */
export const conformanceCases: readonly ConformanceCase[] = [
  {
    name: 'what is remembered can be listed, searched and explained at once',
    async run(engine) {
      await engine.remember(
        SHOP,
        database('Postgres', '2025-06'),
        by('s-1', 4, '2025-06-02T10:00:00Z'),
      );
      const [fact] = await engine.facts(SHOP, { limit: 10 });
      assert.ok(fact);
      assert.equal(fact.object, 'Postgres');
      const hits = await engine.search(SHOP, 'database of the shop', { limit: 5 });
      assert.deepEqual(
        hits.map((hit) => hit.fact.id),
        [fact.id],
      );
      const why = await engine.why(SHOP, fact.id);
      const [evidence] = why.claims.flatMap((claim) => claim.evidence);
      assert.deepEqual([evidence?.session, evidence?.seq], ['s-1', 4]);
    },
  },
  {
    name: 'a scope sees what is broader, and never what is beside it',
    async run(engine) {
      const said = by('s-1', 1, '2025-06-02T10:00:00Z');
      await engine.remember(SHOP, database('Postgres', '2025'), said);
      await engine.remember(OTHERS, database('MySQL', '2025'), said);
      await engine.remember(
        { org: 'acme' },
        { subject: 'acme', predicate: 'is in', object: 'Oslo' },
        said,
      );
      assert.deepEqual(await objects(engine, SHOP), ['Oslo', 'Postgres']);
      assert.deepEqual(await objects(engine, BLOG), ['Oslo']);
      assert.deepEqual(await objects(engine, OTHERS), ['MySQL']);
      const [fact] = await engine.facts(OTHERS, { limit: 1 });
      await rejectsWithCode(engine.why(SHOP, fact?.id ?? ''));
      assert.deepEqual(await engine.search(BLOG, 'database Postgres', { limit: 5 }), []);
    },
  },
  {
    name: 'what has ended is history: not believed now, and readable as of then',
    async run(engine) {
      await engine.remember(
        SHOP,
        database('SQLite', '2024-01-10'),
        by('s-1', 1, '2024-01-10T10:00:00Z'),
      );
      const end = { subject: 'shop', predicate: 'database', object: 'SQLite', at: '2025-06-01' };
      await engine.end(SHOP, end, by('s-2', 1, '2025-06-02T10:00:00Z'));
      await engine.remember(
        SHOP,
        database('Postgres', '2025-06-01'),
        by('s-2', 1, '2025-06-02T10:00:00Z'),
      );
      assert.deepEqual(await objects(engine, SHOP), ['Postgres']);
      assert.deepEqual(await objects(engine, SHOP, { validAt: '2024-06-01' }), ['SQLite']);
      const history = await engine.history(SHOP, { subject: 'shop' });
      assert.deepEqual(
        new Set(history.map(({ object }) => object)),
        new Set(['SQLite', 'Postgres']),
      );
    },
  },
  {
    name: 'what was believed before a correction can be read as it was known then',
    async run(engine) {
      const first = await engine.remember(
        SHOP,
        database('MySQL', '2025'),
        by('s-1', 1, '2025-02-01T10:00:00Z'),
      );
      const [wrong] = first.opened;
      await engine.correct(
        SHOP,
        wrong?.id ?? '',
        { object: 'MariaDB' },
        by('s-2', 1, '2025-03-01T10:00:00Z'),
      );
      assert.deepEqual(await objects(engine, SHOP), ['MariaDB']);
      const then = await engine.facts(SHOP, { knownAt: { tx: first.tx }, limit: 10 });
      assert.deepEqual(
        then.map(({ object }) => object),
        ['MySQL'],
      );
    },
  },
  {
    name: 'what is taken back is back when that is undone',
    async run(engine) {
      const { opened } = await engine.remember(
        SHOP,
        database('MySQL', '2025'),
        by('s-1', 1, '2025-02-01T10:00:00Z'),
      );
      const { tx } = await engine.retract(SHOP, opened[0]?.id ?? '', {
        actor: 'ana',
        evidence: null,
      });
      assert.deepEqual(await objects(engine, SHOP), []);
      await engine.revert(SHOP, tx, 'ana');
      assert.deepEqual(await objects(engine, SHOP), ['MySQL']);
    },
  },
  {
    name: 'events that were told before are left out',
    async run(engine) {
      const event = { session: 's-1', seq: 3, role: 'user', text: 'Good morning.', at: 0 } as const;
      assert.deepEqual((await engine.capture(SHOP, [event], { root: true })).seqs, [3]);
      assert.deepEqual((await engine.capture(SHOP, [event], { root: true })).seqs, []);
    },
  },
  {
    name: 'a recollection is kept as it was shown, whatever is learnt later',
    async run(engine) {
      await engine.remember(SHOP, database('SQLite', '2024'), by('s-1', 1, '2024-01-10T10:00:00Z'));
      const shown = await engine.recall(SHOP, asking('Which database does the shop use?'));
      assert.equal(shown.status, 'found');
      assert.ok(shown.text.includes('SQLite'));
      assert.deepEqual(
        shown.facts.map(({ evidence }) => evidence),
        [[{ session: 's-1', seq: 1 }]],
      );
      await engine.remember(
        SHOP,
        database('Postgres', '2025'),
        by('s-2', 1, '2025-01-10T10:00:00Z'),
      );
      assert.ok(shown.snapshot);
      assert.equal(await engine.snapshot(SHOP, shown.snapshot), shown.text);
      assert.equal(await engine.snapshot(BLOG, shown.snapshot), null);
    },
  },
  {
    name: 'what the asker has before it is not recalled again, and nothing is no noise',
    async run(engine) {
      await engine.remember(SHOP, database('SQLite', '2024'), by('s-1', 1, '2024-01-10T10:00:00Z'));
      const first = await engine.recall(SHOP, asking('Which database does the shop use?'));
      const known = first.facts.map(({ id }) => id);
      const again = await engine.recall(SHOP, asking('Which database does the shop use?', known));
      assert.deepEqual([again.status, again.facts], ['no-evidence', []]);
      const nothing = await engine.recall(BLOG, asking('Which database does the shop use?'));
      assert.deepEqual([nothing.status, nothing.facts], ['no-evidence', []]);
    },
  },
  {
    name: 'what is erased is gone at every known time, and cannot be brought back',
    async run(engine) {
      const { opened, tx } = await engine.remember(
        SHOP,
        database('MySQL', '2025'),
        by('s-1', 1, '2025-02-01T10:00:00Z'),
      );
      const fact = opened[0]?.id ?? '';
      const rehearsal = { erase: true, dryRun: true, actor: 'ana' };
      assert.equal((await engine.forget(SHOP, { fact }, rehearsal)).committed, false);
      assert.deepEqual(await objects(engine, SHOP), ['MySQL']);
      await engine.forget(SHOP, { session: 's-1' }, { erase: true, actor: 'ana' });
      assert.deepEqual(await objects(engine, SHOP), []);
      assert.deepEqual(await engine.history(SHOP, { subject: 'shop' }).catch(() => []), []);
      await engine.revert(SHOP, tx, 'ana').catch(() => null);
      // The same event, told again by a pipeline.
      await engine.remember(SHOP, database('MySQL', '2025'), by('s-1', 1, '2025-02-01T10:00:00Z'));
      assert.deepEqual(await objects(engine, SHOP), []);
    },
  },
  {
    name: 'pages follow one another without gap or repetition',
    async run(engine) {
      for (let i = 0; i < 7; i++) {
        const said = { subject: 'shop', predicate: 'sells', object: `thing ${i}` };
        await engine.remember(SHOP, said, by('s-1', i, '2025-02-01T10:00:00Z'));
      }
      const seen: string[] = [];
      for (let after: string | undefined; ;) {
        const page = await engine.facts(SHOP, { limit: 3, after });
        seen.push(...page.map(({ object }) => object));
        after = page.at(-1)?.id;
        if (page.length < 3) break;
      }
      assert.equal(seen.length, 7);
      assert.equal(new Set(seen).size, 7);
    },
  },
  {
    name: 'its profile cites the facts that it rests on',
    async run(engine) {
      await engine.remember(
        SHOP,
        database('Postgres', '2025'),
        by('s-1', 1, '2025-02-01T10:00:00Z'),
      );
      const [fact] = await engine.facts(SHOP, { limit: 1 });
      const profile = await engine.profile(SHOP, { maxTokens: 200 });
      assert.ok(profile.text.includes('Postgres'));
      assert.deepEqual(profile.facts, [fact?.id]);
      assert.deepEqual((await engine.profile(BLOG, { maxTokens: 200 })).facts, []);
    },
  },
];
