import type { BeliefClaim, Properties } from '../../lib/belief/claim.js';
import type { Stretch } from '../../lib/belief/stretch.js';
import { BEGIN, FOREVER, type Interval } from '../../lib/model/interval.js';

/**
 * The reference model of the fold: slow, literal, and sharing no code with it. It answers for one
 * instant by walking every claim, and finds the stretches by asking at every boundary there can be.
 */

/** What a claim says of time, by the table of definite and presumed stretches. */
interface Span {
  /** The start which the rules compare. */
  readonly from: number;
  /** `FOREVER` when the claim names no end. */
  readonly to: number;
  readonly bounded: boolean;
  readonly definite: Interval;
  readonly presumed: Interval | null;
  /** The start is unknown and the end is not: the presumption runs backwards and fills gaps only. */
  readonly backwards: boolean;
}

interface Told {
  readonly claim: BeliefClaim;
  readonly span: Span;
}

/** What the walk has come to at one instant: an assertion or a denial. */
interface Current {
  readonly polarity: 'assert' | 'deny';
  readonly object: string;
  readonly instance: string | null;
  readonly from: number;
  readonly to: number;
  readonly bounded: boolean;
  readonly observedAt: number;
  readonly claim: BeliefClaim;
}

export interface Belief {
  readonly polarity: 'assert' | 'deny';
  readonly object: string;
  readonly instance: string | null;
  readonly properties: Properties | null;
  readonly claim: BeliefClaim;
}

const within = (i: Interval | null, at: number): boolean => i !== null && at >= i.from && at < i.to;

function spanOf(c: BeliefClaim): Span | null {
  if (c.validTo === 'unknown') {
    if (c.validFrom === null) return null;
    return open(c.validFrom, c.validFrom + c.unit);
  }
  if (c.validTo === 'ongoing') {
    const from = c.validFrom === null ? c.observedAt : c.validFrom;
    return open(from, (from > c.observedAt ? from : c.observedAt) + 1);
  }
  const to = c.validTo;
  if (c.validFrom !== null) {
    const definite = { from: c.validFrom, to };
    return { from: c.validFrom, to, bounded: true, definite, presumed: null, backwards: false };
  }
  return {
    from: BEGIN,
    to,
    bounded: true,
    definite: { from: to - c.unit, to },
    presumed: { from: BEGIN, to: to - c.unit },
    backwards: true,
  };
}

const open = (from: number, sureUntil: number): Span => ({
  from,
  to: FOREVER,
  bounded: false,
  definite: { from, to: sureUntil },
  presumed: { from: sureUntil, to: FOREVER },
  backwards: false,
});

/** Everything that says when, lowest precedence first. */
function walkOf(claims: readonly BeliefClaim[]): readonly Told[] {
  const told: Told[] = [];
  for (const claim of claims) {
    const span = spanOf(claim);
    if (span !== null) told.push({ claim, span });
  }
  return told.toSorted((a, b) => {
    if (a.claim.authority !== b.claim.authority) return a.claim.authority - b.claim.authority;
    if (a.claim.observedAt !== b.claim.observedAt) return a.claim.observedAt - b.claim.observedAt;
    if (a.claim.id === b.claim.id) return 0;
    return a.claim.id < b.claim.id ? -1 : 1;
  });
}

const takesPart = ({ claim }: Told, at: number): boolean =>
  !claim.out.some((window) => within(window, at));

const speaks = ({ span }: Told, at: number): boolean =>
  within(span.definite, at) || within(span.presumed, at);

/** A denial that names an instance denies only that one; one of `*` denies everything. */
const denies = (d: Current | BeliefClaim, object: string, instance: string | null): boolean =>
  d.polarity === 'deny' &&
  (d.object === '*' || (d.object === object && (d.instance === null || d.instance === instance)));

function asCurrent({ claim, span }: Told): Current {
  const { polarity, object, instance, observedAt } = claim;
  const { from, to, bounded } = span;
  return { polarity, object, instance, from, to, bounded, observedAt, claim };
}

/** Rule 1, the exception: a recap does not wipe out an interruption. */
function isInterruption(current: Current, { claim, span }: Told): boolean {
  if (claim.validTo !== 'ongoing' || !current.bounded) return false;
  const against =
    current.polarity === 'assert'
      ? current.object !== claim.object
      : denies(current, claim.object, claim.instance);
  return against && span.from < current.from && current.to <= claim.observedAt;
}

/** Rule 2: a presumption gives way to what is said to start later. */
function startsLater(current: Current, { claim, span }: Told): boolean {
  if (current.from < span.definite.to) return false;
  return current.polarity === 'assert' || denies(current, claim.object, claim.instance);
}

/** Rule 4: the claim says again, later, what is current, and gives it another end. */
function restates({ claim, span }: Told, current: Current): boolean {
  return (
    current.polarity === 'assert' &&
    current.object === claim.object &&
    current.instance === claim.instance &&
    current.observedAt < claim.observedAt &&
    span.from <= current.from &&
    span.to > current.from
  );
}

function afterAssert(current: Current | null, told: Told, at: number): Current | null {
  const { claim, span } = told;
  if (within(span.definite, at)) {
    return current !== null && isInterruption(current, told) ? current : asCurrent(told);
  }
  if (within(span.presumed, at)) {
    if (current === null) return asCurrent(told);
    return span.backwards || startsLater(current, told) ? current : asCurrent(told);
  }
  if (span.bounded && at >= span.to && current !== null && restates(told, current)) {
    const { object, instance, observedAt } = claim;
    const from = span.to;
    return {
      polarity: 'deny',
      object,
      instance,
      from,
      to: FOREVER,
      bounded: false,
      observedAt,
      claim,
    };
  }
  return current;
}

function afterDenial(current: Current | null, told: Told, at: number): Current | null {
  if (!speaks(told, at)) return current;
  if (current === null) return asCurrent(told);
  if (within(told.span.presumed, at)) {
    if (told.span.backwards || startsLater(current, told)) return current;
  }
  if (told.claim.object === '*') return asCurrent(told);
  const hit = current.polarity === 'assert' && denies(told.claim, current.object, current.instance);
  return hit ? asCurrent(told) : current;
}

function propertiesAt(walk: readonly Told[], current: Current, at: number): Properties | null {
  const merged = new Map<string, unknown>();
  for (const told of walk) {
    const { claim } = told;
    const same =
      claim.polarity === 'assert' &&
      claim.object === current.object &&
      claim.instance === current.instance;
    if (same && takesPart(told, at) && speaks(told, at)) {
      for (const [key, value] of Object.entries(claim.properties ?? {})) {
        if (value === null) merged.delete(key);
        else merged.set(key, value);
      }
    }
    if (claim === current.claim) break;
  }
  return merged.size === 0 ? null : Object.fromEntries(merged);
}

function answer(walk: readonly Told[], at: number): Belief | null {
  let current: Current | null = null;
  for (const told of walk) {
    if (!takesPart(told, at)) continue;
    const step = told.claim.polarity === 'assert' ? afterAssert : afterDenial;
    current = step(current, told, at);
  }
  if (current === null) return null;
  const { polarity, object, instance, claim } = current;
  const properties = polarity === 'assert' ? propertiesAt(walk, current, at) : null;
  return { polarity, object, instance, properties, claim };
}

/** The same for many instants of one history. */
export function beliefsAt(
  claims: readonly BeliefClaim[],
  instants: readonly number[],
): readonly (Belief | null)[] {
  const walk = walkOf(claims);
  return instants.map((at) => answer(walk, at));
}

/** The claims that support the value at one instant, lowest precedence first. */
export function supportAt(claims: readonly BeliefClaim[], at: number): readonly BeliefClaim[] {
  const walk = walkOf(claims);
  const belief = answer(walk, at);
  if (belief === null || belief.polarity === 'deny') return [];
  return walk
    .filter((told) => takesPart(told, at) && speaks(told, at))
    .map((told) => told.claim)
    .filter(
      (c) =>
        c.polarity === 'assert' && c.object === belief.object && c.instance === belief.instance,
    );
}

/** Every instant at which an answer may change, and its neighbours, in order. */
export function boundariesOf(claims: readonly BeliefClaim[]): readonly number[] {
  const found = new Set<number>([BEGIN]);
  const note = (at: number): void => {
    for (const near of [at - 1, at, at + 1]) if (near >= BEGIN && near < FOREVER) found.add(near);
  };
  const noteEnds = (i: Interval | null): void => {
    if (i === null) return;
    note(i.from);
    note(i.to);
  };
  for (const { claim, span } of walkOf(claims)) {
    note(claim.observedAt);
    note(span.from);
    note(span.to);
    noteEnds(span.definite);
    noteEnds(span.presumed);
    for (const window of claim.out) noteEnds(window);
  }
  return [...found].toSorted((a, b) => a - b);
}

/** JSON equality: the order of keys says nothing. */
function sameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = new Map<string, unknown>(Object.entries(a));
  const right = new Map<string, unknown>(Object.entries(b));
  if (left.size !== right.size) return false;
  for (const [key, value] of left) {
    if (!right.has(key) || !sameJson(value, right.get(key))) return false;
  }
  return true;
}

/** Whether two answers belong in one stretch when they are neighbours. */
export const joinable = (a: Omit<Belief, 'claim'>, b: Omit<Belief, 'claim'>): boolean =>
  a.polarity === b.polarity &&
  a.object === b.object &&
  a.instance === b.instance &&
  sameJson(a.properties, b.properties);

/** The fold as the definition has it: ask at every boundary, join neighbours that say the same. */
export function naiveFold(claims: readonly BeliefClaim[]): Stretch[] {
  const walk = walkOf(claims);
  const instants = boundariesOf(claims);
  const stretches: Stretch[] = [];
  for (const [i, from] of instants.entries()) {
    const belief = answer(walk, from);
    if (belief === null) continue;
    const to = instants[i + 1] ?? FOREVER;
    const last = stretches.at(-1);
    if (last !== undefined && last.to === from && joinable(last, belief)) {
      stretches[stretches.length - 1] = { ...last, to };
    } else {
      stretches.push({ from, to, ...belief });
    }
  }
  return stretches;
}
