import { PalimpsestError } from '../../model/errors.js';
import type { TermRecord } from '../../model/entry.js';
import { readInstant } from '../../model/instant.js';
import type { PredicateRecord } from '../../model/ontology.js';
import type { Scope } from '../../model/scope.js';
import { check } from '../../model/check.js';
import { EntityInputSchema, instantShape, ObjectInputSchema } from '../names.js';
import type { Draft } from './draft.js';
import { ensureJson } from '../json.js';
import { when } from './times.js';

/**
 * The object of a claim, by what its predicate declares.
 *
 * @throws PalimpsestError `INVALID_OBJECT`, `TOO_LARGE`, `INVALID_INSTANT`, and as for entities.
 */
export function readObject(
  draft: Draft,
  scope: Scope,
  predicate: string,
  record: PredicateRecord,
  input: unknown,
): TermRecord {
  const { timeZone } = draft.settings;
  const declared = record.object;
  if (declared !== null && 'entity' in declared) {
    const named = check(EntityInputSchema, input, 'object');
    return { entity: draft.entity(scope, named, declared.entity, 'object') };
  }
  if (declared !== null && 'instant' in declared) {
    return { instant: when(readInstant(instantShape(input), { timeZone, field: 'object' })) };
  }
  const schema = draft.space.code.get(predicate)?.object ?? null;
  if (schema !== null) return literal(check(schema, input, 'object'));
  const object = check(ObjectInputSchema, input, 'object');
  if (typeof object !== 'object') return literal(object);
  if (object instanceof Date || 'instant' in object) {
    return { instant: when(readInstant(instantShape(object), { timeZone, field: 'object' })) };
  }
  if ('json' in object) return json(object.json);
  if ('id' in object) return { entity: draft.entity(scope, object, null, 'object') };
  const named = { name: object.entity, type: object.type, distinct: object.distinct };
  return { entity: draft.entity(scope, named, null, 'object') };
}

function literal(value: unknown): TermRecord {
  ensureJson(value, 'object', 'INVALID_OBJECT');
  switch (typeof value) {
    case 'string':
      if (value.trim() === '') throw invalid('is empty');
      return { string: value.normalize('NFC').trim() };
    case 'number':
      return { number: value };
    case 'boolean':
      return { boolean: value };
    default:
      return { json: value };
  }
}

function json(value: unknown): TermRecord {
  ensureJson(value, 'object.json', 'INVALID_OBJECT');
  return { json: value };
}

const invalid = (what: string): PalimpsestError =>
  new PalimpsestError('INVALID_OBJECT', `object: ${what}.`, { field: 'object' });
