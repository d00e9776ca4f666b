import fc from 'fast-check';
import type { BeliefClaim, Properties } from '../../lib/belief/claim.js';
import { BEGIN, FOREVER, type Interval } from '../../lib/model/interval.js';

/**
 * Random histories of one key. Time is a handful of small integers, so that equal instants, nested
 * intervals and intervals that touch are the rule and not the exception.
 */

/** Every stretch that is not open begins and ends within these instants. */
export const EARLIEST = -4;
export const LATEST = 24;

/** All instants at which a history can say something new, and both open ends. */
export const EVERY_INSTANT: readonly number[] = [
  BEGIN,
  ...Array.from({ length: LATEST - EARLIEST + 1 }, (_, i) => EARLIEST + i),
  FOREVER - 1,
];

type Statement = Pick<BeliefClaim, 'polarity' | 'object' | 'instance'>;
type Time = Pick<BeliefClaim, 'validFrom' | 'validTo'>;

const says = (
  polarity: 'assert' | 'deny',
  object: string,
  instance: string | null = null,
): fc.Arbitrary<Statement> => fc.constant({ polarity, object, instance });

/** One object is spoken of most, as in the history of a real key. */
const statement: fc.Arbitrary<Statement> = fc.oneof(
  { weight: 8, arbitrary: says('assert', 'x') },
  { weight: 5, arbitrary: says('assert', 'y') },
  { weight: 1, arbitrary: says('assert', 'z') },
  { weight: 2, arbitrary: says('assert', 'x', 'first') },
  { weight: 1, arbitrary: says('assert', 'x', 'second') },
  { weight: 3, arbitrary: says('deny', 'x') },
  { weight: 2, arbitrary: says('deny', 'y') },
  { weight: 1, arbitrary: says('deny', 'x', 'first') },
  { weight: 2, arbitrary: says('deny', '*') },
);

const instant = fc.nat({ max: 12 });
const length = fc.integer({ min: 1, max: 8 });

const time: fc.Arbitrary<Time> = fc.oneof(
  {
    weight: 6,
    arbitrary: instant.map((validFrom) => ({ validFrom, validTo: 'ongoing' as const })),
  },
  {
    weight: 6,
    arbitrary: fc
      .tuple(instant, length)
      .map(([validFrom, long]) => ({ validFrom, validTo: validFrom + long })),
  },
  {
    weight: 3,
    arbitrary: instant.map((validFrom) => ({ validFrom, validTo: 'unknown' as const })),
  },
  { weight: 2, arbitrary: instant.map((validTo) => ({ validFrom: null, validTo })) },
  { weight: 2, arbitrary: fc.constant({ validFrom: null, validTo: 'ongoing' as const }) },
  { weight: 1, arbitrary: fc.constant({ validFrom: null, validTo: 'unknown' as const }) },
);

/** Fresh objects each time, and two orders of keys: equality has to look inside. */
const propertyValue: fc.Arbitrary<unknown> = fc.nat({ max: 4 }).map((n) => {
  if (n === 0) return null;
  if (n === 1) return 'lead';
  if (n === 2) return 2;
  return n === 3 ? { grade: 1, of: ['a'] } : { of: ['a'], grade: 1 };
});

/** `constructor` stands for the names which every object already seems to have. */
const someProperties: fc.Arbitrary<Properties> = fc.dictionary(
  fc.constantFrom('role', 'party', 'constructor'),
  propertyValue,
  { maxKeys: 2, noNullPrototype: true },
);

const properties: fc.Arbitrary<Properties | null> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(null) },
  { weight: 2, arbitrary: someProperties },
);

const window: fc.Arbitrary<Interval> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(instant, length).map(([from, long]) => ({ from, to: from + long })),
  },
  { weight: 1, arbitrary: instant.map((from) => ({ from, to: FOREVER })) },
  { weight: 1, arbitrary: instant.map((to) => ({ from: BEGIN, to })) },
  { weight: 1, arbitrary: fc.constant({ from: BEGIN, to: FOREVER }) },
);

const out: fc.Arbitrary<readonly Interval[]> = fc.oneof(
  { weight: 5, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.array(window, { minLength: 1, maxLength: 2 }) },
);

/** Their order by code unit is not the order of a dictionary. */
const ID_STARTS = ['a', 'B', 'c', 'é', 'Z'] as const;

const draft = fc.tuple(
  statement,
  time,
  fc.integer({ min: 1, max: 4 }),
  fc.nat({ max: 14 }),
  fc.constantFrom(30, 30, 30, 20, 10),
  properties,
  out,
  fc.constantFrom(...ID_STARTS),
);

/** Claims of one key with distinct ids, frozen to the bottom: a fold that writes to them throws. */
export const history: fc.Arbitrary<readonly BeliefClaim[]> = fc
  .oneof(
    { weight: 14, arbitrary: fc.array(draft, { minLength: 1, maxLength: 8, size: 'max' }) },
    { weight: 1, arbitrary: fc.array(draft, { minLength: 9, maxLength: 20, size: 'max' }) },
  )
  .map((drafts) =>
    frozen(
      drafts.map(
        ([said, when, unit, observedAt, authority, edge, absent, start], i): BeliefClaim => ({
          id: `${start}${i}`,
          ...said,
          ...when,
          unit,
          observedAt,
          authority,
          properties: edge,
          out: absent,
        }),
      ),
    ),
  );

/** A history and the same claims told in another order. */
export const retold: fc.Arbitrary<readonly [readonly BeliefClaim[], readonly BeliefClaim[]]> =
  history.chain((claims) =>
    fc
      .shuffledSubarray([...claims], { minLength: claims.length, maxLength: claims.length })
      .map((other) => [claims, frozen(other)] as const),
  );

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) frozen(inner);
  }
  return value;
}
