import { Command } from 'commander';
import { recallOf, withEmbedder, type EmbedderFlags } from '../embedder.js';
import { isPositiveCount, viewOf, withMemory, withMoment, type CommonOptions } from '../options.js';
import { Output } from '../output.js';
import { printable } from '../width.js';
import { remarks } from './search.js';

interface RecallFlags extends CommonOptions, EmbedderFlags {
  readonly maxTokens?: number;
  readonly session?: string;
  readonly snapshot: boolean;
}

export function recallCommand(): Command {
  return withEmbedder(withMoment(new Command('recall')))
    .description('what a model is to read about something, within a budget, and keeps a snapshot')
    .argument('<words...>', 'a question, or some words')
    .option(
      '--max-tokens <count>',
      'tokens that the text may take (default: 1000)',
      isPositiveCount,
    )
    .option('--session <name>', "the host's session that it is for, kept with the snapshot")
    .option('--no-snapshot', 'keep no snapshot')
    .action(async (words: string[], flags: RecallFlags) => {
      const output = new Output(flags.json ?? false);
      await withMemory(
        flags,
        async (memory) => {
          const answer = await viewOf(memory, flags).recall(words.join(' '), {
            maxTokens: flags.maxTokens,
            session: flags.session,
            snapshot: flags.snapshot,
          });
          if (output.json) return output.document(answer);
          await output.lines(answer.text.split('\n').map(printable));
          remarks(answer, output);
          const kept = answer.snapshot === null ? '' : `, snapshot ${answer.snapshot}`;
          output.remark(`${answer.tokens} tokens${kept}`);
        },
        recallOf(flags),
      );
    });
}
