import { contentHash } from '../model/ids.js';
import type { BeliefIndex } from './resident/index.js';

/** What was erased leaves salted hashes: enough to notice its return, too little to be read. */

/** A session as a whole, where `seq` is `null`, or one event of it. */
export const sourceText = ({
  session,
  seq,
}: {
  readonly session: string;
  readonly seq: number | null;
}): string => JSON.stringify([session, seq]);

export const erasedHash = (salt: string, what: string): string => contentHash(`${salt} ${what}`);

/** Whether a claim, or an event that it rests on, was erased before. */
export function wasErased(
  index: BeliefIndex,
  claim: {
    readonly id: string;
    readonly evidence?: readonly { readonly session: string; readonly seq: number }[] | undefined;
  },
): boolean {
  for (const [salt, hashes] of index.tables.side.erased) {
    const has = (what: string): boolean => hashes.has(erasedHash(salt, what));
    if (has(claim.id)) return true;
    const evidence = claim.evidence ?? [];
    const isGone = (e: { readonly session: string; readonly seq: number }): boolean =>
      has(sourceText({ session: e.session, seq: null })) ||
      has(sourceText({ session: e.session, seq: e.seq }));
    if (evidence.length > 0 && evidence.every(isGone)) return true;
  }
  return false;
}
