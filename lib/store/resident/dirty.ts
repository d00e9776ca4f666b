import { ANY_KEY } from '../../model/term.js';
import { endsOf, groupOfKey, KEY } from './claims.js';
import { predicateAt } from './settings.js';
import { CLAIM, NONE, type Tables } from './tables.js';
import type { Undo } from './undo.js';

/** Why a key must be folded again. */
export interface Disturbance {
  withdrawn: boolean;
  entities: 'merged' | 'split' | null;
  /** Claims that are new in the key; nothing else changed as long as `deeper` is false. */
  readonly added: number[];
  deeper: boolean;
}

export type Dirty = Map<number, Disturbance>;

export function disturb(dirty: Dirty, key: number): Disturbance {
  const known = dirty.get(key);
  if (known !== undefined) return known;
  const fresh: Disturbance = { withdrawn: false, entities: null, added: [], deeper: false };
  dirty.set(key, fresh);
  return fresh;
}

/** The key of a claim as of now: what it is an alternative to. Adds the key if it is new. */
export function placeOf(t: Tables, claim: number, tx: number): number {
  const { subject, object } = endsOf(t, claim, tx);
  const predicate = t.claim.predicate.get(claim);
  const scope = t.claim.scope.get(claim);
  const { cardinality, kind } = predicateAt(t, predicate, tx);
  if (cardinality === 'one' && kind === 'state') {
    return internKey(t, [scope, subject, predicate, NONE, NONE, NONE]);
  }
  const instance = t.claim.instance.get(claim);
  const denies = (t.claim.flags.get(claim) & CLAIM.deny) !== 0;
  const start =
    kind === 'event' && instance === NONE && !denies
      ? t.texts.intern(`T:${t.claim.from.get(claim)}`)
      : NONE;
  return internKey(t, [scope, subject, predicate, object, instance, start]);
}

function internKey(
  t: Tables,
  cells: readonly [number, number, number, number, number, number],
): number {
  const before = t.keys.size;
  const key = t.keys.intern(cells);
  if (key === before) {
    const [scope, subject, predicate] = cells;
    const groups = t.groups.size;
    const group = t.groups.intern([scope, subject, predicate]);
    t.keysOfGroup.add(group, key);
    t.keysOfPredicate.add(predicate, key);
    if (group === groups) t.keyTx.set(key, 0);
  }
  return key;
}

/** True for denials that speak to other keys of their group too. */
export function isBroadcast(t: Tables, claim: number, key: number): boolean {
  if ((t.claim.flags.get(claim) & CLAIM.deny) === 0) return false;
  return t.keys.get(key, KEY.object) !== NONE && t.claim.instance.get(claim) === NONE;
}

/** Every key in which the claim speaks, its own first. */
export function keysHeardIn(t: Tables, claim: number, key: number): readonly number[] {
  if (!isBroadcast(t, claim, key)) return [key];
  const denied = t.keys.get(key, KEY.object);
  const any = t.texts.find(ANY_KEY);
  const keys = [key];
  t.keysOfGroup.each(t.groups.find(groupOfKey(t, key)), (other) => {
    const object = t.keys.get(other, KEY.object);
    if (other !== key && object !== NONE && (denied === any || denied === object)) keys.push(other);
  });
  return keys;
}

/** Puts a claim into the lists of a key, unless it has stood there before. */
export function standIn(t: Tables, claim: number, key: number, returning: boolean): void {
  if (returning && t.claimsOfKey.list(key).includes(claim)) return;
  t.claimsOfKey.add(key, claim);
  if (isBroadcast(t, claim, key)) t.broadcasts.add(t.groups.intern(groupOfKey(t, key)), claim);
}

/** Moves a claim whose entities or predicate have changed to the key where it belongs now. */
export function moveClaim(
  t: Tables,
  claim: number,
  object: number,
  tx: number,
  entities: 'merged' | 'split' | null,
  dirty: Dirty,
  undo: Undo,
): void {
  const oldKey = t.claim.key.get(claim);
  const oldObject = t.claim.object.get(claim);
  for (const key of keysHeardIn(t, claim, oldKey)) mark(dirty, key, entities);
  undo.set(t.claim.object, claim, object);
  const key = placeOf(t, claim, tx);
  if (key !== oldKey || object !== oldObject) {
    const former = t.side.places.get(claim) ?? [];
    undo.put(t.side.places, claim, [...former, { until: tx, key: oldKey, object: oldObject }]);
    undo.set(t.claim.key, claim, key);
    standIn(t, claim, key, true);
  }
  for (const heard of keysHeardIn(t, claim, key)) mark(dirty, heard, entities);
}

function mark(dirty: Dirty, key: number, entities: 'merged' | 'split' | null): void {
  const disturbance = disturb(dirty, key);
  disturbance.deeper = true;
  if (entities !== null) disturbance.entities = entities;
}
