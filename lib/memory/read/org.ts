import type { Transaction } from '../../model/entry.js';
import { scopeOfKey } from '../../model/scope.js';
import type { BeliefIndex } from '../../store/resident/index.js';
import { PREFIX } from '../../store/resident/tables.js';

type Entries = Transaction['entries'];

/** The entries of a transaction that touch an org; settings belong to all of them. */
export function entriesOfOrg(index: BeliefIndex, org: string, entries: Entries): Entries {
  const { claim, entity, side, texts } = index.tables;
  const isOwn = (scopeTerm: number): boolean =>
    scopeOfKey(texts.text(scopeTerm).slice(PREFIX.scope.length)).org === org;
  const ofEntity = (id: string): boolean => {
    const row = index.tables.entityOfTerm.get(texts.find(`e:${id}`));
    return row >= 0 && isOwn(entity.scope.get(row));
  };
  const ofClaim = (id: string): boolean => {
    const waiting = side.held.get(id) ?? side.rejected.get(id);
    if (waiting !== undefined) return waiting.claim.scope.org === org;
    const row = index.claimRow(id);
    return row >= 0 && isOwn(claim.scope.get(row));
  };
  return entries.filter((entry) => {
    switch (entry.op) {
      case 'claim':
      case 'hold':
        return entry.claim.scope.org === org;
      case 'entity':
        return entry.scope.org === org;
      case 'alias':
      case 'unalias':
        return ofEntity(entry.entity);
      case 'merge':
      case 'split':
        return ofEntity(entry.from);
      case 'approve':
      case 'reject':
      case 'unsettle':
      case 'withdraw':
      case 'reinstate':
        return ofClaim(entry.claim);
      case 'erased':
        return entry.org === org;
      case 'settings':
        return true;
    }
  });
}
