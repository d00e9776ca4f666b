import { z } from 'zod';
import { check } from '../model/check.js';
import { isClaimId } from '../model/ids.js';
import { scopeKey } from '../model/scope.js';
import { notFound } from '../memory/names.js';
import { entityId, Presenter } from '../memory/present.js';
import { presentProposal } from '../memory/read/proposals.js';
import type { EntityRef, ProposedClaim, TxStamp } from '../memory/types.js';
import type { Place, Space } from '../memory/space.js';
import type { HeldClaim as Waiting } from '../store/resident/side.js';
import type { Draft, VerbOutcome } from '../memory/write/draft.js';
import { draftMerge } from '../memory/write/entities.js';
import { SAME_AS } from '../model/ontology.js';

/** A claim that waits for somebody's approval. */
export interface HeldClaim {
  readonly id: string;
  /** Why it waits: what the policy or the verification said. */
  readonly why: string;
  /** The transaction that held it. */
  readonly since: TxStamp;
  readonly claim: ProposedClaim;
}

const IdSchema = z.string().refine(isClaimId, { error: 'is no id of a claim' });

/** Claims of the visible scopes which wait for approval, the oldest first. */
export function heldClaims(space: Space, place: Place): readonly HeldClaim[] {
  const { index } = space.store;
  const presenter = new Presenter(index, index.lastTx);
  return [...index.tables.side.held]
    .filter(([, h]) => h.tx <= index.lastTx && place.visible.includes(scopeKey(h.claim.scope)))
    .sort(([, a], [, b]) => a.tx - b.tx)
    .map(([id, h]) => ({
      id,
      why: h.why,
      since: presenter.stamp(h.tx),
      claim: presentProposal(presenter, h.claim, unseen(h)),
    }));
}

/** Entities that only held claims name. */
const unseen = ({ entities = [] }: Waiting): ReadonlyMap<string, EntityRef> =>
  new Map(entities.map((e) => [e.id, { id: entityId(e.id), type: e.type, name: e.name }]));

/** @throws PalimpsestError `NOT_FOUND` for a claim which does not wait here. */
function waitingClaim(draft: Draft, input: unknown): Waiting & { readonly id: string } {
  const id = check(IdSchema, input, 'claim');
  const waiting = draft.index.tables.side.held.get(id);
  if (waiting === undefined || !draft.visible.includes(scopeKey(waiting.claim.scope))) {
    throw notFound(`claim ${id} that waits for approval`, 'claim');
  }
  return { id, ...waiting };
}

export function draftApprove(draft: Draft, input: unknown): VerbOutcome {
  const { id, claim, entities = [] } = waitingClaim(draft, input);
  // Nobody has seen them so far.
  for (const { scope, ...entity } of entities) draft.declare(scope, entity);
  draft.entries.push({ op: 'approve', claim: id });
  draft.accepted.add(id);
  if (claim.predicate === SAME_AS && 'entity' in claim.object) {
    const [from, into] = [claim.subject, claim.object.entity];
    const isNew = entities.some((e) => e.id === from || e.id === into);
    if (isNew) draft.entries.push({ op: 'merge', from, into });
    else draftMerge(draft, { id: from }, { id: into });
  }
  return { claims: [id], noEffect: null };
}

export function draftReject(draft: Draft, input: unknown): VerbOutcome {
  draft.entries.push({ op: 'reject', claim: waitingClaim(draft, input).id });
  return { claims: [], noEffect: null };
}
