import { Command } from 'commander';
import type { Hit, SearchAnswer } from '../../index.js';
import { recallOf, withEmbedder, type EmbedderFlags } from '../embedder.js';
import { isPositiveCount, viewOf, withMemory, withMoment, type CommonOptions } from '../options.js';
import { Output } from '../output.js';
import { edgeText } from '../show.js';
import { tableLines } from '../table.js';
import { printable } from '../width.js';

interface SearchFlags extends CommonOptions, EmbedderFlags {
  readonly limit?: number;
  readonly events: boolean;
}

export function searchCommand(): Command {
  return withEmbedder(withMoment(new Command('search')))
    .description('facts and events about something, the best first')
    .argument('<words...>', 'a question, or some words')
    .option('--limit <count>', 'so many at most', isPositiveCount)
    .option('--no-events', 'facts only')
    .action(async (words: string[], flags: SearchFlags) => {
      const output = new Output(flags.json ?? false);
      await withMemory(
        flags,
        async (memory) => {
          const { timeZone } = await memory.stats();
          const answer = await viewOf(memory, flags).search(words.join(' '), {
            events: flags.events,
            limit: flags.limit,
          });
          if (output.json) return output.document(answer);
          remarks(answer, output);
          if (answer.hits.length === 0) return;
          await output.lines(
            tableLines(
              [{ title: 'score' }, { title: 'what', max: 72 }, { title: 'when' }, { title: 'id' }],
              answer.hits.map((hit) => cellsOf(hit, timeZone)),
              output,
            ),
          );
        },
        recallOf(flags),
      );
    });
}

/** Which time was read from the question, and what went wrong. */
export function remarks({ status, asOf, problems }: SearchAnswer, output: Output): void {
  if (asOf.from === 'question') {
    const { validAt, during } = asOf;
    const when = validAt ?? `${during?.from ?? '…'} – ${during?.to ?? '…'}`;
    output.remark(`As of ${when}, for “${printable(asOf.read.join(', '))}”.`);
  }
  if (status === 'no-evidence') output.remark('Nothing is known about this.');
  if (status === 'timed-out') output.remark('The time was up.');
  for (const problem of problems) output.remark(printable(problem));
}

function cellsOf(hit: Hit, timeZone: string): string[] {
  const score = hit.score.toFixed(3);
  if (hit.kind === 'fact') {
    const { fact } = hit;
    return [score, edgeText(fact, timeZone), fact.valid, fact.id.slice(0, 10)];
  }
  const mark = hit.superseded.length === 0 ? '' : ' (superseded)';
  return [
    score,
    `“${hit.text}”${mark}`,
    hit.at?.slice(0, 16).replace('T', ' ') ?? '',
    `${hit.session} #${hit.seq}`,
  ];
}
