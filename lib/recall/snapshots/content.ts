import { canonicalJson } from '../../model/canonical.js';
import { PalimpsestError } from '../../model/errors.js';
import { contentHash } from '../../model/ids.js';
import { scopeKey, type Scope } from '../../model/scope.js';
import type { Fact } from '../../memory/types.js';
import type { BeliefIndex } from '../../store/resident/index.js';
import { idText } from '../../store/resident/hex.js';
import type { Erased } from '../../memory/erased.js';
import type { Hit, RecallAnswer } from '../types.js';

/** What a snapshot's id is made of. */
export interface Content extends Omit<RecallAnswer, 'snapshot' | 'trace'> {
  readonly scope: Scope;
  readonly session: string | null;
  readonly query: string;
}

export const snapshotId = (content: string): string => `s_${contentHash(content)}`;

export const isSnapshotId = (text: string): boolean => /^s_[0-9a-f]{32}$/u.test(text);

export function contentOf(
  shown: { readonly query: string; readonly session: string | null; readonly scope: Scope },
  answer: Omit<RecallAnswer, 'snapshot'>,
): string {
  const { trace: _trace, ...rest } = answer;
  const { query, session, scope } = shown;
  return canonicalJson({ ...rest, query, session, scope }, 'snapshot');
}

/** @throws PalimpsestError `JOURNAL_DAMAGED` for bytes that are not what was kept under the id. */
export function readContent(id: string, text: string): Content {
  if (snapshotId(text) !== id) {
    throw new PalimpsestError('JOURNAL_DAMAGED', `Snapshot ${id} is not what was kept.`, {
      hint: 'Put the folder of the snapshots back from a copy.',
    });
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the very bytes that contentOf wrote
  return JSON.parse(text) as Content;
}

/** Facts of a hit, also those that it speaks of only. */
function factsOf(hit: Hit): readonly Fact[] {
  if (hit.kind === 'fact') return [hit.fact];
  return hit.superseded.flatMap(({ fact, by }) => [fact, ...by]);
}

/** What the hits of a snapshot rest on. */
export interface Rests {
  readonly facts: readonly string[];
  readonly claims: readonly string[];
  readonly entities: readonly string[];
  /** Key of a scope, session, sequence number. */
  readonly events: readonly (readonly [string, string, number])[];
}

/**
 * @throws PalimpsestError `CONFLICT` when a fact is not in the store any more: it was erased while it was
 * being shown.
 */
export function restsOf(index: BeliefIndex, known: number, hits: readonly Hit[]): Rests {
  const facts = new Set<string>();
  const claims = new Set<string>();
  const entities = new Set<string>();
  const events = new Map<string, readonly [string, string, number]>();
  const cite = (scope: string, session: string, seq: number): void => {
    events.set(JSON.stringify([scope, session, seq]), [scope, session, seq]);
  };
  for (const hit of hits) {
    for (const fact of factsOf(hit)) {
      const row = index.factById(fact.id);
      if (row === null) {
        throw new PalimpsestError('CONFLICT', 'Something was erased while it was being shown.', {
          hint: 'Ask again.',
        });
      }
      for (const claim of index.supportOf(row, Math.min(known, row.knownTo - 1))) {
        claims.add(idText('c', index.tables.claimIds, claim.row));
      }
      facts.add(fact.id);
      entities.add(row.subject);
      if (row.object.startsWith('e:')) entities.add(row.object.slice('e:'.length));
    }
    if (hit.kind === 'event') cite(scopeKey(hit.scope), hit.session, hit.seq);
    else for (const s of hit.sources) cite(scopeKey(hit.fact.scope), s.session, s.seq);
  }
  return {
    facts: [...facts],
    claims: [...claims],
    entities: [...entities],
    events: [...events.values()],
  };
}

/** Whether anything of a snapshot goes with an erasure. */
export function isTouched(erased: Erased, rests: Rests, content: Content): boolean {
  const scope = scopeKey(content.scope);
  return (
    erased.scope(scope) ||
    (content.session !== null && erased.session(scope, content.session)) ||
    rests.facts.some((id) => erased.fact(id)) ||
    rests.claims.some((id) => erased.claim(id)) ||
    rests.entities.some((id) => erased.entity(id)) ||
    rests.events.some(
      ([of, session, seq]) => erased.scope(of) || erased.event(of, { session, seq }),
    ) ||
    wordsOf(content).some((text) => erased.isMentioned(scope, text))
  );
}

function wordsOf({ query, text, hits }: Content): readonly string[] {
  const words = [query, text];
  for (const hit of hits) {
    if (hit.kind === 'event') words.push(hit.text);
    else {
      if (hit.statement !== null) words.push(hit.statement);
      for (const { quote } of hit.sources) if (quote !== null) words.push(quote);
    }
  }
  return words;
}
