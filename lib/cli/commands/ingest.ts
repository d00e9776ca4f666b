import { basename } from 'node:path';
import { Command, Option } from 'commander';
import {
  FORMATS,
  readSession,
  type EventInput,
  type FormatName,
  type Handle,
  type Job,
  type Memory,
  type Reading,
} from '../../index.js';
import { extractorOf, withExtractor, type ExtractorFlags } from '../extractor.js';
import { EXIT, UsageError } from '../failure.js';
import { ensureReadable, readOntology } from '../files.js';
import { onInterrupt } from '../interrupt.js';
import { jobsSummary, plural, refusalLines } from '../job-lines.js';
import {
  progressLine,
  scopeOf,
  withMemory,
  withScope,
  type CommonOptions,
  type ShowProgress,
} from '../options.js';
import { Output } from '../output.js';
import { untilSettled } from '../waiting.js';
import { printable } from '../width.js';

interface IngestFlags extends CommonOptions, ExtractorFlags {
  readonly format?: FormatName;
  readonly session?: string;
  readonly subagents?: 'skip' | 'read';
  readonly timeZone?: string;
  readonly ontology?: string;
  readonly skipped?: boolean;
  readonly wait: boolean;
}

/** Events of a job at most: what is interrupted loses no more than the calls of one. */
const TO_A_JOB = 200;

export function ingestCommand(done: (exit: number) => void): Command {
  return withExtractor(withScope(new Command('ingest')))
    .description(
      'take in session logs: events are kept as evidence, and a model, where one is named, makes claims of them',
    )
    .argument('<log...>', 'logs to read, plain or packed; told again, only what is new is taken')
    .addOption(
      new Option(
        '--format <name>',
        'format of the logs (default: told from the first lines)',
      ).choices(FORMATS),
    )
    .option('--session <id>', 'id of the session, for a log that does not name it')
    .addOption(
      new Option('--subagents <what>', 'sessions of sub-agents: their prompts are no person’s')
        .choices(['skip', 'read'])
        .default('skip'),
    )
    .option('--time-zone <zone>', 'IANA zone in which times without an offset are read')
    .option('--ontology <file>', 'JSON with the predicates that a model is shown')
    .option('--skipped', 'list every line that holds no event, with the reason')
    .option('--no-wait', 'leave when the events are safe; the next `ingest` or `curate` extracts')
    .action(async (logs: string[], flags: IngestFlags) => {
      const output = new Output(flags.json ?? false);
      for (const log of logs) {
        if (log === '-') throw new UsageError('ingest reads files: the format is told by them.');
        ensureReadable(log);
      }
      if (flags.session !== undefined && logs.length > 1) {
        throw new UsageError('--session goes with one log: two of one session would be mixed up.');
      }
      const extractor = extractorOf(flags);
      const opening = {
        make: true,
        ...(flags.ontology === undefined ? {} : { ontology: readOntology(flags.ontology) }),
        ...(flags.timeZone === undefined ? {} : { timeZone: flags.timeZone }),
        ...(extractor === null
          ? {}
          : { ingest: { extractor, when: flags.wait ? ('now' as const) : ('curated' as const) } }),
      };
      const scope = scopeOf(flags);
      const { signal, release } = onInterrupt();
      try {
        await withMemory(
          flags,
          async (memory) => {
            const files: FileReport[] = [];
            const ids = new Set<string>();
            const handle = memory.in(scope);
            for (const log of logs) files.push(await takeIn(handle, log, flags, ids, signal));
            const jobs = await settle(memory, ids, flags.wait && extractor !== null, signal);
            if (signal.aborted) done(EXIT.interrupted);
            else if (jobs.some((job) => job.state === 'failed')) done(EXIT.failed);
            if (output.json) return output.document({ files, jobs });
            await output.lines(files.flatMap((file) => fileLines(file, output)));
            if (extractor === null) {
              return output.remark('The events are kept. Claims are made of them with --model.');
            }
            await output.lines([jobsSummary(jobs), ...refusalLines(jobs)]);
            remarkOnWaiting(jobs, output);
          },
          opening,
        );
      } finally {
        release();
      }
    });
}

/** What became of the lines of one log. */
interface FileReport {
  readonly file: string;
  readonly sessions: {
    readonly id: string;
    readonly format: FormatName;
    readonly origin: string;
  }[];
  lines: number;
  events: number;
  /** Of the events those which were not told before. */
  taken: number;
  /** Lines without an event, by the code of the reason. */
  readonly skipped: Record<string, { readonly reason: string; count: number }>;
  /** Each of them, where that was asked for. */
  readonly skippedLines: {
    readonly line: number;
    readonly code: string;
    readonly reason: string;
  }[];
  /** Lines that cannot be trusted. */
  readonly bad: { readonly line: number; readonly problem: string }[];
}

async function takeIn(
  handle: Handle,
  file: string,
  flags: IngestFlags,
  ids: Set<string>,
  signal: AbortSignal,
): Promise<FileReport> {
  const report: FileReport = {
    file,
    sessions: [],
    lines: 0,
    events: 0,
    taken: 0,
    skipped: {},
    skippedLines: [],
    bad: [],
  };
  const onProgress = progressLine();
  const waiting = new Map<string, EventInput[]>();
  const subagents = new Set<string>();
  const hand = async (session: string): Promise<void> => {
    const events = waiting.get(session) ?? [];
    waiting.delete(session);
    if (events.length === 0) return;
    const job = await handle.ingest(events, { root: !subagents.has(session) });
    ids.add(job.id);
    report.taken += job.seqs.length;
  };
  const readings = readSession(file, {
    signal,
    format: flags.format ?? 'auto',
    subagents: flags.subagents ?? 'skip',
    ...(flags.session === undefined ? {} : { session: flags.session }),
    ...(flags.timeZone === undefined ? {} : { timeZone: flags.timeZone }),
  });
  for await (const reading of readings) {
    note(report, reading, flags, onProgress);
    if (reading.kind === 'session' && reading.session.origin === 'subagent') {
      subagents.add(reading.session.id);
    }
    if (reading.kind !== 'event') continue;
    const { session } = reading.event;
    const events = waiting.get(session) ?? [];
    events.push(reading.event);
    waiting.set(session, events);
    if (events.length >= TO_A_JOB) await hand(session);
  }
  for (const session of waiting.keys()) await hand(session);
  onProgress?.({ what: basename(file), done: report.lines, all: report.lines });
  return report;
}

function note(
  report: FileReport,
  reading: Reading,
  flags: IngestFlags,
  onProgress: ShowProgress | undefined,
): void {
  if (reading.line !== null) report.lines += 1;
  onProgress?.({ what: basename(report.file), done: report.lines, all: null });
  switch (reading.kind) {
    case 'session': {
      const { id, format, origin } = reading.session;
      report.sessions.push({ id, format, origin });
      return;
    }
    case 'event':
      report.events += 1;
      return;
    case 'skipped': {
      const { code, text } = reading.reason;
      const known = (report.skipped[code] ??= { reason: text, count: 0 });
      known.count += 1;
      if (flags.skipped === true) {
        report.skippedLines.push({ line: reading.line, code, reason: text });
      }
      return;
    }
    case 'bad':
      report.bad.push({ line: reading.line, problem: reading.problem });
  }
}

async function settle(
  memory: Memory,
  ids: ReadonlySet<string>,
  isWaitedFor: boolean,
  signal: AbortSignal,
): Promise<readonly Job[]> {
  if (isWaitedFor) return untilSettled(memory, ids, signal, progressLine());
  return (await memory.jobs()).filter((job) => ids.has(job.id));
}

function fileLines(report: FileReport, output: Output): string[] {
  const { file, sessions, lines, events, taken, skipped, skippedLines, bad } = report;
  const of = sessions.map(({ id, format }) => `${printable(id)} (${format})`).join(', ');
  const fresh = taken === events ? '' : `, ${taken} of them new`;
  return [
    `${output.style('bold', printable(basename(file)))}${of === '' ? '' : `  session ${of}`}`,
    `  ${plural(lines, 'line')}, ${plural(events, 'event')}${fresh}`,
    ...Object.entries(skipped)
      .sort(([, a], [, b]) => b.count - a.count)
      .map(([code, { reason, count }]) => `  ${count} skipped  ${code}: ${printable(reason)}`),
    ...skippedLines.map(({ line, code }) => `    line ${line}  ${code}`),
    ...bad.map(
      ({ line, problem }) => `  ${output.style('red', 'bad')}  line ${line} ${printable(problem)}`,
    ),
  ];
}

function remarkOnWaiting(jobs: readonly Job[], output: Output): void {
  const waiting = jobs.filter((job) => job.state === 'queued' || job.state === 'running');
  if (waiting.length === 0) return;
  const reason = waiting.find((job) => job.reason !== null)?.reason;
  output.remark(
    `${plural(waiting.length, 'job waits', 'jobs wait')}${reason === undefined || reason === null ? '' : `: ${printable(reason)}`} Nothing is lost: \`palimpsest curate\` goes on.`,
  );
}
