import type { z } from 'zod';
import { PalimpsestError } from '../../model/errors.js';
import { isBroader } from '../../model/scope.js';
import { targetsOf } from './claim.js';
import type { Draft, VerbOutcome } from './draft.js';
import type { RetractInputSchema } from './input.js';

/**
 * Takes back what was said: a claim whole, of a fact its claims within the fact's valid interval.
 *
 * @throws PalimpsestError `NOT_FOUND` for what does not exist or cannot be seen from here,
 * `POLICY_REFUSED`.
 */
export function draftRetract(
  draft: Draft,
  input: z.output<typeof RetractInputSchema>,
): VerbOutcome {
  if (!Array.isArray(input)) takeOut(draft, input, 'id');
  else input.forEach((id, i) => takeOut(draft, id, `[${i}]`));
  return { claims: [], noEffect: null };
}

/** Withdraws a claim, or the claims of a fact within its valid interval. */
export function takeOut(draft: Draft, id: string, field: string): void {
  for (const { target, scope } of targetsOf(draft, id, field)) {
    const verdict = draft.space.policy({
      action: 'retract',
      claim: draft.space.store.claim(draft.index.claimRow(target.claim)),
      writer: draft.place.scope,
      broader: isBroader(scope, draft.place.scope),
    });
    if (verdict !== 'accept') {
      const why = 'hold' in verdict ? verdict.hold : verdict.refuse;
      throw new PalimpsestError('POLICY_REFUSED', `The policy refuses this retraction: ${why}`, {
        field,
      });
    }
    draft.entries.push({ op: 'withdraw', ...target, cause: 'retract' });
  }
}
