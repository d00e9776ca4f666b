import { BEGIN, FOREVER, type Interval } from '../../model/interval.js';
import type { Place } from '../../memory/space.js';
import { entitiesMeant } from '../../memory/names.js';
import { shadow, type Shown } from '../../memory/shadow.js';
import { isEntityId } from '../../model/ids.js';
import { ANY_KEY } from '../../model/term.js';
import { isEventKey, KEY, keyAt, outsOf } from '../../store/resident/claims.js';
import { ResidentFact } from '../../store/resident/facts.js';
import type { BeliefIndex } from '../../store/resident/index.js';
import { predicateAt } from '../../store/resident/settings.js';
import { NONE, PREFIX } from '../../store/resident/tables.js';
import type { AskedTime } from './asked.js';

const NOTHING: readonly Shown[] = [];

/**
 * From a claim to what is believed of its key at the asked point. The words may be of a claim that another
 * one has overruled: the answer is the one which holds.
 */
export class Believed {
  readonly #index: BeliefIndex;
  readonly #place: Place;
  readonly #time: AskedTime;
  /** Numbers of the visible scopes that hold anything. */
  readonly #scopes: ReadonlySet<number>;
  readonly #byKey = new Map<number, readonly Shown[]>();
  readonly #byGroup = new Map<string, readonly Shown[]>();

  constructor(index: BeliefIndex, place: Place, time: AskedTime) {
    this.#index = index;
    this.#place = place;
    this.#time = time;
    const terms = place.visible.map((scope) => index.tables.texts.find(PREFIX.scope + scope));
    this.#scopes = new Set(terms.filter((term) => term !== NONE));
  }

  /** Facts to which a claim leads; none for one that is withdrawn or was not known. */
  ofClaim(row: number): readonly Shown[] {
    const t = this.#index.tables;
    const { known } = this.#time;
    if (row >= t.claimCount) return NOTHING;
    if (t.claim.tx.get(row) > known || !this.#scopes.has(t.claim.scope.get(row))) return NOTHING;
    if (isWithdrawn(this.#index, row, known)) return NOTHING;
    return this.ofKey(keyAt(t, row, known));
  }

  ofKey(key: number): readonly Shown[] {
    const met = this.#byKey.get(key);
    if (met !== undefined) return met;
    const found = this.#find(key);
    this.#byKey.set(key, found);
    return found;
  }

  /** The answer's facts that a row leads to, if it is believed at the asked point. */
  ofFact(row: number): readonly Shown[] {
    const t = this.#index.tables;
    const key = t.fact.key.get(row);
    if (!this.#scopes.has(t.keys.get(key, KEY.scope))) return NOTHING;
    if (!this.#holds(row, this.#validOf(key))) return NOTHING;
    const id = new ResidentFact(t, row).id;
    return this.ofKey(key).filter((s) => s.row.id === id || s.shadows.includes(id));
  }

  /** Believed as known at the asked time, and to hold from later on only. */
  isAhead(row: number): boolean {
    const { fact } = this.#index.tables;
    const { known, valid } = this.#time;
    return fact.knownTo.get(row) > known && fact.from.get(row) >= valid.to;
  }

  #validOf(key: number): Interval {
    return isEventKey(this.#index.tables, key, this.#time.known)
      ? this.#time.happened
      : this.#time.valid;
  }

  #holds(row: number, valid: Interval): boolean {
    const { fact, lastTx } = this.#index.tables;
    const opened = fact.knownFrom.get(row);
    const { known } = this.#time;
    return (
      opened <= known &&
      opened <= lastTx &&
      fact.knownTo.get(row) > known &&
      fact.from.get(row) < valid.to &&
      fact.to.get(row) > valid.from
    );
  }

  #find(key: number): readonly Shown[] {
    const t = this.#index.tables;
    if (!this.#scopes.has(t.keys.get(key, KEY.scope))) return NOTHING;
    const valid = this.#validOf(key);
    const own: ResidentFact[] = [];
    t.factsOfKey.each(key, (row) => {
      if (this.#holds(row, valid)) own.push(new ResidentFact(t, row));
    });
    if (own.length === 0) return NOTHING;
    if (this.#scopes.size === 1) {
      return own.filter(isAssert).map((row) => ({ row, shadows: [] }));
    }
    const ids = new Set(own.map((row) => row.id));
    const predicate = predicateAt(t, t.keys.get(key, KEY.predicate), this.#time.known);
    const one = predicate.cardinality === 'one' && predicate.kind === 'state';
    // In a `one` key the narrower scope's value answers for the broader one's.
    return this.#group(own[0]!, valid, one).filter(
      ({ row, shadows }) => one || ids.has(row.id) || shadows.some((id) => ids.has(id)),
    );
  }

  /** What is shown of one subject and predicate, and where there may be many of one object, in all visible scopes. */
  #group(
    { subject, predicate, object }: ResidentFact,
    valid: Interval,
    one: boolean,
  ): readonly Shown[] {
    const { known } = this.#time;
    const scopes = this.#place.visible;
    const subjects = this.#joined(subject);
    const objects = object.startsWith('e:')
      ? this.#joined(object.slice(2)).map((id) => `e:${id}`)
      : [object];
    const name = JSON.stringify([subjects, predicate, one ? null : objects]);
    const met = this.#byGroup.get(name);
    if (met !== undefined) return met;
    const rows = this.#index.rows({
      scopes,
      subjects,
      predicates: [predicate],
      // A denial of everything hides this object as well.
      ...(one ? {} : { objects: [...objects, ANY_KEY] }),
      valid,
      known,
      polarity: 'both',
    });
    const shown = shadow(this.#index, rows, valid, known);
    this.#byGroup.set(name, shown);
    return shown;
  }

  /** The entity and those of other scopes that are one with it. */
  #joined(id: string): readonly string[] {
    if (!isEntityId(id)) return [id];
    const { known } = this.#time;
    const meant = entitiesMeant(this.#index, { id }, this.#place.visible, known);
    return meant.length === 0 ? [id] : meant.toSorted();
  }
}

const isAssert = (row: ResidentFact): boolean => row.polarity === 'assert';

/** Taken back as a whole by somebody; what was corrected still leads to what is right. */
export function isWithdrawn({ tables }: BeliefIndex, row: number, known: number): boolean {
  return outsOf(tables, row).some(
    (out) =>
      out.cause !== 'corrected' &&
      out.from <= BEGIN &&
      out.to >= FOREVER &&
      out.since <= known &&
      known < out.until,
  );
}

/** The believed facts come from the index in memory, whose rows have numbers. */
export function rowOf({ row }: Shown): number {
  if (row instanceof ResidentFact) return row.row;
  throw new Error('A fact of another index was found.');
}
