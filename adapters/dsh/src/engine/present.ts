import type {
  ClaimRecord,
  Fact,
  FactHit,
  HitSource,
  ObjectValue,
  ProposedClaim,
  WriteResult,
} from 'palimpsest';
import type { Evidence, MemoryFact, Outcome } from './vocabulary.js';

type EvidenceRecord = NonNullable<ClaimRecord['evidence']>[number];

export function objectText(object: ObjectValue | '*'): string {
  if (typeof object !== 'object') return String(object);
  if ('name' in object) return object.name;
  if ('instant' in object) return object.instant;
  return JSON.stringify(object.json) ?? 'null';
}

export const fromRecord = ({ session, seq, role, at, quote }: EvidenceRecord): Evidence => ({
  session,
  seq,
  role,
  at: at ?? null,
  quote: quote ?? null,
});

export function presentFact(
  fact: Fact,
  {
    statement = null,
    sources = [],
  }: { statement?: string | null; sources?: readonly HitSource[] } = {},
): MemoryFact {
  return {
    id: fact.id,
    subject: fact.subject.name,
    predicate: fact.predicate,
    object: objectText(fact.object),
    valid: fact.valid,
    validFrom: fact.validFrom,
    validTo: fact.validTo,
    knownFrom: fact.knownFrom.at,
    knownTo: fact.knownTo?.at ?? null,
    certainty: fact.certainty,
    scope: fact.scope,
    statement,
    evidence: sources.map(({ session, seq, role, at, quote }) => ({
      session,
      seq,
      role,
      at,
      quote,
    })),
  };
}

export const presentHit = (hit: FactHit): MemoryFact => presentFact(hit.fact, hit);

export const presentOutcome = (result: WriteResult): Outcome => ({
  tx: result.tx,
  committed: result.committed,
  claims: result.claims,
  opened: result.opened.map((fact) => presentFact(fact)),
  closed: result.closed.map(({ fact, reason }) => ({ fact: presentFact(fact), reason })),
  noEffect:
    result.noEffect === null
      ? null
      : result.noEffect.why === 'held'
        ? `held: ${result.noEffect.reason}`
        : result.noEffect.why,
});

export const claimText = (claim: ProposedClaim): string => {
  const denied = claim.polarity === 'deny' ? 'not ' : '';
  return `${claim.subject.name} ${denied}${claim.predicate} ${objectText(claim.object)} (${claim.valid})`;
};
