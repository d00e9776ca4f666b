import { EntityInputSchema } from '../memory/names.js';
import type { Draft, VerbOutcome } from '../memory/write/draft.js';
import { draftClaim, readPredicate } from '../memory/write/claim.js';
import { digitsOf } from '../memory/write/entities.js';
import { draftEnd } from '../memory/write/end.js';
import { draftCorrect } from '../memory/write/correct.js';
import { SAME_AS } from '../memory/write/same-as.js';
import { AssertInputSchema, CorrectInputSchema, EndInputSchema } from '../memory/write/input.js';
import { check } from '../model/check.js';
import { PalimpsestError } from '../model/errors.js';
import { isFactId } from '../model/ids.js';
import { BEGIN, FOREVER, overlaps } from '../model/interval.js';
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

/** A refusal of ours; its reason says nothing of what the candidate says. */
class Refused extends Error {
  readonly code: string;

  constructor(code: string, reason: string) {
    super(reason);
    this.code = code;
  }
}

/** How a candidate is drafted. */
export interface Drafting {
  /** Whether a claim that was withdrawn by a revert may come back: when somebody has asked for it. */
  readonly mayReturn?: boolean;
}

/** The verb that a verified candidate asks for; a refusal by the memory is recorded, not thrown. */
export function draftVerified(
  draft: Draft,
  verified: Verified,
  extractor: string,
  refused: Refusal[],
  drafting: Drafting = {},
): VerbOutcome {
  const { position } = verified;
  try {
    return draft.attempt(() => {
      const before = draft.entries.length;
      const outcome = draftCandidate(draft, verified, extractor);
      if (outcome.noEffect?.why === 'erased') {
        throw new Refused('ERASED', 'It was erased on request.');
      }
      for (const entry of draft.entries.slice(before)) checkEntry(draft, verified, entry, drafting);
      return outcome;
    });
  } catch (error) {
    if (error instanceof Refused) refused.push(refusal(position, error.code, error.message));
    // The message of an error names fields, and may name what was said: only the code is kept.
    else if (PalimpsestError.isInstance(error)) {
      refused.push(refusal(position, error.code, reasonFor(error)));
    } else throw error;
    return { claims: [], noEffect: null };
  }
}

const reasonFor = (error: PalimpsestError): string =>
  error.field === undefined || error.field === ''
    ? 'The memory refuses it.'
    : `The memory refuses its ${error.field}.`;

/** What somebody decided about a claim stands, and nobody takes back what has more authority. */
function checkEntry(
  draft: Draft,
  { event }: Verified,
  entry: Draft['entries'][number],
  { mayReturn = false }: Drafting,
): void {
  const { index, settings, space } = draft;
  const { side } = index.tables;
  if (entry.op === 'reinstate') {
    const outs = side.outs.get(index.claimRow(entry.claim)) ?? [];
    const standing = outs.filter((o) => o.until > index.lastTx && o.cause !== 'corrected');
    if (mayReturn && standing.every((o) => o.cause === 'revert')) return;
    throw new Refused('WITHDRAWN', 'It was withdrawn before.');
  }
  if ((entry.op === 'claim' || entry.op === 'hold') && side.rejected.has(entry.claim.id)) {
    throw new Refused('REJECTED', 'It was rejected in a review.');
  }
  if (entry.op === 'withdraw') {
    const origin = event.role === 'system' ? 'document' : event.role;
    const { authority } = space.store.claim(index.claimRow(entry.claim));
    if (authority > settings.authority[origin]) {
      throw new Refused('AUTHORITY', 'It takes back what has more authority.');
    }
  }
}

const ORDERS = 'Its words read like orders to a model.';

function draftCandidate(draft: Draft, v: Verified, extractor: string): VerbOutcome {
  const { candidate: c, event, times } = v;
  const said = {
    evidence: [
      {
        session: event.session,
        seq: event.seq,
        role: event.role,
        quote: c.quote,
        ...(event.at === null ? {} : { at: event.at }),
      },
    ],
    ...(c.confidence === null ? {} : { confidence: Math.min(1, Math.max(0, c.confidence)) }),
    ...(c.statement === null || c.statement.trim() === '' ? {} : { statement: c.statement }),
    ...(v.ordering ? { authority: 0 } : {}),
    extractor,
  };
  const target = c.target === null || c.target.trim() === '' ? null : checkTarget(draft, v);
  if (c.action === 'merge') return draftProposal(draft, c, said);
  const isEnd = c.action === 'end';
  const at = times.to ?? times.from ?? event.at ?? draft.now;
  if (isEnd && !v.ordering) {
    const what =
      target === null
        ? { subject: c.subject, predicate: c.predicate, ...objectOf(v) }
        : { fact: target };
    return draftEnd(draft, check(EndInputSchema, { ...what, at, ...said }));
  }
  const claim = {
    subject: subjectOf(c),
    predicate: c.predicate,
    ...objectOf(v),
    ...(isEnd ? { validFrom: at } : times.from === null ? {} : { validFrom: times.from }),
    ...(isEnd || times.to === null ? {} : { validTo: times.to }),
    ...(!isEnd && times.endUnclear ? { validTo: 'unknown' } : {}),
    ...said,
  };
  if (c.action === 'correct' && target !== null && !v.ordering) {
    return draftCorrect(draft, check(CorrectInputSchema, { was: target, ...claim }));
  }
  const polarity = c.action === 'deny' || isEnd ? ('deny' as const) : ('assert' as const);
  const input = check(AssertInputSchema, { ...claim, polarity });
  return draftClaim(draft, input, v.ordering ? ORDERS : null);
}

/** Two names of one thing: never more than a proposal. */
function draftProposal(
  draft: Draft,
  c: ExtractedCandidate,
  said: Readonly<Record<string, unknown>>,
): VerbOutcome {
  const other = c.object ?? '';
  if (digitsOf(c.subject) !== digitsOf(other)) {
    throw new Refused('DIGITS', 'Names whose digits differ are never one.');
  }
  const type = c.subjectType === null ? {} : { type: c.subjectType };
  const input = check(AssertInputSchema, {
    subject: subjectOf(c),
    predicate: SAME_AS,
    object: { entity: other, ...type },
    ...said,
  });
  const before = draft.entries.length;
  const outcome = draftClaim(draft, input, 'Two names of one thing, if somebody agrees.');
  for (const entry of draft.entries.slice(before)) {
    if (entry.op !== 'hold' || !('entity' in entry.claim.object)) continue;
    if (entry.claim.object.entity === entry.claim.subject) {
      throw new Refused('SAME', 'The two names are of one entity already.');
    }
  }
  return outcome;
}

const subjectOf = (c: ExtractedCandidate): unknown =>
  c.subjectType === null ? c.subject : { name: c.subject, type: c.subjectType };

const TRUE = /^(?:true|yes|是|对)$/iu;
const FALSE = /^(?:false|no|否|不是)$/iu;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/iu;
const GROUPED = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/u;

function objectOf({ candidate: c, times }: Verified): { readonly object?: unknown } {
  if (c.object === null) return c.action === 'deny' || c.action === 'end' ? anything(c) : {};
  const text = c.object.trim();
  switch (c.objectKind) {
    case 'entity':
      return {
        object: { entity: c.object, ...(c.objectType === null ? {} : { type: c.objectType }) },
      };
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

/** Without an object everything of the predicate is denied; what ends is looked up without one. */
const anything = (c: ExtractedCandidate): { readonly object?: unknown } =>
  c.action === 'deny' ? { object: '*' } : {};

/** A fact that is named must exist, be visible, be of the same subject and overlap. */
function checkTarget(draft: Draft, { candidate: c, times, event }: Verified): string {
  const id = (c.target ?? '').trim();
  const { index, visible } = draft;
  const fact = isFactId(id) ? index.factById(id) : null;
  if (fact === null || fact.polarity === 'deny' || !visible.includes(fact.scope)) {
    throw new Refused('TARGET', 'There is no such fact that this scope can see.');
  }
  if (fact.reason !== null) throw new Refused('TARGET', 'The target is not believed any more.');
  const entity = check(EntityInputSchema, c.subject, 'subject');
  const meant = entitiesMeant(index, entity, visible, index.lastTx);
  const { swap } = readPredicate(draft, c.predicate);
  const ends = swap
    ? meant.map((e) => `e:${e}`).includes(fact.shown)
    : meant.includes(fact.subject);
  if (!ends) throw new Refused('TARGET', 'The target is about something else.');
  if (!meets(c.action, { ...times, said: event.at }, fact)) {
    throw new Refused('TARGET', 'The target holds at another time.');
  }
  return id;
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

export const isOrdering = (candidate: ExtractedCandidate): boolean =>
  readsLikeOrders(candidate.quote) || readsLikeOrders(candidate.statement ?? '');
