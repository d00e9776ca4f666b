import { Command } from 'commander';
import type { ChangeSet } from '../../index.js';
import { knownOf, scopeOf, withMemory, withScope, type CommonOptions } from '../options.js';
import { Output } from '../output.js';
import { edgeText, stampText } from '../show.js';
import { printable } from '../width.js';

interface ChangesFlags extends CommonOptions {
  readonly from?: string;
  readonly to?: string;
}

export function changesCommand(): Command {
  return withScope(new Command('changes'))
    .description('what each transaction opened and closed, after one known time and up to another')
    .option('--from <instant|tx:n>', 'after this (default: the beginning)')
    .option('--to <instant|tx:n>', 'up to and with this (default: the latest)')
    .action(async (flags: ChangesFlags) => {
      const output = new Output(flags.json ?? false);
      await withMemory(flags, async (memory) => {
        const { timeZone } = await memory.stats();
        const changes = memory.in(scopeOf(flags)).changes({
          from: flags.from === undefined ? undefined : knownOf(flags.from),
          to: flags.to === undefined ? undefined : knownOf(flags.to),
        });
        let isEmpty = true;
        for await (const change of changes) {
          isEmpty = false;
          if (output.json) await output.record(change);
          else await output.lines(changeLines(change, timeZone, output));
        }
        if (isEmpty) output.remark('No changes.');
      });
    });
}

/** A line for the transaction, `+` for what it opened and `-` for what it closed. */
export function changeLines(change: ChangeSet, timeZone: string, output: Output): string[] {
  const who = change.actor === null ? '' : `  ${printable(change.actor)}`;
  return [
    output.style('bold', stampText(change)) + who,
    ...change.closed.map(
      ({ fact, reason }) =>
        `  ${output.style('red', '-')} ${edgeText(fact, timeZone)}  ${fact.valid}  (${reason})`,
    ),
    ...change.opened.map(
      (fact) => `  ${output.style('green', '+')} ${edgeText(fact, timeZone)}  ${fact.valid}`,
    ),
  ];
}
