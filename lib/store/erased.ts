import { contentHash } from '../model/ids.js';
import { scopeKey, type Scope } from '../model/scope.js';
import type { BeliefIndex } from './resident/index.js';

/** What was erased leaves salted hashes: enough to notice its return, too little to be read. */

/** A session as a whole, where `seq` is `null`, or one event of it. */
interface Source {
  readonly session: string;
  readonly seq: number | null;
}

/** A source, wherever in the org it is told. */
export const sourceText = (org: string, { session, seq }: Source): string =>
  JSON.stringify([org, session, seq]);

/** A source, as told in one scope, by the scope's key. */
export const sourceInScope = (scope: string, { session, seq }: Source): string =>
  JSON.stringify(['scope', scope, session, seq]);

export const erasedHash = (salt: string, what: string): string => contentHash(`${salt} ${what}`);

/** Whether one of these texts was left as a hash. */
export const wasHashed = (index: BeliefIndex, what: string): boolean =>
  [...index.tables.side.erased].some(([salt, hashes]) => hashes.has(erasedHash(salt, what)));

/** Whether an event, or its whole session, was erased before in this scope or in all of its org. */
export function wasEventErased(
  index: BeliefIndex,
  scope: Scope,
  { session, seq }: { readonly session: string; readonly seq: number },
): boolean {
  if (index.tables.side.erased.size === 0) return false;
  const key = scopeKey(scope);
  return [
    { session, seq: null },
    { session, seq },
  ].some(
    (source) =>
      wasHashed(index, sourceText(scope.org, source)) ||
      wasHashed(index, sourceInScope(key, source)),
  );
}

/** Whether a claim, or every event that it rests on, was erased before. */
export function wasErased(
  index: BeliefIndex,
  claim: {
    readonly id: string;
    readonly scope: Scope;
    readonly evidence?: readonly { readonly session: string; readonly seq: number }[] | undefined;
  },
): boolean {
  if (index.tables.side.erased.size === 0) return false;
  if (wasHashed(index, claim.id)) return true;
  const evidence = claim.evidence ?? [];
  return evidence.length > 0 && evidence.every((e) => wasEventErased(index, claim.scope, e));
}
