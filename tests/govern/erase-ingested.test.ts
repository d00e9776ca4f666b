import { expect, test } from 'vitest';
import {
  recordedExtractor,
  type EventInput,
  type Fact,
  type ForgetSelector,
  type Memory,
  type OntologyDefinition,
  type RecordedAnswer,
  type Scope,
} from '../../lib/index.js';
import { filesWith } from '../support/files.js';
import { temporaryFolder } from '../support/folder.js';
import { objects, ontology, opened, SHOP, testClock } from '../memory/opened.js';

const CANARY = 'Zanzibar';
const ANA = { ...SHOP, user: 'ana' } as const;

const said = (session: string, seq: number, text: string): EventInput => ({
  session,
  seq,
  role: 'user',
  text,
  at: '2025-12-01T10:00:00Z',
});

/** What every world begins with. */
const BEFORE = [{ ...said('other', 0, 'It is red. The shop has Postgres.'), at: '2025-11-01' }];

const CANARIES = [
  said('secret', 0, `It is ${CANARY} blue, and the shop has Redis.`),
  said('secret', 1, 'ok'),
];

const NAMED = [
  said('secret', 0, `${CANARY} Ltd supplies tea.`),
  said('secret', 1, `We should call ${CANARY} Ltd one day.`),
  said('third', 0, `The shop has Redis, whatever ${CANARY} Ltd says.`),
];

const answers: readonly RecordedAnswer[] = [
  {
    session: 'other',
    seq: 0,
    candidates: [
      { action: 'add', subject: 'it', predicate: 'is', object: 'red', quote: 'It is red' },
      { action: 'add', subject: 'shop', predicate: 'has', object: 'Postgres', quote: 'Postgres' },
    ],
  },
];

const colour = {
  action: 'add',
  subject: 'it',
  predicate: 'is',
  object: `${CANARY} blue`,
  statement: `It is ${CANARY} blue.`,
  quote: `It is ${CANARY} blue`,
} as const;
const redis = { action: 'add', subject: 'shop', predicate: 'has', object: 'Redis' } as const;

const ofCanaries: readonly RecordedAnswer[] = [
  ...answers,
  {
    session: 'secret',
    seq: 0,
    candidates: [colour, { ...redis, quote: CANARIES[0]!.text }],
  },
];

const ofNamed: readonly RecordedAnswer[] = [
  ...answers,
  {
    session: 'secret',
    seq: 0,
    candidates: [
      {
        action: 'add',
        subject: `${CANARY} Ltd`,
        subjectType: 'company',
        predicate: 'supplies',
        object: 'tea',
        quote: NAMED[0]!.text,
      },
    ],
  },
  { session: 'secret', seq: 1, candidates: [] },
  {
    session: 'third',
    seq: 0,
    candidates: [
      { ...redis, statement: `Redis it is, whatever ${CANARY} Ltd says.`, quote: NAMED[2]!.text },
    ],
  },
];

interface World {
  readonly events: readonly EventInput[];
  readonly answers: readonly RecordedAnswer[];
  readonly scope: Scope;
  readonly select: (memory: Memory) => Promise<ForgetSelector>;
  readonly left: readonly string[];
  readonly sessions: readonly string[];
  readonly removed: number;
}

const canaries = { events: CANARIES, answers: ofCanaries, scope: SHOP, sessions: ['secret'] };
const blue = async (memory: Memory): Promise<Fact> =>
  (await memory.in(SHOP).facts({ predicate: 'is' }))[0]!;

const worlds: readonly (readonly [string, World])[] = [
  [
    'fact',
    {
      ...canaries,
      select: async (memory) => ({ fact: await blue(memory) }),
      left: ['Postgres', 'Redis', 'red'],
      removed: 1,
    },
  ],
  [
    'claim',
    {
      ...canaries,
      select: async (memory) => {
        const why = await memory.in(SHOP).why(await blue(memory));
        return { claim: why.claims[0]!.id };
      },
      left: ['Postgres', 'Redis', 'red'],
      removed: 1,
    },
  ],
  [
    'entity',
    {
      events: NAMED,
      answers: ofNamed,
      scope: SHOP,
      select: async () => ({ entity: `${CANARY} Ltd` }),
      left: ['Postgres', 'Redis', 'red'],
      sessions: ['secret', 'third'],
      removed: 3,
    },
  ],
  [
    'event',
    {
      ...canaries,
      select: async () => ({ event: { session: 'secret', seq: 0 } }),
      left: ['Postgres', 'red'],
      removed: 1,
    },
  ],
  [
    'session',
    {
      ...canaries,
      select: async () => ({ session: 'secret' }),
      left: ['Postgres', 'red'],
      removed: 2,
    },
  ],
  [
    'user',
    {
      ...canaries,
      scope: ANA,
      select: async () => ({ user: 'ana' }),
      left: ['Postgres', 'red'],
      removed: 2,
    },
  ],
  [
    'scope',
    {
      ...canaries,
      scope: ANA,
      select: async () => ({ scope: ANA }),
      left: ['Postgres', 'red'],
      removed: 2,
    },
  ],
];

test.each(worlds)(
  'what was ingested and is erased by %s leaves no trace, and its log does not bring it back',
  async (_kind, world) => {
    const path = temporaryFolder();
    const clock = testClock();
    const open = (): Promise<Memory> =>
      opened<OntologyDefinition>({
        path,
        clock,
        ontology,
        graph: 'auto',
        ingest: { extractor: recordedExtractor(world.answers) },
      });
    const tell = async (memory: Memory, scope: Scope, events: readonly EventInput[]) => {
      const taken: number[] = [];
      for (const session of new Set(events.map((e) => e.session))) {
        const job = await memory.in(scope).ingest(events.filter((e) => e.session === session));
        expect((await job.done).state).toBe('done');
        taken.push(...job.seqs);
      }
      return taken.length;
    };
    const facts = async (memory: Memory): Promise<unknown[]> =>
      objects(await memory.in(ANA).facts());

    const memory = await open();
    expect(await tell(memory, SHOP, BEFORE)).toBe(1);
    expect(await tell(memory, world.scope, world.events)).toBe(world.events.length);
    await memory.syncGraph();
    expect(filesWith(path, CANARY).length).toBeGreaterThanOrEqual(2);
    const admin = memory.admin({ org: 'acme' });
    const selector = await world.select(memory);
    const before = await facts(memory);
    const rehearsed = await admin.forget(selector, { mode: 'erase', dryRun: true });
    expect(await facts(memory), 'a dry run changes nothing').toEqual(before);
    const receipt = await admin.forget(selector, { mode: 'erase' });
    expect(receipt).toMatchObject({
      committed: true,
      sessions: world.sessions,
      events: world.removed,
    });
    const { tx: _tx, at: _at, committed: _committed, effect, ...promised } = rehearsed;
    expect(effect?.closed.length).toBeGreaterThan(0);
    expect(receipt).toMatchObject(promised);
    expect(JSON.stringify(receipt)).not.toContain(CANARY);
    expect(filesWith(path, CANARY)).toEqual([]);
    expect(await facts(memory)).toEqual(world.left);
    await memory.syncGraph();
    expect(filesWith(path, CANARY)).toEqual([]);
    await memory.close();
    expect(filesWith(path, CANARY)).toEqual([]);

    const again = await open();
    expect(await tell(again, world.scope, world.events)).toBe(0);
    expect(await facts(again)).toEqual(world.left);
    await again.close();
    expect(filesWith(path, CANARY)).toEqual([]);
  },
);

test('an erasure from one project says nothing about a session of that name in another', async () => {
  const memory = await opened();
  await memory.in(SHOP).forget({ session: 's-1' }, { mode: 'erase' });
  const other = memory.in({ org: 'acme', project: 'press' });
  const evidence = [{ session: 's-1', seq: 0 }];
  const told = { subject: 'press', predicate: 'has', object: 'ink', evidence };
  expect(await other.assert(told)).toMatchObject({ committed: true });
  expect(await memory.in(SHOP).assert(told)).toMatchObject({ noEffect: { why: 'erased' } });
});
