import { doubt, type Reference, type Span } from './span.js';

/**
 * What the words around a date without a year say of it: it has begun by that day, or is not over on
 * that day. Neither: it stands alone.
 */
export interface Lean {
  readonly begunBy?: number;
  readonly notOverOn?: number;
}

/** What stands for a date only next to a word such as "since" or "in". */
export type Weakness = 'year' | 'month' | 'name' | 'season' | 'weekday';

/** Words that may tell a date. One that resolves to `null` tells none, and nor does any part of it. */
export interface Candidate {
  readonly index: number;
  readonly end: number;
  readonly weak: Weakness | null;
  readonly resolve: (lean: Lean) => Span | null;
}

export interface Reading {
  readonly weak?: Weakness;
  readonly resolve: (lean: Lean) => Span | null;
}

export interface Rule {
  /** Must have the flag `g`. */
  readonly pattern: RegExp;
  /** `null`: the words match by accident only, and other rules may read them. */
  readonly read: (match: RegExpMatchArray, ref: Reference, text: string) => Reading | null;
}

export const fixed = (span: Span | null): Reading => ({ resolve: () => span });

/** Matched, and not to be read: ambiguous or impossible. */
export const NOTHING: Reading = fixed(null);

/** Days by which a date may be off when nothing says which year: twice as near as the next one. */
const NEAR = 122;

/** The occurrence that the words around ask for; without any, the near one, if one is near. */
export function occurrence(
  make: (year: number) => Span | null,
  lean: Lean,
  ref: Reference,
): Span | null {
  // Eight years hold a leap day, even around 1900.
  const around = Array.from({ length: 17 }, (_, i) => make(ref.year - 8 + i)).filter(
    (span) => span !== null,
  );
  const { begunBy, notOverOn } = lean;
  if (begunBy !== undefined) return around.findLast((s) => s.from <= begunBy) ?? null;
  if (notOverOn !== undefined) return around.find((s) => s.to > notOverOn) ?? null;
  const near = around.filter((s) => s.from - ref.day <= NEAR && ref.day - s.to < NEAR);
  const [only] = near;
  return only === undefined || near.length > 1 ? null : doubt(only, 0.8);
}

export const yearless =
  (make: (year: number) => Span | null, ref: Reference): Reading['resolve'] =>
  (lean) =>
    occurrence(make, lean, ref);

export function candidatesOf(
  rules: readonly Rule[],
  text: string,
  ref: Reference,
): readonly Candidate[] {
  return rules.flatMap(({ pattern, read }) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const reading = read(match, ref, text);
      if (reading === null) return [];
      const { index } = match;
      const end = index + match[0].length;
      return [{ index, end, weak: reading.weak ?? null, resolve: reading.resolve }];
    }),
  );
}
