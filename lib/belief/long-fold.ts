import { byPrecedence, type BeliefClaim } from './claim.js';
import type { Interval } from '../model/interval.js';
import { foldMore, NOTHING, type FoldState, type Piece } from './fold.js';
import { sameProperties } from './properties.js';

/** A state is kept for every so many claims, so that what comes late is folded from near its place. */
const EVERY = 1024;

/** The fold of a key with many claims: it takes another one wherever that belongs. */
export interface LongFold<C extends BeliefClaim> {
  /** In ascending precedence. */
  readonly claims: readonly C[];
  readonly state: FoldState;
  /** What the first `EVERY` claims leave, the first two times `EVERY`, and so on. */
  readonly milestones: readonly FoldState[];
}

export const longFold = <C extends BeliefClaim>(claims: readonly C[]): LongFold<C> =>
  foldFrom(claims.toSorted(byPrecedence), 0, []);

export function foldIn<C extends BeliefClaim>(
  before: LongFold<C>,
  added: readonly C[],
): LongFold<C> {
  const fresh = added.toSorted(byPrecedence);
  const [first] = fresh;
  if (first === undefined) return before;
  const place = placeOf(before.claims, first);
  if (place === before.claims.length) {
    const claims = [...before.claims, ...fresh];
    const crosses = Math.floor(claims.length / EVERY) > before.milestones.length;
    if (crosses) return foldFrom(claims, before.claims.length, before.milestones, before.state);
    return { claims, state: foldMore(before.state, fresh), milestones: before.milestones };
  }
  const claims = before.claims.slice(0, place);
  let next = place;
  for (const claim of fresh) {
    for (; next < before.claims.length && byPrecedence(before.claims[next]!, claim) < 0; next++) {
      claims.push(before.claims[next]!);
    }
    claims.push(claim);
  }
  for (; next < before.claims.length; next++) claims.push(before.claims[next]!);
  const milestones = before.milestones.slice(0, Math.floor(place / EVERY));
  return foldFrom(claims, milestones.length * EVERY, milestones);
}

/** Folds the claims from `start` on over what the ones before it left. */
function foldFrom<C extends BeliefClaim>(
  claims: readonly C[],
  start: number,
  before: readonly FoldState[],
  from: FoldState = before.at(-1) ?? NOTHING,
): LongFold<C> {
  const milestones = [...before];
  let state = from;
  for (let at = start; at < claims.length;) {
    const end = Math.min(claims.length, (Math.floor(at / EVERY) + 1) * EVERY);
    state = foldMore(state, claims.slice(at, end));
    if (end % EVERY === 0) milestones.push(state);
    at = end;
  }
  return { claims, state, milestones };
}

/** Index of the first claim that precedes `claim`. */
function placeOf<C extends BeliefClaim>(claims: readonly C[], claim: C): number {
  let low = 0;
  let high = claims.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (byPrecedence(claims[middle]!, claim) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The valid time outside which two states say the same; `null` when they do everywhere. */
export function changeBetween(before: FoldState, after: FoldState): Interval | null {
  const a = before.pieces;
  const b = after.pieces;
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && saysAsMuch(a[head]!, b[head]!)) head++;
  if (head === a.length && head === b.length) return null;
  let tail = 0;
  while (tail < most - head && saysAsMuch(a.at(-1 - tail)!, b.at(-1 - tail)!)) tail++;
  return { from: b[head]!.from, to: b[b.length - 1 - tail]!.to };
}

function saysAsMuch(a: Piece, b: Piece): boolean {
  if (a === b) return true;
  if (a.from !== b.from || a.to !== b.to) return false;
  const [x, y] = [a.current, b.current];
  if (x !== y && (x === null || y === null || x.claim !== y.claim || x.denies !== y.denies)) {
    return false;
  }
  return sameProperties(a.properties, b.properties);
}
