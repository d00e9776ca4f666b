import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  openMemory,
  PalimpsestError,
  type AssertInput,
  type Handle,
  type Memory,
} from '../../lib/index.js';
import { palimpsest } from '../cli/command-line.js';
import { filesWith } from '../support/files.js';
import { temporaryFolder } from '../support/folder.js';

/** Drawn anew for each door, so that a trace tells which one let it through. Put together at run time. */
let drawn = 0;
function secret(): string {
  drawn += 1;
  let state = 7_919 * drawn;
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  const body = Array.from({ length: 40 }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return letters[Math.floor((state / 2_147_483_648) * letters.length)];
  });
  return ['s', 'k-', ...body].join('');
}

/** Everything that an error tells, however deep. */
function told(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify(error);
  const facts = PalimpsestError.isInstance(error) ? [error.hint, JSON.stringify(error)] : [];
  return [
    error.message,
    error.stack,
    ...facts,
    error.cause === undefined ? '' : told(error.cause),
  ].join('\n');
}

interface World {
  readonly path: string;
  readonly memory: Memory;
  readonly shop: Handle;
  /** A claim, its fact and its transaction. */
  readonly claim: string;
  readonly fact: string;
  readonly tx: number;
}

type Door = readonly [what: string, field: string, open: (world: World, value: string) => unknown];

const SHOP = { org: 'acme', project: 'shop' } as const;
const plain = { subject: 'shop', predicate: 'has', object: 'stock' } as const;

const assertions: readonly (readonly [
  string,
  (value: string) => Record<string, unknown>,
  string?,
])[] = [
  ['subject', (subject) => ({ subject })],
  ['subject.name', (name) => ({ subject: { name } })],
  ['subject.type', (type) => ({ subject: { name: 'x', type } })],
  ['subject.distinct', (distinct) => ({ subject: { name: 'x', distinct } })],
  ['predicate', (predicate) => ({ predicate })],
  ['object', (object) => ({ object })],
  ['object.entity', (entity) => ({ object: { entity } })],
  ['object.type', (type) => ({ object: { entity: 'x', type } })],
  ['object.distinct', (distinct) => ({ object: { entity: 'x', distinct } })],
  ['object.json[0].a', (a) => ({ object: { json: [{ a }] } })],
  ['a name in object.json', (name) => ({ object: { json: { [name]: 1 } } })],
  ['properties.note', (note) => ({ properties: { note } })],
  ['a name in properties', (name) => ({ properties: { [name]: 1 } })],
  ['instance', (instance) => ({ instance })],
  ['statement', (statement) => ({ statement })],
  ['evidence[0].session', (session) => ({ evidence: [{ session, seq: 1 }] })],
  ['evidence[0].quote', (quote) => ({ evidence: [{ session: 's', seq: 1, quote }] })],
  ['evidence[0].at', (at) => ({ evidence: [{ session: 's', seq: 1, at }] })],
  ['extractor', (extractor) => ({ extractor })],
  ['idempotencyKey', (idempotencyKey) => ({ idempotencyKey })],
  ['validFrom', (validFrom) => ({ validFrom })],
  ['validTo', (validTo) => ({ validTo })],
  ['observedAt', (observedAt) => ({ observedAt })],
  ['corrects[0]', (id) => ({ corrects: [id] })],
  ['to.project', (project) => ({ to: { org: 'acme', project } })],
  ['to.user', (user) => ({ to: { org: 'acme', user } })],
  ['a name', (name) => ({ [name]: 1 })],
];

/** As callers without types, and models, write it. */
const input = (change: Record<string, unknown>): AssertInput =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is wrong in it is the point
  ({ ...plain, ...change }) as unknown as AssertInput;

/** A claim that waits: a model's, to everybody. */
async function held({ shop }: World): Promise<string> {
  const evidence = [{ session: 's', seq: 9, role: 'assistant' as const }];
  const { claims } = await shop.assert({ ...plain, to: { org: 'acme' }, evidence });
  return claims[0] ?? '';
}

const sayings = [
  'statement',
  'evidence[0].session',
  'evidence[0].quote',
  'extractor',
  'idempotencyKey',
];

const doors: readonly Door[] = [
  ...assertions.map(([field, of]): Door => [
    `assert ${field}`,
    field,
    ({ shop }, value) => shop.assert(input(of(value))),
  ]),
  ...assertions.map(([field, of]): Door => [
    `transact, assert ${field}`,
    field,
    ({ shop }, value) =>
      shop.transact((t) => {
        t.assert({ subject: 'shop', predicate: 'has', object: 'more' });
        t.assert(input(of(value)));
      }),
  ]),
  ...assertions
    .filter(([field]) => sayings.includes(field))
    .flatMap(([field, of]): Door[] => [
      [
        `end ${field}`,
        field,
        ({ shop, fact }, value) => shop.end({ fact, at: '2025-06', ...of(value) }),
      ],
      [
        `correct ${field}`,
        field,
        ({ shop, fact }, value) => shop.correct({ was: fact, object: 'other', ...of(value) }),
      ],
    ]),
  [
    'end subject',
    'subject',
    ({ shop }, v) => shop.end({ subject: v, predicate: 'has', at: '2025' }),
  ],
  [
    'end predicate',
    'predicate',
    ({ shop }, v) => shop.end({ subject: 'shop', predicate: v, at: '2025' }),
  ],
  [
    'end object',
    'object',
    ({ shop }, v) => shop.end({ subject: 'shop', predicate: 'has', object: v, at: '2025' }),
  ],
  ['correct object', 'object', ({ shop, fact }, v) => shop.correct({ was: fact, object: v })],
  ['correct subject', 'subject', ({ shop, fact }, v) => shop.correct({ was: fact, subject: v })],
  ['entities.declare name', 'name', ({ shop }, name) => shop.entities.declare({ name })],
  ['entities.declare type', 'type', ({ shop }, type) => shop.entities.declare({ name: 'y', type })],
  [
    'entities.declare distinct',
    'distinct',
    ({ shop }, distinct) => shop.entities.declare({ name: 'y', distinct }),
  ],
  ['entities.alias', 'name', ({ shop }, name) => shop.entities.alias('shop', name)],
  [
    'transact, declare',
    'name',
    ({ shop }, name) => shop.transact((t) => t.entities.declare({ name })),
  ],
  [
    'transact, alias',
    'name',
    ({ shop }, name) => shop.transact((t) => t.entities.alias('shop', name)),
  ],
  ...(['reason', 'actor'] as const).flatMap((field): Door[] => {
    const written = (
      what: string,
      open: (world: World, options: { reason?: string; actor?: string }) => unknown,
    ): Door => [`${what} ${field}`, field, (world, value) => open(world, { [field]: value })];
    return [
      written('assert', ({ shop }, options) => shop.assert(plain, options)),
      written('retract', ({ shop, claim }, options) => shop.retract(claim, options)),
      written('end', ({ shop, fact }, options) => shop.end({ fact, at: '2025-06' }, options)),
      written('transact', ({ shop }, options) => shop.transact((t) => t.assert(plain), options)),
      written('declare', ({ shop }, options) => shop.entities.declare({ name: 'z' }, options)),
      written('merge', ({ shop }, options) => shop.entities.merge('shop', 'store', options)),
      written('split', ({ shop }, options) => shop.entities.split('merged', options)),
      written('approve', async (world, options) => world.shop.approve(await held(world), options)),
      written('reject', async (world, options) => world.shop.reject(await held(world), options)),
      written('admin.revert', ({ memory, tx }, options) =>
        memory.admin({ org: 'acme' }).revert(tx, options),
      ),
      written('revert', ({ shop, tx }, options) => shop.revert(tx, options)),
      written('forget', ({ shop, claim }, options) => shop.forget({ claim }, options)),
      written('erase', ({ shop, claim }, options) =>
        shop.forget({ claim }, { ...options, mode: 'erase' }),
      ),
      written('admin.erase', ({ memory, claim }, options) =>
        memory.admin({ org: 'acme' }).forget({ claim }, { ...options, mode: 'erase' }),
      ),
    ];
  }),
  ['a handle', 'scope.project', ({ memory }, project) => memory.in({ org: 'acme', project })],
  ['an administrator', 'scope.org', ({ memory }, org) => memory.admin({ org })],
  [
    'ingest session',
    'events[0].session',
    ({ shop }, session) => shop.ingest([{ session, seq: 0, role: 'user', text: 'hello there' }]),
  ],
  [
    'ingest speaker',
    'events[0].speaker',
    ({ shop }, speaker) =>
      shop.ingest([{ session: 's', seq: 0, role: 'user', text: 'hello there', speaker }]),
  ],
  [
    'ingest at',
    'events[0].at',
    ({ shop }, at) =>
      shop.ingest([{ session: 's', seq: 0, role: 'user', text: 'hello there', at }]),
  ],
  [
    'import source',
    'source',
    ({ memory }, source) =>
      memory.import([JSON.stringify({ fact: plain })], { scope: SHOP, source }),
  ],
  [
    'import scope',
    'scope.user',
    ({ memory }, user) =>
      memory.import([JSON.stringify({ fact: plain })], { scope: { ...SHOP, user } }),
  ],
  ...(
    [
      ['subject', (v: string) => ({ fact: { ...plain, subject: v } }), 'fact.subject'],
      ['predicate', (v: string) => ({ fact: { ...plain, predicate: v } }), 'fact.predicate'],
      ['object', (v: string) => ({ fact: { ...plain, object: v } }), 'fact.object'],
      ['statement', (v: string) => ({ fact: { ...plain, statement: v } }), 'fact.statement'],
      ['property', (v: string) => ({ fact: { ...plain, note: v } }), 'fact.note'],
      ['name of a property', (v: string) => ({ fact: { ...plain, [v]: 'x' } }), 'a name in fact'],
      [
        'quote',
        (v: string) => ({ fact: { ...plain, evidence: [{ session: 's', seq: 1, quote: v }] } }),
        'fact.evidence[0].quote',
      ],
      ['why', (v: string) => ({ fact: plain, why: v }), 'why'],
      ['key', (v: string) => ({ fact: plain, key: v }), 'key'],
      ['tx', (v: string) => ({ fact: plain, tx: v }), 'line 2'],
      ['unknown member', (v: string) => ({ fact: plain, [v]: 1 }), 'line 2'],
    ] as const
  ).map(([what, of, field]): Door => [
    `import ${what}`,
    field,
    ({ memory }, value) =>
      memory.import(
        [
          JSON.stringify({ fact: { ...plain, object: `first ${what}` } }),
          JSON.stringify(of(value)),
        ],
        {
          scope: SHOP,
          source: `import ${what}`,
        },
      ),
  ]),
  [
    'a line that is no JSON',
    'line 1',
    ({ memory }, v) => memory.import([`{"fact": "${v}`], { scope: SHOP }),
  ],
  [
    'an ontology: name',
    'ontology.predicates',
    (_, name) => openMemory({ store: 'memory', ontology: { predicates: { [name]: {} } } }),
  ],
  [
    'an ontology: description',
    'ontology.description',
    (_, description) =>
      openMemory({ store: 'memory', ontology: { predicates: { owner: { description } } } }),
  ],
  [
    'an ontology: inverse',
    'ontology.inverse',
    (_, inverse) =>
      openMemory({ store: 'memory', ontology: { predicates: { owner: { inverse } } } }),
  ],
];

describe('every door refuses a credential', () => {
  let world: World;

  beforeAll(async () => {
    const path = mkdtempSync(join(tmpdir(), 'palimpsest-'));
    const memory: Memory = await openMemory({ path, graph: 'none' });
    const shop = memory.in(SHOP);
    const { claims, opened, tx } = await shop.assert({
      ...plain,
      object: 'shelves',
      validFrom: '2024',
    });
    await shop.entities.declare({ name: 'store', type: 'thing' });
    await shop.entities.declare({ name: 'merged', type: 'thing' });
    await shop.entities.declare({ name: 'other', type: 'thing' });
    await shop.entities.merge('merged', 'other');
    world = { path, memory, shop, claim: claims[0]!, fact: opened[0]!.id, tx };
    return async () => {
      await memory.close();
      rmSync(path, { recursive: true, force: true });
    };
  });

  test.each(doors)('%s', async (_what, field, open) => {
    const value = secret();
    const before = (await world.memory.stats()).believed;
    let error: unknown = null;
    try {
      await open(world, value);
    } catch (thrown) {
      error = thrown;
    }
    if (!PalimpsestError.isInstance(error)) throw new Error('It was let in.', { cause: error });
    expect(`${error.code} ${error.field ?? '-'}`).toBe(`SECRET_REFUSED ${field}`);
    const text = told(error);
    for (let i = 0; i + 6 <= value.length; i++) expect(text).not.toContain(value.slice(i, i + 6));
    expect(filesWith(world.path, value)).toEqual([]);
    expect(filesWith(world.path, value.slice(10, 30))).toEqual([]);
    const after = (await world.memory.stats()).believed;
    if (!_what.startsWith('import')) expect(after).toBe(before);
  });
});

test('the reason for which a policy holds a claim is such a door, too', async () => {
  const value = secret();
  const path = temporaryFolder();
  const memory = await openMemory({
    path,
    graph: 'none',
    policy: () => ({ hold: `Ask ${value}.` }),
  });
  await expect(memory.in(SHOP).assert(plain)).rejects.toMatchObject({
    code: 'SECRET_REFUSED',
    field: 'why',
  });
  await memory.close();
  expect(filesWith(path, value)).toEqual([]);
});

test('of an import with a credential in it everything before its line is taken', async () => {
  const value = secret();
  const memory = await openMemory({ store: 'memory' });
  const lines = ['one', 'two', value, 'four'].map((object) =>
    JSON.stringify({ fact: { ...plain, object } }),
  );
  const error: unknown = await memory.import(lines, { scope: SHOP }).catch((e: unknown) => e);
  expect(error).toMatchObject({ code: 'SECRET_REFUSED', field: 'fact.object' });
  expect(String(error)).toContain('Line 3');
  const facts = await memory.in(SHOP).facts();
  expect(facts.map((f) => f.object).sort()).toEqual(['one', 'two']);
  await memory.close();
});

test('an export that somebody put a credential into is not restored', async () => {
  const placed = 'PLACEHOLDER';
  const source = await openMemory({ store: 'memory' });
  const shop = source.in(SHOP);
  const members: readonly Record<string, unknown>[] = assertions
    .filter(
      ([field]) => !/^(?:valid|observed|to\.|corrects|a name$|idempotency|.*\.at$)/u.test(field),
    )
    .map(([, of]) => of(placed));
  const exports: string[][] = [];
  for (const member of members) {
    const single = await openMemory({ store: 'memory' });
    await single.in(SHOP).assert(input(member), { reason: 'plain', actor: 'plain' });
    exports.push(await single.export().toArray());
    await single.close();
  }
  await shop.assert(plain, { reason: placed, actor: placed });
  exports.push(await source.export().toArray());
  await source.close();
  for (const [i, lines] of exports.entries()) {
    const value = secret();
    const path = temporaryFolder();
    const memory = await openMemory({ path, graph: 'none' });
    const error: unknown = await memory
      .import(lines.map((line) => line.replaceAll(placed, value)))
      .catch((e: unknown) => e);
    expect({ i, error: PalimpsestError.isInstance(error) ? error.code : error }).toEqual({
      i,
      error: 'SECRET_REFUSED',
    });
    expect(told(error)).not.toContain(value.slice(3, 20));
    await memory.close();
    expect(filesWith(path, value)).toEqual([]);
  }
});

test('what a session says is kept without its credentials, also when they come in disguise', async () => {
  const path = temporaryFolder();
  const memory = await openMemory({ path, graph: 'none' });
  const values = [secret(), secret()];
  const job = await memory.in(SHOP).ingest(
    values.map((value, seq) => ({
      session: 's',
      seq,
      role: seq === 0 ? 'user' : 'tool',
      text: `The key is ${value}, keep it.`,
    })),
  );
  await job.done;
  await memory.close();
  for (const value of values) expect(filesWith(path, value)).toEqual([]);
  expect(filesWith(path, 'keep it').length).toBeGreaterThan(0);
});

describe('the command line', () => {
  const cases: readonly (readonly [string, (file: string, value: string) => string[]])[] = [
    ['an import', (file) => ['import', file, '--scope', 'org=acme']],
    ['the name of a source', (file, v) => ['import', file, '--scope', 'org=acme', '--source', v]],
    ['a scope', (_, v) => ['facts', '--scope', `org=${v}`]],
    ['a log', (file) => ['ingest', file, '--scope', 'org=acme']],
  ];
  test.each(cases)('does not let it through: %s', async (_what, args) => {
    const value = secret();
    const cwd = temporaryFolder();
    const file = join(cwd, 'lines.jsonl');
    writeFileSync(file, `${JSON.stringify({ fact: { ...plain, object: value } })}\n`);
    await palimpsest(
      ['import', '-', '--scope', 'org=acme', '--store', join(cwd, 'store'), '--graph', 'none'],
      {
        cwd,
        input: JSON.stringify({ fact: plain }),
      },
    );
    const ran = await palimpsest(
      [...args(file, value), '--store', join(cwd, 'store'), '--graph', 'none'],
      { cwd },
    );
    expect(ran.stdout + ran.stderr).not.toContain(value.slice(4, 20));
    expect(filesWith(join(cwd, 'store'), value)).toEqual([]);
  });
});
