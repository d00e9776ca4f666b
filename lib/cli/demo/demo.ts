import {
  openMemory,
  type EvidenceRecord,
  type Fact,
  type GraphChoice,
  type GraphState,
} from '../../index.js';
import { changeLines } from '../commands/changes.js';
import { graphText } from '../commands/stats.js';
import type { Output } from '../output.js';
import { edgeText, objectText, scopeText } from '../show.js';
import { tableLines } from '../table.js';
import { legend, timelineLines } from '../timeline.js';
import { DSH_SCOPE, extractor, ingestSession, type SessionAnswers } from './dsh-session.js';
import { freshFolder } from './folder.js';
import { tellStory } from './load.js';
import { askAll, MOMENTS, type Answers } from './questions.js';
import { ontology, SCOPE, STORY } from './story.js';

export interface DemoOptions {
  readonly path: string;
  readonly graph: GraphChoice;
}

/**
 * Tells the story to a fresh store and shows what the memory makes of it.
 *
 * @throws PalimpsestError `CONFLICT` for a folder that holds something else.
 */
export async function runDemo({ path, graph }: DemoOptions, output: Output): Promise<void> {
  freshFolder(path);
  const clock = { now: 0 };
  await using memory = await openMemory({
    path,
    graph,
    ontology,
    clock: () => clock.now,
    ingest: { extractor },
  });
  await tellStory(memory, clock);
  clock.now = Date.parse(MOMENTS.now);
  const session = await ingestSession(memory);
  const state = await memory.syncGraph();
  const { claims, transactions } = await memory.stats();
  const answers = await askAll(memory.in(SCOPE));
  if (output.json) {
    return output.document({
      store: path,
      scope: SCOPE,
      graph: state,
      moments: MOMENTS,
      ...answers,
      session: { scope: DSH_SCOPE, ...session },
    });
  }
  const events = STORY.reduce((sum, session) => sum + session.events.length, 0);
  await output.lines([
    `Harbour, a booking system for ferries, as its people told it from May 2024 to November 2025:`,
    `${STORY.length} sessions, ${events} events, ${claims} claims, ${transactions} transactions.  ${graphLine(state)}`,
    '',
    ...nowAndThen(answers, output),
    ...believed(answers, output),
    ...pictured(answers, output),
    ...explained(answers, output),
    ...changed(answers, output),
    ...ingested(session, output),
    ...invitation(path, output),
  ]);
}

function graphLine(state: GraphState): string {
  return state.state === 'unavailable'
    ? `No graph at rest (${state.why}) All that follows works without.`
    : `Graph: ${graphText(state)}.`;
}

const ZONE = 'UTC';

const heading = (number: number, text: string, output: Output): string =>
  output.style('bold', `${number}  ${text}`);

function nowAndThen({ now, past }: Answers, output: Output): string[] {
  return [
    heading(1, `What is true now, ${MOMENTS.now}?`, output),
    ...factLines(now, ['Harbour', '移动端'], output),
    '',
    heading(2, `What was true then, ${MOMENTS.past}?`, output),
    ...factLines(past, ['Harbour'], output),
    '',
  ];
}

function factLines(facts: readonly Fact[], subjects: readonly string[], output: Output): string[] {
  const rows = subjects.flatMap((subject) =>
    facts
      .filter((fact) => fact.subject.name === subject)
      .map((fact) => [
        `   ${subject}`,
        fact.predicate,
        objectText(fact.object, ZONE),
        fact.valid,
        fact.certainty ?? '',
      ]),
  );
  const columns = ['subject', 'predicate', 'object', 'valid', 'certainty'];
  return tableLines(
    columns.map((title, i) => ({ title: i === 0 ? `   ${title}` : title })),
    rows,
    output,
  );
}

function believed({ believedThen, believedNow }: Answers, output: Output): string[] {
  const { disputed, believedAt } = MOMENTS;
  const names = (facts: readonly Fact[]): string =>
    facts.map((fact) => objectText(fact.object, ZONE)).join(', ');
  return [
    heading(3, `Where did Harbour run on ${disputed}?`, output),
    `   as believed on ${believedAt}: ${output.style('red', names(believedThen))}   (a wrong report, not yet corrected)`,
    `   as believed now:           ${output.style('green', names(believedNow))}`,
    '',
  ];
}

function pictured({ history: { facts } }: Answers, output: Output): string[] {
  const timeline = { width: output.columns - 30, timeZone: ZONE };
  return [
    heading(4, 'How the belief about its region changed', output),
    ...timelineLines(facts, timeline, output).map((line) => `   ${line}`),
    `   ${legend(facts, output)}`,
    '',
  ];
}

function explained({ why }: Answers, output: Output): string[] {
  return [
    heading(5, 'Why is that believed?', output),
    ...why.text.split('\n').map((line) => `   ${line}`),
    '',
  ];
}

function changed({ changes }: Answers, output: Output): string[] {
  const { changesFrom, changesTo } = MOMENTS;
  return [
    heading(6, `What changed from ${changesFrom} to ${changesTo}?`, output),
    ...changes.flatMap((change) => changeLines(change, ZONE, output)).map((line) => `   ${line}`),
    '',
  ];
}

function ingested(session: SessionAnswers, output: Output): string[] {
  const { lines, events, skipped, job, believed, held } = session;
  const reasons = Object.entries(skipped)
    .sort(([, a], [, b]) => b - a)
    .map(([code, count]) => `${count} ${code}`);
  const receipt = job.receipt;
  return [
    heading(
      7,
      `What does a session's log say? One of DeepSeek Harness, in ${scopeText(DSH_SCOPE)}`,
      output,
    ),
    `   ${lines} lines: ${events} events, and skipped with a reason ${reasons.join(', ')}`,
    ...believed.flatMap(({ fact, why }) => [
      `   ${edgeText(fact, ZONE)}`,
      ...why.claims.flatMap((claim) => claim.evidence).map((e) => `     ${evidenceText(e)}`),
    ]),
    ...held.map(
      ({ claim }) => `   ${output.style('yellow', 'to be reviewed')}: ${edgeText(claim, ZONE)}`,
    ),
    ...(receipt?.refused ?? []).map(
      ({ reason }) =>
        `   ${output.style('red', 'refused')}: a claim out of injected context. ${reason}`,
    ),
    '',
  ];
}

const evidenceText = ({ session, seq, role, quote }: EvidenceRecord): string =>
  `${session} #${seq} (${role}) “${quote ?? ''}”`;

function invitation(path: string, output: Output): string[] {
  const shared = `--store ${quoted(path)} --scope org=${SCOPE.org},project=${SCOPE.project ?? ''}`;
  const commands = [
    `facts Harbour --valid 2024-10-20 ${shared}`,
    `history 移动端 owner ${shared}`,
    `why Harbour cache ${shared}`,
    `review --store ${quoted(path)} --scope ${scopeText(DSH_SCOPE)}`,
    `doctor --store ${quoted(path)}`,
  ];
  return [
    output.style('bold', `The store is in ${path}. Ask it more:`),
    ...commands.map((command) => `   npx palimpsest ${command}`),
  ];
}

/** As a shell takes it. */
const quoted = (text: string): string =>
  /^[\w./@%+=:,-]+$/u.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
