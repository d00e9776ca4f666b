import { FOREVER } from '../../model/interval.js';
import { closedIn, openedIn, ResidentFact } from '../../store/resident/facts.js';
import type { BeliefIndex } from '../../store/resident/index.js';
import { STILL } from '../../store/rows.js';

/** The next instant at which something believed begins or ends to hold, if nothing is written until then. */
export function nextChange({ tables }: BeliefIndex, valid: number): number {
  const { from, to, knownTo } = tables.fact;
  let next = FOREVER;
  for (let row = 0; row < tables.factCount; row++) {
    if (knownTo.get(row) !== STILL) continue;
    const begin = from.get(row);
    const end = to.get(row);
    if (begin > valid && begin < next) next = begin;
    if (end > valid && end < next) next = end;
  }
  return next;
}

/** Whether transactions after one, up to and with another, changed belief in any of some scopes. */
export function hasChanged(
  { tables }: BeliefIndex,
  scopes: readonly string[],
  after: number,
  upTo: number,
): boolean {
  const visible = new Set(scopes);
  const isVisible = (row: number): boolean => visible.has(new ResidentFact(tables, row).scope);
  for (let tx = after + 1; tx <= upTo; tx++) {
    const [opened, openedEnd] = openedIn(tables, tx);
    for (let row = opened; row < openedEnd; row++) if (isVisible(row)) return true;
    const [closed, closedEnd] = closedIn(tables, tx);
    for (let i = closed; i < closedEnd; i++) if (isVisible(tables.closures.get(i))) return true;
  }
  return false;
}
