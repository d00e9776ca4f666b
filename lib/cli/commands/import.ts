import { readFileSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Command } from 'commander';
import { PalimpsestError, type OntologyDefinition } from '../../index.js';
import { UsageError } from '../failure.js';
import {
  isPositiveCount,
  progressLine,
  scopeOf,
  withMemory,
  withScope,
  type CommonOptions,
} from '../options.js';
import { Output } from '../output.js';
import { z } from 'zod';

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

function ensureReadable(file: string): void {
  if (file === '-') return;
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isDirectory() === false) return;
  throw new PalimpsestError(
    'NOT_FOUND',
    found === undefined ? `There is no file ${file}.` : `${file} is a folder.`,
    { field: 'file' },
  );
}

const OntologySchema = z.looseObject({
  predicates: z.record(z.string(), z.record(z.string(), z.unknown())),
});

function readOntology(file: string): OntologyDefinition {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(
      `--ontology: ${file}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const found = OntologySchema.safeParse(value);
  if (found.success) return found.data;
  throw new UsageError(`--ontology: ${file} has no object "predicates".`);
}

/** The first interrupt stops at the next line, with all before it kept; a second one ends the process. */
function onInterrupt(): { readonly signal: AbortSignal; readonly release: () => void } {
  const controller = new AbortController();
  const stop = (): void => controller.abort(new Error('interrupted'));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  return {
    signal: controller.signal,
    release: () => {
      process.removeListener('SIGINT', stop);
      process.removeListener('SIGTERM', stop);
    },
  };
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
