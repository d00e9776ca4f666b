import { Command } from 'commander';
import { recallOf, withEmbedder, type EmbedderFlags } from '../embedder.js';
import { EXIT, UsageError } from '../failure.js';
import { withMemory, withStore, type CommonOptions } from '../options.js';
import { Output } from '../output.js';
import { printable } from '../width.js';

export function reembedCommand(done: (exit: number) => void): Command {
  return withEmbedder(withStore(new Command('reembed')))
    .description('make vectors of everything with an embedder, in the place of those of another')
    .action(async (flags: CommonOptions & EmbedderFlags) => {
      const output = new Output(flags.json ?? false);
      const recall = recallOf(flags);
      if (recall.recall === undefined) {
        throw new UsageError('Nobody embeds: name a model with --embedding-model, or --embedder.');
      }
      await withMemory(
        flags,
        async (memory) => {
          const work = await memory.reembed();
          const state = await work.done;
          if (state.error !== null) done(EXIT.failed);
          if (output.json) return output.document(state);
          const { status, embedded, pending, heldBack, failed, stored, error } = state;
          await output.line(
            `${status}: ${embedded} embedded by ${printable(stored?.model ?? 'nobody')}, ` +
              `${pending} waiting, ${heldBack} held back, ${failed} refused`,
          );
          if (error !== null) output.remark(printable(error.message));
        },
        recall,
      );
    });
}
