import { Command } from 'commander';
import type { Reextraction } from '../../index.js';
import { neededExtractor, withExtractor, type ExtractorFlags } from '../extractor.js';
import { onInterrupt } from '../interrupt.js';
import { scopeOf, withMemory, withScope, type CommonOptions } from '../options.js';
import { Output } from '../output.js';
import { edgeText } from '../show.js';
import { printable } from '../width.js';

interface ReextractFlags extends CommonOptions, ExtractorFlags {
  readonly apply?: boolean;
  readonly reason?: string;
}

export function reextractCommand(): Command {
  return withExtractor(withScope(new Command('reextract')))
    .description('extract a session anew and show what that would change; with --apply, change it')
    .argument('<session>', 'id of a session whose events were ingested')
    .option('--apply', 'make it so, as one transaction')
    .option('--reason <text>', 'why, for the journal')
    .action(async (session: string, flags: ReextractFlags) => {
      const output = new Output(flags.json ?? false);
      const extractor = neededExtractor(flags);
      const { signal, release } = onInterrupt();
      try {
        await withMemory(
          flags,
          async (memory) => {
            const { timeZone } = await memory.stats();
            const diff = await memory.in(scopeOf(flags)).reextract(session, { signal });
            const { reason } = flags;
            const applied =
              flags.apply === true
                ? await diff.apply(reason === undefined ? {} : { reason })
                : null;
            if (output.json) return output.document({ ...diff, applied });
            await output.lines(diffLines(diff, timeZone, output));
            if (applied === null) output.remark('Nothing was changed. With --apply it is.');
            else await output.line(`Applied as tx ${applied.tx}.`);
          },
          { ingest: { extractor, when: 'curated' } },
        );
      } finally {
        release();
      }
    });
}

function diffLines(diff: Reextraction, timeZone: string, output: Output): string[] {
  const { kept, added, held, removed, refused, effect } = diff;
  const sign = (style: 'green' | 'red' | 'yellow', mark: string): string =>
    output.style(style, mark);
  const counts = [
    `${kept.length} kept`,
    `${added.length} new`,
    `${held.length} to be held`,
    `${removed.length} no longer said`,
    `${refused.length} refused`,
  ];
  return [
    `${printable(diff.session)} by ${printable(diff.extractor)}: ${counts.join(', ')}`,
    ...added.map((c) => `  ${sign('green', '+')} ${edgeText(c, timeZone)}  ${c.valid}`),
    ...held.map((c) => `  ${sign('yellow', '?')} ${edgeText(c, timeZone)}  ${c.valid}`),
    ...removed.map((c) => `  ${sign('red', '-')} ${edgeText(c, timeZone)}  ${c.valid}`),
    ...refused.map(
      ({ candidate, code, reason }) =>
        `  refused  candidate ${candidate + 1}: ${code}  ${printable(reason)}`,
    ),
    `facts: ${effect.opened.length} opened, ${effect.closed.length} closed`,
  ];
}
