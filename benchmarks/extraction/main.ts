import { openAiExtractor } from '../../lib/index.js';
import { addUsage, NO_USAGE } from '../../lib/ingest/job.js';
import { LABELLED } from './labelled.js';
import { dialogueLines, scoreLines } from './report.js';
import { runDialogue, type Outcome } from './run.js';
import { score } from './score.js';

const { OPENAI_API_KEY, OPENAI_BASE_URL, PALIMPSEST_MODEL } = process.env;

if (OPENAI_API_KEY === undefined || OPENAI_API_KEY === '' || PALIMPSEST_MODEL === undefined) {
  console.log(
    'Nothing was measured: set OPENAI_API_KEY and PALIMPSEST_MODEL, and OPENAI_BASE_URL for an endpoint other than OpenAI.',
  );
} else {
  const extractor = openAiExtractor({
    apiKey: OPENAI_API_KEY,
    model: PALIMPSEST_MODEL,
    ...(OPENAI_BASE_URL === undefined ? {} : { baseURL: OPENAI_BASE_URL }),
  });
  const outcomes: Outcome[] = [];
  for (const dialogue of LABELLED) {
    const outcome = await runDialogue(dialogue, extractor);
    outcomes.push(outcome);
    console.log(dialogueLines(outcome).join('\n'));
  }
  const usage = outcomes.reduce((sum, outcome) => addUsage(sum, outcome.usage), NO_USAGE);
  console.log(`\n${PALIMPSEST_MODEL}, prompt ${extractor.version}`);
  console.log(scoreLines(score(outcomes), usage).join('\n'));
}
