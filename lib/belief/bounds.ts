import { speechOf, type BeliefClaim } from './claim.js';
import type { Stretch } from './stretch.js';
import { BEGIN, FOREVER } from '../model/interval.js';
import { PRECISIONS } from '../model/precision.js';

/** Index into `PRECISIONS`: higher is finer. */
export type PrecisionRank = number;

export const FINEST: PrecisionRank = PRECISIONS.length - 1;

/** A claim with the precision of its ends. */
export interface DatedClaim extends BeliefClaim {
  readonly fromPrecision: PrecisionRank;
  readonly toPrecision: PrecisionRank;
}

export interface BoundedStretch extends Stretch {
  /** The stretch starts where something was said, not where it began. */
  readonly startUnknown: boolean;
  readonly fromPrecision: PrecisionRank;
  readonly toPrecision: PrecisionRank;
}

/**
 * Adds how precisely the bounds of stretches are known. Of several claims that name a bound the
 * finest counts, so the order of arrival does not.
 */
export function withBounds(
  stretches: readonly Stretch[],
  claims: readonly DatedClaim[],
): BoundedStretch[] {
  const bounds = new Bounds();
  for (const claim of claims) bounds.note(claim);
  return stretches.map((s) => bounds.of(s));
}

/** What the claims of a key say of their bounds. Claims can only be added. */
export class Bounds {
  readonly #finest = new Map<number, PrecisionRank>();
  readonly #starts = new Set<string>();
  /** Claims whose starts are not in the set yet: mostly nobody ever asks for it. */
  #waiting: DatedClaim[] = [];
  readonly #unknownStarts = new Set<string>();

  note(claim: DatedClaim): void {
    if (claim.validFrom !== null) {
      this.#noteRank(claim.validFrom, claim.fromPrecision);
      this.#waiting.push(claim);
    } else if (claim.validTo === 'ongoing') {
      this.#unknownStarts.add(edge(claim.object, claim.observedAt));
    }
    if (typeof claim.validTo === 'number') this.#noteRank(claim.validTo, claim.toPrecision);
  }

  of(s: Stretch): BoundedStretch {
    return {
      from: s.from,
      to: s.to,
      polarity: s.polarity,
      object: s.object,
      instance: s.instance,
      properties: s.properties,
      claim: s.claim,
      startUnknown: s.polarity === 'assert' && this.#isUnknownStart(s),
      fromPrecision: this.#rankAt(s.from),
      toPrecision: this.#rankAt(s.to),
    };
  }

  #isUnknownStart(s: Stretch): boolean {
    if (s.from === BEGIN) return true;
    if (this.#unknownStarts.size === 0) return false;
    const at = edge(s.object, s.from);
    return this.#unknownStarts.has(at) && !this.#knownStarts().has(at);
  }

  #knownStarts(): ReadonlySet<string> {
    for (const { object, validFrom } of this.#waiting) {
      if (validFrom !== null) this.#starts.add(edge(object, validFrom));
    }
    this.#waiting = [];
    return this.#starts;
  }

  #noteRank(at: number, rank: PrecisionRank): void {
    const known = this.#finest.get(at);
    if (known === undefined || rank > known) this.#finest.set(at, rank);
  }

  #rankAt(at: number): PrecisionRank {
    return at === BEGIN || at === FOREVER ? FINEST : (this.#finest.get(at) ?? FINEST);
  }
}

/** The instants whose bounds a claim may make better known. */
export const instantsOf = (claim: DatedClaim): readonly number[] => [
  claim.validFrom ?? claim.observedAt,
  ...(typeof claim.validTo === 'number' ? [claim.validTo] : []),
];

const edge = (object: string, at: number): string => `${at} ${object}`;

/** How well a fact stands at an instant. */
export interface Confirmation {
  /** Some claim speaks definitely there; otherwise it is presumed. */
  readonly definite: boolean;
  /** The latest event that says so, over the whole stretch; `null` when no claim is left. */
  readonly lastConfirmedAt: number | null;
}

export function supports(
  stretch: {
    readonly from: number;
    readonly to: number;
    readonly object: string;
    readonly instance: string | null;
  },
  claim: BeliefClaim,
): boolean {
  if (claim.polarity !== 'assert' || claim.object !== stretch.object) return false;
  return claim.instance === stretch.instance && speaksIn(stretch, claim);
}

/** Whether a claim, whatever it says, takes part somewhere within a stretch. */
export function speaksIn(
  stretch: { readonly from: number; readonly to: number },
  claim: BeliefClaim,
): boolean {
  const speech = speechOf(claim);
  if (speech === null || speech.from >= stretch.to || speech.to <= stretch.from) return false;
  return claim.out.length === 0 || speaksWithin(claim, speech.from, speech.to, stretch);
}

/** Whether anything of the claim within the stretch is left by its `out` intervals. */
function speaksWithin(
  claim: BeliefClaim,
  speechFrom: number,
  speechTo: number,
  stretch: { readonly from: number; readonly to: number },
): boolean {
  let at = Math.max(speechFrom, stretch.from);
  const end = Math.min(speechTo, stretch.to);
  for (const w of [...claim.out].sort((a, b) => a.from - b.from)) {
    if (w.from > at) break;
    if (w.to > at) at = w.to;
  }
  return at < end;
}

export function confirmationAt(support: readonly BeliefClaim[], at: number): Confirmation {
  let definite = false;
  let last: number | null = null;
  for (const claim of support) {
    if (last === null || claim.observedAt > last) last = claim.observedAt;
    const speech = speechOf(claim);
    if (speech === null || definite) continue;
    definite = at >= speech.definite.from && at < speech.definite.to;
  }
  return { definite, lastConfirmedAt: last };
}
