import { Command } from 'commander';
import { neededExtractor, withExtractor, type ExtractorFlags } from '../extractor.js';
import { EXIT } from '../failure.js';
import { plural } from '../job-lines.js';
import { scopeOf, withMemory, withScope, type CommonOptions } from '../options.js';
import { Output } from '../output.js';
import { printable } from '../width.js';

export function curateCommand(done: (exit: number) => void): Command {
  return withExtractor(withScope(new Command('curate')))
    .description('make claims of what waits in the sessions of a project, the oldest session first')
    .action(async (flags: CommonOptions & ExtractorFlags) => {
      const output = new Output(flags.json ?? false);
      const extractor = neededExtractor(flags);
      await withMemory(
        flags,
        async (memory) => {
          const run = await memory.in(scopeOf(flags)).curate();
          if (run.failed.length > 0) done(EXIT.failed);
          if (output.json) return output.document(run);
          const deferred = run.deferred === 0 ? '' : `, ${run.deferred} left for the next run`;
          await output.line(
            `${plural(run.sessions, 'session')}, ${plural(run.jobs, 'job')}${deferred}`,
          );
          await output.lines(run.failed.map((session) => `  not done: ${printable(session)}`));
        },
        { ingest: { extractor, when: 'curated' } },
      );
    });
}
