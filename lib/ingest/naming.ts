import { entitiesMeant } from '../memory/names.js';
import { readPredicate } from '../memory/write/claim.js';
import type { Draft } from '../memory/write/draft.js';
import { SAME_AS } from '../model/ontology.js';
import { normaliseName } from '../model/text.js';
import { entityOfId } from '../store/resident/entities.js';
import { NONE } from '../store/resident/tables.js';
import type { ExtractedCandidate } from './candidate.js';

/** Types of names that are new, by folded name: what the ontology declares, else what was guessed. */
export type NewTypes = ReadonlyMap<string, string>;

interface Ends {
  readonly subject: string | null;
  readonly object: string | null;
}

/** What the ontology says of the two ends of an edge, in the direction in which it was said. */
function declaredEnds(draft: Draft, predicate: string): Ends {
  const { swap, record } = readPredicate(draft, predicate);
  const far = record.object !== null && 'entity' in record.object ? record.object.entity : null;
  return swap ? { subject: far, object: record.subject } : { subject: record.subject, object: far };
}

/**
 * The types of what some candidates name, so that one thing which is named twice, once with a type
 * and once without, is one entity.
 */
export function newTypes(draft: Draft, candidates: readonly ExtractedCandidate[]): NewTypes {
  const declared = new Map<string, string>();
  const guessed = new Map<string, string>();
  const note = (name: string | null, type: string | null, guess: string | null): void => {
    if (name === null) return;
    const key = normaliseName(name);
    if (type !== null && !declared.has(key)) declared.set(key, type);
    if (guess !== null && guess.trim() !== '' && !guessed.has(key)) guessed.set(key, guess);
  };
  for (const c of candidates) {
    const ends: Ends =
      c.action === 'merge' ? NOTHING_DECLARED : declaredOrNothing(draft, c.predicate);
    note(c.subject, ends.subject, c.subjectType);
    const isEntity = ends.object !== null || c.objectKind === 'entity' || c.action === 'merge';
    if (isEntity) note(c.object, ends.object, c.action === 'merge' ? c.subjectType : c.objectType);
  }
  return new Map([...guessed, ...declared]);
}

const NOTHING_DECLARED: Ends = { subject: null, object: null };

/** A predicate that is not allowed is refused when its candidate's turn comes. */
function declaredOrNothing(draft: Draft, predicate: string): Ends {
  const { predicates } = draft.settings;
  const isKnown =
    predicate === SAME_AS ||
    predicates.has(predicate) ||
    [...predicates.values()].some((record) => record.inverse === predicate);
  return isKnown ? declaredEnds(draft, predicate) : NOTHING_DECLARED;
}

/**
 * An entity that a candidate names, in the form that verbs read. One which is known by that name keeps
 * its type whatever was guessed, so that a guess makes no second thing of it.
 */
export function named(
  draft: Draft,
  name: string,
  guess: string | null,
  types: NewTypes,
): { readonly id: string } | { readonly name: string; readonly type?: string } {
  const { index, place, visible } = draft;
  const asGuessed = guess === null ? [] : draft.named(place.scope, name, guess, undefined);
  if (guess !== null && asGuessed.length > 0) return { name, type: guess };
  const own = draft.named(place.scope, name, null, undefined);
  const [one, second] = own;
  if (one !== undefined && second === undefined) {
    const isCommitted = entityOfId(index.tables, one, index.lastTx) !== NONE;
    return isCommitted ? { id: one } : { name, ...typeOf(types, name) };
  }
  const isKnown =
    own.length > 0 || entitiesMeant(index, { name }, visible, index.lastTx).length > 0;
  return isKnown ? { name } : { name, ...typeOf(types, name) };
}

function typeOf(types: NewTypes, name: string): { readonly type?: string } {
  const type = types.get(normaliseName(name));
  return type === undefined ? {} : { type };
}
