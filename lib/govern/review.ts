import { z } from 'zod';
import { check } from '../model/check.js';
import { isClaimId } from '../model/ids.js';
import { scopeKey } from '../model/scope.js';
import type { ClaimRecord } from '../model/entry.js';
import { notFound } from '../memory/names.js';
import type { Place, Space } from '../memory/space.js';
import type { Draft, VerbOutcome } from '../memory/write/draft.js';
import { draftMerge } from '../memory/write/entities.js';
import { SAME_AS } from '../memory/write/same-as.js';

/** A claim that waits for somebody's approval. */
export interface HeldClaim {
  readonly id: string;
  readonly why: string;
  readonly since: number;
  readonly claim: ClaimRecord;
}

const IdSchema = z.string().refine(isClaimId, { error: 'is no id of a claim' });

/** Claims of the visible scopes which wait for approval, the oldest first. */
export function heldClaims(space: Space, place: Place): readonly HeldClaim[] {
  const { index } = space.store;
  return [...index.tables.side.held]
    .filter(([, h]) => h.tx <= index.lastTx && place.visible.includes(scopeKey(h.claim.scope)))
    .map(([id, h]) => ({ id, why: h.why, since: h.tx, claim: h.claim }))
    .sort((a, b) => a.since - b.since);
}

/** @throws PalimpsestError `NOT_FOUND` for a claim which does not wait here. */
function held(draft: Draft, input: unknown): string {
  const id = check(IdSchema, input, 'claim');
  const waiting = draft.index.tables.side.held.get(id);
  if (waiting === undefined || !draft.visible.includes(scopeKey(waiting.claim.scope))) {
    throw notFound(`claim ${id} that waits for approval`, 'claim');
  }
  return id;
}

export function draftApprove(draft: Draft, input: unknown): VerbOutcome {
  const id = held(draft, input);
  draft.entries.push({ op: 'approve', claim: id });
  draft.accepted.add(id);
  const claim = draft.index.tables.side.held.get(id)?.claim;
  if (claim !== undefined && claim.predicate === SAME_AS && 'entity' in claim.object) {
    const names = { from: { id: claim.subject }, into: { id: claim.object.entity } };
    draftMerge(draft, names.from, names.into);
  }
  return { claims: [id], noEffect: null };
}

export function draftReject(draft: Draft, input: unknown): VerbOutcome {
  draft.entries.push({ op: 'reject', claim: held(draft, input) });
  return { claims: [], noEffect: null };
}
