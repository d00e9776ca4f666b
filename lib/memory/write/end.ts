import { PalimpsestError } from '../../model/errors.js';
import { readInstant } from '../../model/instant.js';
import { BEGIN, FOREVER } from '../../model/interval.js';
import { scopeOfKey } from '../../model/scope.js';
import { termOfKey } from '../../model/term.js';
import type { ResidentFact } from '../../store/resident/facts.js';
import { entityId } from '../present.js';
import { entitiesMeant, objectsMeant } from '../names.js';
import { visibleFact } from '../read/why.js';
import { draftClaim, readPredicate, targetScope } from './claim.js';
import { takeOut } from './retract.js';
import type { Draft, VerbOutcome } from './draft.js';
import type { EndInputSchema, Saying } from './input.js';
import type { z } from 'zod';

/**
 * Says that what holds ends at an instant. A fact that has begun by then is denied from there on; a
 * plan that is called off before it begins never held, so its claims are taken out.
 *
 * @throws PalimpsestError `NOT_FOUND` when nothing reaches beyond that instant.
 */
export function draftEnd(draft: Draft, input: z.output<typeof EndInputSchema>): VerbOutcome {
  const { fact, subject, predicate, object, at: atInput, ...said } = input;
  const { timeZone } = draft.settings;
  const at = readInstant(atInput, { timeZone, field: 'at' });
  const candidates = (
    fact === undefined
      ? factsOf(draft, subject, predicate, object)
      : [visibleFact(draft.space, draft.place, fact, draft.index.lastTx)]
  ).filter((row) => row.validTo > at.at);
  const begun = candidates.filter((row) => row.validFrom < at.at);
  const planned = candidates.filter((row) => row.validFrom >= at.at);
  if (begun.length > 0) {
    const outcomes = begun.map((row) =>
      draftClaim(draft, denial(draft, row, { ...said, validFrom: atInput })),
    );
    return joinOutcomes(outcomes);
  }
  if (planned.length === 0) {
    throw new PalimpsestError(
      'NOT_FOUND',
      'Nothing is believed that goes on beyond that instant.',
      {
        field: fact === undefined ? 'subject' : 'fact',
        hint: 'Look at `facts` and `history` for what is believed.',
      },
    );
  }
  for (const row of planned) takeOut(draft, row.id, 'fact');
  return { claims: [], noEffect: null };
}

function factsOf(
  draft: Draft,
  subject: z.output<typeof EndInputSchema>['subject'],
  predicate: string | undefined,
  object: unknown,
): readonly ResidentFact[] {
  if (subject === undefined || predicate === undefined) {
    throw new PalimpsestError('INVALID_INPUT', 'end takes a fact, or a subject and a predicate.', {
      field: 'fact',
    });
  }
  const { index, visible, settings } = draft;
  const { lastTx } = index;
  // Only what the handle's own scope believes: to end what a broader scope says, name the fact.
  const scopes = [visible[0] ?? ''];
  const { predicate: stored, swap, record } = readPredicate(draft, predicate);
  const near = entitiesMeant(index, subject, scopes, lastTx).map((id) => `e:${id}`);
  const far =
    object === undefined
      ? undefined
      : objectsMeant(
          index,
          object,
          swap ? { ...record, object: null } : record,
          scopes,
          lastTx,
          settings.timeZone,
        );
  const from = (subjects: readonly string[] | undefined, objects: readonly string[] | undefined) =>
    index.rows({
      scopes,
      predicates: [stored],
      ...(subjects === undefined
        ? {}
        : { subjects: subjects.filter(isEntityKey).map((key) => key.slice(2)) }),
      ...(objects === undefined ? {} : { objects }),
      valid: { from: BEGIN, to: FOREVER },
      known: lastTx,
      polarity: 'assert',
    });
  if (swap) return from(far, near);
  const found = from(near, far);
  if (!record.symmetric) return found;
  const seen = new Set(found.map((row) => row.row));
  return [...found, ...from(far, near).filter((row) => !seen.has(row.row))];
}

const isEntityKey = (key: string): boolean => key.startsWith('e:');

function denial(
  draft: Draft,
  row: ResidentFact,
  said: Omit<Saying, 'subject' | 'predicate' | 'object' | 'polarity'>,
): Saying {
  return {
    subject: { id: entityId(row.subject) },
    predicate: row.predicate,
    object: objectInput(row),
    polarity: 'deny',
    ...(row.instance === null ? {} : { instance: row.instance }),
    ...said,
    to: targetScope(draft, scopeOfKey(row.scope)),
  };
}

/** The object of a fact in the form that a claim is given in. */
export function objectInput(row: { readonly shown: string }): unknown {
  const term = termOfKey(row.shown);
  switch (term.kind) {
    case 'entity':
      return { id: term.id };
    case 'instant':
      return { instant: term.at, precision: term.precision };
    case 'json':
      return { json: term.value };
    case 'any':
      return '*';
    default:
      return term.value;
  }
}

const joinOutcomes = (outcomes: readonly VerbOutcome[]): VerbOutcome => ({
  claims: outcomes.flatMap((o) => o.claims),
  noEffect: outcomes.length === 1 ? (outcomes[0]?.noEffect ?? null) : null,
});
