/** Something that another memory holds, on its way into this one. Instants are ISO 8601. */
export interface ImportedStatement {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  /** The object is a thing of its own, and no text. */
  readonly isEntity: boolean;
  readonly statement: string | null;
  /** When the other memory came to know it; `null` where it does not say. */
  readonly knownAt: string | null;
  readonly validFrom: string | null;
  readonly validTo: string | null;
  /** When the other memory came to know of its end, if later than of the rest. */
  readonly endKnownAt: string | null;
}

export interface ReadStatements {
  readonly statements: readonly ImportedStatement[];
  /** What could not be read, and where. */
  readonly problems: readonly string[];
}

const NOTHING = {
  isEntity: false,
  statement: null,
  knownAt: null,
  validFrom: null,
  validTo: null,
  endKnownAt: null,
} as const;

export const statementOf = (
  said: Pick<ImportedStatement, 'subject' | 'predicate' | 'object'> & Partial<ImportedStatement>,
): ImportedStatement => ({ ...NOTHING, ...said });

/** An instant as other programs write it; `null` for what is none. Without a zone it is read as UTC. */
export function instantIn(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const text =
    typeof value === 'string' && /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/u.test(value)
      ? `${value.replace(' ', 'T')}Z`
      : value;
  const at = new Date(text).getTime();
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const textIn = (fields: Fields, ...names: readonly string[]): string | null => {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === 'string' && value.trim() !== '') return value.trim();
  }
  return null;
};
