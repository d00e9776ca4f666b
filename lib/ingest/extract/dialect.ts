import type { Refused } from '../../endpoint/failure.js';

/**
 * What an endpoint understands of the API. Nobody says so beforehand, so it is found out: what one
 * refuses is left out from then on.
 */
export interface Dialect {
  /** How the answer's form is asked for. */
  readonly format: 'schema' | 'json';
  /** Name of the member that bounds the answer: models that reason want the newer one. */
  readonly cap: 'max_tokens' | 'max_completion_tokens';
  /** Some models allow no temperature but their own. */
  readonly temperature: boolean;
}

export type Mode = 'schema' | 'json' | 'auto';

export const firstDialect = (mode: Mode, baseURL: string | null): Dialect => ({
  format: mode === 'json' ? 'json' : 'schema',
  cap: isOpenAi(baseURL) ? 'max_completion_tokens' : 'max_tokens',
  temperature: true,
});

/** OpenAI's own service refuses the older name with its newer models; many others know only that. */
const isOpenAi = (baseURL: string | null): boolean =>
  baseURL === null || /^https:\/\/api\.openai\.com(?:[/:]|$)/u.test(baseURL);

/** Statuses that say that the request, and not who sends it, is at fault. */
const FAULTS = new Set([400, 404, 415, 422, 501]);

/**
 * Another dialect to try after a refusal, or `null` when the dialect is not to blame. `proven`: the
 * endpoint has answered in this dialect before, so only a refusal that names its part counts.
 */
export function otherDialect(
  dialect: Dialect,
  { status, words }: Refused,
  mode: Mode,
  proven: boolean,
): Dialect | null {
  if (!FAULTS.has(status)) return null;
  if (/\bmax_(?:completion_)?tokens\b/u.test(words)) {
    // It names both when it says what to use instead; the one it was sent is at fault.
    const cap = dialect.cap === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
    if (/unsupported|not supported|unknown|unrecogni[sz]ed|instead|not permitted/iu.test(words)) {
      return { ...dialect, cap };
    }
  }
  if (dialect.temperature && /\btemperature\b/iu.test(words))
    return { ...dialect, temperature: false };
  if (mode !== 'auto' || dialect.format !== 'schema') return null;
  const isNamed = /response_format|json_schema|structured|schema/iu.test(words);
  const isVague = !proven && status !== 404;
  return isNamed || isVague ? { ...dialect, format: 'json' } : null;
}
