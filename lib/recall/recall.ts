import type { z } from 'zod';
import type { RecallOptionsSchema } from './read/asked.js';
import { search, type Question, type Searcher } from './search.js';
import { countTokens, watchedCounter } from './show/count-tokens.js';
import { fit } from './show/fit.js';
import type { RecallAnswer } from './types.js';

const DEFAULT_TOKENS = 1_000;

/**
 * A search, its hits cut to the budget and written out for a model. The snapshot is its caller's business.
 *
 * @throws PalimpsestError as `search` does.
 */
export async function recall(
  searcher: Searcher,
  {
    options,
    ...question
  }: Omit<Question, 'options'> & {
    readonly options: z.output<typeof RecallOptionsSchema>;
  },
): Promise<Omit<RecallAnswer, 'snapshot'>> {
  const { maxTokens = DEFAULT_TOKENS, countTokens: count = countTokens } = options;
  const found = await search(searcher, { ...question, options });
  const { scope } = question.place;
  const { hits, text, tokens, cut } = fit({ ...found, scope }, maxTokens, watchedCounter(count));
  const trace = found.trace === null ? null : { ...found.trace, cut: [...cut, ...found.trace.cut] };
  return { ...found, hits, trace, text, tokens };
}
