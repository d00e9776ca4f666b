import { describe, expect, test } from 'vitest';
import { defineOntology, openMemory, type AssertInput } from '../../lib/index.js';

const ontology = defineOntology({ predicates: { state: { cardinality: 'one' } } });
type Telling = AssertInput<typeof ontology, 'state'>;
const DAY = 86_400_000;
const START = Date.UTC(2020, 0, 1);

/** Numbers from 0 to 1 which are the same in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

const PRECISIONS = ['day', 'month', 'millisecond'] as const;

/** Claims of every kind about one key, told in no particular order. No two are said at one instant. */
function tellings(seed: number, count: number): Telling[] {
  const roll = random(seed);
  const some = (n: number): number => Math.floor(roll() * n);
  const claims = Array.from({ length: count }, (_, n): Telling => {
    const at = START + some(700) * DAY;
    const precision = PRECISIONS[some(3)] ?? 'day';
    const kind = some(10);
    return {
      subject: 'the switch',
      predicate: 'state',
      object: `s${some(4)}`,
      observedAt: START + n * DAY * 3 + n,
      ...(kind === 0 ? {} : { validFrom: { at, precision } }),
      ...(kind === 1 || kind === 2 ? { validTo: at + (32 + some(60)) * DAY } : {}),
      ...(kind === 3 ? { validTo: 'unknown' as const } : {}),
      ...(kind === 4 ? { polarity: 'deny' as const } : {}),
      ...(kind === 5 ? { properties: { level: some(3) } } : {}),
      ...(kind === 6 ? { authority: 70 } : {}),
    };
  });
  const keyed = claims.map((claim) => ({ claim, at: roll() }));
  // Half of them nearly in the order in which they were said, as a memory is mostly told.
  return seed % 2 === 0
    ? keyed.sort((a, b) => a.at - b.at).map(({ claim }) => claim)
    : claims.map((claim, n) => (n % 7 === 0 ? (claims[count - 1 - n] ?? claim) : claim));
}

async function told(claims: readonly Telling[], together: boolean): Promise<unknown[]> {
  await using memory = await openMemory({ store: 'memory', ontology });
  const team = memory.in({ org: 'acme' });
  const inputs = claims.map((claim, n) => ({ ...claim, idempotencyKey: `k${n}` }));
  if (together) {
    await team.transact((t) => {
      for (const input of inputs) t.assert(input);
    });
  } else {
    for (const input of inputs) await team.assert(input);
  }
  const facts = await team.facts({ predicate: 'state', during: {}, order: 'asc' });
  return facts.map((f) => [
    f.object,
    f.validFrom,
    f.validTo,
    f.precision,
    f.startUnknown,
    f.properties,
    f.lastConfirmedAt,
  ]);
}

describe('a key with many claims', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'means the same told one by one and all at once (%i)',
    async (seed) => {
      const claims = tellings(seed, 160);
      for (const count of [49, 90, 160]) {
        const one = await told(claims.slice(0, count), false);
        expect(one.length).toBeGreaterThan(3);
        expect(one).toEqual(await told(claims.slice(0, count), true));
      }
    },
  );

  test('means the same when some of it is told late, past a thousand claims', async () => {
    const claims = tellings(9, 1060);
    const last = claims.splice(300, 8);
    await using memory = await openMemory({ store: 'memory', ontology });
    const team = memory.in({ org: 'acme' });
    await team.transact((t) => {
      for (const claim of claims) t.assert(claim);
    });
    for (const claim of last) await team.assert(claim);
    const shown = async (): Promise<unknown[]> =>
      (await team.facts({ predicate: 'state', during: {}, order: 'asc' })).map((f) => [
        f.object,
        f.validFrom,
        f.validTo,
        f.precision,
      ]);
    const before = await shown();
    // A withdrawal folds the key from its first claim again; given back, all is as it was.
    const done = await team.assert({
      subject: 'the switch',
      predicate: 'state',
      object: 's9',
      validFrom: START + 10 * DAY,
      observedAt: START + 10 * 365 * DAY,
    });
    await team.retract(done.claims[0]!);
    expect(await shown()).toEqual(before);
  });
});
