import type { Properties } from './claim.js';
import { canonicalJson } from '../model/canonical.js';

/** What is said later overrides, key by key; `null` clears. */
export function mergeProperties(below: Properties | null, above: Properties): Properties {
  const merged: Record<string, unknown> = { ...below };
  for (const [name, value] of Object.entries(above)) {
    if (value === null) delete merged[name];
    else merged[name] = value;
  }
  return merged;
}

export function sameProperties(a: Properties | null, b: Properties | null): boolean {
  if (a === b) return true;
  return a !== null && b !== null && canonicalJson(a) === canonicalJson(b);
}
