import { Command } from 'commander';
import { inspectStore, type StoreReport } from '../../index.js';
import { EXIT } from '../failure.js';
import { storePath, withMemory, withStore, type CommonOptions } from '../options.js';
import { Output } from '../output.js';
import { bytesText } from '../show.js';
import { tableLines } from '../table.js';

interface DoctorFlags extends CommonOptions {
  readonly rebuild?: boolean;
}

export function doctorCommand(done: (exit: number) => void): Command {
  return withStore(new Command('doctor'))
    .description('verify every file of a store; exits with 1 when something is wrong')
    .option('--rebuild', 'build index and graph anew from the journal first')
    .action(async (flags: DoctorFlags) => {
      const output = new Output(flags.json ?? false);
      if (flags.rebuild === true) await withMemory(flags, (memory) => memory.rebuild());
      const report = await inspectStore(storePath(flags), { graph: flags.graph });
      if (!report.healthy) done(EXIT.failed);
      if (output.json) return output.document(report);
      await output.lines(reportLines(report, output));
    });
}

function reportLines(report: StoreReport, output: Output): string[] {
  const rows = [
    ['store', report.path],
    ['journal', journalText(report)],
    ['index', `${checkpointText(report)}, ${bytesText(report.bytes.index)}`],
    ['graph', `${graphText(report)}, ${bytesText(report.bytes.graph)}`],
    [
      'engine',
      report.engine.name === null ? 'none' : `${report.engine.name} ${report.engine.version}`,
    ],
  ];
  const findings = report.findings.map(({ kind, text }) =>
    kind === 'wrong'
      ? `${output.style('red', 'wrong')}  ${text}`
      : `${output.style('yellow', 'note')}   ${text}`,
  );
  return [
    ...tableLines([{ title: '' }, { title: '' }], rows, output).slice(1),
    '',
    ...findings,
    ...(report.healthy ? [output.style('green', 'All is well.')] : []),
  ];
}

function journalText({ journal, bytes }: StoreReport): string {
  if (journal === null) return 'cannot be read';
  const { records, lastTx, segments, damage, tornTail } = journal;
  const state =
    damage !== null
      ? 'damaged'
      : tornTail !== null
        ? 'whole but for its last, unfinished commit'
        : 'whole';
  const last = lastTx === null ? 'no transaction' : `up to tx ${lastTx}`;
  return `${state}, ${records} records in ${segments} segments, ${last}, ${bytesText(bytes.journal)}`;
}

function checkpointText({ checkpoint }: StoreReport): string {
  switch (checkpoint.state) {
    case 'ready':
      return `saved at tx ${checkpoint.tx}`;
    case 'missing':
      return 'not saved: the next opening replays the journal';
    case 'damaged':
      return `damaged: ${checkpoint.why}`;
  }
}

function graphText({ graph }: StoreReport): string {
  switch (graph.state) {
    case 'ready':
      return `${graph.engine} ${graph.engineVersion}, files whole`;
    case 'missing':
      return 'not built yet';
    case 'damaged':
      return `damaged: ${graph.why}`;
  }
}
