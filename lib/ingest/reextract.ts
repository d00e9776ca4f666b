import { PREFIX, NONE } from '../store/resident/tables.js';
import { idText } from '../store/resident/hex.js';
import { isWhollyOut, outAt } from '../store/resident/claims.js';
import { commit, type Verb } from '../memory/write/commit.js';
import type { Place, Space } from '../memory/space.js';
import type { WriteOptions, WriteResult } from '../memory/types.js';
import type { Draft, VerbOutcome } from '../memory/write/draft.js';
import type { ClaimRecord } from '../model/entry.js';
import { scopeKey } from '../model/scope.js';
import type { EventLog } from './event-log.js';
import type { Extractor } from './extract/port.js';
import type { Refusal, Usage } from './job.js';
import { extractAndVerify } from './run.js';
import { draftVerified } from './verify.js';
import type { EventSource } from './source.js';

/** What another extraction of a session would change. Nothing changes before `apply`. */
export interface Reextraction {
  readonly session: string;
  readonly extractor: string;
  /** Claims that are said again. */
  readonly kept: readonly string[];
  /** Claims that would be new, with those that would be held for a review. */
  readonly added: readonly ClaimRecord[];
  /** Claims of an extractor which are not said again and would be withdrawn. */
  readonly removed: readonly string[];
  readonly refused: readonly Refusal[];
  readonly usage: Usage;
  /** What it would open and close. */
  readonly effect: WriteResult;
  /** Makes it so, as one transaction. */
  apply(options?: WriteOptions): Promise<WriteResult>;
}

export interface ReextractionRun {
  readonly space: Space;
  readonly place: Place;
  readonly session: string;
  readonly extractor: Extractor;
  readonly log: EventLog;
  readonly source: EventSource | null;
  readonly signal: AbortSignal;
}

/**
 * Extracts a session anew and compares. What was said by hand is left alone, and so is what rests on
 * events that cannot be read any more.
 */
export async function reextract(run: ReextractionRun): Promise<Reextraction> {
  const { space, place, session, extractor } = run;
  const name = `${extractor.name} ${extractor.version}`;
  const scope = scopeKey(place.scope);
  const seqs = run.log.seqs(scope, session);
  const extracted = await extractAndVerify({ ...run, scope, seqs });
  const { verified, usage, read } = extracted;
  const refused = [...extracted.refused];
  const proposed = new Set<string>();
  const added: ClaimRecord[] = [];
  const removed: string[] = [];
  const extract = (refusals: Refusal[]): Verb[] =>
    verified.map(
      (v): Verb =>
        (draft) =>
          draftVerified(draft, v, name, refusals, { mayReturn: true }),
    );
  const withdraw = (draft: Draft): VerbOutcome => {
    const standing = new Set(extractedClaims(space, scope, session, read));
    for (const claim of removed) {
      if (standing.has(claim)) draft.entries.push({ op: 'withdraw', claim, cause: 'revert' });
    }
    return { claims: [], noEffect: null };
  };
  const before = extractedClaims(space, scope, session, read);
  const compare: Verb = (draft) => {
    for (const outcome of draft.outcomes) for (const id of outcome.claims) proposed.add(id);
    for (const e of draft.entries) if (e.op === 'claim' || e.op === 'hold') added.push(e.claim);
    removed.push(...before.filter((id) => !proposed.has(id)));
    return withdraw(draft);
  };
  const effect = await commit(space, place, [...extract(refused), compare], { dryRun: true });
  return {
    session,
    extractor: name,
    kept: before.filter((id) => proposed.has(id)),
    added,
    removed,
    refused,
    usage,
    effect,
    apply: (options) =>
      commit(space, place, [...extract([]), withdraw], {
        reason: `Extracted ${session} anew.`,
        actor: name,
        ...options,
      }),
  };
}

/** Ids of claims that an extractor made of events that could be read, and that still stand. */
function extractedClaims(
  space: Space,
  scope: string,
  session: string,
  read: ReadonlySet<number>,
): string[] {
  const { index } = space.store;
  const { tables, lastTx } = index;
  const term = tables.texts.find(PREFIX.session + session);
  if (term === NONE) return [];
  return [...new Set(tables.claimsOfSession.list(term))]
    .filter((row) => tables.texts.text(tables.claim.scope.get(row)) === PREFIX.scope + scope)
    .filter((row) => !isWhollyOut(outAt(tables, row, lastTx)))
    .filter((row) => {
      const { extractor, evidence } = space.store.claim(row);
      const isRead = evidence?.every((e) => e.session === session && read.has(e.seq)) ?? false;
      return extractor !== undefined && isRead;
    })
    .map((row) => idText('c', tables.claimIds, row));
}
