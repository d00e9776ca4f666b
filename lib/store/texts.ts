import { fieldsOf } from '../secrets/fields.js';
import type { FieldText } from '../secrets/secrets.js';
import type { EntityRecord, Entry } from '../model/entry.js';

/** Everything in a draft that somebody wrote, by field: what must hold no credential. */
export function* textsOf(draft: {
  readonly entries: readonly Entry[];
  readonly reason?: string | undefined;
  readonly actor?: string | undefined;
}): Iterable<FieldText> {
  if (draft.reason !== undefined) yield ['reason', draft.reason];
  if (draft.actor !== undefined) yield ['actor', draft.actor];
  let scope: unknown = null;
  for (const entry of draft.entries) {
    switch (entry.op) {
      case 'claim':
      case 'hold': {
        const { claim } = entry;
        const { predicate, statement, instance, properties, evidence, extractor } = claim;
        yield* fieldsOf({
          predicate,
          object: objectOf(claim.object),
          statement,
          instance,
          properties,
          evidence: evidence?.map((e) => ({ session: e.session, quote: e.quote })),
          extractor,
        });
        if (claim.key !== undefined) yield ['key', claim.key];
        if (entry.op === 'hold') {
          yield ['why', entry.why];
          for (const entity of entry.entities ?? []) yield* textsOfEntity(entity);
        }
        if (claim.scope !== scope) yield* fieldsOf(claim.scope, 'scope');
        scope = claim.scope;
        break;
      }
      case 'entity':
        yield* textsOfEntity(entry);
        break;
      case 'alias':
        yield ['name', entry.name];
        break;
      case 'settings':
        for (const [name, record] of Object.entries(entry.predicates ?? {})) {
          yield ['ontology.predicates', name];
          yield* fieldsOf(record, 'ontology');
        }
        break;
      case 'erased':
        for (const session of entry.sessions) yield ['session', session];
        break;
      default:
        break;
    }
  }
}

function* textsOfEntity({ name, type, distinct, scope }: EntityRecord): Iterable<FieldText> {
  yield ['name', name];
  yield ['type', type];
  if (distinct !== undefined) yield ['distinct', distinct];
  yield* fieldsOf(scope, 'scope');
}

function objectOf(object: Extract<Entry, { op: 'claim' }>['claim']['object']): unknown {
  if ('string' in object) return object.string;
  if ('number' in object) return object.number;
  return 'json' in object ? object.json : undefined;
}
