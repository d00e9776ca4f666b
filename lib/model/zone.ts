import { DAY } from './calendar.js';
import { PalimpsestError } from './errors.js';

interface Zone {
  readonly utc: boolean;
  readonly format: (at: number) => string;
}

/** Making a formatter costs some hundred times what using it does. */
const zones = new Map<string, Zone>();

/** `undefined` for a name that is no time zone of the platform. */
function lookUp(name: string): Zone | undefined {
  const known = zones.get(name);
  if (known !== undefined) return known;
  // Some versions of the platform take `+08:00` for a zone and some do not: only names pass here.
  if (!/^[A-Za-z]/.test(name)) return undefined;
  try {
    const formatter = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hour: 'numeric',
      timeZoneName: 'longOffset',
    });
    const zone: Zone = {
      utc: formatter.resolvedOptions().timeZone === 'UTC',
      format: (at) => formatter.format(at),
    };
    zones.set(name, zone);
    return zone;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Returns the name if it is an IANA time zone that the platform knows.
 *
 * @throws PalimpsestError `INVALID_INPUT`, naming the field, for anything else.
 * @example
 * checkTimeZone('Asia/Shanghai', 'timeZone') // 'Asia/Shanghai'
 */
export function checkTimeZone(name: unknown, field: string): string {
  if (typeof name === 'string' && lookUp(name) !== undefined) return name;
  throw unknownZone(name, field);
}

function unknownZone(name: unknown, field: string): PalimpsestError {
  const shown = typeof name === 'string' ? JSON.stringify(name.slice(0, 40)) : typeof name;
  return new PalimpsestError('INVALID_INPUT', `${field} is not a known time zone: ${shown}.`, {
    field,
    hint: 'Use an IANA name such as UTC or Asia/Shanghai.',
  });
}

function zoneOf(name: string): Zone {
  const zone = lookUp(name);
  if (zone === undefined) throw unknownZone(name, 'timeZone');
  return zone;
}

export const isUtc = (timeZone: string): boolean => timeZone === 'UTC' || zoneOf(timeZone).utc;

const OFFSET = /([+-])(\d\d):?(\d\d)?(?::?(\d\d))?$/;

/**
 * `+08:00`, `+0800`, `+08` or `-04:56:02` as milliseconds to add to UTC; `NaN` when it cannot be read
 * or is a day or more.
 */
export function parseOffset(text: string): number {
  const found = OFFSET.exec(text);
  if (found === null) return NaN;
  const hours = Number(found[2]);
  const minutes = Number(found[3] ?? 0);
  const seconds = Number(found[4] ?? 0);
  if (hours > 23 || minutes > 59 || seconds > 59) return NaN;
  const size = ((hours * 60 + minutes) * 60 + seconds) * 1000;
  return found[1] === '-' ? -size : size;
}

/** `+08:00`; seconds only where there are any, as before standard time. */
export function formatOffset(offset: number): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const total = Math.abs(offset) / 1000;
  const seconds = total % 60;
  const text = `${two(Math.floor(total / 3600))}:${two(Math.floor(total / 60) % 60)}`;
  return `${offset < 0 ? '-' : '+'}${text}${seconds === 0 ? '' : `:${two(seconds)}`}`;
}

/**
 * Milliseconds that the zone's clocks are ahead of UTC at an instant. `tzOffset` of `@date-fns/tz`
 * loses the sign of offsets between zero and minus one hour (Monrovia until 1972, London until 1847).
 */
export function offsetAt(at: number, timeZone: string): number {
  if (timeZone === 'UTC') return 0;
  const text = zoneOf(timeZone).format(at);
  // Zero is written `GMT+00:00` by some versions of the platform and `GMT` by others.
  return text.endsWith('GMT') ? 0 : parseOffset(text);
}

/** What the zone's clocks show at an instant, as the epoch milliseconds of the same reading in UTC. */
export const wallAt = (at: number, timeZone: string): number => at + offsetAt(at, timeZone);

/** Which instants a clock reading of a zone stands for. */
export type WallReading =
  | { readonly kind: 'one'; readonly at: number }
  /** The clocks jumped over it; `at` is the instant of the jump. */
  | { readonly kind: 'gap'; readonly at: number }
  /** The clocks went back over it and showed it twice. */
  | { readonly kind: 'fold'; readonly at: number; readonly later: number };

export function readWall(wall: number, timeZone: string): WallReading {
  if (timeZone === 'UTC') return { kind: 'one', at: wall };
  // No offset is a day long, so these two lie on both sides of every instant that can be meant.
  const before = offsetAt(wall - DAY, timeZone);
  const after = offsetAt(wall + DAY, timeZone);
  const first = wall - Math.max(before, after);
  const last = wall - Math.min(before, after);
  const firstFits = wallAt(first, timeZone) === wall;
  if (first === last && firstFits) return { kind: 'one', at: first };
  const lastFits = wallAt(last, timeZone) === wall;
  if (firstFits && lastFits) return { kind: 'fold', at: first, later: last };
  if (firstFits) return { kind: 'one', at: first };
  if (lastFits) return { kind: 'one', at: last };
  return { kind: 'gap', at: jumpBetween(first, last, wall, timeZone) };
}

/** The first instant whose clock reading is past `wall`; `first` is known to be before it. */
function jumpBetween(first: number, last: number, wall: number, timeZone: string): number {
  let low = first;
  let high = last;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (wallAt(middle, timeZone) < wall) low = middle;
    else high = middle;
  }
  return high;
}

/** The first instant at which the zone's clocks show the reading, or jump over it. */
export const firstAt = (wall: number, timeZone: string): number => readWall(wall, timeZone).at;
