import { DAY, dayNumber } from '../../model/calendar.js';
import { FIRST_INSTANT, LAST_INSTANT } from '../../model/instant.js';
import { precisionEnd, type TimePoint } from '../../model/precision.js';
import { firstAt } from '../../model/zone.js';
import type { Candidate, Lean } from './candidate.js';
import {
  admits,
  type Connective,
  connectiveAfter,
  connectiveBefore,
  type Joint,
  joint,
  partBefore,
} from './connectives.js';
import type { DateKind, DateMention } from './mention.js';
import { partOf, type Reference, type Span } from './span.js';

/** The earliest first, of several that start together the longest; what overlaps those goes. */
export function apart(candidates: readonly Candidate[]): readonly Candidate[] {
  const kept: Candidate[] = [];
  let end = 0;
  for (const candidate of [...candidates].sort((a, b) => a.index - b.index || b.end - a.end)) {
    if (candidate.index < end) continue;
    kept.push(candidate);
    end = candidate.end;
  }
  return kept;
}

/** "early", "the end of" in front of what they take a part of. */
export function withPart(candidate: Candidate, text: string): Candidate {
  const found = partBefore(text, candidate.index);
  if (found === null || candidate.weak === 'weekday') return candidate;
  return {
    index: candidate.index - found.length,
    end: candidate.end,
    weak: null,
    resolve: (lean) => {
      const span = candidate.resolve(lean);
      return span === null ? null : partOf(span, found.part);
    },
  };
}

function leanOf(connective: Connective | null, ref: Reference): Lean {
  if (connective === 'since') return { begunBy: ref.day };
  const ahead = connective === 'until' || connective === 'through' || connective === 'by';
  return ahead ? { notOverOn: ref.day } : {};
}

interface Bounds {
  readonly kind: DateKind;
  readonly from: TimePoint | null;
  readonly to: TimePoint | null;
}

/** `null` where the zone left the date out, and out of the years that can be told. */
function pointAt(span: Span, edge: 'from' | 'to', ref: Reference): TimePoint | null {
  const at = span.unit === 'exact' ? span[edge] : firstAt(span[edge] * DAY, ref.timeZone);
  return at >= FIRST_INSTANT && at <= LAST_INSTANT ? { at, precision: span.precision } : null;
}

function bounds(span: Span, connective: Connective | null, ref: Reference): Bounds | null {
  const from = pointAt(span, 'from', ref);
  const to = pointAt(span, 'to', ref);
  if (from === null || to === null || from.at >= to.at) return null;
  switch (connective) {
    case 'since':
      return { kind: 'since', from, to: null };
    case 'until':
      return { kind: 'until', from: null, to: span.isEnd ? to : from };
    case 'through':
      return { kind: 'until', from: null, to };
    case 'before':
      return { kind: 'before', from: null, to: span.isEnd ? to : from };
    case 'after':
      return { kind: 'after', from: to, to: null };
    case 'by':
      // "by Friday" is over with Friday; of a month or a year nobody can tell which end is meant.
      return span.precision === 'day' || span.isEnd ? { kind: 'before', from: null, to } : null;
    case 'never':
      return null;
    default:
      return { kind: precisionEnd(from, ref.timeZone) === to.at ? 'point' : 'range', from, to };
  }
}

function mention(
  text: string,
  index: number,
  end: number,
  bound: Bounds,
  confidence: number,
): DateMention {
  return {
    text: text.slice(index, end),
    index,
    ...bound,
    ...(confidence < 1 ? { confidence } : {}),
  };
}

/** The words that stand with a date, with where they start and end. */
function around(
  text: string,
  candidate: Candidate,
): { index: number; end: number; connective: Connective | null } {
  const before = connectiveBefore(text, candidate.index);
  const after = connectiveAfter(text, candidate.end, before);
  const { index, end } = candidate;
  if (before?.connective === 'never' || after?.connective === 'never')
    return { index, end, connective: 'never' };
  const neutral = before === null || before.connective === 'in' || before.connective === 'from';
  if (after !== null && neutral) {
    const start = before?.connective === 'from' ? index - before.length : index;
    return { index: start, end: end + after.length, connective: after.connective };
  }
  if (before === null) return { index, end, connective: null };
  const start = neutral || before.connective === 'between' ? index : index - before.length;
  // 截至…为止, 自…以来: the words on both sides say the same.
  return { index: start, end: end + (after?.length ?? 0), connective: before.connective };
}

export function bindOne(text: string, candidate: Candidate, ref: Reference): DateMention | null {
  const { index, end, connective } = around(text, candidate);
  if (candidate.weak !== null && !admits(candidate.weak, connective)) return null;
  const span = candidate.resolve(leanOf(connective, ref));
  const bound = span === null ? null : bounds(span, connective, ref);
  return span === null || bound === null ? null : mention(text, index, end, bound, span.confidence);
}

/** A date without a year takes the one that fits the other end; two without take the near ones. */
function ends(first: Candidate, last: Candidate): readonly [Span, Span] | null {
  const start = first.resolve({});
  const end = last.resolve({});
  if (start !== null) {
    const next = last.resolve({ notOverOn: start.unit === 'days' ? start.from : NaN }) ?? end;
    return next === null ? null : [start, next];
  }
  const fits = end === null ? null : first.resolve({ begunBy: end.from });
  return end === null || fits === null ? null : [fits, end];
}

/** A year that was told belongs to both ends: "between March and May 2024". */
function endsWithYear(
  first: Candidate,
  last: Candidate,
  ref: Reference,
): readonly [Span, Span] | null {
  const told = (candidate: Candidate): Span | null => {
    const early = candidate.resolve({ begunBy: dayNumber(ref.year - 3, 1, 1) });
    const late = candidate.resolve({ notOverOn: dayNumber(ref.year + 3, 1, 1) });
    return early !== null && late !== null && early.from === late.from ? early : null;
  };
  const end = told(last);
  if (told(first) !== null || end === null) return ends(first, last);
  const start = end.unit === 'days' ? first.resolve({ begunBy: end.from }) : null;
  return start === null ? null : [start, end];
}

/** `undefined` where the two are no range; `null` where they are one that cannot be read. */
export function bindTwo(
  text: string,
  first: Candidate,
  last: Candidate,
  ref: Reference,
): DateMention | null | undefined {
  const how: Joint | null = joint(text.slice(first.end, last.index));
  if (how === null) return undefined;
  if (how === 'or') return null;
  const before = connectiveBefore(text, first.index);
  const opened = before?.connective ?? null;
  const closed = /^\s*之?间/u.exec(text.slice(last.end))?.[0].length ?? 0;
  if (how === 'and' && opened !== 'between' && closed === 0) return undefined;
  if (how !== 'and' && opened === 'between') return undefined;
  if (opened === 'never') return null;
  if (opened !== null && !['from', 'between', 'in'].includes(opened)) return undefined;
  const bare = opened === null && closed === 0;
  if (bare && first.weak !== null && (last.weak !== null || first.weak !== 'month'))
    return undefined;
  const pair = endsWithYear(first, last, ref);
  if (pair === null) return null;
  const [start, end] = pair;
  const from = pointAt(start, 'from', ref);
  const to = pointAt(end, how === 'until' && !end.isEnd ? 'from' : 'to', ref);
  if (from === null || to === null || from.at >= to.at) return null;
  const index = opened === 'in' ? first.index : first.index - (before?.length ?? 0);
  const confidence = Math.min(start.confidence, end.confidence);
  return mention(text, index, last.end + closed, { kind: 'range', from, to }, confidence);
}
