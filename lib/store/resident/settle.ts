import { withBounds } from '../../belief/bounds.js';
import { byPrecedence } from '../../belief/claim.js';
import { canonicalJson } from '../../model/canonical.js';
import { contentHash } from '../../model/ids.js';
import { diff, type Edge } from '../../belief/diff.js';
import { foldOnTop, foldState, stretchesOf, type FoldState } from '../../belief/fold.js';
import { CLOSE_REASONS } from '../../belief/reasons.js';
import { ANY_KEY } from '../../model/term.js';
import { STILL } from '../rows.js';
import { claimsOfKey, isEventKey, KEY, ResidentClaim, outAt, endsOf } from './claims.js';
import type { Dirty, Disturbance } from './dirty.js';
import { idCells } from './hex.js';
import { FACT, NONE, PREFIX, type Tables } from './tables.js';
import type { Undo } from './undo.js';

/** Keys with fewer claims are folded from scratch: that is faster than remembering. */
const WORTH_REMEMBERING = 48;
const REMEMBERED = 256;

interface Remembered {
  /** In ascending precedence. */
  readonly claims: readonly ResidentClaim[];
  readonly state: FoldState;
}

/** Folds of keys with many claims, so that the next claim does not fold them all again. */
export class FoldMemory {
  readonly #keys = new Map<number, Remembered>();

  get(key: number): Remembered | undefined {
    return this.#keys.get(key);
  }

  set(key: number, value: Remembered): void {
    this.#keys.delete(key);
    this.#keys.set(key, value);
    if (this.#keys.size > REMEMBERED) {
      for (const oldest of this.#keys.keys()) {
        this.#keys.delete(oldest);
        break;
      }
    }
  }

  forget(key: number): void {
    this.#keys.delete(key);
  }
}

/** A row of the fact table which is open, as the diff compares it. */
interface OpenRow extends Edge {
  readonly row: number;
}

interface NextRow extends Edge {
  readonly objectTerm: number;
  readonly shown: number;
  readonly instanceTerm: number;
}

export interface Settled {
  readonly opened: readonly number[];
  readonly closed: readonly number[];
  /** Keys that were folded again, with the last transaction that had changed belief about them. */
  readonly touched: ReadonlyMap<number, number>;
}

/** Folds every disturbed key again and writes the difference into the fact table. */
export function settle(t: Tables, dirty: Dirty, tx: number, memory: FoldMemory, undo: Undo): Settled {
  const opened: number[] = [];
  const closed: number[] = [];
  const touched = new Map<number, number>();
  for (const [key, disturbance] of dirty) {
    touched.set(key, t.keyTx.get(key));
    const next = nextRows(t, key, tx, disturbance, memory, undo);
    const open = openRows(t, key);
    const { closed: shut, opened: fresh } = diff(open, next, disturbance);
    if (shut.length + fresh.length > 0) undo.set(t.keyTx, key, tx);
    for (const { row, reason } of shut) {
      undo.set(t.fact.knownTo, row.row, tx);
      undo.set(t.fact.reason, row.row, CLOSE_REASONS.indexOf(reason) + 1);
      t.closures.push(row.row);
      closed.push(row.row);
    }
    for (const row of fresh) opened.push(openFact(t, key, row, tx));
  }
  return { opened, closed, touched };
}

function nextRows(
  t: Tables,
  key: number,
  tx: number,
  disturbance: Disturbance,
  memory: FoldMemory,
  undo: Undo,
): NextRow[] {
  const { claims, state } = folded(t, key, tx, disturbance, memory, undo);
  const bounded = withBounds(stretchesOf(state), claims);
  return bounded.map((s) => ({
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
  }));
}

/** How the claim itself wrote the object; a merged entity shows as the canonical one. */
function shownOf(t: Tables, claim: { readonly id: string }, tx: number): number {
  if (!(claim instanceof ResidentClaim)) throw new Error('Folded claims come from the tables.');
  const { object, subject } = endsOf(t, claim.row, tx);
  const isEntity = t.entityOfTerm.get(object) !== NONE && t.entityOfTerm.get(subject) !== NONE;
  return isEntity ? object : t.claim.shown.get(claim.row);
}

function folded(
  t: Tables,
  key: number,
  tx: number,
  disturbance: Disturbance,
  memory: FoldMemory,
  undo: Undo,
): Remembered {
  const before = memory.get(key);
  undo.step(() => memory.forget(key));
  if (before !== undefined && !disturbance.deeper) {
    const after = withAdded(t, key, tx, before, disturbance.added);
    memory.set(key, after);
    return after;
  }
  const claims = claimsOfKey(t, key, tx).sort(byPrecedence);
  const after = { claims, state: foldState(claims) };
  if (claims.length >= WORTH_REMEMBERING) memory.set(key, after);
  else memory.forget(key);
  return after;
}

function withAdded(
  t: Tables,
  key: number,
  tx: number,
  before: Remembered,
  added: readonly number[],
): Remembered {
  const event = isEventKey(t, key, tx);
  const fresh = added
    .map((row) => new ResidentClaim(t, row, endsOf(t, row, tx).object, outAt(t, row, tx), event))
    .sort(byPrecedence);
  const { top } = before.state;
  const first = fresh[0];
  if (first === undefined) return before;
  const claims = [...before.claims, ...fresh];
  if (top === null || byPrecedence(top, first) < 0) {
    return { claims, state: fresh.reduce(foldOnTop, before.state) };
  }
  claims.sort(byPrecedence);
  return { claims, state: foldState(claims) };
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
  fact.flags.push((s.polarity === 'deny' ? FACT.deny : 0) | (s.startUnknown ? FACT.startUnknown : 0));
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

