import type { BeliefClaim, Properties } from '../../lib/belief/claim.js';
import type { Stretch } from '../../lib/belief/stretch.js';
import { ALWAYS, BEGIN, FOREVER, type Interval } from '../../lib/model/interval.js';

/** Claims as the examples write them, and stretches as a person reads them. */

export interface Telling {
  /** `null` when unknown. */
  readonly from: string | null;
  /** A date, or `∞` for ongoing and `?` for unknown. */
  readonly to: string;
  readonly said: string;
  readonly authority?: number;
  readonly instance?: string;
  readonly properties?: Properties;
  readonly out?: readonly Interval[];
}

export const USER = 30;
export const DOCUMENT = 20;

/** A year, a month or a day, in UTC. */
export const at = (date: string): number => Date.parse(date);

/** The first instant after the year, month or day. */
function after(date: string): number {
  const [year, month, day] = date.split('-').map(Number);
  if (year === undefined) throw new Error(`not a date: ${date}`);
  if (month === undefined) return Date.UTC(year + 1);
  return day === undefined ? Date.UTC(year, month) : Date.UTC(year, month - 1, day + 1);
}

/** The unit that ends where the date starts: "until 2024" is sure of 2023. */
function before(date: string): number {
  const [year, month, day] = date.split('-').map(Number);
  if (year === undefined) throw new Error(`not a date: ${date}`);
  if (month === undefined) return Date.UTC(year - 1);
  return day === undefined ? Date.UTC(year, month - 2) : Date.UTC(year, month - 1, day - 1);
}

function unitOf(from: string | null, to: string): number {
  if (from !== null) return after(from) - at(from);
  return /\d/.test(to) ? at(to) - before(to) : 1;
}

/** `+Postgres` asserts, `-Postgres` denies, `-*` denies everything. */
export function claim(what: string, told: Telling): BeliefClaim {
  return {
    id: `${what}@${told.said}`,
    polarity: what.startsWith('+') ? 'assert' : 'deny',
    object: what.slice(1),
    instance: told.instance ?? null,
    properties: told.properties ?? null,
    validFrom: told.from === null ? null : at(told.from),
    validTo: told.to === '∞' ? 'ongoing' : told.to === '?' ? 'unknown' : at(told.to),
    unit: unitOf(told.from, told.to),
    observedAt: at(told.said),
    authority: told.authority ?? USER,
    out: told.out ?? [],
  };
}

export const without = (c: BeliefClaim, window: Interval = ALWAYS): BeliefClaim => ({
  ...c,
  out: [...c.out, window],
});

const edge = (instant: number): string => {
  if (instant === BEGIN) return '-∞';
  return instant === FOREVER ? '∞' : new Date(instant).toISOString().slice(0, 10);
};

/** `['2024-01-10 .. ∞ SQLite']`; a stretch of denial shows as `no SQLite`. */
export const told = (stretches: readonly Stretch[]): string[] =>
  stretches.map((s) => {
    const object = s.instance === null ? s.object : `${s.object}#${s.instance}`;
    return `${edge(s.from)} .. ${edge(s.to)} ${s.polarity === 'deny' ? 'no ' : ''}${object}`;
  });
