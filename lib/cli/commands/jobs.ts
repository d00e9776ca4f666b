import { Command, Option } from 'commander';
import { JOB_STATES, PalimpsestError, type Job, type Memory } from '../../index.js';
import { extractorOf, withExtractor, type ExtractorFlags } from '../extractor.js';
import { EXIT } from '../failure.js';
import { onInterrupt } from '../interrupt.js';
import { jobLines, refusalLines } from '../job-lines.js';
import { collect, withMemory, withStore, type CommonOptions } from '../options.js';
import { Output } from '../output.js';
import { untilSettled } from '../waiting.js';

interface JobsFlags extends CommonOptions, ExtractorFlags {
  readonly state?: Job['state'];
  readonly replay?: readonly string[];
}

export function jobsCommand(done: (exit: number) => void): Command {
  return withExtractor(withStore(new Command('jobs')))
    .description(
      'what became of ingested sessions, and what waits; dead letters can be tried again',
    )
    .addOption(new Option('--state <state>', 'only jobs in this state').choices(JOB_STATES))
    .option(
      '--replay <job>',
      'put a failed job back into the queue (an id, enough of it, or all); run at once with --model',
      collect,
    )
    .action(async (flags: JobsFlags) => {
      const output = new Output(flags.json ?? false);
      const extractor = flags.replay === undefined ? null : extractorOf(flags);
      const { signal, release } = onInterrupt();
      try {
        await withMemory(
          flags,
          async (memory) => {
            const jobs =
              flags.replay === undefined
                ? await memory.jobs(flags.state === undefined ? {} : { state: flags.state })
                : await replay(memory, flags.replay, extractor !== null, signal);
            if (flags.replay !== undefined && jobs.some((job) => job.state === 'failed')) {
              done(EXIT.failed);
            }
            if (output.json) {
              for (const job of jobs) await output.record(job);
              return;
            }
            if (jobs.length === 0) return output.remark('No jobs.');
            await output.lines([...jobLines(jobs, output), ...refusalLines(jobs)]);
          },
          extractor === null ? {} : { ingest: { extractor } },
        );
      } finally {
        release();
      }
    });
}

async function replay(
  memory: Memory,
  names: readonly string[],
  isRun: boolean,
  signal: AbortSignal,
): Promise<readonly Job[]> {
  const failed = await memory.jobs({ state: 'failed' });
  const ids = new Set<string>();
  for (const name of names) {
    if (name === 'all') for (const job of failed) ids.add(job.id);
    else ids.add(theOne(failed, name).id);
  }
  for (const id of ids) await memory.replay(id);
  if (isRun) return untilSettled(memory, ids, signal, undefined);
  return (await memory.jobs()).filter((job) => ids.has(job.id));
}

function theOne(failed: readonly Job[], start: string): Job {
  const [found, ...others] = failed.filter((job) => job.id.startsWith(start));
  if (found !== undefined && others.length === 0) return found;
  throw new PalimpsestError(
    'NOT_FOUND',
    found === undefined ? `There is no failed job ${start}.` : `Several jobs begin with ${start}.`,
    { field: 'replay' },
  );
}
