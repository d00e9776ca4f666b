import { Command } from 'commander';
import { withStore, type CommonOptions } from '../options.js';
import { Output } from '../output.js';
import { runDemo } from '../demo/demo.js';

export function demoCommand(): Command {
  return withStore(new Command('demo'))
    .description(
      'tell a story of eighteen months to a fresh store, and travel it (default store: ./.palimpsest/demo)',
    )
    .action(async (flags: CommonOptions) => {
      const output = new Output(flags.json ?? false);
      await runDemo(
        { path: flags.store ?? '.palimpsest/demo', graph: flags.graph ?? 'auto' },
        output,
      );
    });
}
