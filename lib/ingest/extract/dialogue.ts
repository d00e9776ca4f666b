import type { Usage } from '../job.js';
import { readAnswer } from './answer.js';
import { clip } from '../../model/text.js';
import { ExtractionError, type Extraction, type ExtractionRequest } from './port.js';
import { promptFor, type Prompt } from './prompt.js';

/** What a model said. `cut`: it was not done when it had used up what it may write. */
export interface Said {
  readonly text: string;
  readonly cut: boolean;
}

/** What was wrong with the answer before. */
export interface Repair {
  /** Empty where it is of no use to show it again. */
  readonly answer: string;
  readonly request: string;
}

/** One call of a model. */
export type Ask = (prompt: Prompt, repair: Repair | null) => Promise<Said>;

/** Of an answer that is shown to its model again. */
const SHOWN = 4_000;
/** Candidates that a model whose answer was too long is asked for. */
const FEWER = 10;

/**
 * Asks, and asks once more when the answer is no good: with what was wrong, or for a shorter one when
 * it was cut off. Nothing of an answer that was cut off is used, because nobody can tell what it left out.
 *
 * Candidates of the second answer that still are none are handed on, to be refused one by one, if at
 * least one is good.
 *
 * @throws ExtractionError `never` when the second answer is no good either.
 */
export async function extractBy(
  ask: Ask,
  request: ExtractionRequest,
  options: { readonly promptCharacters: number; readonly usage: () => Usage },
): Promise<Extraction> {
  const prompt = promptFor(request, options.promptCharacters);
  const first = await ask(prompt, null);
  const read = readAnswer(first.text);
  if (!first.cut && read.problems.length === 0) {
    return { candidates: read.candidates, usage: options.usage() };
  }
  const second = await ask(prompt, first.cut ? shorter() : repaired(first.text, read.problems));
  const again = readAnswer(second.text);
  if (!second.cut && (again.problems.length === 0 || again.good > 0)) {
    return { candidates: again.candidates, usage: options.usage() };
  }
  const why = second.cut ? 'it was cut off before its end' : (again.problems[0] ?? '');
  throw new ExtractionError(`The model gave no valid answer, twice. Of the second: ${why}`, {
    retry: 'never',
    usage: options.usage(),
  });
}

const shorter = (): Repair => ({
  answer: '',
  request: `Your answer was cut off because it was too long. Answer once more, with the ${FEWER} most important candidates at most, short statements and quotes, and nothing but the JSON object.`,
});

const repaired = (answer: string, problems: readonly string[]): Repair => ({
  answer: clip(answer.trim(), SHOWN),
  request: [
    'Your answer cannot be used:',
    ...problems.map((problem) => `- ${problem}`),
    'Answer once more with the whole JSON object {"candidates": [...]}, valid and complete, and nothing else.',
  ].join('\n'),
});
