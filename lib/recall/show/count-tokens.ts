import { estimateTokenCount } from 'tokenx';
import { PalimpsestError } from '../../model/errors.js';

/**
 * An estimate of the tokens of a text, within about a tenth for English and Chinese. A caller who knows the
 * model brings the counter of its tokenizer instead.
 *
 * @example countTokens('We moved to Postgres.') // 6
 */
export const countTokens = (text: string): number => estimateTokenCount(text);

/**
 * A caller's counter, watched: a budget means nothing to one that gives no number.
 *
 * @throws PalimpsestError `INVALID_INPUT`, when it is used.
 */
export const watchedCounter =
  (count: (text: string) => number): ((text: string) => number) =>
  (text) => {
    const tokens: unknown = count(text);
    if (typeof tokens === 'number' && tokens >= 0) return tokens;
    throw new PalimpsestError('INVALID_INPUT', 'countTokens gave no number of tokens.', {
      field: 'options.countTokens',
      hint: 'It has to return a number from 0 on, and at once.',
    });
  };
