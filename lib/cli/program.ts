import { Command } from 'commander';
import { changesCommand } from './commands/changes.js';
import { demoCommand } from './commands/demo.js';
import { doctorCommand } from './commands/doctor.js';
import { entitiesCommand } from './commands/entities.js';
import { exportCommand } from './commands/export.js';
import { factsCommand } from './commands/facts.js';
import { historyCommand } from './commands/history.js';
import { importCommand } from './commands/import.js';
import { curateCommand } from './commands/curate.js';
import { forgetCommand } from './commands/forget.js';
import { healthCommand } from './commands/health.js';
import { ingestCommand } from './commands/ingest.js';
import { jobsCommand } from './commands/jobs.js';
import { reextractCommand } from './commands/reextract.js';
import { reviewCommand } from './commands/review.js';
import { compareCommand } from './commands/compare.js';
import { mcpCommand } from './commands/mcp.js';
import { profileCommand } from './commands/profile.js';
import { recallCommand } from './commands/recall.js';
import { reembedCommand } from './commands/reembed.js';
import { searchCommand } from './commands/search.js';
import { snapshotsCommand } from './commands/snapshots.js';
import { statsCommand } from './commands/stats.js';
import { whyCommand } from './commands/why.js';
import { EXIT, failureOf, failureText, UsageError } from './failure.js';
import { withScope } from './options.js';
import { PipeClosed } from './output.js';
import { packageVersion } from './version.js';

/** What a command came to: its exit code. */
export type Exit = number;

/** Runs the command line; resolves to the exit code. Never throws for what a user can do wrong. */
export async function run(args: readonly string[]): Promise<Exit> {
  let exit: Exit = EXIT.ok;
  const program = new Command('palimpsest')
    .description(
      'A bi-temporal knowledge graph for agent memory: what is true, what was true, and what was believed when.',
    )
    .version(packageVersion())
    .showSuggestionAfterError()
    .enablePositionalOptions();
  addSharedOptions(program);
  const done = (code: Exit): void => {
    exit = code;
  };
  const commands = [
    ingestCommand(done),
    jobsCommand(done),
    healthCommand(done),
    curateCommand(done),
    reextractCommand(),
    reviewCommand(),
    forgetCommand(),
    importCommand(),
    exportCommand(),
    recallCommand(),
    searchCommand(),
    snapshotsCommand(),
    compareCommand(),
    profileCommand(),
    mcpCommand(),
    reembedCommand(done),
    factsCommand(),
    historyCommand(),
    whyCommand(),
    changesCommand(),
    entitiesCommand(),
    statsCommand(),
    doctorCommand(done),
    demoCommand(),
  ];
  for (const command of commands) program.addCommand(quiet(command));
  try {
    if (args.length === 0) {
      // Nobody asked for anything: the help is the answer, and still a mistake of usage.
      process.stderr.write(program.helpInformation());
      return EXIT.usage;
    }
    await quiet(program).parseAsync([...args], { from: 'user' });
    return exit;
  } catch (error) {
    if (error instanceof PipeClosed) return EXIT.ok;
    const failure = failureOf(error);
    if (failure === null) return EXIT.ok;
    process.stderr.write(`${failureText(failure, args.includes('--json'))}\n`);
    return failure.exit;
  }
}

/** Options that most commands have may stand before the command, too. */
function addSharedOptions(program: Command): void {
  withScope(program);
  for (const option of program.options) if (option.long !== '--version') option.hideHelp();
  program.hook('preAction', (_, command) => {
    for (const option of program.options) {
      const attribute = option.attributeName();
      if (program.getOptionValueSource(attribute) !== 'cli') continue;
      if (!command.options.some(({ long }) => long === option.long)) {
        throw new UsageError(`${command.name()} takes no option ${option.long ?? attribute}.`);
      }
      const before: unknown = program.getOptionValue(attribute);
      const after: unknown = command.getOptionValue(attribute);
      const isSaidAgain = command.getOptionValueSource(attribute) === 'cli';
      const both = Array.isArray(before) && Array.isArray(after) ? [...before, ...after] : after;
      command.setOptionValueWithSource(attribute, isSaidAgain ? both : before, 'cli');
    }
  });
}

/** Errors are told in one place, and in one form. */
const quiet = (command: Command): Command =>
  command.exitOverride().configureOutput({ writeErr: () => undefined });
