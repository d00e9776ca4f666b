import { EntityInputSchema } from '../memory/names.js';
import type { Draft, VerbOutcome } from '../memory/write/draft.js';
import { draftClaim } from '../memory/write/claim.js';
import { draftEnd } from '../memory/write/end.js';
import { draftCorrect } from '../memory/write/correct.js';
import { SAME_AS } from '../memory/write/same-as.js';
import { AssertInputSchema, CorrectInputSchema, EndInputSchema } from '../memory/write/input.js';
import { visibleFact } from '../memory/read/why.js';
import { check } from '../model/check.js';
import { PalimpsestError } from '../model/errors.js';
import { isFactId } from '../model/ids.js';
import { overlaps } from '../model/interval.js';
import { LIMITS } from '../model/text.js';
import { entitiesMeant } from '../memory/names.js';
import type { ExtractedCandidate } from './candidate.js';
import type { SessionEvent } from './event.js';
import { readsLikeOrders } from './injection.js';
import type { Refusal } from './job.js';
import type { ResolvedTimes } from './times.js';

/** A candidate whose event, quote and times have been found. */
export interface Verified {
  readonly candidate: ExtractedCandidate;
  /** Position among the candidates of the extraction. */
  readonly position: number;
  readonly event: SessionEvent;
  readonly times: ResolvedTimes;
  /** Its words read like orders to a model: it is kept as a quotation without authority. */
  readonly ordering: boolean;
}

const folded = (text: string): string => text.normalize('NFKC').replace(/\s+/gu, ' ').trim();

/** Whether the words stand in the text, white space folded. */
export const standsIn = (quote: string, text: string): boolean => {
  const words = folded(quote);
  return words !== '' && folded(text).includes(words);
};

export const refusal = (candidate: number, code: string, reason: string): Refusal => ({
  candidate,
  code,
  reason,
});

/** What can be checked of a candidate without the memory: its event, its quote, its limits. */
export function checkCandidate(
  candidate: ExtractedCandidate,
  position: number,
  events: ReadonlyMap<number, SessionEvent>,
): SessionEvent | Refusal {
  const event = events.get(candidate.seq);
  if (event === undefined) {
    return refusal(
      position,
      'NO_EVENT',
      `There is no event ${candidate.seq} among those it was shown.`,
    );
  }
  if (event.role === 'system') {
    return refusal(position, 'ROLE', 'A system message claims nothing about the world.');
  }
  if (!standsIn(candidate.quote, event.text)) {
    return refusal(position, 'QUOTE', 'The quote does not stand in the event.');
  }
  const { subject, predicate, object, statement, quote } = candidate;
  for (const [field, value, limit] of [
    ['subject', subject, LIMITS.name],
    ['predicate', predicate, LIMITS.name],
    ['object', object ?? '', LIMITS.text],
    ['statement', statement ?? '', LIMITS.text],
    ['quote', quote, LIMITS.text],
  ] as const) {
    if (value.length > limit) return refusal(position, 'TOO_LARGE', `Its ${field} is too long.`);
  }
  return event;
}

/** The verb that a verified candidate asks for; a refusal by the memory is recorded, not thrown. */
export function draftVerified(
  draft: Draft,
  verified: Verified,
  extractor: string,
  refused: Refusal[],
): VerbOutcome {
  try {
    return draft.attempt(() => draftCandidate(draft, verified, extractor));
  } catch (error) {
    if (!PalimpsestError.isInstance(error)) throw error;
    // The message of an error names fields, and may name what was said: only the code is kept.
    refused.push(refusal(verified.position, error.code, reasonFor(error)));
    return { claims: [], noEffect: null };
  }
}

const reasonFor = (error: PalimpsestError): string =>
  error.field === undefined ? 'The memory refuses it.' : `The memory refuses its ${error.field}.`;

function draftCandidate(draft: Draft, v: Verified, extractor: string): VerbOutcome {
  const { candidate: c, event, times } = v;
  const evidence = [
    {
      session: event.session,
      seq: event.seq,
      role: event.role,
      quote: c.quote,
      ...(event.at === null ? {} : { at: event.at }),
    },
  ];
  const said = {
    evidence,
    ...(c.confidence === null ? {} : { confidence: Math.min(1, Math.max(0, c.confidence)) }),
    ...(c.statement === null ? {} : { statement: c.statement }),
    ...(v.ordering ? { authority: 0 } : {}),
    extractor,
  };
  const target = c.target === null ? null : checkTarget(draft, v);
  if (c.action === 'merge') {
    return draftClaim(
      draft,
      check(AssertInputSchema, {
        subject: subjectOf(c),
        predicate: SAME_AS,
        object: { entity: c.object, ...(c.subjectType === null ? {} : { type: c.subjectType }) },
        ...said,
      }),
      'Two names of one thing, if somebody agrees.',
    );
  }
  if (c.action === 'end') {
    return draftEnd(
      draft,
      check(EndInputSchema, {
        ...(target === null
          ? { subject: c.subject, predicate: c.predicate, ...objectOf(c) }
          : { fact: target }),
        at: times.to ?? times.from ?? event.at ?? draft.now,
        ...said,
      }),
    );
  }
  const claim = {
    subject: subjectOf(c),
    predicate: c.predicate,
    ...objectOf(c),
    ...(times.from === null ? {} : { validFrom: times.from }),
    ...(times.to === null ? {} : { validTo: times.to }),
    ...said,
  };
  if (c.action === 'correct' && target !== null) {
    return draftCorrect(draft, check(CorrectInputSchema, { was: target, ...claim }));
  }
  const polarity = c.action === 'deny' ? ('deny' as const) : ('assert' as const);
  return draftClaim(
    draft,
    check(AssertInputSchema, { ...claim, polarity }),
    v.ordering ? 'Its words read like orders to a model.' : null,
  );
}

const subjectOf = (c: ExtractedCandidate): unknown =>
  c.subjectType === null ? c.subject : { name: c.subject, type: c.subjectType };

function objectOf(c: ExtractedCandidate): { readonly object?: unknown } {
  if (c.object === null) return c.action === 'deny' ? { object: '*' } : {};
  switch (c.objectKind) {
    case 'entity':
      return {
        object: { entity: c.object, ...(c.objectType === null ? {} : { type: c.objectType }) },
      };
    case 'number':
      return { object: Number(c.object) };
    case 'boolean':
      return { object: c.object.trim().toLowerCase() === 'true' };
    case 'date':
      return { object: { instant: c.object } };
    case 'string':
    case null:
      return { object: c.object };
  }
}

/** A fact that is named must exist, be visible, be of the same subject and overlap. */
function checkTarget(draft: Draft, { candidate: c, times }: Verified): string {
  const id = c.target ?? '';
  const refuse = (reason: string): PalimpsestError =>
    new PalimpsestError('NOT_FOUND', reason, { field: 'target' });
  if (!isFactId(id)) throw refuse('The target is no id of a fact.');
  const { index, visible } = draft;
  const fact = visibleFact(draft.space, draft.place, id, index.lastTx);
  if (fact.reason !== null) throw refuse('The target is not believed any more.');
  const entity = check(EntityInputSchema, c.subject, 'subject');
  if (!entitiesMeant(index, entity, visible, index.lastTx).includes(fact.subject)) {
    throw refuse('The target is about something else.');
  }
  const from = times.fromAt;
  const to = times.toAt;
  if (
    from !== null &&
    to !== null &&
    !overlaps({ from, to }, { from: fact.validFrom, to: fact.validTo })
  ) {
    throw refuse('The target holds at another time.');
  }
  return id;
}

export const isOrdering = (candidate: ExtractedCandidate): boolean =>
  readsLikeOrders(candidate.quote) || readsLikeOrders(candidate.statement ?? '');
