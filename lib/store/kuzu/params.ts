import { PalimpsestError } from '../../model/errors.js';
import type { Params } from './native.js';

/**
 * The engines corrupt some ordinary values in silence: a `Date` loses its time of day, a list takes the type of its first
 * item, an integer past 2^53 is rounded, half a surrogate pair is replaced. None of them passes here.
 *
 * @throws PalimpsestError `INVALID_INPUT`, naming the parameter
 */
export function checkParams(params: Readonly<Record<string, unknown>>): asserts params is Params {
  for (const [name, value] of Object.entries(params)) {
    const fault = faultOf(value);
    if (fault !== null)
      throw new PalimpsestError('INVALID_INPUT', `Parameter ${name} ${fault}.`, { field: name });
  }
}

function faultOf(value: unknown): string | null {
  if (value === null || typeof value === 'boolean') return null;
  if (typeof value === 'string') return value.isWellFormed() ? null : 'has half a surrogate pair';
  if (typeof value !== 'number') return 'must be a string, a number, a boolean or null';
  if (!Number.isFinite(value)) return 'is not a finite number';
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? 'is an integer past 2^53' : null;
}

declare global {
  // Node has had it since 20; the compiler's ES2023 does not know it.
  interface String {
    isWellFormed(): boolean;
  }
}
