import type { AssertInput } from 'palimpsest';
import type { AsOf, Author, Statement } from './vocabulary.js';

/** Where a claim of this author comes from; what has no event to rest on is said by a program. */
export function origin(by: Author): Pick<AssertInput, 'origin' | 'evidence'> {
  if (by.evidence === null) return { origin: 'api' };
  const { session, seq, role, quote, at } = by.evidence;
  const evidence = [
    {
      session,
      seq,
      role,
      ...(quote === undefined ? {} : { quote }),
      ...(at === undefined ? {} : { at }),
    },
  ];
  return { origin: role === 'system' ? 'api' : role, evidence };
}

/** What somebody wants to be remembered, as a claim. */
export function asserted(said: Statement, by: Author): AssertInput {
  const { subject, predicate, object, denied, statement, corrects, to, validFrom, validTo } = said;
  return {
    subject,
    predicate,
    object,
    ...(denied === true ? { polarity: 'deny' as const } : {}),
    ...(validFrom === undefined ? {} : { validFrom }),
    ...(validTo === undefined ? {} : { validTo }),
    ...(statement === undefined ? {} : { statement }),
    ...(corrects === undefined ? {} : { corrects }),
    ...(to === undefined ? {} : { to }),
    ...origin(by),
  };
}

/** A point on both axes, where one is named. */
export const moment = (
  asOf: AsOf,
): { validAt?: string; knownAt?: string | { readonly tx: number } } => ({
  ...(asOf.validAt === undefined ? {} : { validAt: asOf.validAt }),
  ...(asOf.knownAt === undefined ? {} : { knownAt: asOf.knownAt }),
});
