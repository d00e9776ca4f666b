import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BeliefClaim } from '../../lib/belief/claim.js';
import { fold, foldOnTop, foldState, stretchesOf } from '../../lib/belief/fold.js';
import type { Stretch } from '../../lib/belief/stretch.js';
import { ALWAYS, BEGIN, FOREVER } from '../../lib/model/interval.js';
import { EVERY_INSTANT, history, retold } from './histories.js';
import { type Belief, beliefsAt, boundariesOf, joinable, naiveFold } from './naive.js';

/** `PALIMPSEST_HISTORIES=1000000` for the long run; a failure prints its seed and the smallest history. */
const HISTORIES = Number(process.env['PALIMPSEST_HISTORIES'] || 10_000);
/** `PALIMPSEST_SEED` repeats a run. */
const SEED = process.env['PALIMPSEST_SEED'] || undefined;
const TIME_LIMIT = 60_000 + HISTORIES * 5;

function holds<T>(histories: fc.Arbitrary<T>, predicate: (value: T) => void): void {
  const seed = SEED === undefined ? {} : { seed: Number(SEED) };
  fc.assert(fc.property(histories, predicate), { numRuns: HISTORIES, ...seed });
}

function property<T>(
  name: string,
  histories: fc.Arbitrary<T>,
  predicate: (value: T) => void,
): void {
  test(name, { timeout: TIME_LIMIT }, () => holds(histories, predicate));
}

type Said = Omit<Belief, 'claim'>;

const said = ({ polarity, object, instance, properties }: Said): Said => ({
  polarity,
  object,
  instance,
  properties,
});

/** What a stretch says, and which claim says it. */
const shown = (stretches: readonly Stretch[]): unknown[] =>
  stretches.map((s) => ({ from: s.from, to: s.to, ...said(s), claim: s.claim.id }));

const withoutClaim = (stretches: readonly Stretch[]): unknown[] =>
  stretches.map((s) => ({ from: s.from, to: s.to, ...said(s) }));

function answers(stretches: readonly Stretch[], instants: readonly number[]): unknown[] {
  return instants.map((at) => {
    const here = stretches.filter((s) => s.from <= at && at < s.to);
    return { at, says: here.map(said) };
  });
}

const literally = (claims: readonly BeliefClaim[], instants: readonly number[]): unknown[] =>
  beliefsAt(claims, instants).map((belief, i) => ({
    at: instants[i],
    says: belief === null ? [] : [said(belief)],
  }));

/** Lowest precedence first. */
const ranked = (claims: readonly BeliefClaim[]): BeliefClaim[] =>
  claims.toSorted(
    (a, b) => a.authority - b.authority || a.observedAt - b.observedAt || (a.id < b.id ? -1 : 1),
  );

describe('for every history, the fold', () => {
  property('says at every instant what the rules say, walked one by one', history, (claims) => {
    expect(answers(fold(claims), EVERY_INSTANT)).toEqual(literally(claims, EVERY_INSTANT));
  });

  property('says at and beside every boundary what the rules say', history, (claims) => {
    const instants = boundariesOf(claims);
    expect(answers(fold(claims), instants)).toEqual(literally(claims, instants));
  });

  property('has the stretches of the reference model', history, (claims) => {
    expect(withoutClaim(fold(claims))).toEqual(withoutClaim(naiveFold(claims)));
  });

  property('names the claim that is current where a stretch starts', history, (claims) => {
    expect(shown(fold(claims))).toEqual(shown(naiveFold(claims)));
  });

  property(
    'gives stretches in order, none empty, none over another, none that could be joined',
    history,
    (claims) => {
      let last: Stretch | null = null;
      for (const s of fold(claims)) {
        expect(s.from).toBeGreaterThanOrEqual(BEGIN);
        expect(s.to).toBeLessThanOrEqual(FOREVER);
        expect(s.from).toBeLessThan(s.to);
        if (last !== null) {
          expect(last.to).toBeLessThanOrEqual(s.from);
          expect(last.to === s.from && joinable(last, s)).toBe(false);
        }
        last = s;
      }
    },
  );

  property('does not depend on the order in which claims arrive', retold, ([claims, other]) => {
    expect(shown(fold(other))).toEqual(shown(fold(claims)));
  });

  property('changes nothing when it is done again, and writes to no claim', history, (claims) => {
    const before = JSON.stringify(claims);
    const first = shown(fold(claims));
    expect(shown(fold(claims))).toEqual(first);
    expect(JSON.stringify(claims)).toBe(before);
  });

  property(
    'is the same without the claims that take no part or have no date',
    history,
    (claims) => {
      const silent = claims.map((c, i): BeliefClaim => {
        const id = `${c.id}+`;
        if (i % 2 === 0) return { ...c, id, out: [ALWAYS] };
        return { ...c, id, validFrom: null, validTo: 'unknown' };
      });
      expect(shown(fold([...silent, ...claims]))).toEqual(shown(fold(claims)));
    },
  );
});

describe('for every history, folding claim by claim', () => {
  property('gives the same when a claim comes on top of the others', history, (claims) => {
    const order = ranked(claims);
    const top = order.pop();
    if (top === undefined) throw new Error('A history has at least one claim.');
    const state = foldState(order);
    const before = shown(stretchesOf(state));
    expect(shown(stretchesOf(foldOnTop(state, top)))).toEqual(shown(fold(claims)));
    expect(shown(stretchesOf(state)), 'the state it started from is as it was').toEqual(before);
  });

  property('gives the same from the first claim to the last', history, (claims) => {
    let state = foldState([]);
    const order = ranked(claims);
    for (const [i, claim] of order.entries()) {
      state = foldOnTop(state, claim);
      expect(shown(stretchesOf(state))).toEqual(shown(fold(order.slice(0, i + 1))));
    }
  });
});
