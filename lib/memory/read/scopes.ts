import { scopeKey, scopeOfKey, type Scope } from '../../model/scope.js';
import { KEY } from '../../store/resident/claims.js';
import type { BeliefIndex } from '../../store/resident/index.js';
import { FACT, PREFIX } from '../../store/resident/tables.js';
import { STILL } from '../../store/rows.js';

/** A scope with what is in it. */
export interface ScopeCount {
  readonly scope: Scope;
  readonly claims: number;
  /** Facts believed now. */
  readonly facts: number;
  readonly entities: number;
}

type Counts = { claims: number; facts: number; entities: number };

/** Every scope of an org, or of all, that holds something. */
export function countScopes(index: BeliefIndex, org: string | null): ScopeCount[] {
  const { claim, entity, fact, keys, side, texts } = index.tables;
  const byTerm = new Map<number, Counts>();
  const of = (term: number): Counts => {
    let counts = byTerm.get(term);
    if (counts === undefined) byTerm.set(term, (counts = { claims: 0, facts: 0, entities: 0 }));
    return counts;
  };
  for (let row = 0; row < claim.scope.length; row++) of(claim.scope.get(row)).claims += 1;
  for (let row = 0; row < entity.scope.length; row++) of(entity.scope.get(row)).entities += 1;
  for (let row = 0; row < fact.key.length; row++) {
    const believed = fact.knownTo.get(row) === STILL && (fact.flags.get(row) & FACT.deny) === 0;
    if (believed) of(keys.get(fact.key.get(row), KEY.scope)).facts += 1;
  }
  const byKey = new Map<string, Counts>();
  for (const [term, counts] of byTerm) {
    byKey.set(texts.text(term).slice(PREFIX.scope.length), counts);
  }
  for (const held of [...side.held.values(), ...side.rejected.values()]) {
    const key = scopeKey(held.claim.scope);
    if (!byKey.has(key)) byKey.set(key, { claims: 0, facts: 0, entities: 0 });
  }
  return [...byKey]
    .map(([key, counts]) => ({ scope: scopeOfKey(key), ...counts }))
    .filter(({ scope }) => org === null || scope.org === org)
    .sort((a, b) => (scopeKey(a.scope) < scopeKey(b.scope) ? -1 : 1));
}
