import { z } from 'zod';
import { PalimpsestError } from '../model/errors.js';
import { isEntityId } from '../model/ids.js';
import { readInstant } from '../model/instant.js';
import { PREFIX, NONE } from '../store/resident/tables.js';
import {
  entitiesNamed,
  entityIdOf,
  entityOfId,
  joinedWith,
  lastNaming,
} from '../store/resident/entities.js';
import type { BeliefIndex } from '../store/resident/index.js';
import { equalityKey, termKey } from '../model/term.js';
import { canonicalJson } from '../model/canonical.js';
import { check } from '../model/check.js';
import { ensureJson } from './json.js';
import { name, normaliseName, text } from '../model/text.js';
import type { PredicateRecord } from '../model/ontology.js';
import { InstantInputSchema } from '../model/instant.js';
import { PRECISIONS } from '../model/precision.js';

const idShape = z.string().refine(isEntityId, { error: 'is no id of an entity' });

/** An entity as answers give it, with all that they say of it. */
const answered = z.strictObject({
  id: idShape,
  type: z.string().optional(),
  name: z.string().optional(),
  scope: z.unknown().optional(),
  distinct: z.unknown().optional(),
  names: z.unknown().optional(),
  merged: z.unknown().optional(),
});

/** An entity as callers name it; answers may be handed back as they are. */
export const EntityInputSchema = z.union([
  name(),
  z.preprocess(
    entityShape,
    z.union([
      answered,
      z.strictObject({ name: name(), type: name().optional(), distinct: name().optional() }),
    ]),
  ),
]);
export type NamedEntity = z.output<typeof EntityInputSchema>;

export const ObjectInputSchema = z.union([
  text(),
  z.number().finite(),
  z.boolean(),
  z.date(),
  answered,
  z.strictObject({ entity: name(), type: name().optional(), distinct: name().optional() }),
  z.strictObject({ instant: InstantInputSchema, precision: z.enum(PRECISIONS).optional() }),
  z.strictObject({ json: z.unknown() }),
]);

/**
 * Ids of the entities that a read means: by id or by name, in every visible scope, joined across
 * them, as known at a transaction. Empty when there is none.
 */
export const entitiesMeant = (
  index: BeliefIndex,
  input: NamedEntity,
  scopes: readonly string[],
  known: number,
): readonly string[] => meant(index, input, scopes, known).ids;

/** The same, with the numbers of the entities in the tables. */
export function meant(
  index: BeliefIndex,
  input: NamedEntity,
  scopes: readonly string[],
  known: number,
): Meant {
  const { tables } = index;
  // Where entities were merged, a name may have meant another one at each of many transactions.
  if (typeof input !== 'string' || tables.side.canonicals.size > 0) {
    return inNumbers(index, rowsMeant(index, input, scopes, known));
  }
  const norm = normaliseName(input);
  const before = tables.meanings.get(norm, scopes, known);
  if (before !== undefined) return before;
  const rows = rowsMeant(index, input, scopes, known);
  const found = inNumbers(index, rows);
  const since = lastNaming(tables, scopes, input);
  // An alias means what has another name, and may be joined with what gets that name later.
  const own = tables.texts.find(PREFIX.norm + norm);
  const isOwn = [...rows].every((row) => tables.entity.norm.get(row) === own);
  if (rows.size > 0 && isOwn && since <= known) {
    tables.meanings.set(norm, { ...found, scopes, since });
  }
  return found;
}

/** Entities by id, and by the number of it in the tables. */
export interface Meant {
  readonly ids: readonly string[];
  readonly terms: readonly number[];
}

function inNumbers({ tables }: BeliefIndex, rows: Iterable<number>): Meant {
  const terms = [...rows].map((row) => tables.entity.term.get(row));
  return { ids: terms.map((term) => entityIdOf(tables, term)), terms };
}

function rowsMeant(
  index: BeliefIndex,
  input: NamedEntity,
  scopes: readonly string[],
  known: number,
): ReadonlySet<number> {
  const { tables } = index;
  const { entity } = tables;
  const rows = new Set<number>();
  if (typeof input === 'object' && 'id' in input) {
    const row = entityOfId(tables, input.id, known);
    if (row === NONE || !scopes.includes(scopeText(index, row))) return rows;
    rows.add(row);
    for (const other of joinedWith(tables, row, scopes, known)) rows.add(other);
  } else {
    const wanted = typeof input === 'string' ? { name: input } : input;
    const type = wanted.type === undefined ? null : tables.texts.find(PREFIX.type + wanted.type);
    const distinct =
      wanted.distinct === undefined ? null : tables.texts.find(PREFIX.distinct + wanted.distinct);
    const lived = scopes.filter((s) => tables.texts.findWith(PREFIX.scope, s) !== NONE);
    for (const scope of lived) {
      const isMeant = (row: number): boolean =>
        (type === null || entity.type.get(row) === type) &&
        (distinct === null || entity.distinct.get(row) === distinct);
      for (const row of entitiesNamed(tables, scope, wanted.name, known, isMeant)) {
        rows.add(row);
        if (lived.length > 1) {
          for (const other of joinedWith(tables, row, lived, known)) rows.add(other);
        }
      }
    }
  }
  return rows;
}

const scopeText = (index: BeliefIndex, row: number): string =>
  index.tables.texts.text(index.tables.entity.scope.get(row)).slice(PREFIX.scope.length);

/** Equality keys of the objects that a read means; several when an entity stands in several scopes. */
export function objectsMeant(
  index: BeliefIndex,
  input: unknown,
  record: PredicateRecord,
  scopes: readonly string[],
  known: number,
  timeZone: string,
): readonly string[] {
  const byEntity = (entity: NamedEntity): readonly string[] =>
    entitiesMeant(index, entity, scopes, known).map((id) => `e:${id}`);
  const declared = record.object;
  if (declared !== null && 'entity' in declared) {
    const object = check(EntityInputSchema, input, 'object');
    return byEntity(typeof object === 'string' ? { name: object, type: declared.entity } : object);
  }
  if (declared !== null && 'instant' in declared) {
    const point = readInstant(instantShape(input), { timeZone, field: 'object' });
    return [termKey({ kind: 'instant', at: point.at, precision: point.precision })];
  }
  if (declared !== null && typeof input === 'object' && input !== null && !('id' in input)) {
    ensureJson(input, 'object', 'INVALID_OBJECT');
    return [`j:${canonicalJson('json' in input ? input.json : input, 'object')}`];
  }
  const object = check(ObjectInputSchema, input, 'object');
  switch (typeof object) {
    case 'string': {
      const literal = equalityKey(termKey({ kind: 'string', value: object }), record.normalise);
      return declared === null ? [literal, ...byEntity(object)] : [literal];
    }
    case 'number':
      return [termKey({ kind: 'number', value: object })];
    case 'boolean':
      return [termKey({ kind: 'boolean', value: object })];
    default:
      break;
  }
  if (object instanceof Date || 'instant' in object) {
    const point = readInstant(instantShape(object), { timeZone, field: 'object' });
    return [termKey({ kind: 'instant', at: point.at, precision: point.precision })];
  }
  if ('json' in object) {
    ensureJson(object.json, 'object.json', 'INVALID_OBJECT');
    return [`j:${canonicalJson(object.json, 'object')}`];
  }
  if ('id' in object) return byEntity(object);
  return byEntity({ name: object.entity, type: object.type, distinct: object.distinct });
}

/** `{ entity: 'Ana' }` means the same as `{ name: 'Ana' }` where an entity is expected. */
function entityShape(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || !('entity' in input)) return input;
  const { entity: entityName, ...rest } = input;
  return { ...rest, name: entityName };
}

/** `{ instant, precision }`, as answers give it, in the form that instants are read in. */
export function instantShape(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || !('instant' in input)) return input;
  const precision: unknown = 'precision' in input ? input.precision : undefined;
  return precision === undefined ? input.instant : { at: input.instant, precision };
}

export const notFound = (what: string, field: string): PalimpsestError =>
  new PalimpsestError('NOT_FOUND', `There is no ${what} that this scope can see.`, { field });
