import { contentHash } from '../model/ids.js';
import type { BeliefIndex } from './resident/index.js';

/** What was erased leaves salted hashes: enough to notice its return, too little to be read. */

/** A session as a whole, where `seq` is `null`, or one event of it. */
export const sourceText = (
  org: string,
  { session, seq }: { readonly session: string; readonly seq: number | null },
): string => JSON.stringify([org, session, seq]);

export const erasedHash = (salt: string, what: string): string => contentHash(`${salt} ${what}`);

/** Whether a claim, or every event that it rests on, was erased before in its org. */
export function wasErased(
  index: BeliefIndex,
  claim: {
    readonly id: string;
    readonly scope: { readonly org: string };
    readonly evidence?: readonly { readonly session: string; readonly seq: number }[] | undefined;
  },
): boolean {
  const { erased } = index.tables.side;
  const { org } = claim.scope;
  const has = (what: string): boolean =>
    [...erased].some(([salt, hashes]) => hashes.has(erasedHash(salt, what)));
  if (has(claim.id)) return true;
  const evidence = claim.evidence ?? [];
  return (
    evidence.length > 0 &&
    evidence.every(
      ({ session, seq }) =>
        has(sourceText(org, { session, seq: null })) || has(sourceText(org, { session, seq })),
    )
  );
}
