import { describe, expect, test } from 'vitest';
import { openMemory, type Handle } from '../../lib/index.js';
import { counts, opened, refusal, saying, SHOP, testClock, type Opened } from './opened.js';

/**
 * What no caller should send and some will: each gives an error with a code of its own kind that names the
 * field, and changes nothing. The calls are made as from JavaScript, where no compiler stands in the way.
 */

type Loose = Record<string, (...args: readonly unknown[]) => unknown>;

interface Stage {
  readonly memory: Opened;
  readonly shop: Loose;
  readonly entities: Loose;
  readonly admin: Loose;
  readonly fact: string;
  readonly claim: string;
}

/** The verbs of an object, free of their types. */
function loose(target: object): Loose {
  return new Proxy<Loose>(
    {},
    {
      get: (_nothing, name) => {
        const verb: unknown = Reflect.get(target, name, target);
        if (typeof verb !== 'function') throw new Error(`${String(name)} is no verb.`);
        return (...args: readonly unknown[]): unknown => Reflect.apply(verb, target, args);
      },
    },
  );
}

async function stage(): Promise<Stage> {
  const memory = await opened({ timeZone: 'Europe/Berlin' });
  const handle: Handle = memory.in(SHOP) as unknown as Handle;
  const told = await handle.assert(saying('+red', { from: '2020', to: '∞', said: '2020' }));
  return {
    memory,
    shop: loose(handle),
    entities: loose(handle.entities),
    admin: loose(memory.admin({ org: 'acme' })),
    fact: told.opened[0]!.id,
    claim: told.claims[0]!,
  };
}

const base = { subject: 'it', predicate: 'is', object: 'x' };
const MEGABYTE = 'x'.repeat(1_000_000);
const HALF = 'a\ud83d';
const NEVER = `f_${'0'.repeat(32)}`;
const NOBODY = `c_${'0'.repeat(32)}`;
const NOWHERE = `e_${'0'.repeat(32)}`;
const PROTO: unknown = JSON.parse('{"__proto__":{"admin":true}}');
const deep = (levels: number): unknown => {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = { a: value };
  return value;
};
const circle: Record<string, unknown> = {};
circle['self'] = circle;

/** What the call is, the call, and code and field of its refusal. */
type Row = readonly [string, (s: Stage) => unknown, string];

const assertWith =
  (more: object) =>
  ({ shop }: Stage): unknown =>
    shop['assert']!({ ...base, ...more });

const event = { session: 's', seq: 1 };

const times: readonly Row[] = [
  [
    'an empty interval',
    assertWith({ validFrom: '2024', validTo: '2024' }),
    'INVALID_INTERVAL validTo',
  ],
  [
    'a reversed interval',
    assertWith({ validFrom: '2024', validTo: '2023' }),
    'INVALID_INTERVAL validTo',
  ],
  [
    'a month that does not exist',
    assertWith({ validFrom: '2026-13-40' }),
    'INVALID_INSTANT validFrom',
  ],
  [
    'a day that does not exist',
    assertWith({ validFrom: '2023-02-29' }),
    'INVALID_INSTANT validFrom',
  ],
  [
    'a time in a DST gap',
    assertWith({ validFrom: '2024-03-31T02:30' }),
    'INVALID_INSTANT validFrom',
  ],
  [
    'a naive time in a fold',
    assertWith({ validTo: '2024-10-27T02:30' }),
    'INVALID_INSTANT validTo',
  ],
  ['year 0', assertWith({ validFrom: '0000' }), 'INVALID_INSTANT validFrom'],
  ['year 10000', assertWith({ validFrom: '10000' }), 'INVALID_INSTANT validFrom'],
  [
    'a number beyond year 9999',
    assertWith({ validFrom: 253_402_300_800_000 }),
    'INVALID_INSTANT validFrom',
  ],
  ['NaN', assertWith({ validFrom: Number.NaN }), 'INVALID_INSTANT validFrom'],
  ['Infinity', assertWith({ validTo: Number.POSITIVE_INFINITY }), 'INVALID_INSTANT validTo'],
  ['half a millisecond', assertWith({ validFrom: 0.5 }), 'INVALID_INSTANT validFrom'],
  ['an invalid Date', assertWith({ observedAt: new Date('no') }), 'INVALID_INSTANT observedAt'],
  ['null', assertWith({ validFrom: null }), 'INVALID_INSTANT validFrom'],
  ['an object', assertWith({ observedAt: {} }), 'INVALID_INSTANT observedAt'],
  ['words', assertWith({ validFrom: 'yesterday' }), 'INVALID_INSTANT validFrom'],
  [
    'the time of an event',
    assertWith({ evidence: [{ ...event, at: 'soon' }] }),
    'INVALID_INSTANT evidence[0].at',
  ],
  [
    'of an end',
    ({ shop }) => shop['end']!({ subject: 'it', predicate: 'is', at: '2026-13' }),
    'INVALID_INSTANT at',
  ],
  ['no end', ({ shop }) => shop['end']!({ subject: 'it', predicate: 'is' }), 'INVALID_INPUT at'],
  [
    'of a correction',
    ({ shop, fact }) => shop['correct']!({ was: fact, validFrom: '2024-00' }),
    'INVALID_INSTANT validFrom',
  ],
  ['asked: validAt', ({ shop }) => shop['facts']!({ validAt: 'now' }), 'INVALID_INSTANT validAt'],
  [
    'asked: validAt of null',
    ({ shop }) => shop['facts']!({ validAt: null }),
    'INVALID_INSTANT validAt',
  ],
  ['asked: knownAt', ({ shop }) => shop['facts']!({ knownAt: 'then' }), 'INVALID_INSTANT knownAt'],
  [
    'asked: a transaction to come',
    ({ shop }) => shop['facts']!({ knownAt: { tx: 99 } }),
    'NOT_FOUND knownAt.tx',
  ],
  [
    'asked: half a transaction',
    ({ shop }) => shop['facts']!({ knownAt: { tx: 1.5 } }),
    'INVALID_INPUT knownAt.tx',
  ],
  [
    'asked: a transaction in words',
    ({ shop }) => shop['history']!({ subject: 'it', knownAt: { tx: '1' } }),
    'INVALID_INPUT knownAt.tx',
  ],
  [
    'asked: during, empty',
    ({ shop }) => shop['facts']!({ during: { from: '2024', to: '2024' } }),
    'INVALID_INTERVAL during.to',
  ],
  [
    'asked: during and validAt',
    ({ shop }) => shop['facts']!({ during: {}, validAt: '2024' }),
    'INVALID_INPUT during',
  ],
  [
    'asked: neighbors',
    ({ shop }) => shop['neighbors']!({ subject: 'it', validAt: {} }),
    'INVALID_INSTANT validAt',
  ],
  [
    'asked: paths',
    ({ shop }) => shop['paths']!({ from: 'it', to: 'it', validAt: null }),
    'INVALID_INSTANT validAt',
  ],
  [
    'asked: JSON without a bottom',
    ({ shop }) => shop['facts']!({ object: { json: deep(100_000) } }),
    'TOO_LARGE object.json',
  ],
  ['asked: asOf', ({ shop }) => shop['asOf']!({ valid: 'soon' }), 'INVALID_INSTANT valid'],
  ['asked: asOf, misspelt', ({ shop }) => shop['asOf']!({ vaild: '2024' }), 'INVALID_INPUT moment'],
  ['asked: asOf nothing', ({ shop }) => shop['asOf']!(undefined), 'INVALID_INPUT moment'],
  ['asked: asOf null', ({ shop }) => shop['asOf']!(null), 'INVALID_INPUT moment'],
];

const words: readonly Row[] = [
  ['an empty subject', assertWith({ subject: '' }), 'INVALID_NAME subject'],
  ['a blank subject', assertWith({ subject: ' \t ' }), 'INVALID_NAME subject'],
  ['an empty predicate', assertWith({ predicate: '' }), 'INVALID_NAME predicate'],
  ['an empty object', assertWith({ object: '  ' }), 'INVALID_OBJECT object'],
  ['an empty type', assertWith({ subject: { name: 'x', type: '' } }), 'INVALID_NAME subject.type'],
  ['an empty instance', assertWith({ instance: '' }), 'INVALID_NAME instance'],
  ['a subject of 1 MB', assertWith({ subject: MEGABYTE }), 'TOO_LARGE subject'],
  ['a predicate of 1 MB', assertWith({ predicate: MEGABYTE }), 'TOO_LARGE predicate'],
  ['an object of 1 MB', assertWith({ object: MEGABYTE }), 'TOO_LARGE object'],
  [
    'an entity object of 1 MB',
    assertWith({ object: { entity: MEGABYTE } }),
    'TOO_LARGE object.entity',
  ],
  ['a statement of 1 MB', assertWith({ statement: MEGABYTE }), 'TOO_LARGE statement'],
  [
    'a quote of 1 MB',
    assertWith({ evidence: [{ ...event, quote: MEGABYTE }] }),
    'TOO_LARGE evidence[0].quote',
  ],
  ['JSON of 1 MB', assertWith({ object: { json: [MEGABYTE] } }), 'TOO_LARGE object.json'],
  ['properties of 1 MB', assertWith({ properties: { a: MEGABYTE } }), 'TOO_LARGE properties'],
  [
    'JSON without a bottom',
    assertWith({ object: { json: deep(100_000) } }),
    'TOO_LARGE object.json',
  ],
  ['JSON in a circle', assertWith({ object: { json: circle } }), 'INVALID_OBJECT object.json.self'],
  ['an alias of 1 MB', ({ entities }) => entities['alias']!('it', MEGABYTE), 'TOO_LARGE alias'],
  ['half a pair: subject', assertWith({ subject: HALF }), 'INVALID_TEXT subject'],
  [
    'half a pair: type',
    assertWith({ subject: { name: 'x', type: HALF } }),
    'INVALID_TEXT subject.type',
  ],
  [
    'half a pair: distinct',
    assertWith({ subject: { name: 'x', distinct: HALF } }),
    'INVALID_TEXT subject.distinct',
  ],
  ['half a pair: predicate', assertWith({ predicate: HALF }), 'INVALID_TEXT predicate'],
  ['half a pair: object', assertWith({ object: HALF }), 'INVALID_TEXT object'],
  ['half a pair: entity', assertWith({ object: { entity: HALF } }), 'INVALID_TEXT object.entity'],
  [
    'half a pair: in JSON',
    assertWith({ object: { json: { a: [HALF] } } }),
    'INVALID_TEXT object.json.a[0]',
  ],
  [
    'half a pair: a member of JSON',
    assertWith({ object: { json: { [HALF]: 1 } } }),
    'INVALID_TEXT object.json',
  ],
  ['half a pair: properties', assertWith({ properties: { a: HALF } }), 'INVALID_TEXT properties.a'],
  ['half a pair: statement', assertWith({ statement: HALF }), 'INVALID_TEXT statement'],
  ['half a pair: instance', assertWith({ instance: HALF }), 'INVALID_TEXT instance'],
  ['half a pair: extractor', assertWith({ extractor: HALF }), 'INVALID_TEXT extractor'],
  ['half a pair: key', assertWith({ idempotencyKey: HALF }), 'INVALID_TEXT idempotencyKey'],
  [
    'half a pair: session',
    assertWith({ evidence: [{ session: HALF, seq: 1 }] }),
    'INVALID_TEXT evidence[0].session',
  ],
  [
    'half a pair: quote',
    assertWith({ evidence: [{ ...event, quote: HALF }] }),
    'INVALID_TEXT evidence[0].quote',
  ],
  ['half a pair: scope', assertWith({ to: { org: HALF } }), 'INVALID_TEXT to.org'],
  [
    'half a pair: reason',
    ({ shop }) => shop['assert']!(base, { reason: HALF }),
    'INVALID_TEXT options.reason',
  ],
  [
    'half a pair: actor',
    ({ shop }) => shop['assert']!(base, { actor: HALF }),
    'INVALID_TEXT options.actor',
  ],
  [
    'half a pair: a reason to forget',
    ({ shop }) => shop['forget']!({ session: 's' }, { reason: HALF }),
    'INVALID_TEXT options.reason',
  ],
  ['half a pair: asked', ({ shop }) => shop['facts']!({ subject: HALF }), 'INVALID_TEXT subject'],
  ['a name of the machinery', assertWith({ subject: '__proto__' }), 'INVALID_NAME subject'],
  [
    'a predicate of the machinery',
    assertWith({ predicate: 'constructor' }),
    'INVALID_NAME predicate',
  ],
  ['a prototype for properties', assertWith({ properties: PROTO }), 'INVALID_NAME properties'],
  [
    'a prototype in JSON',
    assertWith({ object: { json: { a: PROTO } } }),
    'INVALID_NAME object.json.a',
  ],
  [
    'a prototype for the input',
    ({ shop }) =>
      shop['assert']!(JSON.parse('{"subject":"it","predicate":"is","object":"x","__proto__":{}}')),
    'INVALID_INPUT ',
  ],
];

const shapes: readonly Row[] = [
  ['nothing', ({ shop }) => shop['assert']!(), 'INVALID_INPUT '],
  [
    'no subject',
    ({ shop }) => shop['assert']!({ predicate: 'is', object: 'x' }),
    'INVALID_INPUT subject',
  ],
  [
    'no object',
    ({ shop }) => shop['assert']!({ subject: 'it', predicate: 'is' }),
    'INVALID_OBJECT object',
  ],
  ['nothing asked', ({ shop }) => shop['facts']!(null), 'INVALID_INPUT '],
  ['a name that nobody can see', assertWith({ subject: '\u200b\u2060' }), 'INVALID_NAME subject'],
  ['a number for a subject', assertWith({ subject: 7 }), 'INVALID_INPUT subject'],
  ['a number for an id', assertWith({ subject: { id: 7 } }), 'INVALID_ID subject.id'],
  ['an id that is none', assertWith({ subject: { id: 'e_1' } }), 'INVALID_ID subject.id'],
  ['an id of nobody', assertWith({ subject: { id: NOWHERE } }), 'NOT_FOUND subject'],
  ['an object of nobody', assertWith({ object: { id: NOWHERE } }), 'NOT_FOUND object'],
  ['a number that is none', assertWith({ object: Number.NaN }), 'INVALID_OBJECT object'],
  ['infinity', assertWith({ object: Number.NEGATIVE_INFINITY }), 'INVALID_OBJECT object'],
  ['a null object', assertWith({ object: null }), 'INVALID_OBJECT object'],
  ['a function', assertWith({ object: () => 1 }), 'INVALID_OBJECT object'],
  ['a big integer', assertWith({ object: 1n }), 'INVALID_OBJECT object'],
  ['NaN in JSON', assertWith({ object: { json: [Number.NaN] } }), 'INVALID_OBJECT object.json[0]'],
  [
    'a Date in JSON',
    assertWith({ object: { json: { a: new Date() } } }),
    'INVALID_OBJECT object.json.a',
  ],
  ['an unknown member', assertWith({ confidense: 1 }), 'INVALID_INPUT '],
  [
    'an unknown member of an entity',
    assertWith({ subject: { name: 'x', kind: 'y' } }),
    'INVALID_INPUT subject',
  ],
  ['confidence of NaN', assertWith({ confidence: Number.NaN }), 'INVALID_CONFIDENCE confidence'],
  ['confidence above one', assertWith({ confidence: 1.1 }), 'INVALID_CONFIDENCE confidence'],
  ['confidence below nought', assertWith({ confidence: -0.1 }), 'INVALID_CONFIDENCE confidence'],
  [
    'infinite authority',
    assertWith({ authority: Number.POSITIVE_INFINITY }),
    'INVALID_INPUT authority',
  ],
  ['a polarity of its own', assertWith({ polarity: 'maybe' }), 'INVALID_INPUT polarity'],
  ['an origin of its own', assertWith({ origin: 'rumour' }), 'INVALID_INPUT origin'],
  ['a user without an event', assertWith({ origin: 'user' }), 'INVALID_EVIDENCE evidence'],
  [
    'evidence without a session',
    assertWith({ evidence: [{ seq: 1 }] }),
    'INVALID_EVIDENCE evidence[0].session',
  ],
  [
    'evidence of an empty session',
    assertWith({ evidence: [{ session: '', seq: 1 }] }),
    'INVALID_NAME evidence[0].session',
  ],
  [
    'evidence without a number',
    assertWith({ evidence: [{ session: 's' }] }),
    'INVALID_EVIDENCE evidence[0].seq',
  ],
  [
    'evidence of half an event',
    assertWith({ evidence: [{ session: 's', seq: 1.5 }] }),
    'INVALID_EVIDENCE evidence[0].seq',
  ],
  [
    'evidence before the first',
    assertWith({ evidence: [{ session: 's', seq: -1 }] }),
    'INVALID_EVIDENCE evidence[0].seq',
  ],
  [
    'evidence of a role of its own',
    assertWith({ evidence: [{ ...event, role: 'ghost' }] }),
    'INVALID_EVIDENCE evidence[0].role',
  ],
  ['evidence that is no list', assertWith({ evidence: event }), 'INVALID_EVIDENCE evidence'],
  [
    'too much evidence',
    assertWith({ evidence: Array.from({ length: 300 }, (_, seq) => ({ session: 's', seq })) }),
    'INVALID_EVIDENCE evidence',
  ],
  ['an unknown dimension', assertWith({ to: { org: 'acme', team: 'x' } }), 'INVALID_SCOPE to'],
  ['a scope without an org', assertWith({ to: { project: 'shop' } }), 'INVALID_SCOPE to.org'],
  ['a correction of no id', assertWith({ corrects: ['it'] }), 'INVALID_ID corrects[0]'],
  ['a correction of a number', assertWith({ corrects: [7] }), 'INVALID_ID corrects[0]'],
  [
    'a correction of a fact that is not',
    assertWith({ corrects: [NEVER] }),
    'NOT_FOUND corrects[0]',
  ],
  [
    'a correction of a claim that is not',
    ({ shop, claim }) => shop['assert']!({ ...base, corrects: [claim, NOBODY] }),
    'NOT_FOUND corrects[1]',
  ],
  ['a correction of an entity', assertWith({ corrects: [NOWHERE] }), 'INVALID_ID corrects[0]'],
  [
    'dryRun of a text',
    ({ shop }) => shop['assert']!(base, { dryRun: 'yes' }),
    'INVALID_INPUT options.dryRun',
  ],
  [
    'dryrun, misspelt',
    ({ shop }) => shop['assert']!(base, { dryrun: true }),
    'INVALID_INPUT options',
  ],
  [
    'ifTx below nought',
    ({ shop }) => shop['assert']!(base, { ifTx: -1 }),
    'INVALID_INPUT options.ifTx',
  ],
  [
    'end of two things',
    ({ shop }) => shop['end']!({ subject: 'it', at: '2024' }),
    'INVALID_INPUT fact',
  ],
  ['end of a number', ({ shop }) => shop['end']!({ fact: 7, at: '2024' }), 'INVALID_ID fact'],
  ['correct nothing', ({ shop }) => shop['correct']!({ object: 'x' }), 'INVALID_ID was'],
  ['correct what is not', ({ shop }) => shop['correct']!({ was: NEVER }), 'NOT_FOUND was'],
  ['retract nothing', ({ shop }) => shop['retract']!(), 'INVALID_ID id'],
  ['retract a number', ({ shop }) => shop['retract']!(7), 'INVALID_ID id'],
  ['retract what is not', ({ shop }) => shop['retract']!(NOBODY), 'NOT_FOUND id'],
  ['revert words', ({ shop }) => shop['revert']!('last'), 'INVALID_INPUT tx'],
  ['approve a number', ({ shop }) => shop['approve']!(7), 'INVALID_ID claim'],
  ['approve what does not wait', ({ shop, claim }) => shop['approve']!(claim), 'NOT_FOUND claim'],
  ['reject what is not', ({ shop }) => shop['reject']!(NOBODY), 'NOT_FOUND claim'],
  ['forget nothing', ({ shop }) => shop['forget']!({}), 'INVALID_INPUT selector'],
  [
    'forget two things',
    ({ shop }) => shop['forget']!({ session: 's', user: 'x' }),
    'INVALID_INPUT selector',
  ],
  [
    'forget in a way of its own',
    ({ shop }) => shop['forget']!({ session: 's' }, { mode: 'burn' }),
    'INVALID_INPUT options.mode',
  ],
  [
    'forget what is not',
    ({ shop }) => shop['forget']!({ claim: NOBODY }, { mode: 'erase' }),
    'NOT_FOUND selector.claim',
  ],
  [
    'forget a scope of nothing',
    ({ admin }) => admin['forget']!({ scope: {} }),
    'INVALID_SCOPE selector.scope.org',
  ],
  ['declare nothing', ({ entities }) => entities['declare']!({}), 'INVALID_INPUT entity.name'],
  ['an alias of nobody', ({ entities }) => entities['alias']!('nobody', 'x'), 'NOT_FOUND entity'],
  ['an empty alias', ({ entities }) => entities['alias']!('it', ' '), 'INVALID_NAME alias'],
  ['merge a number', ({ entities }) => entities['merge']!(7, 'it'), 'INVALID_INPUT from'],
  ['resolve a number', ({ entities }) => entities['resolve']!(7), 'INVALID_INPUT entity'],
  ['why of nothing', ({ shop }) => shop['why']!(), 'INVALID_ID fact'],
  ['why of a claim', ({ shop, claim }) => shop['why']!(claim), 'INVALID_ID fact'],
  ['why of what is not', ({ shop }) => shop['why']!(NEVER), 'NOT_FOUND fact'],
  ['history of nothing', ({ shop }) => shop['history']!(), 'INVALID_INPUT '],
  [
    'a selector with an unknown member',
    ({ shop }) => shop['facts']!({ subjekt: 'it' }),
    'INVALID_INPUT ',
  ],
  ['a page of nothing', ({ shop }) => shop['facts']!({ limit: 0 }), 'INVALID_INPUT limit'],
  ['a page after words', ({ shop }) => shop['facts']!({ after: 'it' }), 'INVALID_ID after'],
  [
    'an order of its own',
    ({ shop }) => shop['facts']!({ orderBy: 'luck' }),
    'INVALID_INPUT orderBy',
  ],
  ['no hops', ({ shop }) => shop['neighbors']!({ subject: 'it', hops: 0 }), 'INVALID_INPUT hops'],
  [
    'too many hops',
    ({ shop }) => shop['paths']!({ from: 'it', to: 'it', maxHops: 99 }),
    'INVALID_INPUT maxHops',
  ],
  [
    'watch with a signal of its own',
    ({ shop }) => shop['watch']!({ signal: {} }),
    'INVALID_INPUT options.signal',
  ],
  ['transact nothing', ({ shop }) => shop['transact']!(), 'INVALID_INPUT collect'],
  ['an org of nothing', ({ memory }) => loose(memory)['admin']!({}), 'INVALID_SCOPE scope.org'],
  ['a journal of its own', ({ admin }) => admin['transactions']!({ since: 1 }), 'INVALID_INPUT '],
];

const code = async (work: () => unknown): Promise<string> => {
  const { code: kind, field } = await refusal(work);
  return `${kind} ${field ?? '-'}`;
};

describe.each([
  ['times', times],
  ['words', words],
  ['shapes', shapes],
] as const)('%s', (_what, rows) => {
  test.each(rows)('%s', async (_name, call, error) => {
    const s = await stage();
    const before = await counts(s.memory);
    const facts = await s.memory.in(SHOP).facts({ during: {} });
    expect(await code(() => call(s))).toBe(error);
    expect(await counts(s.memory)).toEqual(before);
    expect(await s.memory.in(SHOP).facts({ during: {} })).toEqual(facts);
    expect(Reflect.get({}, 'admin')).toBeUndefined();
  });
});

describe('what is wrong with opening', () => {
  test.each([
    ['nothing', undefined, 'INVALID_INPUT '],
    ['neither a path nor a store', {}, 'INVALID_INPUT path'],
    ['both', { path: '/tmp/x', store: 'memory' }, 'INVALID_INPUT path'],
    ['an empty path', { path: '' }, 'INVALID_INPUT path'],
    ['a store of its own', { store: 'cloud' }, 'INVALID_INPUT store'],
    ['an engine of its own', { store: 'memory', graph: 'neo' }, 'INVALID_INPUT graph'],
    [
      'a zone that is none',
      { store: 'memory', timeZone: 'Mars/Olympus' },
      'INVALID_INPUT timeZone',
    ],
    ['a clock that is none', { store: 'memory', clock: 7 }, 'INVALID_INPUT clock'],
    ['a policy that is none', { store: 'memory', policy: 'strict' }, 'INVALID_INPUT policy'],
    [
      'authority that is none',
      { store: 'memory', authority: { user: Number.NaN } },
      'INVALID_INPUT authority.user',
    ],
    [
      'authority of nobody',
      { store: 'memory', authority: { ghost: 1 } },
      'INVALID_INPUT authority',
    ],
    ['an ontology that is none', { store: 'memory', ontology: [] }, 'INVALID_ONTOLOGY ontology'],
    ['an unknown member', { store: 'memory', colour: 'red' }, 'INVALID_INPUT '],
  ])('%s', async (_what, options, error) => {
    const open: (options: never) => Promise<unknown> = openMemory;
    expect(await code(() => open(options as never))).toBe(error);
  });

  test('a clock that tells no time is told of at the first write', async () => {
    let now = Date.parse('2026-01-01');
    const memory = await opened({ clock: () => now });
    now = Number.NaN;
    const before = await counts(memory);
    expect(await code(() => memory.in(SHOP).assert(base))).toBe('INVALID_INSTANT clock');
    expect(await counts(memory)).toEqual(before);
  });
});

test('what is out of sight and what does not exist are refused in the same words', async () => {
  const memory = await opened({ clock: testClock() });
  const hidden = await memory.in({ org: 'other' }).assert(base);
  const shop = memory.in(SHOP);
  const said = async (work: (id: string) => unknown, id: string): Promise<string> =>
    (await refusal(() => work(id))).message.replaceAll(id, 'ID');
  const byFact = [
    (id: string) => shop.correct({ was: id, object: 'y' }),
    (id: string) => shop.assert({ ...base, corrects: [id] }),
    (id: string) => shop.retract(id),
    (id: string) => shop.end({ fact: id, at: '2024' }),
    (id: string) => shop.why(id),
    (id: string) => shop.forget({ fact: id }),
  ];
  for (const work of byFact)
    expect(await said(work, hidden.opened[0]!.id)).toBe(await said(work, NEVER));
  const byClaim = [
    byFact[0]!,
    byFact[1]!,
    byFact[2]!,
    (id: string) => shop.approve(id),
    (id: string) => shop.forget({ claim: id }),
  ];
  for (const work of byClaim)
    expect(await said(work, hidden.claims[0]!)).toBe(await said(work, NOBODY));
});

test('a closed memory says so, whatever is asked of it', async () => {
  const { memory, shop, entities, admin } = await stage();
  await memory.close();
  const calls: readonly (() => unknown)[] = [
    () => shop['assert']!(base),
    () => shop['facts']!(),
    () => shop['history']!({ subject: 'it' }),
    () => shop['held']!(),
    () => shop['forget']!({ session: 's' }),
    () => shop['asOf']!('2024'),
    () => shop['watch']!(),
    () => entities['resolve']!('it'),
    () => admin['scopes']!(),
    () => memory.in(SHOP),
    () => memory.stats(),
    () => memory.rebuild(),
    () => memory.in(SHOP).entities.list().toArray(),
  ];
  for (const call of calls) expect((await refusal(call)).code).toBe('STORE_CLOSED');
  await memory.close();
});
