import { Command } from 'commander';
import { changesCommand } from './commands/changes.js';
import { demoCommand } from './commands/demo.js';
import { doctorCommand } from './commands/doctor.js';
import { entitiesCommand } from './commands/entities.js';
import { exportCommand } from './commands/export.js';
import { factsCommand } from './commands/facts.js';
import { historyCommand } from './commands/history.js';
import { importCommand } from './commands/import.js';
import { statsCommand } from './commands/stats.js';
import { whyCommand } from './commands/why.js';
import { EXIT, failureOf, failureText } from './failure.js';
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
    .showSuggestionAfterError();
  const done = (code: Exit): void => {
    exit = code;
  };
  const commands = [
    importCommand(),
    exportCommand(),
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

/** Errors are told in one place, and in one form. */
const quiet = (command: Command): Command =>
  command.exitOverride().configureOutput({ writeErr: () => undefined });
