import { digitsOf } from '../memory/write/entities.js';
import { draftClaim } from '../memory/write/claim.js';
import { draftCorrect } from '../memory/write/correct.js';
import type { Draft, VerbOutcome } from '../memory/write/draft.js';
import { draftEnd } from '../memory/write/end.js';
import { AssertInputSchema, CorrectInputSchema, EndInputSchema } from '../memory/write/input.js';
import { check } from '../model/check.js';
import { PalimpsestError } from '../model/errors.js';
import { SAME_AS } from '../model/ontology.js';
import type { ExtractedCandidate } from './candidate.js';
import type { Verified } from './check-candidate.js';
import type { Refusal } from './job.js';
import { named, newTypes, type NewTypes } from './naming.js';
import { entityObject, objectOf } from './object.js';
import { refusal, Refused } from './refused.js';
import { aimOf, plansDenied } from './target.js';

/** How a candidate is drafted. */
export interface Drafting {
  /** Whether a claim that was withdrawn by a revert may come back: when somebody has asked for it. */
  readonly mayReturn?: boolean;
  /** Types of names that are new. */
  readonly types?: NewTypes;
}

/** The verbs that verified candidates ask for, in their order. */
export function draftAll(
  verified: readonly Verified[],
  extractor: string,
  refused: Refusal[],
  drafting: Drafting & {
    readonly onOutcome?: (draft: Draft, before: number, outcome: VerbOutcome) => void;
  } = {},
): readonly ((draft: Draft) => VerbOutcome)[] {
  let types: NewTypes | null = null;
  return verified.map((v) => (draft) => {
    types ??= newTypes(
      draft,
      verified.map(({ candidate }) => candidate),
    );
    const before = draft.entries.length;
    const outcome = draftVerified(draft, v, extractor, refused, { ...drafting, types });
    drafting.onOutcome?.(draft, before, outcome);
    return outcome;
  });
}

/** The verb that a verified candidate asks for; a refusal by the memory is recorded, not thrown. */
function draftVerified(
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
      const outcome = draftCandidate(draft, verified, extractor, drafting.types ?? new Map());
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

function draftCandidate(
  draft: Draft,
  v: Verified,
  extractor: string,
  types: NewTypes,
): VerbOutcome {
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
  const aim = c.target === null || c.target.trim() === '' ? null : aimOf(draft, v, types);
  const action = aim?.action ?? c.action;
  if (action === 'merge') return draftProposal(draft, c, said, types);
  const isEnd = action === 'end';
  const at = times.to ?? times.from ?? event.at ?? draft.now;
  if (isEnd && !v.ordering) {
    const what =
      aim === null
        ? { subject: c.subject, predicate: c.predicate, ...objectOf(draft, v, types) }
        : { fact: aim.fact };
    return draftEnd(draft, check(EndInputSchema, { ...what, at, ...said }));
  }
  const calledOff = aim === null && !v.ordering ? plansDenied(draft, v, types) : [];
  if (calledOff.length > 0) {
    const ended = calledOff.map((fact) =>
      draftEnd(draft, check(EndInputSchema, { fact, at, ...said })),
    );
    return { claims: ended.flatMap((outcome) => outcome.claims), noEffect: null };
  }
  const claim = {
    subject: named(draft, c.subject, c.subjectType, types),
    predicate: c.predicate,
    ...objectOf(draft, v, types),
    ...(isEnd ? { validFrom: at } : times.from === null ? {} : { validFrom: times.from }),
    ...(isEnd || times.to === null ? {} : { validTo: times.to }),
    ...(!isEnd && times.endUnclear ? { validTo: 'unknown' } : {}),
    ...said,
  };
  if (action === 'correct' && aim !== null && !v.ordering) {
    const validTo = aim.validTo === undefined ? {} : { validTo: aim.validTo };
    return draftCorrect(draft, check(CorrectInputSchema, { was: aim.fact, ...claim, ...validTo }));
  }
  const polarity = action === 'deny' || isEnd ? ('deny' as const) : ('assert' as const);
  const input = check(AssertInputSchema, { ...claim, polarity });
  return draftClaim(draft, input, v.ordering ? ORDERS : null);
}

/** Two names of one thing: never more than a proposal. */
function draftProposal(
  draft: Draft,
  c: ExtractedCandidate,
  said: Readonly<Record<string, unknown>>,
  types: NewTypes,
): VerbOutcome {
  const other = c.object ?? '';
  if (digitsOf(c.subject) !== digitsOf(other)) {
    throw new Refused('DIGITS', 'Names whose digits differ are never one.');
  }
  const input = check(AssertInputSchema, {
    subject: named(draft, c.subject, c.subjectType, types),
    predicate: SAME_AS,
    object: entityObject(named(draft, other, c.subjectType, types)),
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
