import { PalimpsestError } from '../model/errors.js';

/** Members of a fact in a stream, by the names that the library has for them. */
const STREAM_NAMES: ReadonlyMap<string, string> = new Map([
  ['validFrom', 'valid_from'],
  ['validTo', 'valid_to'],
  ['observedAt', 'observed_at'],
]);

/** What is wrong with a line of an import. Lines are counted from 1. */
export function failure(
  line: number,
  field: string | null,
  what: string,
  facts: { readonly hint?: string; readonly cause?: unknown } = {},
): PalimpsestError {
  return new PalimpsestError(
    'IMPORT_FAILED',
    `Line ${line}: ${field === null ? '' : `${field}: `}${what}`,
    field === null ? facts : { field, ...facts },
  );
}

/** An error of the library, as one of a line: it names the field as the stream does. */
export function failureOf(line: number, error: unknown): unknown {
  if (!PalimpsestError.isInstance(error) || error.code === 'IMPORT_FAILED') return error;
  if (!ABOUT_INPUT.test(error.code)) return error;
  const { field } = error;
  if (field === undefined || field === '') {
    return failure(line, null, error.message, { cause: error });
  }
  const [head = '', ...rest] = field.split(/(?=[.[])/u);
  const named = `fact.${[STREAM_NAMES.get(head) ?? head, ...rest].join('')}`;
  const prefix = `${field}: `;
  const what = error.message.startsWith(prefix)
    ? error.message.slice(prefix.length)
    : error.message;
  return failure(line, named, what, { cause: error });
}

/** Codes which mean that the line is at fault, and not the store below. */
const ABOUT_INPUT =
  /^(?:INVALID_|UNKNOWN_PREDICATE|TOO_LARGE|NOT_FOUND|NOT_VISIBLE|AMBIGUOUS_ENTITY|CONFLICT|POLICY_REFUSED|JOURNAL_DAMAGED)/u;
