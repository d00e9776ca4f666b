import { PalimpsestError } from './errors.js';

/**
 * JSON in the canonical form of RFC 8785: equal values give equal text.
 *
 * @throws PalimpsestError `INVALID_INPUT` for what JSON cannot carry.
 * @example canonicalJson({ b: 1, a: [true] }) // '{"a":[true],"b":1}'
 */
export function canonicalJson(value: unknown, field = 'value'): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') {
    return JSON.stringify(value);
  }
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw notJson(field, String(value));
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) {
    return `[${value.map((item, i) => canonicalJson(item, `${field}[${i}]`)).join(',')}]`;
  }
  if (typeof value === 'object') {
    const members: string[] = [];
    for (const name of Object.keys(value).sort()) {
      const member: unknown = Reflect.get(value, name);
      if (member === undefined) continue;
      members.push(`${JSON.stringify(name)}:${canonicalJson(member, `${field}.${name}`)}`);
    }
    return `{${members.join(',')}}`;
  }
  throw notJson(field, typeof value);
}

function notJson(field: string, what: string): PalimpsestError {
  return new PalimpsestError('INVALID_INPUT', `${field} is not JSON: ${what}.`, { field });
}
