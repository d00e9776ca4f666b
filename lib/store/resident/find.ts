import { STILL, type RowQuery } from '../rows.js';
import { KEY } from './claims.js';
import { ResidentFact } from './facts.js';
import { FACT, NONE, PREFIX, type Tables } from './tables.js';

/** Facts by query, read from the columns. In no particular order. */
export function findFacts(t: Tables, query: RowQuery): ResidentFact[] {
  const scopes = terms(t, query.scopes, PREFIX.scope);
  const subjects = terms(t, query.subjects, 'e:');
  const objects = terms(t, query.objects, '');
  const predicates = terms(t, query.predicates, PREFIX.predicate);
  if (scopes === null) return [];
  for (const wanted of [scopes, subjects, objects, predicates]) {
    if (wanted !== null && wanted.size === 0) return [];
  }
  const out: ResidentFact[] = [];
  const { fact, keys, lastTx } = t;
  const known = query.known === 'ever' ? STILL : query.known;
  const wantsFlag = query.polarity === 'both' ? null : query.polarity === 'deny' ? FACT.deny : 0;
  const valid = query.valid;
  const visit = (row: number): void => {
    const opened = fact.knownFrom.get(row);
    if (opened > lastTx || opened > known) return;
    if (known !== STILL && fact.knownTo.get(row) <= known) return;
    if (valid !== null && (fact.from.get(row) >= valid.to || fact.to.get(row) <= valid.from)) return;
    if (wantsFlag !== null && (fact.flags.get(row) & FACT.deny) !== wantsFlag) return;
    const key = fact.key.get(row);
    if (!scopes.has(keys.get(key, KEY.scope))) return;
    if (predicates !== null && !predicates.has(keys.get(key, KEY.predicate))) return;
    if (objects !== null && !objects.has(fact.object.get(row))) return;
    if (subjects !== null && !subjects.has(keys.get(key, KEY.subject))) return;
    out.push(new ResidentFact(t, row));
  };
  if (subjects !== null) {
    for (const subject of subjects) t.factsOfSubject.each(subject, visit);
  } else if (objects !== null) {
    for (const object of objects) t.factsOfObject.each(object, visit);
  } else if (predicates !== null) {
    for (const predicate of predicates) {
      t.keysOfPredicate.each(predicate, (key) => t.factsOfKey.each(key, visit));
    }
  } else {
    for (let row = 0; row < t.factCount; row++) visit(row);
  }
  return out;
}

/** The interned ones among some texts; `null` when nothing was asked. */
function terms(t: Tables, texts: readonly string[] | undefined, prefix: string): Set<number> | null {
  if (texts === undefined) return null;
  const out = new Set<number>();
  for (const text of texts) {
    const term = t.texts.find(prefix + text);
    if (term !== NONE) out.add(term);
  }
  return out;
}
