import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  openMemory,
  type Fact,
  type Memory,
  type OpenOptions,
  type Scope,
} from '../../lib/index.js';
import { temporaryFolder } from '../support/folder.js';
import { bySpecificity, Model, sees } from './model.js';
import { Random } from './random.js';
import { everything, nextQuestion } from './reads.js';
import { isCommitted, nextAct, outcome } from './work.js';
import { ALONE, LONER, ontology, SCOPES, day } from './world.js';

export interface Kind {
  readonly name: string;
  /** What `openMemory` is given; `null` for a store in memory, which ends when it is closed. */
  readonly options: ((folder: string) => OpenOptions) | null;
  /** The same store answering the other way, from the index or from the graph; `null` where there is one way. */
  readonly otherWay: ((folder: string) => OpenOptions) | null;
}

const STEPS = Number(process.env['PALIMPSEST_CONFORMANCE_STEPS'] ?? 120);
const SEEDS = (process.env['PALIMPSEST_CONFORMANCE_SEEDS'] ?? '1,2').split(',').map(Number);

/** Each tick of the clock is a second: the same for every memory that does the same work. */
const ticking = (): (() => number) => {
  let now = Date.parse('2026-01-01T00:00:00Z');
  return () => (now += 1000);
};

/** Without the types of this world's predicates: the random work does not know them. */
const asOptions = (options: OpenOptions): OpenOptions => options;

/**
 * What every store must do alike. Random work is done side by side to it and to a store in memory, the
 * reference, and each answer must be the same to the byte; the reference in turn must answer as a plain
 * list of what the transactions opened and closed does.
 */
export function describeConformance(kind: Kind): void {
  const open = (options: OpenOptions, clock: () => number): Promise<Memory> =>
    openMemory(asOptions({ ...options, ontology, clock }));

  describe(kind.name, () => {
    test.each(SEEDS)('random work on both axes answers like the model (seed %i)', async (seed) => {
      const random = new Random(seed);
      const folder = temporaryFolder();
      const options = kind.options?.(folder) ?? { store: 'memory' };
      const clocks = [ticking(), ticking()] as const;
      const reference = await open({ store: 'memory' }, clocks[0]);
      let subject = await open(options, clocks[1]);
      const model = new Model();
      try {
        for (let step = 1; step <= STEPS; step++) {
          const act = nextAct(random, model, step);
          const where = `step ${step}, ${act.name}`;
          const expected = await outcome(() => act.run(reference));
          const done = await outcome(() => act.run(subject));
          expect(told(where, done)).toBe(told(where, expected));
          await learn(model, reference, act.kind, expected);
          const { transactions } = await reference.stats();
          if (step % 3 === 0) {
            const question = nextQuestion(random, model, transactions);
            const asked = `${where}; ${question.name}`;
            expect(told(asked, await question.ask(subject))).toBe(
              told(asked, await question.ask(reference)),
            );
          }
          if (step % 10 === 0) await compareWithModel(random, model, reference, transactions);
          if (random.chance(0.04)) await subject.syncGraph();
          if (kind.options !== null && random.chance(0.04)) {
            await subject.close();
            subject = await open(kind.options(folder), clocks[1]);
          }
        }
        expect(told('all', await everything(subject))).toBe(
          told('all', await everything(reference)),
        );
        if (kind.otherWay !== null) {
          await subject.close();
          subject = await open(kind.otherWay(folder), clocks[1]);
          expect(told('all', await everything(subject))).toBe(
            told('all', await everything(reference)),
          );
          await subject.rebuild();
          expect(told('all', await everything(subject))).toBe(
            told('all', await everything(reference)),
          );
        }
      } finally {
        await subject.close();
        await reference.close();
      }
    });

    test('an erasure leaves no word in any file', async () => {
      const folder = temporaryFolder();
      const memory = await open(kind.options?.(folder) ?? { store: 'memory' }, ticking());
      const shop = memory.in({ org: 'acme', project: 'shop' });
      const secret = 'xyzzy-plugh-1977';
      await shop.assert({ subject: 'shop', predicate: 'database', object: 'SQLite' });
      await shop.assert({
        subject: `keeper ${secret}`,
        predicate: 'uses',
        object: `the ${secret}`,
        statement: `He said ${secret}.`,
        evidence: [{ session: 's1', seq: 1, quote: `${secret}!`, role: 'user' }],
      });
      await memory.syncGraph();
      await shop.forget({ session: 's1' }, { mode: 'erase' });
      await memory.syncGraph();
      expect(JSON.stringify(await everything(memory))).not.toContain(secret);
      expect((await shop.facts({ predicate: 'database' })).map((f) => f.object)).toEqual([
        'SQLite',
      ]);
      await memory.close();
      for (const file of filesBelow(folder)) {
        expect([file, readFileSync(file).includes(secret)]).toEqual([file, false]);
      }
    });

    test('what runs at the same time is one after the other, and a closed memory says so', async () => {
      const options = kind.options?.(temporaryFolder()) ?? { store: 'memory' };
      const memory = await open(options, ticking());
      const shop = memory.in({ org: 'acme', project: 'shop' });
      const write = (n: number) =>
        shop.assert({ subject: 'shop', predicate: 'uses', object: n, validFrom: '2024' });
      const results = await Promise.all([1, 2, 3, 4, 5].map(write));
      expect(results.map((r) => r.tx).sort((a, b) => a - b)).toEqual([2, 3, 4, 5, 6]);
      const late = [6, 7, 8].map(write);
      const reads = [1, 2].map(() => shop.facts({ predicate: 'uses' }));
      const closing = [memory.close(), memory.close()];
      // What came before the end is done or refused, never lost.
      const settled = await Promise.allSettled(late);
      for (const done of [...settled, ...(await Promise.allSettled(reads))]) {
        if (done.status === 'rejected') expect(done.reason).toMatchObject({ code: 'STORE_CLOSED' });
      }
      await Promise.all(closing);
      await expect(shop.facts()).rejects.toMatchObject({ code: 'STORE_CLOSED' });
      await expect(write(9)).rejects.toMatchObject({ code: 'STORE_CLOSED' });
      if (kind.options === null) return;
      const again = await open(options, ticking());
      const written = 5 + settled.filter((done) => done.status === 'fulfilled').length;
      const facts = await again.in(shop.scope).facts({ predicate: 'uses', validAt: '2025' });
      expect(facts).toHaveLength(written);
      await again.close();
    });

    test('a merge brings its support to what stays believed', async () => {
      const memory = await open(
        kind.options?.(temporaryFolder()) ?? { store: 'memory' },
        ticking(),
      );
      const shop = memory.in({ org: 'acme', project: 'shop' });
      const tell = (name: string, observedAt: string) =>
        shop.assert({
          subject: { name, type: 'person' },
          predicate: 'uses',
          object: 'Postgres',
          validFrom: '2024-01-01',
          observedAt,
        });
      await tell('Ana', '2024-01-01');
      await tell('Bo', '2025-01-01');
      await memory.syncGraph();
      await shop.entities.merge({ name: 'Bo', type: 'person' }, { name: 'Ana', type: 'person' });
      const facts = await shop.facts({ subject: 'Ana', validAt: '2025-06-01' });
      expect(facts.map((f) => f.lastConfirmedAt)).toEqual(['2025-01-01T00:00:00.000Z']);
      await memory.close();
    });

    test('reads beside erasures and rebuilds give one history or the other, and never an error', async () => {
      const folder = temporaryFolder();
      const memory = await open(kind.options?.(folder) ?? { store: 'memory' }, ticking());
      const shop = memory.in({ org: 'acme', project: 'shop' });
      for (let n = 1; n <= 30; n++) {
        await shop.assert({
          subject: n % 2 === 0 ? 'shop' : 'depot',
          predicate: 'uses',
          object: `thing ${n}`,
          validFrom: '2024',
          statement: `The shop has thing ${n}.`,
          evidence: [{ session: `s${n % 5}`, seq: n, role: 'user' }],
        });
      }
      const reading = new AbortController();
      const readers = [1, 2].map(async (reader) => {
        let last = 30;
        while (!reading.signal.aborted) {
          const facts = await shop.facts({ predicate: 'uses', validAt: '2025' });
          expect(facts.length % 6).toBe(0);
          expect(facts.length).toBeLessThanOrEqual(last);
          last = facts.length;
          const fact = facts[reader]!;
          const why = await outcome(() => shop.why(fact));
          const text = JSON.stringify(why);
          if (!text.includes('NOT_FOUND')) expect(text).toContain(`has ${textOf(fact)}.`);
          await shop.neighbors({ subject: 'shop', validAt: '2025' });
          await new Promise((resolve) => setImmediate(resolve));
        }
      });
      try {
        for (const session of ['s1', 's2', 's3']) {
          await shop.forget({ session }, { mode: 'erase' });
          await memory.rebuild();
        }
      } finally {
        reading.abort();
      }
      await Promise.all(readers);
      expect(await shop.facts({ predicate: 'uses', validAt: '2025' })).toHaveLength(12);
      await memory.close();
    });

    // A store in memory ends when it is closed.
    test.skipIf(kind.options === null)(
      'what was written is there when it is opened again',
      async () => {
        const options = kind.options?.(temporaryFolder()) ?? { store: 'memory' };
        const clock = ticking();
        for (let n = 1; n <= 4; n++) {
          const memory = await open(options, clock);
          const shop = memory.in({ org: 'acme', project: 'shop' });
          expect(await shop.facts({ predicate: 'uses', validAt: '2025' })).toHaveLength(n - 1);
          await shop.assert({ subject: 'shop', predicate: 'uses', object: n, validFrom: '2024' });
          await memory.close();
        }
      },
    );

    // A store without an engine has no graph to be asked.
    test.skipIf(kind.otherWay === null)(
      'the graph can be asked about all that is known',
      async () => {
        const memory = await open(
          kind.options?.(temporaryFolder()) ?? { store: 'memory' },
          ticking(),
        );
        const shop = memory.in({ org: 'acme', project: 'shop' });
        for (let n = 1; n <= 4; n++) {
          await shop.assert({
            subject: 'shop',
            predicate: 'database',
            object: `v${n}`,
            validFrom: `202${n}`,
          });
        }
        const { facts } = await memory.stats();
        expect(await memory.cypher('MATCH (f:Fact) RETURN count(f) AS n')).toEqual([{ n: facts }]);
        const chain = 'MATCH (:Fact)-[r:SUPERSEDES]->(:Fact) RETURN count(r) AS n';
        const before = await memory.cypher(chain);
        await memory.rebuild();
        expect(await memory.cypher(chain)).toEqual(before);
        await memory.close();
      },
    );
  });
}

async function learn(
  model: Model,
  reference: Memory,
  kind: 'write' | 'erase',
  done: unknown,
): Promise<void> {
  if (typeof done !== 'object' || done === null || !('value' in done)) return;
  if (kind === 'write') {
    if (isCommitted(done.value)) model.take(done.value);
    return;
  }
  model.clear();
  const seen = new Map<number, Parameters<Model['take']>[0]>();
  for (const scope of SCOPES) {
    for (const change of await reference.in(scope).changes().toArray()) {
      const { tx, opened, closed } = change;
      const before = seen.get(tx) ?? { tx, opened: [], closed: [] };
      seen.set(tx, {
        tx,
        opened: [...before.opened, ...opened],
        closed: [...before.closed, ...closed],
      });
    }
  }
  for (const tx of [...seen.keys()].sort((a, b) => a - b)) model.take(seen.get(tx)!);
}

const textOf = ({ object }: Fact): string => (typeof object === 'string' ? object : '');

const ids = (facts: readonly Fact[]): readonly string[] => facts.map((f) => f.id).sort();

async function compareWithModel(
  random: Random,
  model: Model,
  memory: Memory,
  lastTx: number,
): Promise<void> {
  const validAt = day(random);
  const tx = random.chance(0.4) ? lastTx : random.below(lastTx + 1);
  for (const scope of ALONE) {
    const facts = await memory.in(scope).facts({ validAt, knownAt: { tx } });
    expect(ids(facts)).toEqual(ids(model.asOf(scope, validAt, tx)));
  }
  for (const scope of SCOPES) {
    const visible = SCOPES.filter((s) => sees(scope, s));
    const facts = await memory.in(scope).facts({ validAt, knownAt: { tx } });
    for (const fact of facts) {
      // No leak.
      expect(visible).toContainEqual(fact.scope);
      expect(ids(model.asOf(fact.scope, validAt, tx))).toContain(fact.id);
    }
    await expectLead(model, memory, scope, visible, validAt, tx);
    const history = await memory.in(scope).history({ subject: LONER, knownAt: { tx } });
    const expected = visible.flatMap((s) => model.history(s, LONER, tx));
    expect(ids(history.facts)).toEqual(ids(expected));
    expect(history.facts.map((f) => f.knownFrom.tx)).toEqual(
      history.facts.map((f) => f.knownFrom.tx).sort((a, b) => a - b),
    );
  }
  await expectChanges(random, model, memory);
}

/** A predicate of one value that nobody denies: the most specific scope is heard, and names whom it hides. */
async function expectLead(
  model: Model,
  memory: Memory,
  scope: Scope,
  visible: readonly Scope[],
  validAt: string,
  tx: number,
): Promise<void> {
  const rivals = [...visible]
    .sort(bySpecificity)
    .flatMap((s) => model.asOf(s, validAt, tx).filter((f) => f.predicate === 'lead'));
  const found = await memory.in(scope).facts({ predicate: 'lead', validAt, knownAt: { tx } });
  expect(found.map((f) => f.id)).toEqual(rivals.slice(0, 1).map((f) => f.id));
  expect([...(found[0]?.shadows ?? [])].sort()).toEqual(ids(rivals.slice(1)));
}

async function expectChanges(random: Random, model: Model, memory: Memory): Promise<void> {
  const transactions = model.transactions();
  if (transactions.length === 0) return;
  const tx = random.pick(transactions);
  const opened = new Set<string>();
  const closed = new Set<string>();
  for (const scope of SCOPES) {
    for (const change of await memory
      .in(scope)
      .changes({ from: { tx: tx - 1 }, to: { tx } })
      .toArray()) {
      for (const fact of change.opened) opened.add(fact.id);
      for (const { fact } of change.closed) closed.add(fact.id);
    }
  }
  expect([...opened].sort()).toEqual([...(model.changeOf(tx)?.opened ?? [])].sort());
  expect([...closed].sort()).toEqual([...(model.changeOf(tx)?.closed ?? [])].sort());
}

/** JSON as it is: the order of keys and of items is part of an answer. */
const told = (what: string, answer: unknown): string => JSON.stringify({ what, answer }, null, 1);

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
