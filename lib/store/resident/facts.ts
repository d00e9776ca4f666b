import { supersession, CLOSE_REASONS, type CloseReason } from '../../belief/reasons.js';
import { overlaps } from '../../model/interval.js';
import { PRECISIONS, type Precision } from '../../model/precision.js';
import { STILL, type FactRow, type SupersessionRow } from '../rows.js';
import { KEY } from './claims.js';
import { canonicalAt, entityIdOf } from './entities.js';
import { idText } from './hex.js';
import { keyText } from './settle.js';
import { FACT, NONE, PREFIX, type Tables } from './tables.js';

/** A fact as a view of its columns: nothing is decoded before it is read. */
export class ResidentFact implements FactRow {
  readonly row: number;
  readonly #t: Tables;
  readonly #key: number;

  constructor(tables: Tables, row: number) {
    this.#t = tables;
    this.row = row;
    this.#key = tables.fact.key.get(row);
  }

  /** Number of the key in the tables. */
  get keyRow(): number {
    return this.#key;
  }
  get scopeTerm(): number {
    return this.#t.keys.get(this.#key, KEY.scope);
  }
  get objectTerm(): number {
    return this.#t.fact.object.get(this.row);
  }
  get instanceTerm(): number {
    return this.#t.fact.instance.get(this.row);
  }
  get id(): string {
    return idText('f', this.#t.factIds, this.row);
  }
  get key(): string {
    return keyText(this.#t, this.#key);
  }
  get scope(): string {
    return this.#t.texts.text(this.scopeTerm).slice(PREFIX.scope.length);
  }
  get subject(): string {
    return entityIdOf(this.#t, this.#t.keys.get(this.#key, KEY.subject));
  }
  get predicate(): string {
    return this.#t.texts
      .text(this.#t.keys.get(this.#key, KEY.predicate))
      .slice(PREFIX.predicate.length);
  }
  get polarity(): 'assert' | 'deny' {
    return (this.#t.fact.flags.get(this.row) & FACT.deny) === 0 ? 'assert' : 'deny';
  }
  get object(): string {
    return this.#t.texts.text(this.objectTerm);
  }
  get shown(): string {
    return this.#t.texts.text(this.#t.fact.shown.get(this.row));
  }
  get instance(): string | null {
    const term = this.instanceTerm;
    return term === NONE ? null : this.#t.texts.text(term).slice(PREFIX.instance.length);
  }
  get properties(): string | null {
    const term = this.#t.fact.properties.get(this.row);
    return term === NONE ? null : this.#t.texts.text(term).slice(PREFIX.properties.length);
  }
  get validFrom(): number {
    return this.#t.fact.from.get(this.row);
  }
  get validTo(): number {
    return this.#t.fact.to.get(this.row);
  }
  get fromPrecision(): Precision {
    return PRECISIONS[this.#t.fact.fromPrecision.get(this.row)] ?? 'millisecond';
  }
  get toPrecision(): Precision {
    return PRECISIONS[this.#t.fact.toPrecision.get(this.row)] ?? 'millisecond';
  }
  get startUnknown(): boolean {
    return (this.#t.fact.flags.get(this.row) & FACT.startUnknown) !== 0;
  }
  get knownFrom(): number {
    return this.#t.fact.knownFrom.get(this.row);
  }
  /** A closing that is not committed yet does not show. */
  get knownTo(): number {
    const to = this.#t.fact.knownTo.get(this.row);
    return to > this.#t.lastTx ? STILL : to;
  }
  get reason(): CloseReason | null {
    if (this.knownTo === STILL) return null;
    return CLOSE_REASONS[this.#t.fact.reason.get(this.row) - 1] ?? null;
  }
}

/** The same fact, free of the tables. */
export const copyFact = (f: FactRow): FactRow => ({
  id: f.id,
  key: f.key,
  scope: f.scope,
  subject: f.subject,
  predicate: f.predicate,
  polarity: f.polarity,
  object: f.object,
  shown: f.shown,
  instance: f.instance,
  properties: f.properties,
  validFrom: f.validFrom,
  validTo: f.validTo,
  fromPrecision: f.fromPrecision,
  toPrecision: f.toPrecision,
  startUnknown: f.startUnknown,
  knownFrom: f.knownFrom,
  knownTo: f.knownTo,
  reason: f.reason,
});

/**
 * Facts which the transaction that closed `row` put in its place, by their start. `upTo` is the
 * transaction after the last one for a look at what is not committed yet.
 */
export function successorsOf(t: Tables, row: number, upTo = t.lastTx): SupersessionRow[] {
  const tx = t.fact.knownTo.get(row);
  const reason = CLOSE_REASONS[t.fact.reason.get(row) - 1];
  if (tx > upTo || reason === undefined) return [];
  const found: number[] = [];
  const visit = (other: number): void => {
    if (t.fact.knownFrom.get(other) === tx && areAlternatives(t, row, other)) found.push(other);
  };
  if (movedByEntities(t, row)) {
    const [first, end] = openedIn(t, tx);
    for (let other = first; other < (tx > t.lastTx ? t.factCount : end); other++) {
      if (meetsByMerge(t, row, other, tx)) visit(other);
    }
  } else {
    // The newest come first, so what was opened then is found before what is older.
    t.factsOfKey.some(t.fact.key.get(row), (other) => {
      visit(other);
      return t.fact.knownFrom.get(other) < tx;
    });
  }
  return found
    .sort((a, b) => t.fact.from.get(a) - t.fact.from.get(b) || a - b)
    .map((other) => ({
      from: idText('f', t.factIds, other),
      to: idText('f', t.factIds, row),
      kind: supersession(reason, sameObject(t, row, other, tx)),
    }));
}

/** Facts whose place `row` took when it was opened. */
export function predecessorsOf(t: Tables, row: number): SupersessionRow[] {
  const id = idText('f', t.factIds, row);
  const tx = t.fact.knownFrom.get(row);
  const candidates: number[] = [];
  t.factsOfKey.each(t.fact.key.get(row), (other) => {
    if (t.fact.knownTo.get(other) === tx && !movedByEntities(t, other)) candidates.push(other);
  });
  const [first, end] = closedIn(t, tx);
  for (let i = first; i < end; i++) {
    const closed = t.closures.get(i);
    if (movedByEntities(t, closed)) candidates.push(closed);
  }
  return candidates.flatMap((closed) => successorsOf(t, closed).filter((s) => s.from === id));
}

function movedByEntities(t: Tables, row: number): boolean {
  const reason = CLOSE_REASONS[t.fact.reason.get(row) - 1];
  return reason === 'merged' || reason === 'split';
}

/** Range of fact rows that a transaction opened. */
export const openedIn = (t: Tables, tx: number): readonly [number, number] => [
  tx > 1 ? t.tx.facts.get(tx - 2) : 0,
  t.tx.facts.get(tx - 1),
];

/** Range in `closures` of what a transaction closed. */
export const closedIn = (t: Tables, tx: number): readonly [number, number] => [
  tx > 1 ? t.tx.closures.get(tx - 2) : 0,
  t.tx.closures.get(tx - 1),
];

function areAlternatives(t: Tables, row: number, other: number): boolean {
  const { from, to, flags } = t.fact;
  return (
    (flags.get(row) & FACT.deny) === (flags.get(other) & FACT.deny) &&
    overlaps({ from: from.get(row), to: to.get(row) }, { from: from.get(other), to: to.get(other) })
  );
}

const sameObject = (t: Tables, a: number, b: number, tx: number): boolean =>
  together(t, t.fact.object.get(a), t.fact.object.get(b), tx);

/** One term, or two entities that a merge or split of this transaction joins or parts. */
const together = (t: Tables, a: number, b: number, tx: number): boolean =>
  a === b ||
  canonicalAt(t, a, tx) === canonicalAt(t, b, tx) ||
  canonicalAt(t, a, tx - 1) === canonicalAt(t, b, tx - 1);

function meetsByMerge(t: Tables, row: number, other: number, tx: number): boolean {
  const a = t.fact.key.get(row);
  const b = t.fact.key.get(other);
  const cell = (key: number, index: number): number => t.keys.get(key, index);
  return (
    cell(a, KEY.scope) === cell(b, KEY.scope) &&
    cell(a, KEY.predicate) === cell(b, KEY.predicate) &&
    together(t, cell(a, KEY.subject), cell(b, KEY.subject), tx) &&
    (cell(a, KEY.object) === NONE || sameObject(t, row, other, tx))
  );
}
