import { PREFIX, NONE } from '../store/resident/tables.js';
import { isWhollyOut, outAt } from '../store/resident/claims.js';
import { commit, type Verb } from '../memory/write/commit.js';
import type { Place, Space } from '../memory/space.js';
import type {
  Claim,
  EntityRef,
  ProposedClaim,
  WriteOptions,
  WriteResult,
} from '../memory/types.js';
import type { Draft, VerbOutcome } from '../memory/write/draft.js';
import { entityId, Presenter } from '../memory/present.js';
import { presentClaim } from '../memory/read/claims.js';
import { presentProposal } from '../memory/read/proposals.js';
import type { ClaimRecord, Entry } from '../model/entry.js';
import { scopeKey } from '../model/scope.js';
import type { EventLog } from './event-log.js';
import type { Extractor } from './extract/port.js';
import { addUsage, NO_USAGE, type Refusal, type Usage } from './job.js';
import { extractions } from './extraction.js';
import type { Verified } from './check-candidate.js';
import { draftAll } from './draft-candidates.js';
import type { EventSource } from './source.js';

/** What another extraction of a session would change. Nothing changes before `apply`. */
export interface Reextraction {
  readonly session: string;
  readonly extractor: string;
  /** Claims that are said again. */
  readonly kept: readonly Claim[];
  /** Claims that would be new. */
  readonly added: readonly ProposedClaim[];
  /** Claims that would be new, and wait for a review. */
  readonly held: readonly ProposedClaim[];
  /** Claims of an extractor which are not said again and would be withdrawn. */
  readonly removed: readonly Claim[];
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
  readonly beforeCall: () => void;
  readonly onUsage: (usage: Usage) => void;
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
  const verified: Verified[] = [];
  const refused: Refusal[] = [];
  const read = new Set<number>();
  let usage = NO_USAGE;
  for await (const extracted of extractions({ ...run, scope, seqs })) {
    verified.push(...extracted.verified);
    refused.push(...extracted.refused);
    usage = addUsage(usage, extracted.usage);
    for (const { seq } of extracted.events) read.add(seq);
    run.onUsage(extracted.usage);
  }
  const before = extractedClaims(space, scope, session, read);
  const { lastTx } = space.store.index;
  const presenter = new Presenter(space.store.index, lastTx);
  const kept: Claim[] = [];
  const removed: Claim[] = [];
  const added: ProposedClaim[] = [];
  const held: ProposedClaim[] = [];
  const extract = (refusals: Refusal[]): readonly Verb[] =>
    draftAll(verified, name, refusals, { mayReturn: true });
  const withdraw = (draft: Draft): VerbOutcome => {
    const standing = new Set(extractedClaims(space, scope, session, read).map((c) => c.id));
    for (const { id } of removed) {
      if (standing.has(id)) draft.entries.push({ op: 'withdraw', claim: id, cause: 'revert' });
    }
    return { claims: [], noEffect: null };
  };
  const compare: Verb = (draft) => {
    const proposed = new Set(draft.outcomes.flatMap((outcome) => outcome.claims));
    const done = doneBefore(verified, refused);
    for (const claim of before) {
      const stays = proposed.has(claim.id) || (claim.evidence ?? []).some((e) => done.has(e.seq));
      const row = space.store.index.claimRow(claim.id);
      (stays ? kept : removed).push(presentClaim(space.store, presenter, row));
    }
    const fresh = declared(draft);
    for (const entry of draft.entries) {
      const claim = proposedBy(space, entry);
      if (claim === null) continue;
      (entry.op === 'hold' ? held : added).push(presentProposal(presenter, claim, fresh));
    }
    return withdraw(draft);
  };
  const effect = await commit(space, place, [...extract(refused), compare], { dryRun: true });
  return {
    session,
    extractor: name,
    kept,
    added,
    held,
    removed,
    refused,
    usage,
    effect,
    apply: (options) =>
      commit(space, place, [...extract([]), withdraw], {
        // The claims name the session; a reason in words would outlast its erasure.
        reason: 'Extracted a session anew.',
        actor: name,
        ...options,
      }),
  };
}

/**
 * Events that end or correct what has been ended or corrected already, by the extraction before: with
 * no target left such a candidate is refused, and that says nothing against what it did the first time.
 */
function doneBefore(
  verified: readonly Verified[],
  refused: readonly Refusal[],
): ReadonlySet<number> {
  const targetless = new Set(
    refused.filter((r) => r.code === 'TARGET' || r.code === 'NOT_FOUND').map((r) => r.candidate),
  );
  return new Set(
    verified
      .filter((v) => v.candidate.action === 'end' || v.candidate.action === 'correct')
      .filter((v) => targetless.has(v.position))
      .map((v) => v.event.seq),
  );
}

/** Entities which the transaction would declare. */
function declared(draft: Draft): ReadonlyMap<string, EntityRef> {
  return new Map(
    draft.entries.flatMap((e) =>
      (e.op === 'entity' ? [e] : e.op === 'hold' ? (e.entities ?? []) : []).map(
        ({ id, type, name }) => [id, { id: entityId(id), type, name }] as const,
      ),
    ),
  );
}

function proposedBy({ store }: Space, entry: Entry): ClaimRecord | null {
  if (entry.op === 'claim' || entry.op === 'hold') return entry.claim;
  return entry.op === 'reinstate' ? store.claim(store.index.claimRow(entry.claim)) : null;
}

/** Claims that an extractor made of events that could be read, and that still stand. */
function extractedClaims(
  space: Space,
  scope: string,
  session: string,
  read: ReadonlySet<number>,
): ClaimRecord[] {
  const { index } = space.store;
  const { tables, lastTx } = index;
  const term = tables.texts.find(PREFIX.session + session);
  if (term === NONE) return [];
  return [...new Set(tables.claimsOfSession.list(term))]
    .filter((row) => tables.texts.text(tables.claim.scope.get(row)) === PREFIX.scope + scope)
    .filter((row) => !isWhollyOut(outAt(tables, row, lastTx)))
    .map((row) => space.store.claim(row))
    .filter(({ extractor, evidence }) => {
      const isRead = evidence?.every((e) => e.session === session && read.has(e.seq)) ?? false;
      return extractor !== undefined && isRead;
    });
}
