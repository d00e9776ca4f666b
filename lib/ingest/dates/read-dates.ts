import { checkTimeZone } from '../../model/zone.js';
import { apart, bindOne, bindTwo, withPart } from './bind.js';
import type { Candidate } from './candidate.js';
import { chineseCandidates } from './chinese.js';
import { chronoCandidates } from './chrono.js';
import { englishCandidates } from './english.js';
import { candidatesOf } from './candidate.js';
import { ISO_RULES } from './iso.js';
import type { DateMention } from './mention.js';
import { referenceOf } from './span.js';

export type { DateMention } from './mention.js';

export interface DateReading {
  /** When the text was said, in epoch milliseconds, UTC. */
  readonly at: number;
  /** IANA zone of the speaker, whose calendar "yesterday" is of. */
  readonly timeZone: string;
}

/**
 * Finds the dates that a text tells, in English and Chinese, relative ones against the event's time and
 * zone. Intervals are half-open, and precision is that of the words: "in 2023" is a year.
 *
 * Weeks start on Monday; "two years ago" is the year before last, "three weeks ago" that week. Both ends
 * of "from … to" and "between … and" belong to the range, while `until` and `before` leave the named unit
 * out. Seasons are three whole months, as in the north. A quarter without its year is one of the event's
 * year. What has no year otherwise is the latest that has begun after "since", the next that is not over
 * after "until", and else the near one, if one is at most four months off. Words that can mean several
 * times ("on Monday", "3/5/2024", "a few days ago", "winter 2024"), dates that do not exist, and local
 * times that the clocks left out or showed twice yield nothing.
 *
 * @throws PalimpsestError `INVALID_INPUT` for an unknown `timeZone`.
 * @example
 * const at = Date.parse('2025-03-01T00:30+08:00');
 * readDates('昨天换了数据库', { at, timeZone: 'Asia/Shanghai' })
 * // [{ text: '昨天', index: 0, kind: 'point', from: 2025-02-28 (day), to: 2025-03-01 }]
 */
export function readDates(text: string, { at, timeZone }: DateReading): readonly DateMention[] {
  const ref = referenceOf(at, checkTimeZone(timeZone, 'timeZone'));
  const found = [
    ...candidatesOf(ISO_RULES, text, ref),
    ...englishCandidates(text, ref),
    ...chineseCandidates(text, ref),
    ...chronoCandidates(text, ref),
  ];
  const candidates = apart(found).map((candidate) => withPart(candidate, text));
  const mentions: DateMention[] = [];
  for (let i = 0; i < candidates.length; i++) {
    const candidate: Candidate = candidates[i]!;
    const next = candidates[i + 1];
    const range = next === undefined ? undefined : bindTwo(text, candidate, next, ref);
    if (range !== undefined) i++;
    const mention = range === undefined ? bindOne(text, candidate, ref) : range;
    if (mention !== null) mentions.push(mention);
  }
  return mentions;
}
