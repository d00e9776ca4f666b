import { createInterface } from 'node:readline';
import { Command } from 'commander';
import { PalimpsestError } from '../../index.js';
import { ensureReadable, readOntology } from '../files.js';
import { onInterrupt } from '../interrupt.js';
import {
  isPositiveCount,
  progressLine,
  scopeOf,
  withMemory,
  withScope,
  type CommonOptions,
} from '../options.js';
import { Output } from '../output.js';

interface ImportFlags extends CommonOptions {
  readonly source?: string;
  readonly ontology?: string;
  readonly timeZone?: string;
  readonly batch?: number;
}

export function importCommand(): Command {
  return withScope(new Command('import'))
    .description(
      'take in an event stream in JSON Lines, or an export; a second run goes on where the first stopped',
    )
    .argument('<file>', 'file to read, - for standard input')
    .option('--source <name>', 'name under which a second run goes on (default: by the first line)')
    .option(
      '--ontology <file>',
      'JSON with the predicates, such as {"predicates":{"owner":{"cardinality":"one"}}}',
    )
    .option('--time-zone <zone>', 'IANA zone in which plain dates are read')
    .option(
      '--batch <count>',
      'events without a time of their own to a transaction',
      isPositiveCount,
    )
    .action(async (file: string, flags: ImportFlags) => {
      const output = new Output(flags.json ?? false);
      ensureReadable(file);
      const scope = flags.scope === undefined ? undefined : scopeOf(flags);
      const ontology = flags.ontology === undefined ? undefined : readOntology(flags.ontology);
      const { signal, release } = onInterrupt();
      try {
        const opening = {
          make: true,
          ...(ontology === undefined ? {} : { ontology }),
          ...(flags.timeZone === undefined ? {} : { timeZone: flags.timeZone }),
        };
        const report = await withMemory(
          flags,
          (memory) =>
            memory.import(file === '-' ? standardInput(signal) : file, {
              scope,
              source: flags.source,
              batch: flags.batch,
              signal,
              onProgress: progressLine(),
            }),
          opening,
        );
        if (output.json) return await output.document(report);
        const before = report.skipped === 0 ? '' : `, ${report.skipped} of them taken before`;
        await output.line(`${report.lines} lines${before}`);
        await output.line(
          `${report.transactions} transactions, ${report.claims} claims, ${report.opened} facts opened, ${report.closed} closed`,
        );
      } finally {
        release();
      }
    });
}

/** Ends with the signal too, even when no line comes any more. */
async function* standardInput(signal: AbortSignal): AsyncIterable<string> {
  const lines = createInterface({ input: process.stdin, crlfDelay: Infinity, signal });
  try {
    yield* lines;
  } finally {
    lines.close();
    // Else an open pipe would keep the process.
    process.stdin.destroy();
  }
  if (signal.aborted) {
    throw new PalimpsestError('ABORTED', 'The import was stopped.', {
      hint: 'A second run goes on from there.',
      cause: signal.reason,
    });
  }
}
