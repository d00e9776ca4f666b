import { PREFIX, NONE } from '../store/resident/tables.js';
import { idText } from '../store/resident/hex.js';
import { isWhollyOut, outAt } from '../store/resident/claims.js';
import { commit, type Verb } from '../memory/write/commit.js';
import type { Place, Space } from '../memory/space.js';
import type { WriteOptions, WriteResult } from '../memory/types.js';
import type { ClaimRecord } from '../model/entry.js';
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
  /** Claims that would be new. */
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

/** Extracts a session anew and compares: what was said by hand or approved by nobody else is left alone. */
export async function reextract(run: ReextractionRun): Promise<Reextraction> {
  const { space, place, session, extractor } = run;
  const name = `${extractor.name} ${extractor.version}`;
  const scope = place.visible[0] ?? '';
  const seqs = run.log.seqs(scope, session);
  const refused: Refusal[] = [];
  const { verified, usage, refused: early } = await extractAndVerify({ ...run, scope, seqs });
  refused.push(...early);
  const proposed = new Set<string>();
  const added: ClaimRecord[] = [];
  const verbs = (note: boolean): Verb[] => [
    ...verified.map((v): Verb => (draft) => {
      const outcome = draftVerified(draft, v, name, note ? refused : []);
      if (note) for (const id of outcome.claims) proposed.add(id);
      return outcome;
    }),
    (draft) => {
      if (note) for (const e of draft.entries) if (e.op === 'claim') added.push(e.claim);
      for (const id of extractedClaims(space, scope, session)) {
        if (!proposed.has(id)) draft.entries.push({ op: 'withdraw', claim: id, cause: 'revert' });
      }
      return { claims: [], noEffect: null };
    },
  ];
  const before = extractedClaims(space, scope, session);
  const effect = await commit(space, place, verbs(true), { dryRun: true });
  return {
    session,
    extractor: name,
    kept: before.filter((id) => proposed.has(id)),
    added,
    removed: before.filter((id) => !proposed.has(id)),
    refused,
    usage,
    effect,
    apply: (options) =>
      commit(space, place, verbs(false), {
        reason: `Extracted ${session} anew.`,
        actor: name,
        ...options,
      }),
  };
}

/** Ids of the session's claims that an extractor made, and that still stand. */
function extractedClaims(space: Space, scope: string, session: string): string[] {
  const { index } = space.store;
  const { tables, lastTx } = index;
  const term = tables.texts.find(PREFIX.session + session);
  if (term === NONE) return [];
  return [...new Set(tables.claimsOfSession.list(term))]
    .filter((row) => tables.texts.text(tables.claim.scope.get(row)) === PREFIX.scope + scope)
    .filter((row) => !isWhollyOut(outAt(tables, row, lastTx)))
    .filter((row) => space.store.claim(row).extractor !== undefined)
    .map((row) => idText('c', tables.claimIds, row));
}
