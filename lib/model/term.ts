import { z } from 'zod';
import { canonicalJson } from './canonical.js';
import { PalimpsestError } from './errors.js';
import { PRECISIONS, type Precision } from './precision.js';

/**
 * The object of a claim, resolved. Two terms are the same object exactly when their keys are equal:
 * strings after NFC and trimming, numbers by value, instants by instant and precision, JSON by its
 * canonical form.
 */
export type Term =
  | { readonly kind: 'entity'; readonly id: string }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'instant'; readonly at: number; readonly precision: Precision }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'any' };

/** The key of a denial of every object. No term of another kind has it. */
export const ANY_KEY = '*';

/** The term as it was said, in one line of text. */
export function termKey(term: Term): string {
  switch (term.kind) {
    case 'entity':
      return `e:${term.id}`;
    case 'string':
      return `s:${term.value.normalize('NFC').trim()}`;
    case 'number':
      return `n:${Object.is(term.value, -0) ? 0 : term.value}`;
    case 'boolean':
      return `b:${term.value}`;
    case 'instant':
      return `t:${term.at}:${term.precision}`;
    case 'json':
      return `j:${canonicalJson(term.value, 'object')}`;
    case 'any':
      return ANY_KEY;
  }
}

const PrecisionSchema = z.enum(PRECISIONS);

export function termOfKey(key: string): Term {
  if (key === ANY_KEY) return { kind: 'any' };
  const rest = key.slice(2);
  switch (key.slice(0, 2)) {
    case 'e:':
      return { kind: 'entity', id: rest };
    case 's:':
      return { kind: 'string', value: rest };
    case 'n:':
      return { kind: 'number', value: Number(rest) };
    case 'b:':
      return { kind: 'boolean', value: rest === 'true' };
    case 't:': {
      const [at, precision] = rest.split(':');
      return { kind: 'instant', at: Number(at), precision: PrecisionSchema.parse(precision) };
    }
    case 'j:': {
      const value: unknown = JSON.parse(rest);
      return { kind: 'json', value };
    }
    default:
      throw new PalimpsestError('STORE_FAILED', `No term has the key ${JSON.stringify(key)}.`);
  }
}

/** How strings of a predicate are compared. Kept by name in the journal, so a rebuild folds alike. */
export const NORMALISERS = {
  exact: (s: string) => s,
  casefold: (s: string) => s.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' '),
  digits: (s: string) => s.replace(/[^\p{Nd}+]/gu, ''),
  url: (s: string) =>
    s
      .toLowerCase()
      .replace(/^https?:\/\/(www\.)?/u, '')
      .replace(/\/+$/u, ''),
} as const satisfies Record<string, (text: string) => string>;

export type Normaliser = keyof typeof NORMALISERS;
export const NORMALISER_NAMES = [
  'exact',
  'casefold',
  'digits',
  'url',
] as const satisfies Normaliser[];

/** The equality key of an object: that of the normalised string, of anything else its own. */
export function equalityKey(shown: string, normaliser: Normaliser): string {
  if (normaliser === 'exact' || !shown.startsWith('s:')) return shown;
  const folded = NORMALISERS[normaliser](shown.slice(2)).normalize('NFC').trim();
  return folded === '' ? shown : `s:${folded}`;
}
