import { termOfRecord, type ClaimRecord } from '../../model/entry.js';
import { scopeKey } from '../../model/scope.js';
import { termKey } from '../../model/term.js';
import { claimId, type Presenter } from '../present.js';
import type { EntityRef, ProposedClaim } from '../types.js';
import { saidInterval } from './claims.js';

/**
 * A claim that is not accepted, with names where the journal has ids. `fresh` are the entities which
 * the same transaction would declare.
 */
export function presentProposal(
  presenter: Presenter,
  record: ClaimRecord,
  fresh: ReadonlyMap<string, EntityRef> = new Map(),
): ProposedClaim {
  const entity = (id: string): EntityRef => fresh.get(id) ?? presenter.entity(id);
  const { object, predicate, validFrom, validTo } = record;
  return {
    id: claimId(record.id),
    subject: entity(record.subject),
    predicate,
    object:
      'entity' in object
        ? entity(object.entity)
        : presenter.object(termKey(termOfRecord(object)), predicate),
    polarity: record.polarity,
    validFrom: typeof validFrom === 'string' ? validFrom : validFrom[0],
    validTo: typeof validTo === 'string' ? validTo : validTo[0],
    valid: saidInterval(presenter, record),
    observedAt: record.observedAt,
    origin: record.origin,
    authority: record.authority,
    confidence: record.confidence ?? null,
    statement: record.statement ?? null,
    instance: record.instance ?? null,
    properties: record.properties ?? {},
    evidence: record.evidence ?? [],
    extractor: record.extractor ?? null,
    scope: presenter.scope(scopeKey(record.scope)),
    corrects: [...new Set((record.targets ?? []).map((t) => claimId(t.claim)))],
  };
}
