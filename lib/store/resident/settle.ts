import { withBounds, type BoundedStretch } from '../../belief/bounds.js';
import { diff, type Edge } from '../../belief/diff.js';
import { foldState, stretchesOf } from '../../belief/fold.js';
import { CLOSE_REASONS } from '../../belief/reasons.js';
import { canonicalJson } from '../../model/canonical.js';
import { contentHash } from '../../model/ids.js';
import { SAME_AS } from '../../model/ontology.js';
import { ANY_KEY } from '../../model/term.js';
import { STILL } from '../rows.js';
import { claimsOfKey, endsOf, isEventKey, KEY, outAt, ResidentClaim } from './claims.js';
import type { Dirty, Disturbance } from './dirty.js';
import {
  firstFold,
  revise,
  WORTH_REMEMBERING,
  type FoldMemory,
  type LongKey,
  type Standing,
} from './fold-memory.js';
import { idCells } from './hex.js';
import type { NextRow } from './next-row.js';
import { FACT, NONE, PREFIX, type Tables } from './tables.js';
import type { Undo } from './undo.js';

/** A row of the fact table which is open, as the diff compares it. */
interface OpenRow extends Edge {
  readonly row: number;
}

export interface Settled {
  readonly opened: readonly number[];
  readonly closed: readonly number[];
  /** Keys that were folded again, with the last transaction that had changed belief about them. */
  readonly touched: ReadonlyMap<number, number>;
}

/** Folds every disturbed key again and writes the difference into the fact table. */
export function settle(
  t: Tables,
  dirty: Dirty,
  tx: number,
  memory: FoldMemory,
  undo: Undo,
): Settled {
  const opened: number[] = [];
  const closed: number[] = [];
  const touched = new Map<number, number>();
  for (const [key, disturbance] of dirty) {
    touched.set(key, t.keyTx.get(key));
    const before = memory.get(key);
    if (before !== undefined) undo.step(() => memory.forget(key));
    const work: Work = { t, key, tx, disturbance, undo, opened, closed };
    if (isSelf(t, key)) replace(work, openRows(t, key), []);
    else if (before !== undefined && !disturbance.deeper) settleMore(work, before, memory);
    else settleWhole(work, memory);
  }
  return { opened, closed, touched };
}

/** That something is the same as itself is no fact: it is what an agreed `same_as` comes to. */
const isSelf = (t: Tables, key: number): boolean =>
  t.keys.get(key, KEY.subject) === t.keys.get(key, KEY.object) &&
  t.texts.text(t.keys.get(key, KEY.predicate)) === PREFIX.predicate + SAME_AS;

/** One key of a transaction. */
interface Work {
  readonly t: Tables;
  readonly key: number;
  readonly tx: number;
  readonly disturbance: Disturbance;
  readonly undo: Undo;
  readonly opened: number[];
  readonly closed: number[];
}

/** Folds all claims of the key, and compares what comes of it with all that is open. */
function settleWhole(work: Work, memory: FoldMemory): void {
  const { t, key, tx, undo } = work;
  const claims = claimsOfKey(t, key, tx);
  const open = openRows(t, key);
  if (claims.length < WORTH_REMEMBERING) {
    memory.forget(key);
    const bounded = withBounds(stretchesOf(foldState(claims)), claims);
    replace(
      work,
      open,
      bounded.map((s) => nextRow(t, s, tx)),
    );
    return;
  }
  const { fold, bounds } = firstFold(claims);
  const next = stretchesOf(fold.state).map((stretch) => ({
    stretch,
    row: nextRow(t, bounds.of(stretch), tx),
  }));
  const rows = replace(
    work,
    open,
    next.map(({ row }) => row),
  );
  undo.step(() => memory.forget(key));
  const standing = next.map(({ stretch, row }) => ({
    stretch,
    next: row,
    row: rows.get(row) ?? NONE,
  }));
  memory.set(key, { fold, bounds, standing });
}

/** Adds the new claims to what is remembered of the key, and compares only what they change. */
function settleMore(work: Work, before: LongKey, memory: FoldMemory): void {
  const { t, key, tx, disturbance } = work;
  const event = isEventKey(t, key, tx);
  const added = disturbance.added.map(
    (row) => new ResidentClaim(t, row, endsOf(t, row, tx).object, outAt(t, row, tx), event),
  );
  const { fold, old, next } = revise(before, added, (stretch, bounds) =>
    nextRow(t, bounds.of(stretch), tx),
  );
  const open = old.map((s) => ({ ...s.next, row: s.row }));
  const rows = replace(
    work,
    open,
    next.map(({ row }) => row),
  );
  const gone = new Set(old);
  const standing = before.standing.filter((s) => !gone.has(s));
  const fresh = next.map(({ stretch, row }) => ({
    stretch,
    next: row,
    row: rows.get(row) ?? NONE,
  }));
  memory.set(key, { fold, bounds: before.bounds, standing: mergeByStart(standing, fresh) });
}

function mergeByStart(a: readonly Standing[], b: readonly Standing[]): Standing[] {
  const out: Standing[] = [];
  let at = 0;
  for (const item of b) {
    for (; at < a.length && a[at]!.next.from < item.next.from; at++) out.push(a[at]!);
    out.push(item);
  }
  for (; at < a.length; at++) out.push(a[at]!);
  return out;
}

/** Closes and opens what differs, and says in which row of the fact table each of `next` stands. */
function replace(
  work: Work,
  open: readonly OpenRow[],
  next: readonly NextRow[],
): ReadonlyMap<NextRow, number> {
  const { t, key, tx, disturbance, undo } = work;
  const { closed, opened } = diff(open, next, disturbance);
  if (closed.length + opened.length > 0) undo.set(t.keyTx, key, tx);
  for (const { row, reason } of closed) {
    undo.set(t.fact.knownTo, row.row, tx);
    undo.set(t.fact.reason, row.row, CLOSE_REASONS.indexOf(reason) + 1);
    t.closures.push(row.row);
    work.closed.push(row.row);
  }
  const rows = new Map<NextRow, number>();
  for (const row of opened) {
    const number = openFact(t, key, row, tx);
    work.opened.push(number);
    rows.set(row, number);
  }
  const kept = new Map(open.map((row) => [row.from, row.row]));
  for (const row of next) if (!rows.has(row)) rows.set(row, kept.get(row.from) ?? NONE);
  return rows;
}

const nextRow = (t: Tables, s: BoundedStretch, tx: number): NextRow => ({
  from: s.from,
  to: s.to,
  polarity: s.polarity,
  object: s.object,
  instance: s.instance,
  properties: s.properties === null ? null : canonicalJson(s.properties, 'properties'),
  startUnknown: s.startUnknown,
  fromPrecision: s.fromPrecision,
  toPrecision: s.toPrecision,
  objectTerm: s.object === ANY_KEY ? t.texts.intern(ANY_KEY) : Number(s.object),
  shown: shownOf(t, s.claim, tx),
  instanceTerm: s.instance === null ? NONE : Number(s.instance),
});

/** How the claim itself wrote the object; a merged entity shows as the canonical one. */
function shownOf(t: Tables, claim: { readonly id: string }, tx: number): number {
  if (!(claim instanceof ResidentClaim)) throw new Error('Folded claims come from the tables.');
  const { object, subject } = endsOf(t, claim.row, tx);
  const isEntity = t.entityOfTerm.get(object) !== NONE && t.entityOfTerm.get(subject) !== NONE;
  return isEntity ? object : t.claim.shown.get(claim.row);
}

function openRows(t: Tables, key: number): OpenRow[] {
  const { fact } = t;
  const any = t.texts.find(ANY_KEY);
  const out: OpenRow[] = [];
  t.factsOfKey.each(key, (row) => {
    if (fact.knownTo.get(row) !== STILL) return;
    const flags = fact.flags.get(row);
    const object = fact.object.get(row);
    const instance = fact.instance.get(row);
    const properties = fact.properties.get(row);
    out.push({
      row,
      from: fact.from.get(row),
      to: fact.to.get(row),
      polarity: (flags & FACT.deny) === 0 ? 'assert' : 'deny',
      object: object === any ? ANY_KEY : String(object),
      instance: instance === NONE ? null : String(instance),
      properties:
        properties === NONE ? null : t.texts.text(properties).slice(PREFIX.properties.length),
      startUnknown: (flags & FACT.startUnknown) !== 0,
      fromPrecision: fact.fromPrecision.get(row),
      toPrecision: fact.toPrecision.get(row),
    });
  });
  return out.sort((a, b) => a.from - b.from);
}

function openFact(t: Tables, key: number, s: NextRow, tx: number): number {
  const { fact } = t;
  const id = contentHash(
    JSON.stringify([keyText(t, key), t.texts.text(s.objectTerm), s.polarity, s.from, s.to, tx]),
  );
  const row = t.factIds.intern(idCells(`f_${id}`));
  fact.key.push(key);
  fact.object.push(s.objectTerm);
  fact.shown.push(s.shown);
  fact.instance.push(s.instanceTerm);
  fact.properties.push(
    s.properties === null ? NONE : t.texts.intern(PREFIX.properties + s.properties),
  );
  fact.from.push(s.from);
  fact.to.push(s.to);
  fact.knownFrom.push(tx);
  fact.knownTo.push(STILL);
  fact.flags.push(
    (s.polarity === 'deny' ? FACT.deny : 0) | (s.startUnknown ? FACT.startUnknown : 0),
  );
  fact.fromPrecision.push(s.fromPrecision);
  fact.toPrecision.push(s.toPrecision);
  fact.reason.push(0);
  t.factsOfKey.add(key, row);
  t.factsOfSubject.add(t.keys.get(key, KEY.subject), row);
  t.factsOfObject.add(s.objectTerm, row);
  return row;
}

/** A name for a key that does not depend on the order in which texts were interned. */
export function keyText(t: Tables, key: number): string {
  const cell = (index: number): string | null => {
    const term = t.keys.get(key, index);
    return term === NONE ? null : t.texts.text(term);
  };
  return JSON.stringify([
    cell(KEY.scope),
    cell(KEY.subject),
    cell(KEY.predicate),
    cell(KEY.object),
    cell(KEY.instance),
    cell(KEY.start),
  ]);
}
