import { Command } from 'commander';
import { scopeOf, withMemory, withScope, type CommonOptions } from '../options.js';
import { Output } from '../output.js';
import { UsageError } from '../failure.js';

export function exportCommand(): Command {
  return withScope(new Command('export'))
    .description(
      'write everything as JSON Lines, or with --scope org=… that org; `import` takes it into an empty store',
    )
    .action(async (flags: CommonOptions) => {
      const output = new Output(flags.json ?? false);
      const scope = flags.scope === undefined ? null : scopeOf(flags);
      if (scope !== null && Object.keys(scope).length > 1) {
        throw new UsageError('export takes a whole org: --scope org=…, and no other dimension.');
      }
      await withMemory(flags, async (memory) => {
        const lines = scope === null ? memory.export() : memory.admin({ org: scope.org }).export();
        for await (const line of lines) await output.line(line);
      });
    });
}
