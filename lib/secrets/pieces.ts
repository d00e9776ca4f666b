import type { SecretFound } from './rule.js';

/** Rules are patterns without a bound of their own: what they look at has one, in UTF-16 units. */
const SIZE = 128 * 1024;
/** More than any credential that has lines is long. */
const OVERLAP = 24 * 1024;
/** What stands before a credential and says whether it is one. */
const LEAD = 1024;

const isBlank = (code: number): boolean => code <= 0x20 || code === 0xa0 || code === 0x3000;

/** A stretch of a text, and how what is found in it stands in the whole. */
export interface Piece {
  readonly text: string;
  readonly place: (found: SecretFound) => SecretFound | null;
}

/** A long text in pieces that overlap, so that no credential is lost where one is cut. */
export function piecesOf(text: string): readonly Piece[] {
  if (text.length <= SIZE) return [{ text, place: (found) => found }];
  const pieces: Piece[] = [];
  for (let at = 0; at === 0 || at + OVERLAP < text.length; at += SIZE - OVERLAP) {
    const end = Math.min(text.length, at + SIZE);
    const place = ({ kind, ...found }: SecretFound): SecretFound | null => {
      const start = at + found.start;
      // The piece before has seen it, with what stands before it.
      if (at > 0 && found.start < LEAD) return null;
      let stop = at + found.end;
      // A run that the cut went through goes with its start.
      if (stop === end) while (stop < text.length && !isBlank(text.charCodeAt(stop))) stop += 1;
      return { kind, start, end: stop };
    };
    pieces.push({ text: text.slice(at, end), place });
  }
  return pieces;
}
