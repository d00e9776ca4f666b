import { describe, expect, test } from 'vitest';
import type { Handle, WriteResult } from '../../lib/index.js';
import { temporaryFolder } from '../support/folder.js';
import { objects, opened, ontology, saying, SHOP, testClock, type Opened } from './opened.js';

/** The examples by which the semantics are agreed, asked through the public API on both axes. */

type Shop = Handle<typeof ontology>;
type Step = (shop: Shop, before: readonly WriteResult[]) => Promise<WriteResult>;

/** What holds at `at`, as known after the first `known` steps, or after all. */
interface Check {
  readonly at: string;
  readonly known?: number;
  readonly gives: readonly string[];
  readonly predicate?: 'is' | 'has';
}

interface Example {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly checks: readonly Check[];
  /** Set where a step needs what an earlier one answered. */
  readonly ordered?: true;
  readonly more?: (shop: Shop, results: readonly WriteResult[]) => Promise<void>;
}

const say =
  (...told: Parameters<typeof saying>): Step =>
  (shop) =>
    shop.assert(saying(...told));

const gives = (at: string, value: string | null, known?: number): Check => ({
  at,
  gives: value === null ? [] : [value],
  ...(known === undefined ? {} : { known }),
});

const has = (at: string, values: readonly string[], known?: number): Check => ({
  at,
  gives: values,
  predicate: 'has',
  ...(known === undefined ? {} : { known }),
});

const red = say('+red', { from: '2020', to: '∞', said: '2020' });
const blue = say('+blue', { from: '2022-01', to: '2022-07', said: '2022-08' });

const sqlite = say('+SQLite', { from: '2024-01-10', to: '∞', said: '2024-01-10' });
const postgres = say('+Postgres', { from: '2025-06-01', to: '∞', said: '2025-06-02' });

const twoDatabases = [
  gives('2024-06', 'SQLite'),
  gives('2025-06-01', 'Postgres'),
  gives('2024-01-09', null),
];

const examples: readonly Example[] = [
  {
    name: '1: a later state ends the one before it',
    steps: [sqlite, postgres],
    checks: [...twoDatabases, gives('2025-07', 'SQLite', 1)],
    more: async (_shop, results) => {
      expect(results[1]?.closed.map((c) => c.reason)).toEqual(['ended']);
    },
  },
  {
    name: '2: told in the other order it is the same',
    steps: [postgres, sqlite],
    checks: [...twoDatabases, gives('2024-06', null, 1)],
  },
  {
    name: '3: coming back to a value is a stretch of its own',
    steps: [
      say('+oslo', { from: '2020', to: '∞', said: '2020' }),
      say('+rome', { from: '2022', to: '∞', said: '2022' }),
      say('+oslo', { from: '2025', to: '∞', said: '2025' }),
    ],
    checks: [gives('2021', 'oslo'), gives('2023', 'rome'), gives('2026', 'oslo')],
    more: async (shop) => {
      expect(await shop.facts({ subject: 'it', predicate: 'is', during: {} })).toHaveLength(3);
    },
  },
  {
    name: '4: what went on before an interruption goes on after it',
    steps: [red, blue],
    checks: [gives('2021', 'red'), gives('2022-03', 'blue'), gives('2023', 'red')],
  },
  {
    name: '5: what is said later about the same start takes its place from the start',
    steps: [
      say('+london', { from: '2024', to: '∞', said: '2024-01-01' }),
      say('+paris', { from: '2024', to: '∞', said: '2024-03-01' }),
    ],
    checks: [
      gives('2024-01-01', 'paris'),
      gives('2024-02', 'paris'),
      gives('2025', 'paris'),
      gives('2024-02', 'london', 1),
    ],
    more: async (_shop, results) => {
      expect(results[1]?.closed.map((c) => c.reason)).toEqual(['corrected']);
    },
  },
  {
    name: '6: a plan is not overwritten by the state of today',
    steps: [
      say('+Postgres', { from: '2024-03', to: '∞', said: '2024-01-05' }),
      say('+MySQL', { from: '2024-02', to: '∞', said: '2024-02-10' }),
    ],
    checks: [gives('2024-02-20', 'MySQL'), gives('2024-03-02', 'Postgres')],
  },
  {
    name: '7: what is said later and covers the instant definitely wins',
    steps: [
      say('+Postgres', { from: '2024-03', to: '∞', said: '2024-03-10' }),
      say('+SQLite', { from: '2024-02', to: '∞', said: '2024-04-01' }),
    ],
    checks: [gives('2024-03-05', 'SQLite')],
  },
  {
    name: '8: a remark about the past does not end the present',
    steps: [
      say('+Postgres', { from: '2024', to: '∞', said: '2024-06' }),
      say('+MySQL', { from: '2022', to: '?', said: '2024-07' }),
    ],
    checks: [gives('2022-05', 'MySQL'), gives('2024-02', 'Postgres')],
  },
  {
    name: '9: history told late is known from then on only',
    steps: [
      say('+A', { from: '2024', to: '∞', said: '2024' }),
      say('+B', { from: '2023-06-01', to: '2024-01-01', said: '2024-02' }),
    ],
    checks: [gives('2023-07', 'B'), gives('2023-07', null, 1), gives('2024-02', 'A')],
  },
  {
    name: '10: an earlier start is known from then on only',
    steps: [
      say('+oslo', { from: '2024-01', to: '∞', said: '2024-01' }),
      say('+oslo', { from: '2023-03', to: '∞', said: '2024-02' }),
    ],
    checks: [gives('2023-06', null, 1), gives('2023-06', 'oslo')],
  },
  {
    name: '11: a start corrected to a later one is gone before it',
    steps: [
      say('+oslo', { from: '2024-01', to: '∞', said: '2024-01' }),
      async (shop, [first]) =>
        shop.assert(
          saying('+oslo', { from: '2024-06', to: '∞', said: '2024-02', corrects: first!.claims }),
        ),
    ],
    ordered: true,
    checks: [gives('2024-03', 'oslo', 1), gives('2024-03', null), gives('2024-07', 'oslo')],
  },
  {
    name: '12: what is told when it is long over is believed for its time',
    steps: [say('+atlas', { from: '2019', to: '2021', said: '2024' })],
    checks: [gives('2020', 'atlas'), gives('2020', null, 0), gives('2021', null)],
    more: async (shop) => {
      const { facts } = await shop.history({ subject: 'it' });
      expect(facts.map((f) => [f.knownTo, f.closedAs])).toEqual([[null, null]]);
    },
  },
  {
    name: '13: an announced end moves when the successor came earlier, and both are readable',
    steps: [
      say('+Acme', { from: '2020', to: '2025', said: '2024' }),
      say('+Birch', { from: '2023', to: '∞', said: '2024-06' }),
    ],
    checks: [gives('2024', 'Acme', 1), gives('2024', 'Birch'), gives('2022', 'Acme')],
    more: async (shop, results) => {
      const end = async (tx: number): Promise<string | null | undefined> =>
        (await shop.facts({ predicate: 'is', validAt: '2022', knownAt: { tx } }))[0]?.validTo;
      const [first, second] = results;
      expect(await end(first!.tx)).toBe('2025-01-01T00:00:00.000Z');
      expect(await end(second!.tx)).toBe('2023-01-01T00:00:00.000Z');
    },
  },
  {
    name: '14: an unknown start counts from when it was said, is flagged, and gives way',
    steps: [
      say('+meat', { from: null, to: '∞', said: '2023' }),
      say('+vegan', { from: '2024', to: '∞', said: '2024' }),
    ],
    checks: [gives('2025', 'vegan'), gives('2023-06', 'meat')],
    more: async (shop) => {
      const flags = async (validAt: string): Promise<unknown> =>
        (await shop.facts({ predicate: 'is', validAt })).map((f) => f.startUnknown);
      expect(await flags('2023-06')).toEqual([true]);
      expect(await flags('2025')).toEqual([false]);
    },
  },
  {
    name: '15: a denial ends what it denies',
    steps: [
      say('+Postgres', { from: '2025', to: '∞', said: '2025' }),
      say('-Postgres', { from: '2025-09', to: '∞', said: '2025-10' }),
    ],
    checks: [gives('2025-08', 'Postgres'), gives('2025-11', null)],
  },
  {
    name: '16: of a predicate of many values each stays for ever',
    steps: [
      say('+m7', { from: '2024-01', to: '∞', said: '2024-01', predicate: 'has' }),
      say('+m3', { from: '2024-02', to: '∞', said: '2024-02', predicate: 'has' }),
    ],
    checks: [has('2024-01-15', ['m7']), has('2030', ['m3', 'm7'])],
  },
  {
    name: '17: a denial ends its own object alone',
    steps: [
      say('+go', { from: '2020', to: '∞', said: '2020', predicate: 'has' }),
      say('+rust', { from: '2020', to: '∞', said: '2020', predicate: 'has' }),
      say('-rust', { from: '2025', to: '∞', said: '2025', predicate: 'has' }),
    ],
    checks: [has('2024', ['go', 'rust']), has('2026', ['go'])],
  },
  {
    name: '18: a start said later to be earlier moves what it replaces',
    steps: [
      say('+9', { from: '2024-05-01', to: '∞', said: '2024-05-01' }),
      say('+7', { from: '2024-04-20', to: '∞', said: '2024-05-10' }),
    ],
    checks: [gives('2024-05-02', '7'), gives('2024-05-02', '9', 1)],
  },
  {
    name: '19: what two sources say stays when one is forgotten',
    steps: [
      say('+oslo', {
        from: '2024',
        to: '∞',
        said: '2024-01',
        evidence: [{ session: 'e1', seq: 1 }],
      }),
      say('+oslo', {
        from: '2024',
        to: '∞',
        said: '2024-02',
        evidence: [{ session: 'e2', seq: 1 }],
      }),
      async (shop) => {
        const receipt = await shop.forget({ session: 'e1' });
        expect(receipt.claims).toBe(1);
        return { ...nothing, tx: receipt.tx };
      },
    ],
    ordered: true,
    checks: [gives('2024-03', 'oslo'), gives('2024-03', 'oslo', 2)],
    more: async (shop) => {
      const [fact] = await shop.facts({ predicate: 'is', validAt: '2024-03' });
      const { claims } = await shop.why(fact!);
      expect(claims.map((c) => c.evidence.map((e) => e.session))).toEqual([['e2']]);
    },
  },
  {
    name: '20: what an end had closed is open again when the end is forgotten',
    steps: [
      say('+A', { from: '2024', to: '∞', said: '2024', evidence: [{ session: 'e1', seq: 1 }] }),
      say('+B', { from: '2025', to: '∞', said: '2025', evidence: [{ session: 'e2', seq: 1 }] }),
      async (shop) => ({ ...nothing, tx: (await shop.forget({ session: 'e2' })).tx }),
    ],
    ordered: true,
    checks: [gives('2026', 'A'), gives('2026', 'B', 2), gives('2026', 'A', 1)],
  },
  {
    name: '21: the same stretch told again with an end has that end',
    steps: [
      say('+A', { from: '2020', to: '∞', said: '2020' }),
      say('+A', { from: '2020', to: '2024', said: '2025' }),
    ],
    checks: [gives('2023', 'A'), gives('2026', null)],
  },
  {
    name: '22: a window inside a stretch does not end it',
    steps: [
      say('+A', { from: '2020', to: '∞', said: '2020' }),
      say('+A', { from: '2022', to: '2023', said: '2023' }),
    ],
    checks: [gives('2026', 'A')],
  },
  {
    name: '23: a recap does not wipe out an interruption',
    steps: [red, blue, say('+red', { from: '2020', to: '∞', said: '2023' })],
    checks: [gives('2022-03', 'blue'), gives('2023', 'red')],
  },
  {
    name: '24: a plan that is called off leaves the state of today open',
    steps: [
      say('+MySQL', { from: '2024', to: '∞', said: '2024' }),
      say('+PG', { from: '2024-03', to: '∞', said: '2024-01' }),
      (shop) => shop.end({ subject: 'it', predicate: 'is', object: 'PG', at: '2024-02-10' }),
    ],
    ordered: true,
    checks: [gives('2024-04', 'MySQL'), gives('2024-04', 'PG', 2)],
  },
  {
    name: '25: a presumption, whoever it is from, gives way to a later start',
    steps: [
      say('+A', { from: '2020', to: '∞', said: '2020', authority: 30 }),
      say('-A', { from: '2025', to: '∞', said: '2025-02', authority: 20 }),
    ],
    checks: [gives('2024', 'A'), gives('2026', null)],
  },
  {
    name: '26: the stretch after an interruption can be taken back alone',
    steps: [
      red,
      blue,
      say('+red', { from: '2020', to: '∞', said: '2023' }),
      async (shop) => {
        const [second] = await shop.facts({ predicate: 'is', validAt: '2024' });
        return shop.retract(second!);
      },
    ],
    ordered: true,
    checks: [
      gives('2021', 'red'),
      gives('2022-03', 'blue'),
      gives('2023', null),
      gives('2023', 'red', 3),
    ],
  },
  {
    name: '27: "until 2024" is sure of 2023, presumed before, and nothing after',
    steps: [say('+vegan', { from: null, to: '2024', said: '2025' })],
    checks: [gives('2023-12', 'vegan'), gives('2020', 'vegan'), gives('2024-02', null)],
    more: async (shop) => {
      const certainty = async (validAt: string): Promise<unknown> =>
        (await shop.facts({ predicate: 'is', validAt })).map((f) => [f.certainty, f.startUnknown]);
      expect(await certainty('2023-12')).toEqual([['definite', true]]);
      expect(await certainty('2020')).toEqual([['presumed', true]]);
    },
  },
  {
    name: '28: a property that a later claim leaves out is kept, in one stretch',
    steps: [
      say('+Acme', { from: '2024', to: '∞', said: '2024', properties: { role: 'CTO' } }),
      say('+Acme', { from: '2025', to: '∞', said: '2025' }),
    ],
    checks: [gives('2025-06', 'Acme')],
    more: async (shop) => {
      const facts = await shop.facts({ predicate: 'is', during: {} });
      expect(facts.map((f) => [f.valid, f.properties])).toEqual([['2024 – …', { role: 'CTO' }]]);
    },
  },
];

const nothing: WriteResult = {
  tx: 0,
  at: '',
  committed: true,
  claims: [],
  opened: [],
  closed: [],
  noEffect: null,
};

async function tell(shop: Shop, steps: readonly Step[]): Promise<WriteResult[]> {
  const results: WriteResult[] = [];
  for (const step of steps) results.push(await step(shop, results));
  return results;
}

async function answers(
  memory: Opened,
  checks: readonly Check[],
  txOf: (known: number) => number,
): Promise<unknown> {
  const shop = memory.in(SHOP);
  return Promise.all(
    checks.map(async ({ at, known, predicate = 'is' }) => {
      const moment = known === undefined ? {} : { known: { tx: txOf(known) } };
      const view = shop.asOf({ valid: at, ...moment });
      return objects(await view.facts({ subject: 'it', predicate }));
    }),
  );
}

function ordersOf<T>(list: readonly T[]): T[][] {
  if (list.length <= 1) return [[...list]];
  return list.flatMap((item, i) => ordersOf(list.toSpliced(i, 1)).map((rest) => [item, ...rest]));
}

describe.each(examples)('$name', ({ steps, checks, more }) => {
  const wanted = checks.map((c) => [...c.gives].sort());

  test('told as given; again after closing, opening and building anew', async () => {
    const path = temporaryFolder();
    const clock = testClock();
    const memory = await opened({ path, clock });
    const before = (await memory.stats()).transactions;
    const results = await tell(memory.in(SHOP), steps);
    const txOf = (known: number): number => (known === 0 ? before : results[known - 1]!.tx);
    expect(await answers(memory, checks, txOf)).toEqual(wanted);
    await more?.(memory.in(SHOP), results);
    await memory.close();
    const again = await opened({ path, clock });
    expect(await answers(again, checks, txOf)).toEqual(wanted);
    await more?.(again.in(SHOP), results);
    await again.rebuild();
    expect(await answers(again, checks, txOf)).toEqual(wanted);
    await more?.(again.in(SHOP), results);
  });
});

const anyOrder = examples.filter((e) => e.ordered !== true && e.steps.length > 1);

describe.each(anyOrder)('$name', ({ steps, checks }) => {
  test('told in every other order', async () => {
    const final = checks.filter((c) => c.known === undefined);
    for (const order of ordersOf(steps).slice(1)) {
      const memory = await opened();
      await tell(memory.in(SHOP), order);
      const got = await answers(memory, final, () => 0);
      expect(got).toEqual(final.map((c) => [...c.gives].sort()));
    }
  });
});
