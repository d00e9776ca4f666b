import { Command } from 'commander';
import { PalimpsestError, type Fact, type History, type Memory } from '../../index.js';
import { viewOf, withMemory, withKnown, type CommonOptions } from '../options.js';
import { Output } from '../output.js';
import { edgeText, objectText, scopeText, stampText } from '../show.js';
import { tableLines } from '../table.js';
import { legend, timelineLines, type Timeline } from '../timeline.js';
import { printable } from '../width.js';
import { entityOf, shortId } from './facts.js';

interface HistoryFlags extends CommonOptions {
  readonly object?: string;
}

export function historyCommand(): Command {
  return withKnown(new Command('history'))
    .description('everything that was ever believed of a subject, drawn over both times')
    .argument('<subject>', 'name or id of an entity')
    .argument('[predicate...]')
    .option('--object <value>', 'only with this object')
    .action(async (subject: string, predicate: string[], flags: HistoryFlags) => {
      const output = new Output(flags.json ?? false);
      await withMemory(flags, async (memory) => {
        const view = viewOf(memory, flags);
        const meant = await view.entities.resolve(entityOf(subject));
        if (meant.length === 0) throw unknownName(subject);
        const [first, ...others] = predicate;
        const history = await view.history({
          subject: entityOf(subject),
          predicate: first === undefined ? undefined : [first, ...others],
          object: flags.object,
        });
        if (output.json) return output.document(history);
        if (history.facts.length === 0 && history.undated.length === 0)
          output.remark('No history.');
        else await output.lines(historyLines(history, await timelineOf(memory, output), output));
      });
    });
}

export const unknownName = (name: string): PalimpsestError =>
  new PalimpsestError('NOT_FOUND', `Nothing here is called ${JSON.stringify(name)}.`, {
    field: 'subject',
    hint: 'See `palimpsest entities` for the names in this scope.',
  });

/** How instants are written and how much room there is. */
export async function timelineOf(memory: Memory, output: Output): Promise<Timeline> {
  const { timeZone } = await memory.stats();
  return { width: output.columns - GUTTER, timeZone };
}

/** Of transactions and their times. */
const GUTTER = 26;

export function historyLines(history: History, timeline: Timeline, output: Output): string[] {
  const lines: string[] = [];
  for (const facts of keysOf(history.facts)) {
    const [fact] = facts;
    if (fact === undefined) continue;
    const title = `${printable(fact.subject.name)} ─${printable(fact.predicate)}▶`;
    lines.push(`${output.style('bold', title)}   ${output.style('dim', scopeText(fact.scope))}`);
    lines.push(...timelineLines(facts, timeline, output), '', legend(facts, output), '');
    lines.push(...factTable(facts, timeline.timeZone, output), '');
  }
  for (const claim of history.undated) {
    lines.push(
      `undated: ${edgeText(claim, timeline.timeZone)}, said ${claim.observedAt.slice(0, 10)}`,
    );
  }
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** One picture for each scope, subject and predicate. */
function keysOf(facts: readonly Fact[]): Fact[][] {
  const keys = new Map<string, Fact[]>();
  for (const fact of facts) {
    const key = JSON.stringify([fact.scope, fact.subject.id, fact.predicate]);
    const others = keys.get(key);
    if (others === undefined) keys.set(key, [fact]);
    else others.push(fact);
  }
  return [...keys.values()];
}

function factTable(facts: readonly Fact[], timeZone: string, output: Output): string[] {
  const columns = ['object', 'valid', 'known from', 'known to', 'closed', 'id'];
  const rows = facts.map((fact) => [
    objectText(fact.object, timeZone) + (fact.instance === null ? '' : ` (${fact.instance})`),
    fact.valid,
    stampText(fact.knownFrom),
    fact.knownTo === null ? 'believed' : stampText(fact.knownTo),
    fact.closedAs ?? '',
    shortId(fact.id),
  ]);
  return tableLines(
    columns.map((title) => ({ title, max: 48 })),
    rows,
    output,
  );
}
