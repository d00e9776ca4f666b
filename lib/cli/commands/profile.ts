import { Command } from 'commander';
import { isPositiveCount, viewOf, withMemory, withMoment, type CommonOptions } from '../options.js';
import { Output } from '../output.js';
import { printable } from '../width.js';

interface ProfileFlags extends CommonOptions {
  readonly maxTokens?: number;
}

export function profileCommand(): Command {
  return withMoment(new Command('profile'))
    .description('what is believed, in short')
    .option('--max-tokens <count>', 'tokens that the text may take (default: 500)', isPositiveCount)
    .action(async (flags: ProfileFlags) => {
      const output = new Output(flags.json ?? false);
      await withMemory(flags, async (memory) => {
        const profile = await viewOf(memory, flags).profile({ maxTokens: flags.maxTokens });
        if (output.json) return output.document(profile);
        await output.lines(profile.lines.map(({ text }) => printable(text)));
        const shown = profile.lines.reduce((n, { facts }) => n + facts.length, 0);
        output.remark(`${shown} of ${profile.facts} facts, ${profile.tokens} tokens`);
      });
    });
}
