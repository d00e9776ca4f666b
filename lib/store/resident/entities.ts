import { normaliseName } from '../../model/text.js';
import { scopeKey, type Scope } from '../../model/scope.js';
import { STILL, type EntityRow } from '../rows.js';
import type { Merge } from './side.js';
import { NONE, PREFIX, type Tables } from './tables.js';
import type { Undo } from './undo.js';

export const termOfEntity = (t: Tables, id: string): number => t.texts.find(`e:${id}`);

export const entityIdOf = (t: Tables, term: number): string => t.texts.text(term).slice(2);

/** The entity that stands for this one, as known at a transaction; itself unless merged. */
export function canonicalAt(t: Tables, term: number, known: number): number {
  const history = t.side.canonicals.get(term);
  if (history === undefined) return term;
  for (let i = history.length - 1; i >= 0; i--) {
    const entry = history[i]!;
    if (entry.since <= known) return entry.term;
  }
  return term;
}

export function entityRow(t: Tables, row: number): EntityRow {
  const { term, scope, type, name, tx } = t.entity;
  return {
    id: entityIdOf(t, term.get(row)),
    scope: t.texts.text(scope.get(row)).slice(PREFIX.scope.length),
    type: t.texts.text(type.get(row)).slice(PREFIX.type.length),
    name: t.texts.text(name.get(row)).slice(PREFIX.display.length),
    tx: tx.get(row),
  };
}

export function declareEntity(
  t: Tables,
  entity: {
    readonly id: string;
    readonly scope: Scope;
    readonly type: string;
    readonly name: string;
    readonly distinct?: string | undefined;
  },
  tx: number,
  undo: Undo,
): number {
  const term = t.texts.intern(`e:${entity.id}`);
  const known = t.entityOfTerm.get(term);
  if (known !== NONE) return known;
  const row = t.entity.term.push(term);
  t.entity.scope.push(t.texts.intern(PREFIX.scope + scopeKey(entity.scope)));
  t.entity.type.push(t.texts.intern(PREFIX.type + entity.type));
  t.entity.name.push(t.texts.intern(PREFIX.display + entity.name));
  t.entity.norm.push(t.texts.intern(PREFIX.norm + normaliseName(entity.name)));
  t.entity.distinct.push(
    entity.distinct === undefined ? NONE : t.texts.intern(PREFIX.distinct + entity.distinct),
  );
  t.entity.tx.push(tx);
  undo.set(t.entityOfTerm, term, row);
  nameEntity(t, row, entity.name, tx);
  return row;
}

/** Adds a name by which the entity is found from this transaction on. */
export function nameEntity(t: Tables, entity: number, name: string, tx: number): void {
  const normal = normaliseName(name);
  const norm = t.texts.intern(PREFIX.norm + normal);
  t.meanings.delete(normal);
  const entry = t.name.entity.push(entity);
  t.name.since.push(tx);
  t.name.until.push(STILL);
  t.name.text.push(t.texts.intern(PREFIX.display + name));
  t.names.add(t.nameKeys.intern([t.entity.scope.get(entity), norm]), entry);
  t.namesOfEntity.add(entity, entry);
}

export function unnameEntity(
  t: Tables,
  entity: number,
  name: string,
  tx: number,
  undo: Undo,
): void {
  const normal = normaliseName(name);
  const norm = t.texts.find(PREFIX.norm + normal);
  t.meanings.delete(normal);
  eachName(t, t.entity.scope.get(entity), norm, (entry) => {
    if (t.name.entity.get(entry) === entity && t.name.until.get(entry) === STILL) {
      undo.set(t.name.until, entry, tx);
    }
  });
}

function eachName(t: Tables, scope: number, norm: number, visit: (entry: number) => void): void {
  if (norm === NONE || scope === NONE) return;
  const list = t.nameKeys.find([scope, norm]);
  if (list !== NONE) t.names.each(list, visit);
}

/**
 * Entities of a scope by name, or where none has it of itself by alias, as known at a transaction;
 * canonical, without doubles. Only those that `accepts` lets through count.
 */
export function entitiesNamed(
  t: Tables,
  scope: string,
  name: string,
  known: number,
  accepts: (row: number) => boolean = () => true,
): number[] {
  const exact: number[] = [];
  const aliased: number[] = [];
  const norm = t.texts.find(PREFIX.norm + normaliseName(name));
  eachName(t, t.texts.findWith(PREFIX.scope, scope), norm, (entry) => {
    if (t.name.since.get(entry) > known || known >= t.name.until.get(entry)) return;
    const named = t.name.entity.get(entry);
    const row = t.entityOfTerm.get(canonicalAt(t, t.entity.term.get(named), known));
    if (row === NONE || !accepts(row)) return;
    (t.entity.norm.get(named) === norm ? exact : aliased).push(row);
  });
  const found = exact.length > 0 ? exact : aliased;
  return found.length < 2 ? found : [...new Set(found)].sort((a, b) => a - b);
}

const isActive = (m: Merge): boolean => m.until === STILL;

/**
 * Merges or splits, and says which terms stand under another entity than before.
 * `from` and `into` are terms.
 */
export function changeMerge(
  t: Tables,
  change: { readonly op: 'merge' | 'split'; readonly from: number; readonly into: number },
  tx: number,
  undo: Undo,
): readonly number[] {
  const before = t.side.merges;
  t.meanings.clear();
  const { from, into } = change;
  const standing = new Map(before.filter(isActive).map((m) => [m.from, m.into]));
  // What is one already stays as it is: two merges of one transaction may say the same from both ends.
  if (change.op === 'merge' && rootOf(standing, from) === rootOf(standing, into)) return [];
  undo.step(() => {
    t.side.merges = before;
  });
  t.side.merges =
    change.op === 'merge'
      ? [...before, { from, into, since: tx, until: STILL }]
      : before.map((m) =>
          isActive(m) && m.from === from && m.into === into ? { ...m, until: tx } : m,
        );
  const parents = new Map(t.side.merges.filter(isActive).map((m) => [m.from, m.into]));
  const changed: number[] = [];
  for (const term of new Set([from, ...before.map((m) => m.from)])) {
    const now = rootOf(parents, term);
    if (now === canonicalAt(t, term, tx)) continue;
    const history = t.side.canonicals.get(term) ?? [];
    undo.put(t.side.canonicals, term, [...history, { since: tx, term: now }]);
    undo.set(t.canonical, term, now === term ? NONE : now);
    changed.push(term);
  }
  return changed;
}

function rootOf(parents: ReadonlyMap<number, number>, term: number): number {
  let at = term;
  for (let next = parents.get(at); next !== undefined; next = parents.get(at)) at = next;
  return at;
}

/** Row of the canonical entity of an id, as known at a transaction; `NONE` for an unknown id. */
export function entityOfId(t: Tables, id: string, known: number): number {
  const term = termOfEntity(t, id);
  if (term === NONE || t.entityOfTerm.get(term) === NONE) return NONE;
  const row = t.entityOfTerm.get(canonicalAt(t, term, known));
  return row === NONE || t.entity.tx.get(row) > known ? NONE : row;
}

/**
 * The entities of other scopes which a read joins with this one: equal type, normalised name and
 * distinguishing mark. Canonical, without doubles.
 */
export function joinedWith(
  t: Tables,
  row: number,
  scopes: readonly string[],
  known: number,
): number[] {
  const { type, norm, distinct } = t.entity;
  const found = new Set<number>();
  for (const scope of scopes) {
    const list = t.nameKeys.find([t.texts.findWith(PREFIX.scope, scope), norm.get(row)]);
    if (list === NONE) continue;
    t.names.each(list, (entry) => {
      if (t.name.since.get(entry) > known || known >= t.name.until.get(entry)) return;
      const other = t.name.entity.get(entry);
      if (type.get(other) !== type.get(row) || distinct.get(other) !== distinct.get(row)) return;
      const canonical = t.entityOfTerm.get(canonicalAt(t, t.entity.term.get(other), known));
      if (canonical !== NONE) found.add(canonical);
    });
  }
  return [...found];
}

/**
 * The transaction from which on nothing is known of a name that was not known at once: the last at which
 * an entity of these scopes got or lost it.
 */
export function lastNaming(t: Tables, scopes: readonly string[], name: string): number {
  const norm = t.texts.find(PREFIX.norm + normaliseName(name));
  let last = 0;
  for (const scope of scopes) {
    eachName(t, t.texts.findWith(PREFIX.scope, scope), norm, (entry) => {
      const until = t.name.until.get(entry);
      last = Math.max(last, t.name.since.get(entry), until === STILL ? 0 : until);
    });
  }
  return last;
}
