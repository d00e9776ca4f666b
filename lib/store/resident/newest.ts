import type { RowQuery } from '../rows.js';
import { KEY } from './claims.js';
import { ResidentFact } from './facts.js';
import { wantedBy } from './find.js';
import { Recent } from './recent.js';
import type { Tables } from './tables.js';

/** Subjects with fewer facts are read whole: that is faster than keeping them in order. */
const WORTH_ORDERING = 48;
const SUBJECTS = 256;

/** The facts of one subject by their start. */
interface Ordered {
  readonly rows: Int32Array;
  /** The greatest row in it: what came later is not in order yet. */
  readonly last: number;
  /** The scope of all of them, or `null` when there are several. */
  readonly scope: number | null;
}

/** Facts in the order of their start, for subjects with so many of them that the newest are worth finding fast. */
export class NewestFirst {
  readonly #ordered = new Recent<number, Ordered>(SUBJECTS);

  /**
   * The facts of a query about one subject which start last: at least so many of them, and all that start
   * together with the last one. `null` when that cannot be told, because the facts stand in several
   * scopes or are not asked about one subject.
   */
  find(t: Tables, query: RowQuery, count: number): ResidentFact[] | null {
    const { valid } = query;
    const wanted = wantedBy(t, query);
    if (wanted === null) return [];
    const [subject, second] = wanted.subjects ?? [];
    if (subject === undefined || second !== undefined || valid === null) return null;
    const few = readWhole(t, subject);
    const ordered = few === null ? this.#inOrder(t, subject) : null;
    const out: ResidentFact[] = [];
    if (few !== null) {
      if (!isOneScope(t, few)) return null;
      for (const row of few) if (wanted.accepts(row)) out.push(new ResidentFact(t, row));
      return out;
    }
    if (ordered === null || ordered.scope === null) return null;
    const { from } = t.fact;
    let boundary = Number.POSITIVE_INFINITY;
    for (let i = firstAtOrAfter(t, ordered.rows, valid.to) - 1; i >= 0; i--) {
      const row = ordered.rows[i]!;
      if (out.length >= count && from.get(row) < boundary) break;
      if (!wanted.accepts(row)) continue;
      out.push(new ResidentFact(t, row));
      boundary = from.get(row);
    }
    return out;
  }

  #inOrder(t: Tables, subject: number): Ordered {
    const before = this.#ordered.get(subject);
    const last = before?.last ?? -1;
    const fresh: number[] = [];
    t.factsOfSubject.some(subject, (row) => {
      if (row <= last) return true;
      // What is not committed yet may be taken back.
      if (t.fact.knownFrom.get(row) <= t.lastTx) fresh.push(row);
      return false;
    });
    const greatest = fresh[0];
    if (greatest === undefined && before !== undefined) return before;
    const { from } = t.fact;
    fresh.sort((a, b) => from.get(a) - from.get(b) || a - b);
    const after: Ordered = {
      rows: merged(t, before?.rows ?? new Int32Array(0), fresh),
      last: greatest ?? last,
      scope: scopeOf(t, before, fresh),
    };
    this.#ordered.set(subject, after);
    return after;
  }
}

/** The committed facts of a subject when they are few, else `null`. */
function readWhole(t: Tables, subject: number): number[] | null {
  const rows: number[] = [];
  const isMany = t.factsOfSubject.some(subject, (row) => {
    rows.push(row);
    return rows.length > WORTH_ORDERING;
  });
  return isMany ? null : rows;
}

const scopeOfRow = (t: Tables, row: number): number => t.keys.get(t.fact.key.get(row), KEY.scope);

function isOneScope(t: Tables, rows: readonly number[]): boolean {
  const [first] = rows;
  if (first === undefined) return true;
  const scope = scopeOfRow(t, first);
  return rows.every((row) => scopeOfRow(t, row) === scope);
}

function scopeOf(t: Tables, before: Ordered | undefined, fresh: readonly number[]): number | null {
  if (before?.scope === null) return null;
  const [first] = fresh;
  const scope = before?.scope ?? (first === undefined ? null : scopeOfRow(t, first));
  return fresh.every((row) => scopeOfRow(t, row) === scope) ? scope : null;
}

function merged(t: Tables, old: Int32Array, fresh: readonly number[]): Int32Array {
  const { from } = t.fact;
  const out = new Int32Array(old.length + fresh.length);
  let taken = 0;
  let at = 0;
  for (const row of fresh) {
    while (taken < old.length && from.get(old[taken]!) <= from.get(row)) out[at++] = old[taken++]!;
    out[at++] = row;
  }
  out.set(old.subarray(taken), at);
  return out;
}

/** Index of the first row that starts at an instant or after it. */
function firstAtOrAfter(t: Tables, rows: Int32Array, at: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (t.fact.from.get(rows[middle]!) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
