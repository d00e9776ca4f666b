import {
  ANY_OBJECT,
  byPrecedence,
  speechOf,
  takesPart,
  type BeliefClaim,
  type Properties,
  type Speech,
} from './claim.js';
import { mergeProperties, sameProperties } from './properties.js';
import type { Stretch } from './stretch.js';
import { BEGIN, FOREVER } from '../model/interval.js';

/** What is current at an instant: an assertion, or a denial. */
export interface Current {
  readonly claim: BeliefClaim;
  readonly denies: boolean;
  readonly from: number;
  readonly to: number;
  /** Bounded claims alone can be an interruption of something longer. */
  readonly bounded: boolean;
}

/** What asserts of lower or equal precedence say of the properties, by object and instance. */
type Said = ReadonlyMap<string, Properties>;

export interface Piece {
  readonly from: number;
  readonly to: number;
  readonly current: Current | null;
  readonly properties: Properties | null;
  readonly said: Said | null;
}

/** Belief about one key, ready to take another claim on top. */
export interface FoldState {
  /** Sorted, adjacent, covering all of time. */
  readonly pieces: readonly Piece[];
  /** The claim of highest precedence so far. */
  readonly top: BeliefClaim | null;
}

/** A call with more arguments than this may run out of stack. */
const MOST_ARGUMENTS = 4096;

type Part = 'definite' | 'presumed' | 'restated';

export const NOTHING: FoldState = {
  pieces: [{ from: BEGIN, to: FOREVER, current: null, properties: null, said: null }],
  top: null,
};

/**
 * Belief about one key as a pure function of its claims: the order of the array plays no part.
 * The stretches are sorted, disjoint and maximal; where nothing is current there is none.
 */
export function fold(claims: readonly BeliefClaim[]): Stretch[] {
  return stretchesOf(foldState(claims));
}

export function foldState(claims: readonly BeliefClaim[]): FoldState {
  const ascending = [...claims].sort(byPrecedence);
  const pieces = [...NOTHING.pieces];
  for (const claim of ascending) speak(pieces, claim);
  return { pieces, top: ascending.at(-1) ?? null };
}

/** Adds a claim which must precede nothing that is in the state already. */
export const foldOnTop = (state: FoldState, claim: BeliefClaim): FoldState =>
  foldMore(state, [claim]);

/** The same with several claims, in ascending precedence. */
export function foldMore(state: FoldState, ascending: readonly BeliefClaim[]): FoldState {
  const pieces = [...state.pieces];
  for (const claim of ascending) speak(pieces, claim);
  return { pieces, top: ascending.at(-1) ?? state.top };
}

/** Joins neighbours that say the same. */
export const stretchesOf = (state: FoldState): Stretch[] => stretchesIn(state.pieces);

/** The same for some pieces in a row. */
export function stretchesIn(pieces: readonly Piece[]): Stretch[] {
  const out: Stretch[] = [];
  for (const { current, properties, from, to } of pieces) {
    if (current === null) continue;
    const next: Stretch = {
      from,
      to,
      polarity: current.denies ? 'deny' : 'assert',
      object: current.claim.object,
      instance: current.claim.instance,
      properties,
      claim: current.claim,
    };
    const last = out.at(-1);
    if (last !== undefined && last.to === from && saysTheSame(last, next)) {
      out[out.length - 1] = { ...last, to };
    } else {
      out.push(next);
    }
  }
  return out;
}

/** Equal but for the bounds. */
export function saysTheSame(a: Stretch, b: Stretch): boolean {
  return (
    a.polarity === b.polarity &&
    a.object === b.object &&
    a.instance === b.instance &&
    sameProperties(a.properties, b.properties)
  );
}

/** Lets one claim speak over the pieces, which hold what all claims of lower precedence left. */
function speak(pieces: Piece[], claim: BeliefClaim): void {
  const speech = speechOf(claim);
  if (speech === null) return;
  const restates = claim.polarity === 'assert' && speech.to !== FOREVER;
  const until = restates ? FOREVER : speech.to;
  const first = pieceAt(pieces, speech.from);
  const spoken: Piece[] = [];
  const voice = voiceOf(claim, speech);
  const cuts = cutsOf(claim, speech);
  const isPlain = claim.out.length === 0 && claim.properties === null;
  let index = first;
  for (; index < pieces.length; index++) {
    const piece = pieces[index]!;
    if (piece.from >= until) break;
    // Most of what a long presumption comes upon: it gives way to what is said to start later.
    if (
      isPlain &&
      speech.to === FOREVER &&
      piece.from >= speech.definite.to &&
      piece.current !== null &&
      startsLater(piece.current, claim, speech)
    ) {
      spoken.push(piece);
      continue;
    }
    let from = piece.from;
    for (const cut of cuts) {
      if (cut <= from) continue;
      if (cut >= piece.to) break;
      push(spoken, hear(piece, from, cut, voice));
      from = cut;
    }
    push(spoken, hear(piece, from, piece.to, voice));
  }
  putIn(pieces, first, index, spoken);
}

/** A claim with what it makes current: one object for all of its pieces, so that they join. */
interface Voice {
  readonly claim: BeliefClaim;
  readonly speech: Speech;
  readonly says: Current;
  /** Where it says that something had ended. */
  readonly ended: Current;
}

const voiceOf = (claim: BeliefClaim, speech: Speech): Voice => ({
  claim,
  speech,
  says: {
    claim,
    denies: claim.polarity === 'deny',
    from: speech.from,
    to: speech.to,
    bounded: speech.to !== FOREVER,
  },
  ended: { claim, denies: true, from: speech.to, to: FOREVER, bounded: false },
});

/** Puts `spoken` in the place of a range of pieces, without touching what is the same at its ends. */
function putIn(pieces: Piece[], first: number, end: number, spoken: readonly Piece[]): void {
  let [from, to, until] = [first, end, spoken.length];
  while (until > 0 && to > from && spoken[until - 1] === pieces[to - 1]) {
    until--;
    to--;
  }
  let start = 0;
  while (start < until && from < to && spoken[start] === pieces[from]) {
    start++;
    from++;
  }
  const fresh = spoken.slice(start, until);
  if (fresh.length < MOST_ARGUMENTS) {
    pieces.splice(from, to - from, ...fresh);
    return;
  }
  const rest = pieces.slice(to);
  pieces.length = from;
  for (const piece of fresh) pieces.push(piece);
  for (const piece of rest) pieces.push(piece);
}

/** Index of the piece that holds `at`. */
function pieceAt(pieces: readonly Piece[], at: number): number {
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (pieces[middle]!.from <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Every instant at which the claim's own voice changes, ascending. */
function cutsOf(claim: BeliefClaim, speech: Speech): readonly number[] {
  const cuts = [speech.from, speech.definite.from, speech.definite.to, speech.to];
  for (const w of claim.out) cuts.push(w.from, w.to);
  return cuts.sort((a, b) => a - b);
}

function push(pieces: Piece[], piece: Piece): void {
  const last = pieces.at(-1);
  if (
    last !== undefined &&
    last.current === piece.current &&
    last.properties === piece.properties &&
    last.said === piece.said
  ) {
    pieces[pieces.length - 1] = { ...last, to: piece.to };
  } else {
    pieces.push(piece);
  }
}

/** The part `[from, to)` of a piece, within which the claim's voice does not change. */
function hear(piece: Piece, from: number, to: number, voice: Voice): Piece {
  const { claim, speech } = voice;
  const part = partAt(speech, from);
  if (part === null || !takesPart(claim, from)) return within(piece, from, to);
  let { said } = piece;
  if (claim.polarity === 'assert' && claim.properties !== null && part !== 'restated') {
    const subject = edgeOf(claim);
    said = new Map(said ?? []).set(
      subject,
      mergeProperties(said?.get(subject) ?? null, claim.properties),
    );
  }
  const current = settle(piece.current, voice, part);
  if (current === piece.current && said === piece.said) return within(piece, from, to);
  if (current === piece.current) return { ...piece, from, to, said };
  const properties = current === null || current.denies ? null : propertiesOf(said, current.claim);
  return { from, to, current, properties, said };
}

/** What is the same stays the same object, so that a change is found by comparing. */
const within = (piece: Piece, from: number, to: number): Piece =>
  piece.from === from && piece.to === to ? piece : { ...piece, from, to };

function partAt(speech: Speech, at: number): Part | null {
  const { definite, presumed } = speech;
  if (at >= definite.from && at < definite.to) return 'definite';
  if (presumed !== null && at >= presumed.from && at < presumed.to) return 'presumed';
  return speech.to !== FOREVER && at >= speech.to ? 'restated' : null;
}

const edgeOf = (c: BeliefClaim): string => JSON.stringify([c.object, c.instance]);

function propertiesOf(said: Said | null, claim: BeliefClaim): Properties | null {
  const properties = said?.get(edgeOf(claim));
  return properties === undefined || Object.keys(properties).length === 0 ? null : properties;
}

/** The rules 1 to 4: what is current once the claim has spoken. */
function settle(current: Current | null, voice: Voice, part: Part): Current | null {
  const { claim, speech } = voice;
  if (part === 'restated') {
    return claim.polarity === 'assert' && restatesEnd(current, claim, speech)
      ? voice.ended
      : current;
  }
  if (part === 'presumed' && current !== null) {
    if (speech.timid || startsLater(current, claim, speech)) return current;
  }
  if (claim.polarity === 'deny') {
    if (current !== null && !denialTakes(current, claim)) return current;
  } else if (part === 'definite' && current !== null && isInterruption(current, claim, speech)) {
    return current;
  }
  return voice.says;
}

/** Rule 1's exception: a recap does not wipe out an interruption that it spans. */
function isInterruption(current: Current, claim: BeliefClaim, speech: Speech): boolean {
  if (claim.validTo !== 'ongoing' || !current.bounded) return false;
  const other = current.denies
    ? deniesObjectOf(current, claim)
    : current.claim.object !== claim.object;
  return other && speech.from < current.from && current.to <= claim.observedAt;
}

/** Rule 2: a presumption gives way to what is said to start later, whatever the authority. */
function startsLater(current: Current, claim: BeliefClaim, speech: Speech): boolean {
  return current.from >= speech.definite.to && (!current.denies || deniesObjectOf(current, claim));
}

/** Rule 3. */
function denialTakes(current: Current, denial: BeliefClaim): boolean {
  if (denial.object === ANY_OBJECT) return true;
  return (
    !current.denies &&
    denial.object === current.claim.object &&
    (denial.instance === null || denial.instance === current.claim.instance)
  );
}

/** Rule 4: said later, and bounded where the current one went on. */
function restatesEnd(current: Current | null, claim: BeliefClaim, speech: Speech): boolean {
  return (
    current !== null &&
    !current.denies &&
    current.claim.object === claim.object &&
    current.claim.instance === claim.instance &&
    current.claim.observedAt < claim.observedAt &&
    speech.from <= current.from &&
    speech.to > current.from
  );
}

function deniesObjectOf(current: Current, claim: BeliefClaim): boolean {
  const { object, instance } = current.claim;
  if (object === ANY_OBJECT) return true;
  return object === claim.object && (instance === null || instance === claim.instance);
}
