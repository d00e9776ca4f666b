import type { Erased } from '../memory/erased.js';
import type { BeliefIndex } from '../store/resident/index.js';
import type { Erasure } from './eraser.js';
import { claimIdsOf, isFrom } from './selection.js';

/**
 * An erasure as what was derived from the memory asks of it. `after` is the history without it, once that is
 * there: what it has lost beyond the claims themselves can be told from then on.
 */
export function erasedThings(
  index: BeliefIndex,
  { selected, events, entities }: Erasure,
  after: BeliefIndex | null,
): Erased {
  const claims = new Set(claimIdsOf(index, selected));
  const { source, inReach, inScope } = selected;
  const isOfSource = (scope: string, name: { session: string; seq: number }): boolean =>
    source !== null && inReach(scope) && isFrom(source, name);
  return {
    fact: (id) => after !== null && after.factById(id) === null,
    claim: (id) => claims.has(id),
    entity: (id) => entities.has(id),
    event: (scope, name) => isOfSource(scope, name) || events.isQuoted(scope, name),
    session: (scope, session) =>
      source !== null && source.seq === null && inReach(scope) && source.session === session,
    scope: inScope,
    isMentioned: (scope, text) => events.isMentioned(scope, text),
  };
}
