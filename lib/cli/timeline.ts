import { formatInstant, type CloseReason, type Fact } from '../index.js';
import type { Output, Style } from './output.js';
import { objectText, stampText } from './show.js';
import { clip, displayWidth, padTo } from './width.js';

/**
 * The two axes in text: valid time runs to the right, known time downwards. Each transaction that changed
 * the belief is a band, with a bar for each stretch that was believed from then on.
 */
export interface Timeline {
  /** Columns for the bars. */
  readonly width: number;
  /** IANA name; the marks are written in it. */
  readonly timeZone: string;
}

/** How a bar is drawn: by what became of the stretch later. */
interface Stroke {
  readonly line: string;
  readonly style: Style;
  readonly means: string;
}

const BELIEVED: Stroke = { line: '━', style: 'green', means: 'still believed' };
const STROKES: ReadonlyMap<CloseReason, Stroke> = new Map<CloseReason, Stroke>([
  ['ended', { line: '─', style: 'cyan', means: 'ended: later an end was told' }],
  ['revised', { line: '╌', style: 'cyan', means: 'revised: later told differently' }],
  ['corrected', { line: '×', style: 'red', means: 'corrected: it was wrong' }],
  ['withdrawn', { line: '·', style: 'yellow', means: 'withdrawn: taken back' }],
  ['merged', { line: '~', style: 'dim', means: 'merged: entities became one' }],
  ['split', { line: '≁', style: 'dim', means: 'split: entities became two' }],
]);

const strokeOf = (fact: Fact): Stroke =>
  fact.closedAs === null ? BELIEVED : (STROKES.get(fact.closedAs) ?? BELIEVED);

/** What the strokes mean, of those that the facts need. */
export function legend(facts: readonly Fact[], output: Pick<Output, 'style'>): string {
  const used = new Set(facts.map(strokeOf));
  const strokes = [BELIEVED, ...STROKES.values()].filter((stroke) => used.has(stroke));
  return strokes
    .map(({ line, style, means }) => `${output.style(style, line.repeat(3))} ${means}`)
    .join('   ');
}

/** The bands of facts of one predicate and subject, of all known times. */
export function timelineLines(
  facts: readonly Fact[],
  timeline: Timeline,
  output: Pick<Output, 'style'>,
): string[] {
  const scale = scaleOf(facts, timeline);
  const stamps = new Map<number, string>();
  for (const fact of facts) {
    for (const stamp of [fact.knownFrom, fact.knownTo]) {
      if (stamp !== null) stamps.set(stamp.tx, stampText(stamp));
    }
  }
  const gutter = Math.max(...[...stamps.values(), KNOWN].map(displayWidth)) + 1;
  const lines = [
    `${' '.repeat(gutter)}${output.style('dim', 'valid ▶')}`,
    `${output.style('dim', padTo(KNOWN, gutter))}${output.style('dim', ticks(scale))}`,
  ];
  for (const [tx, stamp] of [...stamps].sort(([a], [b]) => a - b)) {
    const believed = facts.filter(
      (fact) => fact.knownFrom.tx <= tx && (fact.knownTo === null || fact.knownTo.tx > tx),
    );
    const lanes = lanesOf(believed);
    if (lanes.length === 0)
      lines.push(`${padTo(stamp, gutter)}${output.style('dim', '(nothing)')}`);
    lanes.forEach((lane, i) => {
      lines.push(
        `${padTo(i === 0 ? stamp : '', gutter)}${laneText(lane, scale, timeline, output)}`,
      );
    });
  }
  return lines;
}

const KNOWN = 'known ▼';

interface Scale {
  readonly width: number;
  /** Instants at which something starts or ends, with their columns. */
  readonly marks: readonly {
    readonly at: number;
    readonly column: number;
    readonly text: string;
  }[];
}

/** Columns that a stretch has at least, as long as there is room: enough to be named. */
const ROOM = { least: 12, most: 26, frame: 5 } as const;

/** Between two marks time is to scale beyond the room that each stretch has. */
function scaleOf(facts: readonly Fact[], { width, timeZone }: Timeline): Scale {
  const add = (iso: string, precision: Fact['precision']['from']): void => {
    const at = Date.parse(iso);
    texts.set(at, formatInstant({ at, precision }, timeZone));
  };
  const texts = new Map<number, string>();
  let isOpenBefore = false;
  for (const { validFrom, validTo, precision } of facts) {
    if (validFrom === null) isOpenBefore = true;
    else add(validFrom, precision.from);
    if (validTo !== null) add(validTo, precision.to);
  }
  const instants = [...texts.keys()].sort((a, b) => a - b);
  const first = instants[0] ?? 0;
  const span = (instants.at(-1) ?? 0) - first;
  const gaps = instants.length - 1 + (isOpenBefore ? 1 : 0) + 1;
  const labels = facts.map((fact) => displayWidth(objectText(fact.object, timeZone)) + ROOM.frame);
  const wished = Math.min(Math.max(ROOM.least, ...labels), ROOM.most);
  const room = Math.max(2, Math.min(wished, Math.floor(width / gaps)));
  const spare = Math.max(0, width - room * gaps);
  const marks = instants.map((at, i) => {
    const share = span === 0 ? 0 : ((at - first) / span) * spare;
    const column = (i + (isOpenBefore ? 1 : 0)) * room + Math.round(share);
    return { at, column: Math.min(column, width - 2), text: texts.get(at) ?? '' };
  });
  return { width, marks };
}

/** The marks' dates where there is room for them. */
function ticks({ marks, width }: Scale): string {
  let line = '';
  for (const { column, text } of marks) {
    if (line !== '' && displayWidth(line) >= column) continue;
    if (column + displayWidth(text) > width) continue;
    line = padTo(line, column) + text;
  }
  return line;
}

/** Stretches that do not overlap share a lane. */
function lanesOf(facts: readonly Fact[]): Fact[][] {
  const lanes: Fact[][] = [];
  const sorted = [...facts].sort((a, b) => startOf(a) - startOf(b) || (a.id < b.id ? -1 : 1));
  for (const fact of sorted) {
    const lane = lanes.find((others) => endOf(others.at(-1)) <= startOf(fact));
    if (lane === undefined) lanes.push([fact]);
    else lane.push(fact);
  }
  return lanes;
}

const startOf = (fact: Fact): number =>
  fact.validFrom === null ? -Infinity : Date.parse(fact.validFrom);
const endOf = (fact: Fact | undefined): number =>
  fact === undefined || fact.validTo === null ? Infinity : Date.parse(fact.validTo);

function laneText(
  lane: readonly Fact[],
  scale: Scale,
  { timeZone }: Timeline,
  output: Pick<Output, 'style'>,
): string {
  let text = '';
  let at = 0;
  for (const fact of lane) {
    const from = columnOf(scale, fact.validFrom, 0);
    const to = columnOf(scale, fact.validTo, scale.width);
    const start = Math.max(from, at);
    text +=
      ' '.repeat(start - at) +
      output.style(strokeOf(fact).style, barText(fact, to - start, timeZone));
    at = Math.max(to, start);
  }
  return text;
}

function columnOf({ marks }: Scale, iso: string | null, open: number): number {
  if (iso === null) return open;
  const at = Date.parse(iso);
  return marks.find((mark) => mark.at === at)?.column ?? open;
}

/** `┣━ Postgres ━━━━▶`: a bar of so many columns with the object in it. */
function barText(fact: Fact, width: number, timeZone: string): string {
  const { line } = strokeOf(fact);
  if (width < 3) return line.repeat(Math.max(0, width));
  const head = fact.validFrom === null ? '◀' : fact.startUnknown ? '┇' : '┣';
  const tail = fact.validTo === null ? '▶' : '┫';
  const label = clip(objectText(fact.object, timeZone), Math.max(0, width - 5));
  const inner = label === '' || width < 7 ? '' : `${line} ${label} `;
  const rest = Math.max(0, width - 2 - displayWidth(inner));
  return `${head}${inner}${line.repeat(rest)}${tail}`;
}
