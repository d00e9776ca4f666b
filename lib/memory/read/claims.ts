import { toIso } from '../../model/instant.js';
import { BEGIN, FOREVER } from '../../model/interval.js';
import type { ClaimRecord } from '../../model/entry.js';
import { isSourceLost, outsOf } from '../../store/resident/claims.js';
import { idText } from '../../store/resident/hex.js';
import type { Store } from '../../store/store.js';
import { claimId, type Presenter } from '../present.js';
import type { Claim, ClaimOut } from '../types.js';
import { claimRowOf } from '../../store/resident/changes.js';

/** A claim as of the presenter's known time: what was known against it later does not show. */
export function presentClaim(store: Store, presenter: Presenter, row: number): Claim {
  const { tables } = store.index;
  const record = store.claim(row);
  const view = claimRowOf(tables, row, () => record);
  return {
    id: claimId(view.id),
    subject: presenter.entity(view.subject),
    predicate: view.predicate,
    object: presenter.object(view.shown, view.predicate),
    polarity: view.polarity,
    validFrom: view.validFrom === null ? 'unknown' : toIso(view.validFrom),
    validTo: typeof view.validTo === 'number' ? toIso(view.validTo) : view.validTo,
    valid: saidInterval(presenter, record),
    observedAt: toIso(view.observedAt),
    origin: record.origin,
    authority: view.authority,
    confidence: view.confidence,
    statement: view.statement,
    instance: view.instance,
    properties: record.properties ?? {},
    evidence: (record.evidence ?? []).filter((e) => !isSourceLost(tables, row, e, presenter.known)),
    extractor: record.extractor ?? null,
    scope: presenter.scope(view.scope),
    accepted: presenter.stamp(view.tx),
    outs: outsOf(tables, row)
      .filter((o) => o.since <= presenter.known && o.source === undefined)
      .map((o): ClaimOut => ({
        from: o.from === BEGIN ? null : toIso(o.from),
        to: o.to === FOREVER ? null : toIso(o.to),
        since: presenter.stamp(o.since),
        until: o.until > presenter.known ? null : presenter.stamp(o.until),
        cause: o.cause,
        by: o.by === null ? null : claimId(idText('c', tables.claimIds, o.by)),
      })),
  };
}

/** The interval that a claim speaks of, as a person reads it. */
export function saidInterval(presenter: Presenter, claim: ClaimRecord): string {
  const from =
    claim.validFrom === 'unknown'
      ? '?'
      : presenter.instant(Date.parse(claim.validFrom[0]), claim.validFrom[1]);
  if (claim.validTo === 'ongoing') return `${from} – …`;
  if (claim.validTo === 'unknown') return `${from} – ?`;
  return `${from} – ${presenter.instant(Date.parse(claim.validTo[0]), claim.validTo[1])}`;
}
