import { z } from 'zod';
import { FOREVER } from '../model/interval.js';

/** States of a job. `held`: some of its claims wait for approval, the rest is in. */
export const JOB_STATES = ['queued', 'running', 'held', 'done', 'failed'] as const;

/** Why a candidate did not become a claim; no content of what was refused. */
export const RefusalSchema = z.strictObject({
  /** Position among the candidates of its extraction. */
  candidate: z.number().int(),
  code: z.string(),
  reason: z.string(),
});
export type Refusal = Readonly<z.infer<typeof RefusalSchema>>;

export const UsageSchema = z.strictObject({
  calls: z.number().int(),
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
  /** In the currency of the price list that was given; `null` without one. */
  cost: z.number().nullable(),
});
export type Usage = Readonly<z.infer<typeof UsageSchema>>;

export const NO_USAGE: Usage = { calls: 0, inputTokens: 0, outputTokens: 0, cost: null };

const amount = z.number().nonnegative();
const ToldUsageSchema = UsageSchema.extend({
  calls: amount.int(),
  inputTokens: amount.int(),
  outputTokens: amount.int(),
  cost: amount.nullable(),
});

/** Usage as an extractor tells it. What is no usage is one call: a cap on calls is not got round so. */
export const readUsage = (usage: unknown): Usage =>
  ToldUsageSchema.safeParse(usage).data ?? { ...NO_USAGE, calls: 1 };

export const addUsage = (a: Usage, b: Usage): Usage => ({
  calls: a.calls + b.calls,
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  cost: a.cost === null && b.cost === null ? null : (a.cost ?? 0) + (b.cost ?? 0),
});

/** What came of a job. */
export const JobReceiptSchema = z.strictObject({
  /** Transactions of its claims: a long session is committed portion by portion. */
  txs: z.array(z.number().int()),
  claims: z.array(z.string()),
  held: z.array(z.string()),
  refused: z.array(RefusalSchema),
  usage: UsageSchema,
  extractor: z.string().nullable(),
});
export type JobReceipt = Readonly<z.infer<typeof JobReceiptSchema>>;

export const JobSchema = z.strictObject({
  id: z.string(),
  /** Canonical key of the scope. */
  scope: z.string(),
  session: z.string(),
  /** Sequence numbers of its events, ascending. */
  seqs: z.array(z.number().int()),
  /** How many turns of a person its events hold. */
  turns: z.number().int(),
  /** Of a session that a person leads, and not of a sub-agent's. */
  root: z.boolean(),
  state: z.enum(JOB_STATES),
  /** Epoch milliseconds. */
  queuedAt: z.number(),
  attempts: z.number().int(),
  /** Attempts that found the provider busy or away since the last one that did not. */
  outages: z.number().int(),
  /** Not before this instant, epoch milliseconds. */
  nextAttemptAt: z.number(),
  /** Why it failed, or why its last attempt did. */
  reason: z.string().nullable(),
  /** The last of its events that is through; what comes after it waits. */
  through: z.number().int().nullable(),
  receipt: JobReceiptSchema.nullable(),
  /** Of all attempts together. */
  usage: UsageSchema,
  /** When it last changed, epoch milliseconds. */
  updatedAt: z.number(),
});
/** A job as the outbox keeps it. */
export type JobRecord = Readonly<z.infer<typeof JobSchema>>;

/** States of jobs that wait for nothing. */
export const SETTLED: ReadonlySet<JobRecord['state']> = new Set(['done', 'held', 'failed']);

/** The next attempt of a job whose events are not in the log yet. */
export const ARRIVING = FOREVER;

export const isArriving = (job: JobRecord): boolean => job.nextAttemptAt === ARRIVING;

/** Whether a job may be run. One that was written later than now is: the clock has been set back. */
export const isDue = (job: JobRecord, now: number): boolean =>
  job.nextAttemptAt <= now || (job.updatedAt > now && !isArriving(job));
