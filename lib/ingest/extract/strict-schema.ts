import { z } from 'zod';
import { ExtractionSchema } from '../candidate.js';

/** The form of an answer as strict structured output wants it: every member required, none beside them. */
export const strictSchema = (): Readonly<Record<string, unknown>> => {
  const { $schema: _, ...schema } = z.toJSONSchema(ExtractionSchema);
  return schema;
};
