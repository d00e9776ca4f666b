import type { Draft } from '../memory/write/draft.js';
import type { ExtractedCandidate } from './candidate.js';
import type { Verified } from './check-candidate.js';
import { named, type NewTypes } from './naming.js';
import { Refused } from './refused.js';

const TRUE = /^(?:true|yes|是|对)$/iu;
const FALSE = /^(?:false|no|否|不是)$/iu;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/iu;
const GROUPED = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/u;

/** The object of a candidate in the form that verbs read, by what kind of thing it says it is. */
export function objectOf(
  draft: Draft,
  { candidate: c, times }: Verified,
  types: NewTypes,
): { readonly object?: unknown } {
  if (c.object === null) return c.action === 'deny' || c.action === 'end' ? anything(c) : {};
  const text = c.object.trim();
  switch (c.objectKind) {
    case 'entity':
      return { object: entityObject(named(draft, c.object, c.objectType, types)) };
    case 'number': {
      const plain = GROUPED.test(text) ? text.replaceAll(',', '') : text;
      if (!NUMBER.test(plain)) throw new Refused('VALUE', 'Its object is no number.');
      return { object: Number(plain) };
    }
    case 'boolean':
      if (!TRUE.test(text) && !FALSE.test(text)) {
        throw new Refused('VALUE', 'Its object is neither true nor false.');
      }
      return { object: TRUE.test(text) };
    case 'date':
      if (times.object === null) throw new Refused('VALUE', 'Its object is no date.');
      return { object: { instant: times.object.at, precision: times.object.precision } };
    case 'string':
    case null:
      return { object: c.object };
  }
}

export const entityObject = (entity: ReturnType<typeof named>): unknown => {
  if ('id' in entity) return entity;
  const { name, ...type } = entity;
  return { entity: name, ...type };
};

/** Without an object everything of the predicate is denied; what ends is looked up without one. */
const anything = (c: ExtractedCandidate): { readonly object?: unknown } =>
  c.action === 'deny' ? { object: '*' } : {};
