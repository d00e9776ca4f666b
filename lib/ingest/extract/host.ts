import { z } from 'zod';
import { check } from '../../model/check.js';
import { name } from '../../model/text.js';
import { NO_USAGE, type Usage } from '../job.js';
import { extractBy } from './dialogue.js';
import { orAborted } from './or-aborted.js';
import { ExtractionError, type Extractor } from './port.js';
import { PROMPT_CHARACTERS } from './prompt.js';

export interface HostExtractorOptions {
  /** Kept with every claim: say which model. */
  readonly name: string;
  readonly version: string;
  /**
   * Asks the host's own model, and resolves with its answer. Throw an `ExtractionError` to say whether
   * trying again can help; any other error counts as an attempt that failed.
   */
  readonly complete: (prompt: string, signal: AbortSignal) => Promise<string>;
  /** Size of a prompt in UTF-16 units. Default 40,000. */
  readonly promptCharacters?: number | undefined;
}

const OptionsSchema = z.strictObject({
  name: name(),
  version: name(),
  complete: z.unknown().refine((v) => typeof v === 'function', 'is not a function'),
  promptCharacters: z.number().int().min(12_000).optional(),
});

/**
 * An extractor that asks the host's own model, with the same prompt and the same reading of answers
 * as an endpoint. A bad answer is asked for once more.
 *
 * @throws PalimpsestError `INVALID_INPUT`, `INVALID_NAME`
 * @example
 * const extractor = hostExtractor({ name: 'our-model', version: '3', complete: (prompt) => llm.ask(prompt) });
 */
export function hostExtractor(options: HostExtractorOptions): Extractor {
  check(OptionsSchema, options, '');
  const { name, version, complete } = options;
  const promptCharacters = options.promptCharacters ?? PROMPT_CHARACTERS;
  const ask = async (prompt: string, signal: AbortSignal, usage: () => Usage): Promise<unknown> => {
    try {
      return await complete(prompt, signal);
    } catch (error) {
      // A failure of the second call does not hide that there was a first.
      throw error instanceof ExtractionError ? error.after(usage()) : error;
    }
  };
  return {
    name,
    version,
    async extract(request, signal) {
      let calls = 0;
      const usage = (): Usage => ({ ...NO_USAGE, calls });
      return extractBy(
        async ({ rules, log }, repair) => {
          signal.throwIfAborted();
          const again =
            repair === null
              ? []
              : [
                  ...(repair.answer === ''
                    ? []
                    : [`You answered: ${JSON.stringify(repair.answer)}`]),
                  repair.request,
                ];
          const answer: unknown = await orAborted(
            ask([rules, log, ...again].join('\n\n'), signal, usage),
            signal,
          );
          calls += 1;
          return { text: typeof answer === 'string' ? answer : '', cut: false };
        },
        request,
        { promptCharacters, usage },
      );
    },
  };
}
