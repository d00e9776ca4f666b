import { Command } from 'commander';
import { PalimpsestError, type Comparison, type Handle } from '../../index.js';
import { scopeOf, withMemory, withScope, type CommonOptions } from '../options.js';
import { Output } from '../output.js';
import { edgeText, stampText } from '../show.js';

interface CompareFlags extends CommonOptions {
  readonly session?: string;
}

export function compareCommand(): Command {
  return withScope(new Command('compare'))
    .description('what a snapshot has shown, against what is believed now')
    .argument('[id]', 'id of a snapshot (default: the last one that was shown)')
    .option('--session <name>', "the last one of this session of a host's")
    .action(async (id: string | undefined, flags: CompareFlags) => {
      const output = new Output(flags.json ?? false);
      await withMemory(flags, async (memory) => {
        const handle = memory.in(scopeOf(flags));
        const compared = await handle.compare(id ?? (await lastOf(handle, flags.session)));
        if (output.json) return output.document(compared);
        const { timeZone } = await memory.stats();
        await output.lines(linesOf(compared, timeZone));
      });
    });
}

async function lastOf(handle: Handle, session: string | undefined): Promise<string> {
  const last = (await handle.snapshots(session === undefined ? {} : { session })).at(-1);
  if (last !== undefined) return last.id;
  throw new PalimpsestError('NOT_FOUND', 'Nothing was shown.', { field: 'snapshot' });
}

function linesOf({ shown, asOf, facts, fresh, unchanged }: Comparison, timeZone: string): string[] {
  const lines = [`shown at  ${stampText(shown)}`, `now       ${stampText(asOf.knownAt)}`];
  for (const { was, fate, now } of facts) {
    lines.push(`  ${fate.padEnd(9)}  ${edgeText(was, timeZone)}  ${was.valid}`);
    for (const fact of now) {
      if (fact.id !== was.id) lines.push(`             ${edgeText(fact, timeZone)}  ${fact.valid}`);
    }
  }
  for (const fact of fresh) lines.push(`  new        ${edgeText(fact, timeZone)}  ${fact.valid}`);
  if (unchanged) lines.push('All of it is still believed.');
  return lines;
}
