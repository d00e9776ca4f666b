import type { TimePoint } from '../../model/precision.js';

/**
 * How a mention bounds time: `point` is one unit of the calendar ("in 2023", "last week"), `range`
 * several; `since` and `after` have no end, `until` and `before` no start.
 */
export type DateKind = 'point' | 'range' | 'since' | 'until' | 'before' | 'after';

/** A date or a stretch of time that a text tells, read against the moment in which it was said. */
export interface DateMention {
  /** The words that tell it; they stand in the text at `index` (UTF-16 code units). */
  readonly text: string;
  readonly index: number;
  readonly kind: DateKind;
  /** Inclusive start; `null` for `until` and `before`. */
  readonly from: TimePoint | null;
  /** Exclusive end; `null` for `since` and `after`. */
  readonly to: TimePoint | null;
  /** Below 1 where the words leave room, such as a season or a month without its year. */
  readonly confidence?: number;
}
