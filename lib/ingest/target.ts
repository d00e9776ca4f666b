import { EntityInputSchema, entitiesMeant, objectsMeant } from '../memory/names.js';
import { readPredicate } from '../memory/write/claim.js';
import type { Draft } from '../memory/write/draft.js';
import { check } from '../model/check.js';
import { isFactId } from '../model/ids.js';
import { BEGIN, FOREVER, overlaps } from '../model/interval.js';
import type { PredicateRecord } from '../model/ontology.js';
import { scopeKey } from '../model/scope.js';
import type { ExtractedCandidate } from './candidate.js';
import type { Verified } from './check-candidate.js';
import type { NewTypes } from './naming.js';
import { objectOf } from './object.js';
import { Refused } from './refused.js';
import type { ResolvedTimes } from './times.js';

/** The fact that a candidate is about, and what is done to it. */
export interface Aim {
  readonly fact: string;
  readonly action: ExtractedCandidate['action'];
  /** Of a plan that moves: its end, where it is not kept. */
  readonly validTo?: 'ongoing' | 'unknown';
}

/**
 * A fact that is named must exist, be visible, be of the same subject and overlap. A plan whose start
 * moves is corrected, and one that is called off is ended before it began: neither is a second claim.
 */
export function aimOf(draft: Draft, verified: Verified, types: NewTypes): Aim {
  const { candidate: c, times, event } = verified;
  const id = (c.target ?? '').trim();
  const { index, visible } = draft;
  const fact = isFactId(id) ? index.factById(id) : null;
  if (fact === null || fact.polarity === 'deny' || !visible.includes(fact.scope)) {
    throw new Refused('TARGET', 'There is no such fact that this scope can see.');
  }
  if (fact.reason !== null) throw new Refused('TARGET', 'The target is not believed any more.');
  const entity = check(EntityInputSchema, c.subject, 'subject');
  const meant = entitiesMeant(index, entity, visible, index.lastTx);
  const { swap, record } = readPredicate(draft, c.predicate);
  const ends = swap
    ? meant.map((e) => `e:${e}`).includes(fact.shown)
    : meant.includes(fact.subject);
  if (!ends) throw new Refused('TARGET', 'The target is about something else.');
  const isPlan = fact.validFrom > (event.at ?? draft.now);
  if (isPlan && c.action === 'update' && times.fromAt !== null) {
    const isMoved = times.fromAt !== fact.validFrom && isObject(draft, verified, types, fact);
    if (isMoved) return { fact: id, action: 'correct', ...movedEnd(record, times, fact) };
  }
  const isCalledOff = c.action === 'deny' && isPlan && isObject(draft, verified, types, fact);
  const action = isCalledOff ? 'end' : c.action;
  if (!meets(action, { ...times, said: event.at }, fact)) {
    throw new Refused('TARGET', 'The target holds at another time.');
  }
  return { fact: id, action };
}

/** Plans of the scope's own that somebody denies without naming them ("we do not move after all"). */
export function plansDenied(draft: Draft, verified: Verified, types: NewTypes): readonly string[] {
  const { candidate: c, times, event } = verified;
  const { swap } = readPredicate(draft, c.predicate);
  if (c.action !== 'deny' || c.object === null || times.from !== null || swap) return [];
  const { index, place } = draft;
  const scopes = [scopeKey(place.scope)];
  const subjects = entitiesMeant(
    index,
    check(EntityInputSchema, c.subject, 'subject'),
    scopes,
    index.lastTx,
  );
  if (subjects.length === 0) return [];
  const from = event.at ?? draft.now;
  return index
    .rows({
      scopes,
      subjects,
      predicates: [c.predicate],
      valid: { from, to: FOREVER },
      known: index.lastTx,
      polarity: 'assert',
    })
    .filter((row) => row.validFrom > from && isObject(draft, verified, types, row))
    .map((row) => row.id);
}

/** Whether a candidate speaks of the object that a fact has, or of whatever it is. */
function isObject(
  draft: Draft,
  verified: Verified,
  types: NewTypes,
  fact: { readonly subject: string; readonly object: string },
): boolean {
  const { index, visible, settings } = draft;
  const { swap, record } = readPredicate(draft, verified.candidate.predicate);
  const { object } = objectOf(draft, verified, types);
  if (object === undefined || object === '*') return true;
  const read = swap ? { ...record, object: null } : record;
  const meant = objectsMeant(index, object, read, visible, index.lastTx, settings.timeZone);
  return meant.includes(swap ? `e:${fact.subject}` : fact.object);
}

/** An end that was planned is kept while it lies beyond the new start; an event has none. */
function movedEnd(
  record: PredicateRecord,
  { fromAt, toAt }: ResolvedTimes,
  fact: { readonly validTo: number },
): Pick<Aim, 'validTo'> {
  if (record.kind === 'event') return { validTo: 'ongoing' };
  const isPast = toAt === null && fact.validTo !== FOREVER && fact.validTo <= (fromAt ?? BEGIN);
  return isPast ? { validTo: 'unknown' } : {};
}

/** A correction may move what it corrects; what ends must not have ended; the rest overlaps. */
function meets(
  action: ExtractedCandidate['action'],
  { fromAt, toAt, said }: Pick<ResolvedTimes, 'fromAt' | 'toAt'> & { readonly said: number | null },
  fact: { readonly validFrom: number; readonly validTo: number },
): boolean {
  if (action === 'correct') return true;
  if (action === 'end') return (toAt ?? fromAt ?? said ?? BEGIN) < fact.validTo;
  const own = { from: fromAt ?? BEGIN, to: toAt ?? FOREVER };
  return overlaps(own, { from: fact.validFrom, to: fact.validTo });
}
