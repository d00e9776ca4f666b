import type { Handle, OntologyDefinition } from '../lib/index.js';
import { entities, FIRST_DAY, isSingle, LAST_DAY, predicate, random, world } from './data.js';
import { contestant, race, type Contestant, type Sample } from './measure.js';
import type { Figure } from './report.js';
import { asSqlRow, type HandWritten } from './sqlite.js';

export interface Question {
  readonly subject: string;
  readonly predicate: string;
  readonly valid: number;
  readonly known: number;
}

const OURS = 'palimpsest';
const THEIRS = 'SQLite';

export type Kind = 'newest' | 'hops' | 'history';

export interface Case {
  readonly what: string;
  readonly kind: Kind;
  readonly questions: readonly Question[];
}

/** The questions of a run, each about another day and another transaction. */
export function cases(facts: number, lastTx: number, n: number): readonly Case[] {
  const roll = random(2024);
  const somewhere = (): string => `e${Math.floor(roll() * entities(facts))}`;
  const question = (subject: string): Question => ({
    subject,
    predicate: predicate(Math.floor(roll() * 10)),
    valid: FIRST_DAY + Math.floor((0.2 + 0.8 * roll()) * (LAST_DAY - FIRST_DAY)),
    known: Math.max(1, Math.floor(lastTx * (0.5 + 0.5 * roll()))),
  });
  const many = (subject: () => string, count = n): readonly Question[] =>
    Array.from({ length: count }, () => question(subject()));
  return [
    {
      what: 'as-of facts of any entity (about 10 edges), newest 20',
      kind: 'newest',
      questions: many(somewhere),
    },
    {
      what: 'as-of facts of an entity with 10 edges, newest 20',
      kind: 'newest',
      questions: many(() => 'hub-10'),
    },
    {
      what: 'as-of facts of an entity with 1,000 edges, newest 20',
      kind: 'newest',
      questions: many(() => 'hub-1000'),
    },
    {
      what: `as-of facts of an entity with ${Math.min(100_000, facts / 10).toLocaleString('en-US')} edges, newest 20`,
      kind: 'newest',
      questions: many(() => 'hub-many', Math.min(n, 30)),
    },
    { what: '2 hops out from any entity', kind: 'hops', questions: many(somewhere) },
    {
      what: '2 hops out from an entity with 10 edges',
      kind: 'hops',
      questions: many(() => 'hub-10'),
    },
    {
      what: '2 hops out from an entity with 1,000 edges',
      kind: 'hops',
      questions: many(() => 'hub-1000', Math.min(n, 60)),
    },
    {
      what: 'history of a key with one claim or two',
      kind: 'history',
      questions: told(facts, n).map(([subject, asked]) => ({
        ...question(subject),
        predicate: asked,
        known: lastTx,
      })),
    },
    {
      what: 'history of a key with about 20 claims',
      kind: 'history',
      questions: many(() => 'hub-1000'),
    },
  ];
}

/** Keys that something was told of, from all over the world. */
function told(facts: number, n: number): readonly (readonly [string, string])[] {
  const out: (readonly [string, string])[] = [];
  const every = Math.floor(facts / (n * 8));
  let i = 0;
  for (const { subject, predicate: name } of world(facts)) {
    if (i++ % every === 0 && isSingle(name) && subject.startsWith('e')) out.push([subject, name]);
    if (out.length === n) break;
  }
  return out;
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export function memoryWay(
  name: string,
  kind: Kind,
  handle: Handle<OntologyDefinition>,
): Contestant<Question> {
  switch (kind) {
    case 'newest':
      return contestant(name, {
        ask: ({ subject, valid, known }: Question) =>
          handle.facts({ subject, validAt: valid, knownAt: { tx: known }, limit: 20 }),
        answer: (facts) => facts.map(asSqlRow).map((row) => asKnown(row)),
      });
    case 'hops':
      return contestant(name, {
        ask: ({ subject, valid, known }: Question) =>
          handle.neighbors({
            subject,
            hops: 2,
            direction: 'out',
            validAt: valid,
            knownAt: { tx: known },
            limit: 1_000_000,
          }),
        answer: ({ neighbors }) =>
          neighbors.map(({ entity, hops }) => `${hops} ${entity.name}`).toSorted(byText),
      });
    case 'history':
      return contestant(name, {
        ask: ({ subject, predicate: asked, known }: Question) =>
          handle.history({ subject, predicate: asked, knownAt: { tx: known } }),
        answer: ({ facts }) => facts.map(asSqlRow).map((row) => asKnown(row)),
      });
  }
}

/** What was closed after the asked transaction is open in the answer of the one and not of the other. */
const asKnown = (row: ReturnType<typeof asSqlRow>): Omit<typeof row, 'knownTo'> => {
  const { knownTo: _knownTo, ...rest } = row;
  return rest;
};

function handWay(kind: Kind, sqlite: HandWritten): Contestant<Question> {
  switch (kind) {
    case 'newest':
      return contestant(THEIRS, {
        ask: ({ subject, valid, known }: Question) => sqlite.entity(subject, valid, known),
        answer: (rows) => rows.map((row) => asKnown(row)),
      });
    case 'hops':
      return contestant(THEIRS, {
        ask: ({ subject, valid, known }: Question) => sqlite.hops(subject, valid, known),
        answer: (rows) => rows.map(({ entity, hops }) => `${hops} ${entity}`).toSorted(byText),
      });
    case 'history':
      return contestant(THEIRS, {
        ask: ({ subject, predicate: asked, known }: Question) =>
          sqlite.history(subject, asked, known),
        answer: (rows) => rows.map((row) => asKnown(row)),
      });
  }
}

/** Every question asked of the memory and of the hand-written table in turn; answers are compared. */
export async function warmReads(
  part: string,
  list: readonly Case[],
  handle: Handle<OntologyDefinition>,
  sqlite: HandWritten,
): Promise<readonly Figure[]> {
  const out: Figure[] = [];
  for (const { what, kind, questions } of list) {
    const times = await race(what, questions, [
      memoryWay(OURS, kind, handle),
      handWay(kind, sqlite),
    ]);
    const ours = sampleIn(times, OURS);
    const theirs = sampleIn(times, THEIRS);
    out.push({
      part,
      what,
      unit: 'ms',
      value: ours.p50,
      sample: ours,
      sqlite: theirs,
      bar: { text: 'faster than SQLite', met: ours.p50 < theirs.p50 },
    });
  }
  return out;
}

export function sampleIn(times: ReadonlyMap<string, Sample>, name: string): Sample {
  const sample = times.get(name);
  if (sample === undefined) throw new Error(`Nothing was measured of ${name}.`);
  return sample;
}
