import type { AssertInput, OntologyDefinition } from '../lib/index.js';

/** One thing said of the benchmark's world. Instants are epoch milliseconds. */
export interface Said {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly from: number;
  /** `null`: it goes on. */
  readonly to: number | null;
  readonly observed: number;
  readonly statement: string;
}

export const FIRST_DAY = Date.UTC(2020, 0, 1);
export const LAST_DAY = Date.UTC(2025, 0, 1);
const PREDICATES = 50;
/** So many of them hold one value at a time: a newer one takes the older one's place. */
const SINGLE = 10;

export const predicate = (n: number): string => `p${n}`;
export const isSingle = (name: string): boolean => Number(name.slice(1)) < SINGLE;

export const ONTOLOGY: OntologyDefinition = {
  predicates: Object.fromEntries(
    Array.from({ length: PREDICATES }, (_, n) => [
      predicate(n),
      { cardinality: n < SINGLE ? 'one' : 'many', object: { entity: 'thing' } },
    ]),
  ),
};

/** Subjects with a known number of outgoing edges, beside many with about ten. */
export const hubs = (facts: number): readonly (readonly [string, number])[] => [
  ['hub-10', 10],
  ['hub-1000', 1000],
  ['hub-many', Math.min(100_000, facts / 10)],
];

export const entities = (facts: number): number => Math.min(100_000, facts / 10);

/** Numbers from 0 to 1 which are the same in every run. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const SYLLABLES = 'ba be bi bo da de di do ka ke ki ko la le li lo ma me mi mo na ne ni no'.split(
  ' ',
);

function word(roll: number): string {
  let out = '';
  for (let n = Math.floor(20_000 * roll ** 3) + 1; n > 0; n = Math.floor(n / SYLLABLES.length)) {
    out += SYLLABLES[n % SYLLABLES.length];
  }
  return out;
}

/** The world: told in order, about times of no particular order, with eight words of text each. */
export function* world(facts: number): Generator<Said> {
  const roll = random(11);
  const count = entities(facts);
  const special = hubs(facts).flatMap(([name, edges]) => Array.from({ length: edges }, () => name));
  const every = Math.floor(facts / special.length);
  const day = (LAST_DAY - FIRST_DAY) / facts;
  for (let i = 0; i < facts; i++) {
    const hub = i % every === 0 ? special[i / every] : undefined;
    const from = FIRST_DAY + Math.floor(roll() * (LAST_DAY - FIRST_DAY));
    const to = roll() < 0.6 ? null : from + Math.floor(roll() * 3e10) + 1;
    // The greatest hub says nothing of single values: two thousand claims in one key are a case of their own.
    const low = hub === 'hub-many' ? SINGLE : 0;
    yield {
      subject: hub ?? `e${Math.floor(roll() * count)}`,
      predicate: predicate(low + Math.floor(roll() * (PREDICATES - low))),
      object: `e${Math.floor(roll() * count)}`,
      from,
      to,
      observed: FIRST_DAY + Math.floor(i * day),
      statement: Array.from({ length: 8 }, () => word(roll())).join(' '),
    };
  }
}

export const asInput = (said: Said): AssertInput => ({
  subject: said.subject,
  predicate: said.predicate,
  object: said.object,
  validFrom: said.from,
  validTo: said.to ?? 'ongoing',
  observedAt: said.observed,
  statement: said.statement,
});
