import { z } from 'zod';

/**
 * What an extractor proposes. Nothing in here is believed before code has verified it. Every member
 * is present and may be `null`, which is what strict structured output asks for.
 */
export const CandidateSchema = z.strictObject({
  /** `add` a fact, `update` (a newer value), `end`, `correct` what was wrong, or `deny` it. */
  action: z.enum(['add', 'update', 'end', 'correct', 'deny', 'merge']),
  subject: z.string(),
  subjectType: z.string().nullable(),
  predicate: z.string(),
  /** The object as text; for `merge` the other name. */
  object: z.string().nullable(),
  objectType: z.string().nullable(),
  /** `entity`, or how the text is to be read. */
  objectKind: z.enum(['entity', 'string', 'number', 'boolean', 'date']).nullable(),
  /** When it begins to hold, as ISO text or in the words of the event ("last week"). */
  validFrom: z.string().nullable(),
  /** When it ends, likewise; exclusive for ISO text. */
  validTo: z.string().nullable(),
  /** The sentence that people read. */
  statement: z.string().nullable(),
  confidence: z.number().nullable(),
  /** Sequence number of the event that says so, and the words in it. */
  seq: z.number(),
  quote: z.string(),
  /** Id of the fact that it ends, corrects or supersedes. */
  target: z.string().nullable(),
});
export type ExtractedCandidate = z.infer<typeof CandidateSchema>;

export const ExtractionSchema = z.strictObject({ candidates: z.array(CandidateSchema) });
