import type { CloseReason } from './reasons.js';
import { overlaps, type Interval } from '../model/interval.js';

/** A stretch with all that makes it the same fact or another; texts are canonical. */
export interface Edge extends Interval {
  readonly polarity: 'assert' | 'deny';
  readonly object: string;
  readonly instance: string | null;
  readonly properties: string | null;
  readonly startUnknown: boolean;
  readonly fromPrecision: number;
  readonly toPrecision: number;
}

/** What besides new claims made a key fold differently. */
export interface Cause {
  readonly withdrawn: boolean;
  readonly entities: 'merged' | 'split' | null;
}

export interface Difference<Open extends Edge, Next extends Edge> {
  readonly closed: readonly { readonly row: Open; readonly reason: CloseReason }[];
  readonly opened: readonly Next[];
}

/**
 * What a transaction closes and opens of one key. Both lists are sorted and free of overlaps, and
 * a row which is the same in both is left alone.
 */
export function diff<Open extends Edge, Next extends Edge>(
  open: readonly Open[],
  next: readonly Next[],
  cause: Cause,
): Difference<Open, Next> {
  const closed: { row: Open; reason: CloseReason }[] = [];
  const opened: Next[] = [];
  const kept = new Set<Edge>();
  const byStart = new Map<number, Open>();
  for (const row of open) byStart.set(row.from, row);
  for (const stretch of next) {
    const row = byStart.get(stretch.from);
    if (row !== undefined && sameEdge(row, stretch)) kept.add(row);
    else opened.push(stretch);
  }
  let first = 0;
  for (const row of open) {
    if (kept.has(row)) continue;
    while (first < opened.length && opened[first]!.to <= row.from) first++;
    const parts: Next[] = [];
    for (let i = first; i < opened.length && opened[i]!.from < row.to; i++) {
      const part = opened[i]!;
      if (overlaps(part, row) && part.polarity === row.polarity && part.object === row.object) {
        parts.push(part);
      }
    }
    closed.push({ row, reason: reasonFor(row, parts, cause) });
  }
  return { closed, opened };
}

function sameEdge(a: Edge, b: Edge): boolean {
  return (
    a.from === b.from &&
    a.to === b.to &&
    a.object === b.object &&
    a.polarity === b.polarity &&
    a.instance === b.instance &&
    a.properties === b.properties &&
    a.startUnknown === b.startUnknown &&
    a.fromPrecision === b.fromPrecision &&
    a.toPrecision === b.toPrecision
  );
}

/** The first reason that fits. `parts` are what is left of the row's object within it. */
function reasonFor(row: Edge, parts: readonly Edge[], cause: Cause): CloseReason {
  if (cause.withdrawn) return 'withdrawn';
  if (cause.entities !== null) return cause.entities;
  const [part, second] = parts;
  if (part === undefined) return 'corrected';
  const ends =
    second === undefined &&
    part.from === row.from &&
    part.to < row.to &&
    part.instance === row.instance &&
    part.properties === row.properties;
  return ends ? 'ended' : 'revised';
}
