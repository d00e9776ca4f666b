import { z } from 'zod';
import { PRECISIONS } from './precision.js';
import { PredicateRecordSchema } from './ontology.js';
import type { Term } from './term.js';

/**
 * The lines of the journal. A transaction is a header and entries; facts are not among them, since
 * they follow from the claims by the fold. Instants are ISO 8601 in UTC.
 */

const Iso = z.iso.datetime({ precision: 3 });
const When = z.tuple([Iso, z.enum(PRECISIONS)]);
const ScopeRecord = z.strictObject({
  org: z.string(),
  project: z.string().optional(),
  user: z.string().optional(),
  agent: z.string().optional(),
});

export const ROLES = ['user', 'assistant', 'tool', 'document', 'system'] as const;
export type Role = (typeof ROLES)[number];
export const ORIGINS = ['user', 'tool', 'document', 'assistant', 'api'] as const;
export type Origin = (typeof ORIGINS)[number];

export const EvidenceRecordSchema = z.strictObject({
  session: z.string(),
  seq: z.number().int(),
  role: z.enum(ROLES),
  quote: z.string().optional(),
  at: Iso.optional(),
});
export type EvidenceRecord = Readonly<z.infer<typeof EvidenceRecordSchema>>;

const TermRecord = z.union([
  z.strictObject({ entity: z.string() }),
  z.strictObject({ string: z.string() }),
  z.strictObject({ number: z.number() }),
  z.strictObject({ boolean: z.boolean() }),
  z.strictObject({ instant: When }),
  z.strictObject({ json: z.unknown() }),
  z.strictObject({ any: z.literal(true) }),
]);
export type TermRecord = Readonly<z.infer<typeof TermRecord>>;

/** The object as a line of the journal has it. */
export function termOfRecord(o: TermRecord): Term {
  if ('entity' in o) return { kind: 'entity', id: o.entity };
  if ('string' in o) return { kind: 'string', value: o.string };
  if ('number' in o) return { kind: 'number', value: o.number };
  if ('boolean' in o) return { kind: 'boolean', value: o.boolean };
  if ('instant' in o) {
    return { kind: 'instant', at: Date.parse(o.instant[0]), precision: o.instant[1] };
  }
  if ('any' in o) return { kind: 'any' };
  return { kind: 'json', value: o.json };
}

/** A claim which is taken out, wholly (`from` and `to` absent) or within a stretch of valid time. */
const Target = z.strictObject({
  claim: z.string(),
  from: z.number().int().optional(),
  to: z.number().int().optional(),
});
export type Target = Readonly<z.infer<typeof Target>>;

export const ClaimRecordSchema = z.strictObject({
  id: z.string(),
  scope: ScopeRecord,
  subject: z.string(),
  predicate: z.string(),
  object: TermRecord,
  polarity: z.enum(['assert', 'deny']),
  validFrom: z.union([When, z.literal('unknown')]),
  validTo: z.union([When, z.literal('ongoing'), z.literal('unknown')]),
  /** Milliseconds of one unit of precision at the end that is known, where the other is not. */
  unit: z.number().int().positive(),
  observedAt: Iso,
  origin: z.enum(ORIGINS),
  authority: z.number(),
  confidence: z.number().optional(),
  statement: z.string().optional(),
  instance: z.string().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  evidence: z.array(EvidenceRecordSchema).optional(),
  targets: z.array(Target).optional(),
  /** Who extracted it, such as a model and a version. */
  extractor: z.string().optional(),
  /** By what name the later events of an imported stream speak of it. */
  key: z.string().optional(),
});
export type ClaimRecord = Readonly<z.infer<typeof ClaimRecordSchema>>;

const EntityMembers = {
  id: z.string(),
  scope: ScopeRecord,
  type: z.string(),
  name: z.string(),
  /** Tells apart two of one name. */
  distinct: z.string().optional(),
};
export const EntityRecordSchema = z.strictObject(EntityMembers);
export type EntityRecord = Readonly<z.infer<typeof EntityRecordSchema>>;

/** A session as a whole, where `seq` is `null`, or one event of it. */
export const SourceRecord = z.strictObject({
  session: z.string(),
  seq: z.number().int().nullable(),
});

export const WITHDRAWAL_CAUSES = ['retract', 'reject', 'revert', 'forget'] as const;
export type WithdrawalCause = (typeof WITHDRAWAL_CAUSES)[number];

export const EntrySchema = z.discriminatedUnion('op', [
  z.strictObject({
    op: z.literal('settings'),
    timeZone: z.string().optional(),
    authority: z.record(z.enum(ORIGINS), z.number()).optional(),
    predicates: z.record(z.string(), PredicateRecordSchema).optional(),
  }),
  z.strictObject({ op: z.literal('entity'), ...EntityMembers }),
  z.strictObject({ op: z.literal('alias'), entity: z.string(), name: z.string() }),
  z.strictObject({ op: z.literal('unalias'), entity: z.string(), name: z.string() }),
  z.strictObject({ op: z.literal('merge'), from: z.string(), into: z.string() }),
  z.strictObject({ op: z.literal('split'), from: z.string(), into: z.string() }),
  z.strictObject({ op: z.literal('claim'), claim: ClaimRecordSchema }),
  z.strictObject({
    op: z.literal('hold'),
    claim: ClaimRecordSchema,
    why: z.string(),
    /** Those that it names and nobody has declared: its approval does. */
    entities: z.array(EntityRecordSchema).optional(),
  }),
  z.strictObject({ op: z.literal('approve'), claim: z.string() }),
  z.strictObject({ op: z.literal('reject'), claim: z.string() }),
  /** Takes an approval or a rejection back: the claim is held again. */
  z.strictObject({ op: z.literal('unsettle'), claim: z.string() }),
  z.strictObject({
    op: z.literal('withdraw'),
    claim: z.string(),
    from: z.number().int().optional(),
    to: z.number().int().optional(),
    cause: z.enum(WITHDRAWAL_CAUSES),
    /** Only this source of the claim is taken from it; what it says stands by the others. */
    source: SourceRecord.optional(),
  }),
  z.strictObject({
    op: z.literal('reinstate'),
    claim: z.string(),
    from: z.number().int().optional(),
    to: z.number().int().optional(),
    /** Only what this transaction had withdrawn; every withdrawal where it is absent. */
    withdrawnIn: z.number().int().positive().optional(),
  }),
  z.strictObject({
    op: z.literal('erased'),
    /** Whose it was. */
    org: z.string(),
    claims: z.number().int(),
    entities: z.number().int(),
    /** Salted hashes of claims and events, so that their return is noticed. */
    hashes: z.array(z.string()),
    salt: z.string(),
    sessions: z.array(z.string()),
  }),
]);
export type Entry = Readonly<z.infer<typeof EntrySchema>>;
export type EntryOf<Op extends Entry['op']> = Extract<Entry, { op: Op }>;

export const HeaderSchema = z.strictObject({
  tx: z.number().int().positive(),
  at: Iso,
  /** Version of the fold that was in force. */
  fold: z.number().int().positive(),
  actor: z.string().optional(),
  reason: z.string().optional(),
  /** The transaction which this one undoes. */
  reverts: z.number().int().positive().optional(),
  /** How far an import has come. */
  cursor: z.strictObject({ source: z.string(), position: z.number().int() }).optional(),
});
export type Header = Readonly<z.infer<typeof HeaderSchema>>;

export interface Transaction {
  readonly header: Header;
  readonly entries: readonly Entry[];
}

/** The rules of `lib/belief` that this library folds by. A change of meaning is a new number. */
export const FOLD_VERSION = 1;
