import { formatInstant, type Fact, type ObjectValue, type Scope, type TxStamp } from '../index.js';
import { printable } from './width.js';

/** How single values are shown to people. */

export function objectText(object: ObjectValue | '*', timeZone: string): string {
  if (typeof object !== 'object') return printable(String(object));
  if ('name' in object) return printable(object.name);
  if ('instant' in object) {
    return formatInstant({ at: Date.parse(object.instant), precision: object.precision }, timeZone);
  }
  return printable(JSON.stringify(object.json));
}

export const edgeText = (
  {
    subject,
    predicate,
    object,
  }: Pick<Fact, 'subject' | 'predicate'> & { readonly object: ObjectValue | '*' },
  timeZone: string,
): string => `${printable(subject.name)} ─${printable(predicate)}▶ ${objectText(object, timeZone)}`;

export const scopeText = (scope: Scope): string =>
  Object.entries(scope)
    .map(([dimension, value]) => `${dimension}=${printable(String(value))}`)
    .join(',');

/** A transaction, to the minute in UTC. */
export const stampText = ({ tx, at }: TxStamp): string =>
  `${at.slice(0, 16).replace('T', ' ')}  tx ${tx}`;

/** What is said of the asked instant. */
export function certaintyText(fact: Fact): string {
  return [fact.certainty, fact.stale ? 'stale' : null].filter((word) => word !== null).join(', ');
}

export function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value.toFixed(1)} ${units[unit]}`;
}
