import { fieldsOf } from '../secrets/fields.js';
import type { FieldText } from '../secrets/secrets.js';
import type { Entry } from '../model/entry.js';

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
        if (claim.scope !== scope) yield* fieldsOf(claim.scope, 'scope');
        scope = claim.scope;
        break;
      }
      case 'entity':
        yield ['name', entry.name];
        yield ['type', entry.type];
        if (entry.distinct !== undefined) yield ['distinct', entry.distinct];
        break;
      case 'alias':
        yield ['name', entry.name];
        break;
      case 'settings':
        for (const [name, record] of Object.entries(entry.predicates ?? {})) {
          yield ['ontology.predicates', name];
          if (record.description !== null) yield ['ontology.description', record.description];
        }
        break;
      default:
        break;
    }
  }
}

function objectOf(object: Extract<Entry, { op: 'claim' }>['claim']['object']): unknown {
  if ('string' in object) return object.string;
  if ('number' in object) return object.number;
  return 'json' in object ? object.json : undefined;
}
