import { STILL, type RowQuery } from '../rows.js';
import { KEY } from './claims.js';
import { ResidentFact } from './facts.js';
import { FACT, NONE, PREFIX, type Tables } from './tables.js';

/** Facts by query, read from the columns. In no particular order. */
export function findFacts(t: Tables, query: RowQuery): ResidentFact[] {
  const narrow = factsOfGroups(t, query);
  if (narrow !== null) return narrow;
  const wanted = wantedBy(t, query);
  if (wanted === null) return [];
  const { accepts } = wanted;
  const out: ResidentFact[] = [];
  const visit = (row: number): void => {
    if (accepts(row)) out.push(new ResidentFact(t, row));
  };
  const groups = groupsOf(t, wanted);
  if (groups !== null) {
    for (const group of groups) {
      t.keysOfGroup.each(group, (key) => t.factsOfKey.each(key, visit));
    }
  } else if (wanted.subjects !== null) {
    for (const subject of wanted.subjects) t.factsOfSubject.each(subject, visit);
  } else if (wanted.objects !== null) {
    for (const object of wanted.objects) t.factsOfObject.each(object, visit);
  } else if (wanted.predicates !== null) {
    for (const predicate of wanted.predicates) {
      t.keysOfPredicate.each(predicate, (key) => t.factsOfKey.each(key, visit));
    }
  } else {
    for (let row = 0; row < t.factCount; row++) visit(row);
  }
  return out;
}

/**
 * The facts of a few subjects and predicates, whatever their objects: their groups have nothing else in them, so
 * that only time and polarity are to be looked at. `null` for any other query.
 */
function factsOfGroups(t: Tables, query: RowQuery): ResidentFact[] | null {
  const { objects, scopes, predicates, subjectTerms: subjects, valid } = query;
  if (objects !== undefined || predicates === undefined || subjects === undefined) return null;
  if (scopes.length * subjects.length * predicates.length > MOST_GROUPS) return null;
  const { fact, lastTx } = t;
  const known = query.known === 'ever' ? STILL : query.known;
  const isEver = query.known === 'ever';
  const wantsFlag = query.polarity === 'both' ? null : query.polarity === 'deny' ? FACT.deny : 0;
  const names = predicates.length < 2 ? predicates : new Set(predicates);
  const out: ResidentFact[] = [];
  const visit = (row: number): void => {
    const opened = fact.knownFrom.get(row);
    if (opened > lastTx || opened > known || (!isEver && fact.knownTo.get(row) <= known)) return;
    if (wantsFlag !== null && (fact.flags.get(row) & FACT.deny) !== wantsFlag) return;
    if (valid !== null && (fact.from.get(row) >= valid.to || fact.to.get(row) <= valid.from))
      return;
    out.push(new ResidentFact(t, row));
  };
  for (const scope of scopes) {
    const scopeTerm = t.texts.findWith(PREFIX.scope, scope);
    if (scopeTerm === NONE) continue;
    for (const subject of subjects) {
      for (const predicate of names) {
        const group = t.groups.find([
          scopeTerm,
          subject,
          t.texts.findWith(PREFIX.predicate, predicate),
        ]);
        if (group !== NONE) t.keysOfGroup.each(group, (key) => t.factsOfKey.each(key, visit));
      }
    }
  }
  return out;
}

/** Looking up more groups than this takes longer than passing over what is not wanted. */
const MOST_GROUPS = 32;

/** The groups of keys that a query is about, when it names both subjects and predicates. */
function groupsOf(t: Tables, { scopes, subjects, predicates }: Wanted): number[] | null {
  if (subjects === null || predicates === null) return null;
  if (scopes.length * subjects.length * predicates.length > MOST_GROUPS) return null;
  const out: number[] = [];
  for (const scope of scopes) {
    for (const subject of subjects) {
      for (const predicate of predicates) {
        const group = t.groups.find([scope, subject, predicate]);
        if (group !== NONE) out.push(group);
      }
    }
  }
  return out;
}

/** A query in numbers. */
interface Wanted {
  readonly scopes: Terms;
  readonly subjects: Terms | null;
  readonly objects: Terms | null;
  readonly predicates: Terms | null;
  readonly accepts: (row: number) => boolean;
}

type Terms = readonly number[];

/** `null` when nothing can match. */
export function wantedBy(t: Tables, query: RowQuery): Wanted | null {
  const scopes = terms(t, query.scopes, PREFIX.scope);
  const subjects = query.subjectTerms ?? terms(t, query.subjects, 'e:');
  const objects = terms(t, query.objects, '');
  const predicates = terms(t, query.predicates, PREFIX.predicate);
  if (scopes === null) return null;
  for (const list of [scopes, subjects, objects, predicates]) if (list?.length === 0) return null;
  const { fact, keys, lastTx } = t;
  const known = query.known === 'ever' ? STILL : query.known;
  const wantsFlag = query.polarity === 'both' ? null : query.polarity === 'deny' ? FACT.deny : 0;
  const valid = query.valid;
  const isSubject = containing(subjects);
  const isObject = containing(objects);
  const isPredicate = containing(predicates);
  const isScope = containing(scopes);
  const accepts = (row: number): boolean => {
    const opened = fact.knownFrom.get(row);
    if (opened > lastTx || opened > known) return false;
    if (known !== STILL && fact.knownTo.get(row) <= known) return false;
    if (valid !== null && (fact.from.get(row) >= valid.to || fact.to.get(row) <= valid.from)) {
      return false;
    }
    if (wantsFlag !== null && (fact.flags.get(row) & FACT.deny) !== wantsFlag) return false;
    const key = fact.key.get(row);
    if (isPredicate !== null && !isPredicate(keys.get(key, KEY.predicate))) return false;
    if (isScope !== null && !isScope(keys.get(key, KEY.scope))) return false;
    if (isObject !== null && !isObject(fact.object.get(row))) return false;
    return isSubject === null || isSubject(keys.get(key, KEY.subject));
  };
  return { scopes, subjects, objects, predicates, accepts };
}

/** The interned ones among some texts, each once; `null` when nothing was asked. */
function terms(t: Tables, texts: readonly string[] | undefined, prefix: string): Terms | null {
  if (texts === undefined) return null;
  const out: number[] = [];
  const isCommon = prefix === PREFIX.scope || prefix === PREFIX.predicate;
  for (const text of texts) {
    const term = isCommon ? t.texts.findWith(prefix, text) : t.texts.find(prefix + text);
    if (term !== NONE) out.push(term);
  }
  return out.length < 2 ? out : [...new Set(out)];
}

/** A short list is searched faster than a set. */
function containing(list: Terms | null): ((term: number) => boolean) | null {
  if (list === null) return null;
  const [only] = list;
  if (list.length === 1) return (term) => term === only;
  if (list.length <= 8) return (term) => list.includes(term);
  const set = new Set(list);
  return (term) => set.has(term);
}
