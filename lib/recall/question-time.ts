import { type DateMention, readDates } from '../ingest/dates/read-dates.js';
import { DAY } from '../model/calendar.js';
import { BEGIN, FOREVER, type Interval } from '../model/interval.js';
import { precisionEnd, PRECISIONS } from '../model/precision.js';

/** Who asks, when and where. */
export interface Asking {
  /** Epoch milliseconds, UTC. */
  readonly now: number;
  /** IANA zone of the asker, whose calendar "last year" is of. */
  readonly timeZone: string;
}

/**
 * The time that a question asks about. A `point` is a day or less: what held then is asked for. A
 * `window` is longer or has an open end: what held at some time in it may be meant, and `asOf` is where
 * to stand when one point has to do.
 */
export interface QuestionTime {
  readonly kind: 'point' | 'window';
  /** Last millisecond of the time that is meant, or now if it is not over; epoch milliseconds, UTC. */
  readonly asOf: number;
  /** Half-open. */
  readonly window: Interval;
  /** The words of the question that say so, in its order. */
  readonly words: readonly string[];
}

/**
 * Reads the time in a question, English or Chinese; `null` where it names none. A date that is part of a
 * name ("the March 15th issue") is no time of the question. Several times make one window around all.
 *
 * @throws PalimpsestError `INVALID_INPUT` for an unknown `timeZone`.
 * @example
 * questionTime('去年我们用什么数据库？', { now: Date.UTC(2026, 3, 10), timeZone: 'UTC' })
 * // { kind: 'window', asOf: 2025-12-31T23:59:59.999Z, window: 2025 as a whole, words: ['去年'] }
 */
export function questionTime(question: string, { now, timeZone }: Asking): QuestionTime | null {
  const mentions = mentionsIn(question, { now, timeZone });
  const [first] = mentions;
  if (first === undefined) return null;
  const windows = mentions.map((mention) => windowOf(mention, timeZone));
  const from = windows.reduce((least, window) => Math.min(least, window.from), FOREVER);
  const to = windows.reduce((most, window) => Math.max(most, window.to), BEGIN);
  const point = windows.length === 1 && isDayOrLess(first);
  return {
    kind: point ? 'point' : 'window',
    // A time ahead is asked about as it is planned, and one that is not over as it is now.
    asOf: from <= now && now < to ? now : to === FOREVER ? from : to - 1,
    window: { from, to },
    words: mentions.map(({ text }) => text),
  };
}

/**
 * Memory is asked about what was: on 10 April "on 5 May" is last year's, unless the question looks ahead.
 */
function mentionsIn(question: string, { now, timeZone }: Asking): readonly DateMention[] {
  const read = (at: number): readonly DateMention[] => readDates(question, { at, timeZone });
  const counting = read(now).filter((mention) => !isPartOfName(question, mention));
  const isAhead = ({ from, text }: DateMention): boolean =>
    from !== null && from.at > now && !TOLD.test(text);
  if (AHEAD.test(question) || !counting.some(isAhead)) return counting;
  const earlier = read(now - YEAR);
  return counting.map((mention) =>
    isAhead(mention) ? (earlier.find(({ index }) => index === mention.index) ?? mention) : mention,
  );
}

const YEAR = 365 * DAY;
/** A year, or words that say themselves that it is ahead. */
const TOLD =
  /\d{4}|\d\d年|next|coming|tomorrow|in \w+ (?:day|week|month|year)|明|后|後|下|今晚|tonight/i;
const AHEAD =
  /\b(?:will|shall|going to|plan(?:s|ned|ning)?|upcoming|schedule[ds]?|due)\b|'ll\b|将|將|打算|计划|計劃|准备|準備|预定|預定/i;

/** In a question "as of" asks for a state, where a statement begins one with it. */
const AS_OF = /^(?:as of|as at|截至|截止)/i;

const asksForState = ({ kind, text }: DateMention): boolean => kind === 'since' && AS_OF.test(text);

/** Weeks, months and years are long enough for things to change in them. */
function isDayOrLess(mention: DateMention): boolean {
  if (mention.kind !== 'point' && !asksForState(mention)) return false;
  const precision = mention.from?.precision;
  return precision !== undefined && PRECISIONS.indexOf(precision) >= PRECISIONS.indexOf('day');
}

function windowOf(mention: DateMention, timeZone: string): Interval {
  const { from, to } = mention;
  if (from !== null && asksForState(mention)) {
    return { from: from.at, to: precisionEnd(from, timeZone) };
  }
  return { from: from?.at ?? BEGIN, to: to?.at ?? FOREVER };
}

const DETERMINED = /(?:\b(?:the|an?|my|your|our|their|his|her|its)|['’]s)\s+$/i;
const NOUN_FOLLOWS =
  /^\s+(?!(?:and|or|did|do|does|was|were|is|are|had|has|have|who|what|which|where)\b)[a-z]/i;

/** "the March 15th issue", "our 2023 report". */
function isPartOfName(question: string, { index, text }: DateMention): boolean {
  if (!/^[a-z\d]/i.test(text) || /^(?:last|past|next|this|coming)\b/i.test(text)) return false;
  const before = DETERMINED.exec(question.slice(0, index));
  return before !== null && NOUN_FOLLOWS.test(question.slice(index + text.length));
}
