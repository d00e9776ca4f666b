import { speaksIn, type DatedClaim } from '../../belief/bounds.js';
import type { Properties } from '../../belief/claim.js';
import { ANY_OBJECT } from '../../belief/claim.js';
import { BEGIN, FOREVER, type Interval } from '../../model/interval.js';
import { ANY_KEY } from '../../model/term.js';
import { canonicalAt } from './entities.js';
import { idText } from './hex.js';
import type { Out } from './side.js';
import { predicateAt } from './settings.js';
import { CLAIM, NONE, PREFIX, type Tables } from './tables.js';

const NOWHERE: readonly Interval[] = [];
const NEVER_OUT: readonly Out[] = [];

export const outsOf = (t: Tables, claim: number): readonly Out[] =>
  t.side.outs.get(claim) ?? NEVER_OUT;

/** Where the claim takes no part, as known at a transaction. */
export function outAt(t: Tables, claim: number, known: number): readonly Interval[] {
  const outs = t.side.outs.get(claim);
  if (outs === undefined) return NOWHERE;
  return outs.filter((o) => o.since <= known && known < o.until && o.from < o.to);
}

/** Whether the claim has lost this event as a source, as known at a transaction. */
export const isSourceLost = (
  t: Tables,
  claim: number,
  event: { readonly session: string; readonly seq: number },
  known: number,
): boolean =>
  outsOf(t, claim).some(
    ({ source, since, until }) =>
      source !== undefined &&
      since <= known &&
      known < until &&
      source.session === event.session &&
      (source.seq === null || source.seq === event.seq),
  );

/** Withdrawn or corrected as a whole, as known at a transaction. */
export const isWhollyOut = (out: readonly Interval[]): boolean =>
  out.some((o) => o.from <= BEGIN && o.to >= FOREVER);

/** The ends of an edge as they are compared: canonical entities, a symmetric edge in one direction. */
export interface Ends {
  readonly subject: number;
  readonly object: number;
}

export function endsOf(t: Tables, claim: number, known: number): Ends {
  const { predicate } = t.claim;
  const subject = canonicalAt(t, t.claim.subject.get(claim), known);
  const object = canonicalAt(t, objectAt(t, claim, known), known);
  const { symmetric } = predicateAt(t, predicate.get(claim), known);
  if (symmetric && isEntity(t, object) && t.texts.text(object) < t.texts.text(subject)) {
    return { subject: object, object: subject };
  }
  return { subject, object };
}

export const isEntity = (t: Tables, term: number): boolean => t.entityOfTerm.get(term) !== NONE;

/** The equality term of the object, before entities are made canonical. */
function objectAt(t: Tables, claim: number, known: number): number {
  const former = t.side.places.get(claim)?.find((p) => known < p.until);
  return former === undefined ? t.claim.object.get(claim) : former.object;
}

/** The key in which the claim stood, as known at a transaction. */
export function keyAt(t: Tables, claim: number, known: number): number {
  const former = t.side.places.get(claim)?.find((p) => known < p.until);
  return former === undefined ? t.claim.key.get(claim) : former.key;
}

/** A claim as the fold reads it, straight from the columns. */
export class ResidentClaim implements DatedClaim {
  readonly row: number;
  readonly objectTerm: number;
  readonly out: readonly Interval[];
  readonly polarity: 'assert' | 'deny';
  readonly validFrom: number | null;
  readonly validTo: number | 'ongoing' | 'unknown';
  readonly observedAt: number;
  readonly authority: number;
  readonly #tables: Tables;
  readonly #happens: boolean;
  #object: string | null = null;

  constructor(
    tables: Tables,
    row: number,
    object: number,
    out: readonly Interval[],
    event: boolean,
  ) {
    const { claim } = tables;
    const flags = claim.flags.get(row);
    this.#tables = tables;
    this.row = row;
    this.objectTerm = object;
    this.out = out;
    this.polarity = (flags & CLAIM.deny) === 0 ? 'assert' : 'deny';
    this.validFrom = (flags & CLAIM.startUnknown) === 0 ? claim.from.get(row) : null;
    this.#happens = happensFor(flags, event);
    if ((flags & (CLAIM.ongoing | CLAIM.endUnknown)) === 0) this.validTo = claim.to.get(row);
    else if (this.#happens) this.validTo = claim.from.get(row) + claim.unit.get(row);
    else this.validTo = (flags & CLAIM.ongoing) === 0 ? 'unknown' : 'ongoing';
    this.observedAt = claim.observed.get(row);
    this.authority = claim.authority.get(row);
  }

  get id(): string {
    return idText('c', this.#tables.claimIds, this.row);
  }
  get object(): string {
    const term = this.objectTerm;
    this.#object ??= this.#tables.texts.find(ANY_KEY) === term ? ANY_OBJECT : String(term);
    return this.#object;
  }
  get instance(): string | null {
    const instance = this.#tables.claim.instance.get(this.row);
    return instance === NONE ? null : String(instance);
  }
  get properties(): Properties | null {
    return propertiesOf(this.#tables, this.#tables.claim.properties.get(this.row));
  }
  get unit(): number {
    return this.#tables.claim.unit.get(this.row);
  }
  get fromPrecision(): number {
    return this.#tables.claim.fromPrecision.get(this.row);
  }
  get toPrecision(): number {
    return this.#happens ? this.fromPrecision : this.#tables.claim.toPrecision.get(this.row);
  }
}

/** An event without an end of its own: it lasts for the precision of its start. */
const happensFor = (flags: number, event: boolean): boolean =>
  event &&
  (flags & (CLAIM.ongoing | CLAIM.endUnknown)) !== 0 &&
  (flags & (CLAIM.startUnknown | CLAIM.deny)) === 0;

export function propertiesOf(t: Tables, term: number): Properties | null {
  if (term === NONE) return null;
  const value: unknown = JSON.parse(t.texts.text(term).slice(PREFIX.properties.length));
  if (typeof value !== 'object' || value === null) return null;
  return Object.fromEntries(Object.entries(value));
}

/** The claims that stand in a key and take part in it, as known at a transaction. */
export function claimsOfKey(t: Tables, key: number, known: number): ResidentClaim[] {
  const out: ResidentClaim[] = [];
  const event = isEventKey(t, key, known);
  const take = (row: number): void => {
    if (t.claim.tx.get(row) > known) return;
    const silent = outAt(t, row, known);
    if (isWhollyOut(silent)) return;
    out.push(new ResidentClaim(t, row, endsOf(t, row, known).object, silent, event));
  };
  t.claimsOfKey.each(key, (row) => {
    if (keyAt(t, row, known) === key) take(row);
  });
  if (t.keys.get(key, KEY.object) !== NONE) {
    eachBroadcast(t, key, known, take);
  }
  return out;
}

/** What the support of a fact is found by. */
interface Supported {
  readonly keyRow: number;
  readonly objectTerm: number;
  readonly instanceTerm: number;
  readonly validFrom: number;
  readonly validTo: number;
}

/** The claims that support a fact, as known at a transaction: `supportOf` of the claims of its key, but found by numbers. */
export function claimsBehind(t: Tables, fact: Supported, known: number): ResidentClaim[] {
  const out: ResidentClaim[] = [];
  const { keyRow: key, objectTerm, instanceTerm } = fact;
  const stretch = { from: fact.validFrom, to: fact.validTo };
  const { claim } = t;
  const { kind, symmetric } = predicateAt(t, t.keys.get(key, KEY.predicate), known);
  const event = kind === 'event';
  // Where nothing was ever merged or moved, a claim's own object is the one that counts.
  const isPlain = !symmetric && t.side.canonicals.size === 0 && t.side.places.size === 0;
  t.claimsOfKey.each(key, (row) => {
    if (isPlain && claim.object.get(row) !== objectTerm) return;
    if (claim.tx.get(row) > known || (claim.flags.get(row) & CLAIM.deny) !== 0) return;
    if (claim.instance.get(row) !== instanceTerm) return;
    if (!isPlain && keyAt(t, row, known) !== key) return;
    if (!isPlain && endsOf(t, row, known).object !== objectTerm) return;
    // What starts where the stretch ends, or later, is nothing that speaks in it.
    const startsKnown = (claim.flags.get(row) & CLAIM.startUnknown) === 0;
    if (startsKnown && claim.from.get(row) >= stretch.to) return;
    const silent = outAt(t, row, known);
    if (isWhollyOut(silent)) return;
    const found = new ResidentClaim(t, row, objectTerm, silent, event);
    if (speaksIn(stretch, found)) out.push(found);
  });
  return out;
}

export const KEY = {
  scope: 0,
  subject: 1,
  predicate: 2,
  object: 3,
  instance: 4,
  start: 5,
} as const;

export function isEventKey(t: Tables, key: number, known: number): boolean {
  return predicateAt(t, t.keys.get(key, KEY.predicate), known).kind === 'event';
}

export const groupOfKey = (t: Tables, key: number): readonly [number, number, number] => [
  t.keys.get(key, KEY.scope),
  t.keys.get(key, KEY.subject),
  t.keys.get(key, KEY.predicate),
];

/** Denials of the key's group which name its object or all, and stand in another key. */
function eachBroadcast(t: Tables, key: number, known: number, visit: (row: number) => void): void {
  const group = t.groups.find(groupOfKey(t, key));
  if (group === NONE || t.broadcasts.isEmpty(group)) return;
  const any = t.texts.find(ANY_KEY);
  const object = t.keys.get(key, KEY.object);
  t.broadcasts.each(group, (row) => {
    const own = keyAt(t, row, known);
    if (own === key || t.groups.find(groupOfKey(t, own)) !== group) return;
    const denied = t.keys.get(own, KEY.object);
    if (denied === any || denied === object) visit(row);
  });
}
