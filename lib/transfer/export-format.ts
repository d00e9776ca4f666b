import { z } from 'zod';
import { toIso } from '../model/instant.js';
import { BEGIN, FOREVER } from '../model/interval.js';
import { scopeOfKey } from '../model/scope.js';
import { parseObject } from '../memory/present.js';
import type { ScopeCount } from '../memory/read/scopes.js';
import { STILL, type FactRow } from '../store/rows.js';

/**
 * The lines of an export: a first one, each transaction as the journal has it, then what follows from
 * them (facts of all known times, scopes), then a last one. What follows is there for other readers,
 * and for the check after an import.
 */

export const EXPORT_VERSION = 1;

export const FirstLineSchema = z.strictObject({
  palimpsest: z.literal('export'),
  version: z.number().int().positive(),
  /** Only this org's part of a store. */
  org: z.string().optional(),
  /** The last transaction that is in it. */
  tx: z.number().int().nonnegative(),
});
export type FirstLine = Readonly<z.output<typeof FirstLineSchema>>;

export const LastLineSchema = z.strictObject({
  palimpsest: z.literal('end'),
  facts: z.number().int(),
  scopes: z.number().int(),
});
export type LastLine = Readonly<z.output<typeof LastLineSchema>>;

/** A fact in an export. Objects are written as the journal's terms are keyed. */
export const factLine = (row: FactRow): string =>
  JSON.stringify({
    fact: row.id,
    scope: scopeOfKey(row.scope),
    subject: row.subject,
    predicate: row.predicate,
    object: row.shown,
    ...(row.instance === null ? {} : { instance: row.instance }),
    ...(row.properties === null ? {} : { properties: parseObject(row.properties) }),
    valid: [
      row.validFrom === BEGIN ? null : toIso(row.validFrom),
      row.validTo === FOREVER ? null : toIso(row.validTo),
    ],
    precision: [row.fromPrecision, row.toPrecision],
    ...(row.startUnknown ? { startUnknown: true } : {}),
    known: [row.knownFrom, row.knownTo === STILL ? null : row.knownTo],
    ...(row.reason === null ? {} : { closedAs: row.reason }),
  });

export const scopeLine = (count: ScopeCount): string => JSON.stringify(count);
