import fc from 'fast-check';
import type { AssertInput, Fact, Handle, WriteOptions, WriteResult } from '../../lib/index.js';

/** Random work on one store, small enough that its parts get in each other's way. */

export type Worker = Handle;

/** What has been answered so far: later verbs pick from it. */
export interface Seen {
  readonly claims: string[];
  readonly facts: string[];
  readonly txs: number[];
}

export interface Verb {
  readonly name: string;
  /** `null` when there is nothing yet to do it to. */
  run(handle: Worker, seen: Seen, options?: WriteOptions): Promise<WriteResult> | null;
}

const year = fc.integer({ min: 2000, max: 2008 });
const subject = fc.constantFrom('north', 'south', 'east');
const object = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('a', 'b', 'c') },
  { weight: 1, arbitrary: subject.map((entity) => ({ entity })) },
);

const time = fc.oneof(
  { weight: 6, arbitrary: year.map((y) => ({ validFrom: `${y}`, validTo: 'ongoing' as const })) },
  {
    weight: 5,
    arbitrary: fc
      .tuple(year, fc.integer({ min: 1, max: 4 }))
      .map(([y, long]) => ({ validFrom: `${y}`, validTo: `${y + long}` })),
  },
  { weight: 2, arbitrary: year.map((y) => ({ validFrom: `${y}`, validTo: 'unknown' as const })) },
  { weight: 1, arbitrary: year.map((y) => ({ validFrom: 'unknown' as const, validTo: `${y}` })) },
  { weight: 1, arbitrary: fc.constant({ validFrom: 'unknown' as const }) },
);

const said = fc.record({
  subject,
  object,
  time,
  predicate: fc.constantFrom('is', 'is', 'is', 'has', 'has', 'met'),
  denies: fc.constantFrom('one', 'all', 'no', 'no', 'no'),
  observedAt: fc.integer({ min: 2000, max: 2009 }),
  authority: fc.constantFrom(30, 30, 30, 20, 10),
  properties: fc.option(fc.constantFrom({ role: 'x' }, { role: 'y' }, { role: null }), {
    nil: undefined,
    freq: 3,
  }),
  instance: fc.option(fc.constantFrom('first', 'second'), { nil: undefined, freq: 6 }),
  seq: fc.nat({ max: 1000 }),
});

/** What somebody says, from an event of its own: told twice it is one claim. */
export const telling: fc.Arbitrary<AssertInput> = said.map((s) => {
  const { time: when, denies, observedAt, seq, properties, instance, ...rest } = s;
  const isEvent = rest.predicate === 'met' && when.validFrom === 'unknown' && denies === 'no';
  const all = denies === 'all';
  return {
    ...rest,
    ...(isEvent ? { validFrom: '2004', validTo: 'ongoing' } : when),
    object: all ? '*' : rest.object,
    polarity: denies === 'no' ? 'assert' : 'deny',
    observedAt: `${observedAt}`,
    evidence: [{ session: 's', seq, role: 'user' }],
    ...(denies === 'no' && properties !== undefined ? { properties } : {}),
    ...(all || instance === undefined ? {} : { instance }),
  } satisfies AssertInput;
});

const pick = <T>(list: readonly T[], n: number): T | undefined =>
  list[n % Math.max(1, list.length)];

const verb = (name: string, run: Verb['run']): Verb => ({ name, run });
const index = fc.nat({ max: 50 });

const assertOne = telling.map((t) => verb('assert', (h, _s, o) => h.assert(t, o)));

const several = fc.array(telling, { minLength: 2, maxLength: 3 }).map((all) =>
  verb('transact', (h, _s, o) =>
    h.transact((t) => {
      for (const one of all) t.assert(one);
    }, o),
  ),
);

const retract = fc.tuple(index, fc.boolean()).map(([n, isFact]) =>
  verb('retract', (h, s, o) => {
    const id = pick(isFact ? s.facts : s.claims, n);
    return id === undefined ? null : h.retract(id, o);
  }),
);

const correct = fc.tuple(index, fc.boolean(), telling, fc.boolean()).map(([n, isFact, t, start]) =>
  verb('correct', (h, s, o) => {
    const was = pick(isFact ? s.facts : s.claims, n);
    if (was === undefined) return null;
    const { observedAt, evidence } = t;
    const right = start
      ? { validFrom: '2003', validTo: 'ongoing' as const }
      : { object: 'c', polarity: 'assert' as const, validFrom: '2002', validTo: '2006' };
    return h.correct({ was, observedAt, evidence, ...right }, o);
  }),
);

const end = fc.tuple(index, year, fc.integer({ min: 2000, max: 2009 })).map(([n, at, observed]) =>
  verb('end', (h, s, o) => {
    const fact = pick(s.facts, n);
    return fact === undefined ? null : h.end({ fact, at: `${at}`, observedAt: `${observed}` }, o);
  }),
);

const revert = index.map((n) =>
  verb('revert', (h, s, o) => {
    const tx = pick(s.txs, n);
    return tx === undefined ? null : h.revert(tx, o);
  }),
);

const merge = fc
  .tuple(subject, subject)
  .map(([from, into]) => verb('merge', (h, _s, o) => h.entities.merge(from, into, o)));
const split = subject.map((name) => verb('split', (h, _s, o) => h.entities.split(name, o)));

export const work: fc.Arbitrary<readonly Verb[]> = fc.array(
  fc.oneof(
    { weight: 10, arbitrary: assertOne },
    { weight: 2, arbitrary: several },
    { weight: 2, arbitrary: retract },
    { weight: 3, arbitrary: correct },
    { weight: 2, arbitrary: end },
    { weight: 2, arbitrary: revert },
    { weight: 1, arbitrary: merge },
    { weight: 1, arbitrary: split },
  ),
  { minLength: 4, maxLength: 16, size: 'max' },
);

/** The bounds of a fact as numbers. */
export const span = (f: Pick<Fact, 'validFrom' | 'validTo'>): readonly [number, number] => [
  f.validFrom === null ? Number.NEGATIVE_INFINITY : Date.parse(f.validFrom),
  f.validTo === null ? Number.POSITIVE_INFINITY : Date.parse(f.validTo),
];

/** What a fact is an alternative to. */
export const keyOf = (f: Fact): string =>
  JSON.stringify(
    f.predicate === 'is'
      ? [f.subject.id, f.predicate]
      : [
          f.subject.id,
          f.predicate,
          f.object,
          f.instance,
          ...(f.predicate === 'met' && f.instance === null ? [f.validFrom] : []),
        ],
  );
