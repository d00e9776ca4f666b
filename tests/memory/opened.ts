import {
  defineOntology,
  entity,
  openMemory,
  type AssertInput,
  type Fact,
  type Memory,
  type OntologyDefinition,
  type OpenOptions,
  PalimpsestError,
} from '../../lib/index.js';
import { onTestFinished } from 'vitest';

/** What most tests speak of: one value at a time, many, and people. */
export const ontology = defineOntology({
  predicates: {
    is: { cardinality: 'one' },
    has: { cardinality: 'many' },
    owner: { cardinality: 'one', object: entity('person'), inverse: 'owns' },
    knows: { object: entity('person'), subject: 'person', symmetric: true },
    met: { kind: 'event' },
  },
});

/** A clock that a test sets; each reading is a second after the one before. */
export interface TestClock {
  (): number;
  set(to: string): void;
}

export function testClock(start = '2026-01-01'): TestClock {
  let now = Date.parse(start);
  return Object.assign(() => (now += 1000), {
    set: (to: string) => {
      now = Date.parse(to);
    },
  });
}

export type Opened = Memory<typeof ontology>;

/** A memory of the running test's own, closed when it ends. */
export async function opened<const O extends OntologyDefinition = typeof ontology>(
  options: Partial<OpenOptions<O>> = {},
): Promise<Memory<O>> {
  const where = options.path === undefined ? { store: 'memory' as const } : {};
  const memory = await openMemory<O>({
    ...where,
    graph: 'none',
    clock: testClock(),
    // The default goes with the default type.
    ontology: ontology as unknown as O,
    ...options,
  });
  onTestFinished(() => memory.close());
  return memory;
}

export const SHOP = { org: 'acme', project: 'shop' } as const;

export interface Said extends Omit<AssertInput, 'object'> {
  readonly object: string | { readonly entity: string };
}

export interface Telling extends Omit<Partial<Said>, 'to'> {
  /** `null` when unknown. */
  readonly from: string | null;
  /** A date, or `∞` for ongoing and `?` for unknown. */
  readonly to: string;
  readonly said: string;
}

/** `+Postgres` asserts, `-Postgres` denies, `-*` denies everything; of `it`, that it `is`. */
export function saying(what: string, { from, to, said, ...rest }: Telling): Said {
  return {
    subject: 'it',
    predicate: 'is',
    object: what.slice(1),
    polarity: what.startsWith('+') ? 'assert' : 'deny',
    validFrom: from ?? 'unknown',
    validTo: to === '∞' ? 'ongoing' : to === '?' ? 'unknown' : to,
    observedAt: said,
    ...rest,
  };
}

/** An object as a test names it. */
export const nameOf = (object: Fact['object']): unknown =>
  typeof object === 'object' && 'name' in object ? object.name : object;

export const objects = (facts: readonly Fact[]): unknown[] =>
  facts.map((f) => nameOf(f.object)).sort();

/** What is in a memory, but for how much room its index has reserved. */
export async function counts(memory: Pick<Memory, 'stats'>): Promise<unknown> {
  const { indexBytes: _reserved, ...rest } = await memory.stats();
  return rest;
}

/** The refusal of a promise, or of a call. */
export async function refusal(work: () => unknown): Promise<PalimpsestError> {
  try {
    await work();
  } catch (error) {
    if (PalimpsestError.isInstance(error)) return error;
    throw error;
  }
  throw new Error('It was not refused.');
}

/** Code and field of a refusal, in one text. */
export async function refused(work: () => unknown): Promise<string> {
  const { code, field } = await refusal(work);
  return `${code} ${field ?? '-'}`;
}
