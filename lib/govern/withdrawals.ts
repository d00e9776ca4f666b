import type { EvidenceRecord, Entry } from '../model/entry.js';
import { BEGIN, FOREVER } from '../model/interval.js';
import { isSourceLost } from '../store/resident/claims.js';
import { idText } from '../store/resident/hex.js';
import type { Space } from '../memory/space.js';
import { isFrom, type Selected } from './selection.js';

/** What a retraction has still to do: nothing for what was forgotten before. */
export interface Withdrawals {
  readonly entries: readonly Entry[];
  /** How many claims lose a source, or are withdrawn. */
  readonly claims: number;
  readonly sessions: readonly string[];
}

/**
 * Withdraws what was selected. A claim that has another source loses this one and stands; once it has
 * lost all of them it is withdrawn.
 */
export function withdrawals(space: Space, selected: Selected): Withdrawals {
  const { index } = space.store;
  const { tables, lastTx } = index;
  const { source } = selected;
  const entries: Entry[] = [];
  const touched = new Set<string>();
  const sessions = new Set<string>();
  const touch = (id: string, evidence: readonly EvidenceRecord[]): void => {
    touched.add(id);
    for (const e of evidence) sessions.add(e.session);
  };
  const standing = (row: number) =>
    (tables.side.outs.get(row) ?? []).filter((o) => o.cause === 'forget' && o.until > lastTx);
  const lose = (row: number): void => {
    if (source === null) return;
    const claim = idText('c', tables.claimIds, row);
    const evidence = (space.store.claim(row).evidence ?? []).filter((e) => isFrom(source, e));
    if (evidence.every((e) => isSourceLost(tables, row, e, lastTx))) return;
    entries.push({ op: 'withdraw', claim, cause: 'forget', source });
    touch(claim, evidence);
  };
  for (const row of selected.shared) lose(row);
  for (const row of selected.claims) {
    if (standing(row).some((o) => o.from <= BEGIN && o.to >= FOREVER)) continue;
    const claim = idText('c', tables.claimIds, row);
    const evidence = space.store.claim(row).evidence ?? [];
    // The last of several sources: which one it was matters when that is taken back.
    if (source !== null && !evidence.every((e) => isFrom(source, e))) lose(row);
    entries.push({ op: 'withdraw', claim, cause: 'forget' });
    touch(
      claim,
      evidence.filter((e) => source === null || isFrom(source, e)),
    );
  }
  for (const id of selected.waiting) {
    const held = tables.side.held.get(id);
    if (held === undefined) continue;
    entries.push({ op: 'reject', claim: id });
    touch(id, held.claim.evidence ?? []);
  }
  return { entries, claims: touched.size, sessions: [...sessions].sort() };
}
