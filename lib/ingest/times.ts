import { PalimpsestError } from '../model/errors.js';
import { readInstant, type TimePoint } from '../model/instant.js';
import { readDates } from './dates/read-dates.js';

/** The ends of a candidate's interval, in the form that verbs read, and as epoch milliseconds. */
export interface ResolvedTimes {
  readonly from: TimePoint | null;
  readonly to: TimePoint | null;
  readonly fromAt: number | null;
  readonly toAt: number | null;
  /** An end was spoken of, and nobody can tell when it is. */
  readonly endUnclear: boolean;
  /** The object, where it is a date. */
  readonly object: TimePoint | null;
}

export interface TimeFrame {
  /** When the event happened, epoch milliseconds: what "last week" is relative to. */
  readonly at: number | null;
  readonly timeZone: string;
}

/** Words of a model for an interval that has no end. */
const GOES_ON =
  /^(?:|null|none|n\/a|ongoing|open|now|present|the present|today|current(?:ly)?|still|forever|无|至今|现在|目前|今天|持续)$/iu;

/**
 * The times of a candidate: ISO text, or the words of the event resolved against the event's own
 * time and zone, never against the clock. Words that say no time give `null`.
 */
export function resolveTimes(
  candidate: {
    readonly validFrom: string | null;
    readonly validTo: string | null;
    readonly object?: string | null;
    readonly objectKind?: string | null;
  },
  frame: TimeFrame,
): ResolvedTimes {
  const from = resolve(candidate.validFrom, 'from', frame);
  const to = resolve(candidate.validTo, 'to', frame);
  const endUnclear = to === null && !GOES_ON.test(candidate.validTo?.trim() ?? '');
  const isDate = candidate.objectKind === 'date';
  const object = isDate ? resolve(candidate.object ?? null, 'from', frame) : null;
  return { from, to, fromAt: from?.at ?? null, toAt: to?.at ?? null, endUnclear, object };
}

function resolve(words: string | null, end: 'from' | 'to', frame: TimeFrame): TimePoint | null {
  if (words === null || words.trim() === '') return null;
  if (end === 'to' && GOES_ON.test(words.trim())) return null;
  const iso = asIso(words.trim(), frame.timeZone);
  if (iso !== null) return iso;
  if (frame.at === null) return null;
  const reading = { at: frame.at, timeZone: frame.timeZone };
  // A bare "spring" or "Friday" means something as the end of an interval, and nothing in a text.
  const spelt = end === 'from' ? [words, `in ${words}`] : [words, `until ${words}`];
  const mention = spelt.map((text) => readDates(text, reading)[0]).find((m) => m !== undefined);
  if (mention === undefined) return null;
  if (end === 'from') return mention.from;
  return mention.kind === 'point' ? (mention.from ?? mention.to) : (mention.to ?? mention.from);
}

function asIso(text: string, timeZone: string): TimePoint | null {
  try {
    return readInstant(text, { timeZone, field: 'time' });
  } catch (error) {
    if (PalimpsestError.isInstance(error)) return null;
    throw error;
  }
}
