import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  openMemory,
  PalimpsestError,
  type Fact,
  type Memory,
  type OntologyDefinition,
  type WriteResult,
} from '../../lib/index.js';
import { BEGIN, FOREVER } from '../../lib/model/interval.js';
import { factsOf } from './journal-model.js';
import { counts, ontology, testClock } from './opened.js';
import { keyOf, span, telling, work, type Seen, type Verb, type Worker } from './random-work.js';

const HISTORIES = Number(process.env['PALIMPSEST_HISTORIES'] ?? 150);
const SCOPE = { org: 'acme' } as const;

const open = (): Promise<Memory> =>
  openMemory<OntologyDefinition>({ store: 'memory', graph: 'none', clock: testClock(), ontology });

/** Everything that is answered about a known time; what happens later may not change it. */
async function known(handle: Worker, tx: number): Promise<unknown> {
  const view = handle.asOf({ valid: '2004-05', known: { tx } });
  const facts = await view.facts({ during: {}, orderBy: 'knownFrom', order: 'asc' });
  return {
    facts,
    now: await view.facts(),
    changes: await view.changes().toArray(),
    entities: await view.entities.list().toArray(),
    why: await Promise.all(facts.map((f) => view.why(f))),
    near: tx < 3 ? null : await view.neighbors({ subject: 'north', hops: 3 }).catch(codeOf),
  };
}

const codeOf = (error: unknown): string => {
  if (PalimpsestError.isInstance(error)) return error.code;
  throw error;
};

/** No two facts of a key at one valid time, so no two values of a `one` key. */
function expectNoOverlap(facts: readonly Fact[]): void {
  const sorted = facts
    .map((f) => ({ key: keyOf(f), span: span(f) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.span[0] - b.span[0]));
  for (const [i, next] of sorted.entries()) {
    const last = sorted[i - 1];
    if (last?.key === next.key) expect(last.span[1]).toBeLessThanOrEqual(next.span[0]);
    expect(next.span[0]).toBeLessThan(next.span[1]);
  }
}

const stable = (facts: readonly Fact[]): string[] =>
  facts
    .map((f) => {
      const object =
        typeof f.object === 'object' && 'id' in f.object
          ? { entity: f.object.id }
          : { string: f.object };
      const from = f.validFrom === null ? BEGIN : Date.parse(f.validFrom);
      const to = f.validTo === null ? FOREVER : Date.parse(f.validTo);
      return JSON.stringify([
        f.subject.id,
        f.predicate,
        object,
        from,
        to,
        f.instance,
        f.properties,
      ]);
    })
    .sort();

async function modelled(memory: Memory): Promise<string[]> {
  const journal = await memory.admin(SCOPE).transactions().toArray();
  return factsOf(journal)
    .map((f) => {
      const outer: unknown = JSON.parse(f.key);
      if (!Array.isArray(outer)) throw new Error('A key is a list.');
      const [first]: unknown[] = outer;
      const group: unknown =
        typeof first === 'string' && first.startsWith('[') ? JSON.parse(first) : outer;
      const [subject, predicate]: unknown[] = Array.isArray(group) ? group : [];
      const object: unknown = JSON.parse(f.object);
      return JSON.stringify([subject, predicate, object, f.from, f.to, f.instance, f.properties]);
    })
    .sort();
}

async function run(
  verb: Verb,
  handle: Worker,
  seen: Seen,
  dryRun: boolean,
): Promise<WriteResult | string | null> {
  try {
    return await verb.run(handle, seen, { dryRun });
  } catch (error) {
    return codeOf(error);
  }
}

const effectOf = (result: WriteResult | string | null): unknown =>
  typeof result === 'string' || result === null
    ? result
    : {
        ...result,
        tx: 0,
        at: '',
        committed: false,
        opened: unstamped(result.opened),
        closed: result.closed.map((c) => ({ ...c, fact: unstamped([c.fact]) })),
      };

/** Commit instants differ between a rehearsal and the act. */
const unstamped = (facts: readonly Fact[]): unknown =>
  facts.map((f) => ({
    ...f,
    knownFrom: f.knownFrom.tx,
    knownTo: f.knownTo?.tx ?? null,
    lastConfirmedAt: null,
  }));

async function live(verbs: readonly Verb[]): Promise<void> {
  await using memory = await open();
  const handle = memory.in(SCOPE);
  const seen: Seen = { claims: [], facts: [], txs: [] };
  const past: { readonly tx: number; readonly answer: unknown }[] = [];
  for (const [step, verb] of verbs.entries()) {
    const before = await counts(memory);
    const rehearsed = await run(verb, handle, seen, true);
    expect(await counts(memory), 'a rehearsal changes nothing').toEqual(before);
    const result = await run(verb, handle, seen, false);
    const isTimeless = verb.name !== 'end' && verb.name !== 'correct';
    if (isTimeless)
      expect(effectOf(result), `${verb.name} does what its rehearsal said`).toEqual(
        effectOf(rehearsed),
      );
    if (result === null || typeof result === 'string') {
      expect(await counts(memory), 'a refusal changes nothing').toEqual(before);
      continue;
    }
    if (result.committed) {
      seen.txs.push(result.tx);
      const [set] = await handle
        .changes({ from: { tx: result.tx - 1 }, to: { tx: result.tx } })
        .toArray();
      expect(set?.opened ?? []).toEqual(result.opened);
      expect(set?.closed ?? []).toEqual(result.closed);
      expect(result.noEffect === null).toBe(set !== undefined);
    }
    seen.claims.push(...result.claims);
    seen.facts.push(...result.opened.map((f) => f.id));
    expectNoOverlap(await handle.facts({ during: {} }));
    past.push({ tx: result.tx, answer: await known(handle, result.tx) });
    const earlier = past[(step * 7) % past.length]!;
    expect(await known(handle, earlier.tx), 'the past is what it was').toEqual(earlier.answer);
  }
  expect(stable(await handle.facts({ during: {} })), 'as the journal means').toEqual(
    await modelled(memory),
  );
  await memory.rebuild();
  for (const { tx, answer } of past) {
    expect(await known(handle, tx), 'the same after building anew').toEqual(answer);
  }
}

test('random work keeps every invariant after every step, and means what its journal says', async () => {
  await fc.assert(fc.asyncProperty(work, live), {
    numRuns: HISTORIES,
    interruptAfterTimeLimit: 600_000,
  });
}, 660_000);

test('what is told gives the same belief in whatever order it arrives', async () => {
  const told = fc
    .uniqueArray(telling, { minLength: 2, maxLength: 8, selector: (t) => t.evidence?.[0]?.seq })
    .chain((all) =>
      fc.tuple(
        fc.constant(all),
        fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length }),
      ),
    );
  const believed = async (all: readonly Parameters<Worker['assert']>[0][]): Promise<string[]> => {
    await using memory = await open();
    const handle = memory.in(SCOPE);
    for (const one of all) await handle.assert(one);
    return stable(await handle.facts({ during: {} }));
  };
  await fc.assert(
    fc.asyncProperty(told, async ([all, shuffled]) => {
      expect(await believed(shuffled)).toEqual(await believed(all));
    }),
    { numRuns: HISTORIES, interruptAfterTimeLimit: 600_000 },
  );
}, 660_000);
