import { PalimpsestError } from '../../model/errors.js';
import type { ClaimRecord } from '../../model/entry.js';
import {
  precisionEnd,
  precisionStart,
  readInstant,
  toIso,
  type TimePoint,
} from '../../model/instant.js';

/** The times of a claim, as the journal keeps them. */
export interface ClaimTimes {
  readonly validFrom: ClaimRecord['validFrom'];
  readonly validTo: ClaimRecord['validTo'];
  readonly unit: number;
}

export const when = (point: TimePoint): [string, TimePoint['precision']] => [
  toIso(point.at),
  point.precision,
];

/**
 * @throws PalimpsestError `INVALID_INSTANT`; `INVALID_INTERVAL` for an empty or reversed interval and
 * for an event without a start.
 */
export function readTimes(
  input: { readonly validFrom?: unknown; readonly validTo?: unknown },
  kind: 'state' | 'event',
  polarity: 'assert' | 'deny',
  timeZone: string,
): ClaimTimes {
  const from = point(input.validFrom, 'unknown', 'validFrom', timeZone);
  const to = bound(input.validTo, timeZone);
  if (kind === 'event' && polarity === 'assert' && from === null) {
    throw new PalimpsestError('INVALID_INTERVAL', 'validFrom: an event happens at some time.', {
      field: 'validFrom',
      hint: 'Give its start, as precisely as it is known.',
    });
  }
  if (from !== null && typeof to !== 'string' && to.at <= from.at) {
    throw new PalimpsestError(
      'INVALID_INTERVAL',
      `validTo (${toIso(to.at)}) is not after validFrom (${toIso(from.at)}).`,
      { field: 'validTo', hint: 'Intervals are half-open: `validTo` is the first instant after.' },
    );
  }
  return {
    validFrom: from === null ? 'unknown' : when(from),
    validTo: typeof to === 'string' ? to : when(to),
    unit: unitOf(from, to, timeZone),
  };
}

/** A unit of precision after a known start, or before a known end whose start is unknown. */
function unitOf(
  from: TimePoint | null,
  to: TimePoint | 'ongoing' | 'unknown',
  timeZone: string,
): number {
  if (from !== null) return precisionEnd(from, timeZone) - from.at;
  if (typeof to === 'string') return 1;
  return to.at - precisionStart(to.at, to.precision, timeZone);
}

function point(input: unknown, absent: string, field: string, timeZone: string): TimePoint | null {
  return input === undefined || input === absent ? null : readInstant(input, { timeZone, field });
}

function bound(input: unknown, timeZone: string): TimePoint | 'ongoing' | 'unknown' {
  if (input === undefined || input === 'ongoing') return 'ongoing';
  if (input === 'unknown') return 'unknown';
  return readInstant(input, { timeZone, field: 'validTo' });
}
