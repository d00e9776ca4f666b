import { ANY_OBJECT, speechOf } from '../belief/claim.js';
import { intersect, overlaps, type Interval } from '../model/interval.js';
import { scopeOfKey, specificity } from '../model/scope.js';
import { ANY_KEY } from '../model/term.js';
import { claimsOfKey } from '../store/resident/claims.js';
import { entityOfId } from '../store/resident/entities.js';
import type { BeliefIndex } from '../store/resident/index.js';
import { predicateAt } from '../store/resident/settings.js';
import { ResidentFact } from '../store/resident/facts.js';
import { Recent } from '../store/resident/recent.js';
import { NONE, PREFIX } from '../store/resident/tables.js';
import type { FactRow } from '../store/rows.js';

/** A fact that a read shows, with those of broader scopes that it hides. */
export interface Shown {
  readonly row: FactRow;
  readonly shadows: readonly string[];
}

/**
 * What remains of the rows of several scopes, all believed at one known time and overlapping `valid`.
 * In a `one` key the most specific scope wins; `many` is the union, less what a narrower scope denies.
 * Over an interval a broader fact stays as long as some part of it is not covered.
 */
export function shadow(
  index: BeliefIndex,
  rows: readonly FactRow[],
  valid: Interval,
  known: number,
): Shown[] {
  const first = rows[0];
  if (first === undefined) return [];
  if (rows.every((row) => isSameScope(row, first))) {
    return rows.filter((row) => row.polarity === 'assert').map((row) => ({ row, shadows: [] }));
  }
  const groups = new Map<string, FactRow[]>();
  for (const row of rows) {
    const name = groupOf(index, row, known);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row]);
    else group.push(row);
  }
  const out: Shown[] = [];
  for (const group of groups.values()) out.push(...shadowGroup(index, group, valid, known));
  return out;
}

const isSameScope = (a: FactRow, b: FactRow): boolean =>
  a instanceof ResidentFact && b instanceof ResidentFact
    ? a.scopeTerm === b.scopeTerm
    : a.scope === b.scope;

const ranks = new Recent<string, number>(256);

function rankOf(scope: string): number {
  let rank = ranks.get(scope);
  if (rank === undefined) {
    rank = specificity(scopeOfKey(scope));
    ranks.set(scope, rank);
  }
  return rank;
}

function shadowGroup(
  index: BeliefIndex,
  rows: readonly FactRow[],
  valid: Interval,
  known: number,
): Shown[] {
  const ranked = rows
    .map((row) => ({ row, rank: rankOf(row.scope) }))
    .sort((a, b) => b.rank - a.rank);
  const one = isOne(index, rows[0]!.predicate, known);
  const shown: { row: FactRow; shadows: string[] }[] = [];
  for (const { row, rank } of ranked) {
    if (row.polarity === 'deny') continue;
    const covers: Interval[] = [];
    const hiders: string[] = [];
    for (const narrower of ranked) {
      if (narrower.rank <= rank) break;
      if (one) covers.push(...deniedBeside(index, narrower.row, row, known));
      if (!hides(index, narrower.row, row, one, known)) continue;
      covers.push({ from: narrower.row.validFrom, to: narrower.row.validTo });
      if (narrower.row.polarity === 'assert') hiders.push(narrower.row.id);
    }
    if (isCovered(row, covers, valid)) {
      const hider = shown.find((s) => hiders.includes(s.row.id));
      hider?.shadows.push(row.id);
    } else {
      shown.push({ row, shadows: [] });
    }
  }
  return shown;
}

function hides(
  index: BeliefIndex,
  narrower: FactRow,
  row: FactRow,
  one: boolean,
  known: number,
): boolean {
  if (
    !overlaps(
      { from: narrower.validFrom, to: narrower.validTo },
      { from: row.validFrom, to: row.validTo },
    )
  ) {
    return false;
  }
  const same =
    objectOf(index, narrower, known) === objectOf(index, row, known) &&
    (one ||
      narrower.instance === row.instance ||
      (narrower.polarity === 'deny' && narrower.instance === null));
  if (narrower.polarity === 'deny') return narrower.object === ANY_KEY || same;
  return one || same;
}

/**
 * Where a denial in the narrower scope covers the row though another denial is current there: of one
 * value the fold keeps one denial at a time, and each of them hides what it denies.
 */
function deniedBeside(
  index: BeliefIndex,
  narrower: FactRow,
  row: FactRow,
  known: number,
): readonly Interval[] {
  const current = narrower.polarity === 'deny' ? index.factById(narrower.id) : null;
  if (current === null) return [];
  const wanted = objectOf(index, row, known);
  return claimsOfKey(index.tables, current.keyRow, known).flatMap((claim) => {
    const speech = claim.polarity === 'deny' && claim.instance === null ? speechOf(claim) : null;
    if (speech === null || claim.object === ANY_OBJECT) return [];
    const denied = index.tables.texts.text(Number(claim.object));
    if (named(index, denied, known) !== wanted) return [];
    const here = intersect(speech, { from: current.validFrom, to: current.validTo });
    return here === null ? [] : without(here, claim.out);
  });
}

/** What is left of an interval outside of others. */
function without(whole: Interval, holes: readonly Interval[]): Interval[] {
  let left = [whole];
  for (const hole of holes) {
    left = left.flatMap((part) =>
      [
        { from: part.from, to: Math.min(part.to, hole.from) },
        { from: Math.max(part.from, hole.to), to: part.to },
      ].filter((rest) => rest.from < rest.to),
    );
  }
  return left;
}

/** Whether `covers` leave nothing of the row within `valid`. */
function isCovered(row: FactRow, covers: readonly Interval[], valid: Interval): boolean {
  let at = Math.max(row.validFrom, valid.from);
  const end = Math.min(row.validTo, valid.to);
  for (const cover of [...covers].sort((a, b) => a.from - b.from)) {
    if (cover.from > at) return false;
    if (cover.to > at) at = cover.to;
    if (at >= end) return true;
  }
  return at >= end;
}

function isOne(index: BeliefIndex, predicate: string, known: number): boolean {
  const term = index.tables.texts.findWith(PREFIX.predicate, predicate);
  const { cardinality, kind } = predicateAt(index.tables, term, known);
  return cardinality === 'one' && kind === 'state';
}

const groupOf = (index: BeliefIndex, row: FactRow, known: number): string =>
  JSON.stringify([joinName(index, row.subject, known), row.predicate]);

const objectOf = (index: BeliefIndex, row: FactRow, known: number): string =>
  named(index, row.object, known);

const named = (index: BeliefIndex, object: string, known: number): string =>
  object.startsWith('e:') ? joinName(index, object.slice(2), known) : object;

/** Entities of different scopes are one when type and normalised name are equal. */
function joinName(index: BeliefIndex, id: string, known: number): string {
  const row = entityOfId(index.tables, id, known);
  if (row === NONE) return `e:${id}`;
  const { type, norm, distinct } = index.tables.entity;
  return `${type.get(row)}:${norm.get(row)}:${distinct.get(row)}`;
}
