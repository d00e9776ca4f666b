import { Command } from 'commander';
import { scopeOf, withMemory, withScope, type CommonOptions } from '../options.js';
import { Output } from '../output.js';
import { scopeText } from '../show.js';
import { tableLines } from '../table.js';
import { printable } from '../width.js';

interface SnapshotsFlags extends CommonOptions {
  readonly session?: string;
}

export function snapshotsCommand(): Command {
  return withScope(new Command('snapshots'))
    .description('what was shown to models, as it was shown')
    .argument('[id]', 'one of them, with its text')
    .option('--session <name>', "only those of this session of a host's")
    .action(async (id: string | undefined, flags: SnapshotsFlags) => {
      const output = new Output(flags.json ?? false);
      await withMemory(flags, async (memory) => {
        const handle = memory.in(scopeOf(flags));
        if (id !== undefined) {
          const shown = await handle.snapshot(id);
          if (output.json) return output.document(shown);
          const text = shown.state === 'kept' ? shown.text : shown.notice;
          return output.lines(text.split('\n').map(printable));
        }
        const { session } = flags;
        const list = await handle.snapshots(session === undefined ? {} : { session });
        if (output.json) {
          for (const one of list) await output.record(one);
          return;
        }
        if (list.length === 0) return output.remark('Nothing was shown.');
        await output.lines(
          tableLines(
            ['id', 'shown', 'session', 'scope', 'state'].map((title) => ({ title })),
            list.map((one) => [
              one.id,
              one.at.slice(0, 16).replace('T', ' '),
              one.session ?? '',
              scopeText(one.scope),
              one.state,
            ]),
            output,
          ),
        );
      });
    });
}
