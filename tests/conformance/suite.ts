import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openMemory, type Fact, type Memory, type OntologyDefinition, type OpenOptions, type Scope } from '../../lib/index.js';
import { temporaryFolder } from '../support/folder.js';
import { bySpecificity, isSame, Model, sees } from './model.js';
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

/**
 * What every store must do alike. Random work is done side by side to it and to a store in memory, the
 * reference, and each answer must be the same to the byte; the reference in turn must answer as a plain
 * list of what the transactions opened and closed does.
 */
export function describeConformance(kind: Kind): void {
  const open = (options: OpenOptions, clock: () => number): Promise<Memory> =>
    openMemory<OntologyDefinition>({ ...options, ontology, clock });

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
          expect(stable(done), where).toBe(stable(expected));
          await learn(model, reference, act.kind, expected);
          const { transactions } = await reference.stats();
          if (step % 3 === 0) {
            const question = nextQuestion(random, model, transactions);
            expect(stable(await question.ask(subject)), `${where}; ${question.name}`).toBe(
              stable(await question.ask(reference)),
            );
          }
          if (step % 10 === 0) await compareWithModel(random, model, reference, transactions);
          if (random.chance(0.04)) await subject.syncGraph();
          if (kind.options !== null && random.chance(0.04)) {
            await subject.close();
            subject = await open(kind.options(folder), clocks[1]);
          }
        }
        expect(stable(await everything(subject))).toBe(stable(await everything(reference)));
        if (kind.otherWay !== null) {
          await subject.close();
          subject = await open(kind.otherWay(folder), clocks[1]);
          expect(stable(await everything(subject))).toBe(stable(await everything(reference)));
          await subject.rebuild();
          expect(stable(await everything(subject))).toBe(stable(await everything(reference)));
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
      expect((await shop.facts({ predicate: 'database' })).map((f) => f.object)).toEqual(['SQLite']);
      await memory.close();
      for (const file of filesBelow(folder)) {
        expect(readFileSync(file).includes(secret), file).toBe(false);
      }
    });

    test('what runs at the same time is one after the other, and a closed memory says so', async () => {
      const memory = await open(kind.options?.(temporaryFolder()) ?? { store: 'memory' }, ticking());
      const shop = memory.in({ org: 'acme', project: 'shop' });
      const writes = [1, 2, 3, 4, 5].map((n) =>
        shop.assert({ subject: 'shop', predicate: 'uses', object: n, validFrom: '2024' }),
      );
      const reads = [1, 2, 3].map(() => shop.facts({ predicate: 'uses' }));
      const closing = memory.close();
      const results = await Promise.all(writes);
      expect(results.map((r) => r.tx)).toEqual([2, 3, 4, 5, 6]);
      for (const read of await Promise.allSettled(reads)) {
        if (read.status === 'rejected') expect(read.reason).toMatchObject({ code: 'STORE_CLOSED' });
      }
      await closing;
      await memory.close();
      await expect(shop.facts()).rejects.toMatchObject({ code: 'STORE_CLOSED' });
      await expect(
        shop.assert({ subject: 'shop', predicate: 'uses', object: 6 }),
      ).rejects.toMatchObject({ code: 'STORE_CLOSED' });
    });

    if (kind.options === null) {
      test.skip('reopening: a store in memory ends when it is closed', () => undefined);
    }
    if (kind.otherWay === null) {
      test.skip('answers from the graph: this store has none', () => undefined);
    }
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
      seen.set(tx, { tx, opened: [...before.opened, ...opened], closed: [...before.closed, ...closed] });
    }
  }
  for (const tx of [...seen.keys()].sort((a, b) => a - b)) model.take(seen.get(tx)!);
}

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
      expect(visible.some((s) => isSame(s, fact.scope)), 'no leak').toBe(true);
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
    for (const change of await memory.in(scope).changes({ from: { tx: tx - 1 }, to: { tx } }).toArray()) {
      for (const fact of change.opened) opened.add(fact.id);
      for (const { fact } of change.closed) closed.add(fact.id);
    }
  }
  expect([...opened].sort()).toEqual([...(model.changeOf(tx)?.opened ?? [])].sort());
  expect([...closed].sort()).toEqual([...(model.changeOf(tx)?.closed ?? [])].sort());
}

/** JSON as it is: the order of keys and of items is part of an answer. */
const stable = (value: unknown): string => JSON.stringify(value, null, 1);

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
