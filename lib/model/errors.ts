/** Every way in which Palimpsest says no. Codes are stable: programs may switch on them. */
export const ERROR_CODES = [
  'INVALID_INPUT',
  'INVALID_INSTANT',
  'INVALID_INTERVAL',
  'INVALID_SCOPE',
  'INVALID_NAME',
  'INVALID_EVIDENCE',
  'INVALID_OBJECT',
  'INVALID_TEXT',
  'INVALID_ID',
  'INVALID_CONFIDENCE',
  'INVALID_ONTOLOGY',
  'UNKNOWN_PREDICATE',
  'TOO_LARGE',
  'NOT_FOUND',
  'NOT_VISIBLE',
  'AMBIGUOUS_ENTITY',
  'CONFLICT',
  'POLICY_REFUSED',
  'SECRET_REFUSED',
  'NOT_REVERTIBLE',
  'STORE_LOCKED',
  'STORE_CLOSED',
  'STORE_FAILED',
  'STORE_READ_ONLY',
  'STORE_FULL',
  'JOURNAL_DAMAGED',
  'JOURNAL_TOO_NEW',
  'ENGINE_UNAVAILABLE',
  'ENGINE_FAILED',
  'EMBEDDER_MISMATCH',
  'EMBEDDER_FAILED',
  'IMPORT_FAILED',
  'QUEUE_FULL',
  'ABORTED',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

export interface ErrorFacts {
  /** Path of the field at fault, such as `validFrom` or `evidence[0].session`. */
  readonly field?: string;
  /** What the caller can do about it, one sentence. */
  readonly hint?: string;
  readonly cause?: unknown;
}

const MARK = Symbol.for('palimpsest.error');

/**
 * The one error class of the library.
 *
 * @example
 * try { await shop.assert({ subject: 'shop', predicate: 'database', object: '' }) }
 * catch (error) { if (PalimpsestError.isInstance(error)) console.log(error.code, error.field) }
 */
export class PalimpsestError extends Error {
  override readonly name = 'PalimpsestError';
  readonly code: ErrorCode;
  readonly field: string | undefined;
  readonly hint: string | undefined;
  readonly [MARK] = true;

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}) {
    super(
      facts.hint === undefined ? message : `${message} ${facts.hint}`,
      facts.cause === undefined ? undefined : { cause: facts.cause },
    );
    this.code = code;
    this.field = facts.field;
    this.hint = facts.hint;
  }

  /** True for errors of any copy of the library, which `instanceof` is not. */
  static isInstance(value: unknown): value is PalimpsestError {
    return typeof value === 'object' && value !== null && MARK in value;
  }

  toJSON(): { code: ErrorCode; message: string; field?: string } {
    return {
      code: this.code,
      message: this.message,
      ...(this.field === undefined ? {} : { field: this.field }),
    };
  }
}
