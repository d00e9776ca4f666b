import { z } from 'zod';
import { ORIGINS, ROLES } from '../../model/entry.js';
import { isClaimId, isFactId } from '../../model/ids.js';
import { ScopeSchema } from '../../model/scope.js';
import { LIMITS, name, text } from '../../model/text.js';
import { EntityInputSchema } from '../names.js';

/** Instants are read by `readInstant`, which knows the time zone and names the field. */
const instant = z.unknown();

export const EvidenceInputSchema = z.strictObject({
  session: name(),
  seq: z.number().int().nonnegative(),
  quote: text().optional(),
  role: z.enum(ROLES).optional(),
  at: instant.optional(),
});

const idShape = z
  .string()
  .refine((id) => isFactId(id) || isClaimId(id), { error: 'is no id of a fact or a claim' });

/** Its members are looked at where the claim is drafted: a schema would pass over some in silence. */
const properties = z.custom<Readonly<Record<string, unknown>>>(
  (v) => typeof v === 'object' && v !== null && !Array.isArray(v),
  { error: 'is no object' },
);

/** What the verbs that write a claim have in common. */
export const saying = {
  validFrom: instant.optional(),
  validTo: instant.optional(),
  observedAt: instant.optional(),
  origin: z.enum(ORIGINS).optional(),
  authority: z.number().finite().optional(),
  confidence: z.number().min(0).max(1).optional(),
  statement: text().optional(),
  evidence: z.array(EvidenceInputSchema).max(LIMITS.evidence).optional(),
  corrects: z.array(idShape).optional(),
  properties: properties.optional(),
  instance: name().optional(),
  idempotencyKey: name().optional(),
  to: ScopeSchema.optional(),
  extractor: name().optional(),
};

export const AssertInputSchema = z.strictObject({
  subject: EntityInputSchema,
  predicate: name(),
  object: z.unknown(),
  polarity: z.enum(['assert', 'deny']).optional(),
  ...saying,
});
export type Saying = z.output<typeof AssertInputSchema>;

export const EndInputSchema = z.strictObject({
  fact: z.preprocess(idOf, z.string().refine(isFactId, { error: 'is no id of a fact' })).optional(),
  subject: EntityInputSchema.optional(),
  predicate: name().optional(),
  object: z.unknown().optional(),
  /** From when on it holds no longer. */
  at: instant,
  observedAt: instant.optional(),
  origin: z.enum(ORIGINS).optional(),
  authority: z.number().finite().optional(),
  confidence: z.number().min(0).max(1).optional(),
  statement: text().optional(),
  evidence: z.array(EvidenceInputSchema).max(LIMITS.evidence).optional(),
  idempotencyKey: name().optional(),
  extractor: name().optional(),
});

export const CorrectInputSchema = z.strictObject({
  /** The fact or claim that was wrong. */
  was: z.preprocess(idOf, idShape),
  subject: EntityInputSchema.optional(),
  predicate: name().optional(),
  object: z.unknown().optional(),
  polarity: z.enum(['assert', 'deny']).optional(),
  ...saying,
});

export const RetractInputSchema = z.union([
  z.preprocess(idOf, idShape),
  z.array(z.preprocess(idOf, idShape)).nonempty(),
]);

export const WriteOptionsSchema = z.strictObject({
  dryRun: z.boolean().optional(),
  ifTx: z.number().int().nonnegative().optional(),
  reason: text().optional(),
  actor: name().optional(),
});
export type ReadWriteOptions = z.output<typeof WriteOptionsSchema>;

/** Facts and claims may be given themselves, or by their ids. */
function idOf(input: unknown): unknown {
  return typeof input === 'object' && input !== null && 'id' in input ? input.id : input;
}
