import { z } from 'zod';
import { check } from './check.js';
import { PalimpsestError } from './errors.js';
import { NORMALISER_NAMES, type Normaliser } from './term.js';
import { name, text } from './text.js';

/** Objects of a predicate which are entities of the graph. Made by `entity('person')`. */
export interface EntityObject<Type extends string = string> {
  readonly entity: Type;
}

/** Objects of a predicate which are points in time. Made by `instant()`. */
export interface InstantObject {
  readonly instant: true;
}

/** Says that the objects of a predicate are entities: `object: entity('person')`. */
export const entity = <Type extends string>(type: Type): EntityObject<Type> => ({ entity: type });

/** Says that the objects of a predicate are points in time: `object: instant()`. */
export const instant = (): InstantObject => ({ instant: true });

export type ObjectSchema = z.ZodType | EntityObject | InstantObject;

/** A duration in which a presumption goes stale, such as `{ months: 6 }`; days of 24 hours, months of 30, years of 365. */
export interface Age {
  readonly years?: number | undefined;
  readonly months?: number | undefined;
  readonly weeks?: number | undefined;
  readonly days?: number | undefined;
  readonly hours?: number | undefined;
}

export interface PredicateDefinition {
  /** `one`: a newer value takes the place of the older. `many` (the default): both hold. */
  readonly cardinality?: 'one' | 'many';
  /** `event`: holds for the precision of its start, and never supersedes another. */
  readonly kind?: 'state' | 'event';
  /** Entity type of the subject, for subjects named by a bare string. */
  readonly subject?: string;
  readonly object?: ObjectSchema;
  /** Another name for reading the edge backwards. */
  readonly inverse?: string;
  /** Stored once, read from both ends, always `many`. */
  readonly symmetric?: boolean;
  readonly description?: string;
  /** How string objects are compared. */
  readonly normalise?: Normaliser;
  /** Schema of what else may be said of the edge. */
  readonly properties?: z.ZodType;
  /** A presumption that was confirmed longer ago than this is marked stale. */
  readonly staleAfter?: Age;
}

export interface OntologyDefinition {
  /** Refuse predicates that are not declared. */
  readonly strict?: boolean;
  readonly predicates: Readonly<Record<string, PredicateDefinition>>;
}

/** Keeps the literal types of a definition, so that reads return the right object type. */
export const defineOntology = <const O extends OntologyDefinition>(ontology: O): O => ontology;

/** What the journal keeps of a predicate: data, no code. */
export const PredicateRecordSchema = z.strictObject({
  cardinality: z.enum(['one', 'many']),
  kind: z.enum(['state', 'event']),
  subject: z.string().nullable(),
  object: z.union([
    z.strictObject({ entity: z.string() }),
    z.strictObject({ instant: z.literal(true) }),
    z.strictObject({ schema: z.record(z.string(), z.unknown()) }),
    z.null(),
  ]),
  inverse: z.string().nullable(),
  symmetric: z.boolean(),
  description: z.string().nullable(),
  normalise: z.enum(NORMALISER_NAMES),
  staleAfter: z.number().nullable(),
});
export type PredicateRecord = Readonly<z.infer<typeof PredicateRecordSchema>>;

/**
 * The predicate of claims that two entities are one, which no ontology needs to declare. Whoever
 * proposes it waits for a review; its approval merges them.
 */
export const SAME_AS = 'same_as';

/** What holds for a predicate that nobody declared: `many`, because that can never hide anything. */
export const UNDECLARED: PredicateRecord = {
  cardinality: 'many',
  kind: 'state',
  subject: null,
  object: null,
  inverse: null,
  symmetric: false,
  description: null,
  normalise: 'exact',
  staleAfter: null,
};

const count = z.number().finite().nonnegative();

const DefinitionSchema = z.strictObject({
  cardinality: z.enum(['one', 'many']).optional(),
  kind: z.enum(['state', 'event']).optional(),
  subject: name().optional(),
  object: z
    .union([
      z.instanceof(z.ZodType),
      z.strictObject({ entity: name() }),
      z.strictObject({ instant: z.literal(true) }),
    ])
    .optional(),
  inverse: name().optional(),
  symmetric: z.boolean().optional(),
  description: text().optional(),
  normalise: z.enum(NORMALISER_NAMES).optional(),
  properties: z.instanceof(z.ZodType).optional(),
  staleAfter: z
    .strictObject({
      years: count.optional(),
      months: count.optional(),
      weeks: count.optional(),
      days: count.optional(),
      hours: count.optional(),
    })
    .optional(),
});

const OntologySchema = z.strictObject({
  strict: z.boolean().optional(),
  predicates: z.record(name(), DefinitionSchema),
});

const HOUR = 3_600_000;
const ageInMs = (age: Age): number =>
  HOUR *
  ((age.hours ?? 0) +
    24 *
      ((age.days ?? 0) + 7 * (age.weeks ?? 0) + 30 * (age.months ?? 0) + 365 * (age.years ?? 0)));

function objectRecord(
  object: z.output<typeof DefinitionSchema>['object'],
): PredicateRecord['object'] {
  if (object === undefined) return null;
  if (object instanceof z.ZodType) {
    return { schema: z.toJSONSchema(object, { unrepresentable: 'any', io: 'input' }) };
  }
  return object;
}

/**
 * Reads a definition into what the journal keeps.
 *
 * @throws PalimpsestError `INVALID_ONTOLOGY`: an inverse that is declared itself, a symmetric
 * predicate of cardinality `one` or with an inverse, an event of cardinality `one`.
 */
export function readOntology(definition: OntologyDefinition): ReadonlyMap<string, PredicateRecord> {
  const { predicates } = check(OntologySchema, definition, 'ontology');
  const out = new Map<string, PredicateRecord>();
  const inverses = new Set<string>();
  for (const [predicate, d] of Object.entries(predicates)) {
    const field = `ontology.predicates.${predicate}`;
    const symmetric = d.symmetric ?? false;
    const kind = d.kind ?? 'state';
    if (symmetric && (d.cardinality === 'one' || d.inverse !== undefined)) {
      throw invalid(field, 'A symmetric predicate is `many` and has no inverse.');
    }
    if (kind === 'event' && d.cardinality === 'one') {
      throw invalid(field, 'Events never supersede one another, so their cardinality is `many`.');
    }
    if (d.inverse !== undefined) {
      if (d.inverse in predicates || inverses.has(d.inverse)) {
        throw invalid(`${field}.inverse`, `${d.inverse} is declared twice.`);
      }
      inverses.add(d.inverse);
    }
    out.set(predicate, {
      cardinality: symmetric || kind === 'event' ? 'many' : (d.cardinality ?? 'many'),
      kind,
      subject: d.subject ?? null,
      object: objectRecord(d.object),
      inverse: d.inverse ?? null,
      symmetric,
      description: d.description ?? null,
      normalise: d.normalise ?? 'exact',
      staleAfter: d.staleAfter === undefined ? null : ageInMs(d.staleAfter),
    });
  }
  return out;
}

const invalid = (field: string, message: string): PalimpsestError =>
  new PalimpsestError('INVALID_ONTOLOGY', message, { field });
