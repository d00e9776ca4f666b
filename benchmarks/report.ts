import type { Sample } from './measure.js';

/** One measured figure, with what it is held against. */
export interface Figure {
  readonly part: string;
  readonly what: string;
  readonly unit: 'ms' | 'facts/s' | 's' | 'MB';
  /** The median, where there are several measurements. */
  readonly value: number;
  readonly sample?: Sample | undefined;
  /** The same done by hand in SQLite, in the same run. */
  readonly sqlite?: Sample | number | undefined;
  /** The same asked of the graph engine directly. */
  readonly kuzu?: Sample | undefined;
  /** What it should reach, in words, and whether it does. */
  readonly bar?: { readonly text: string; readonly met: boolean } | undefined;
}

export const number = (value: number): string =>
  value >= 1000
    ? Math.round(value).toLocaleString('en-US')
    : value >= 100
      ? value.toFixed(0)
      : value >= 10
        ? value.toFixed(1)
        : value >= 1
          ? value.toFixed(2)
          : value.toFixed(3);

const medianOf = (value: Sample | number): number =>
  typeof value === 'number' ? value : value.p50;

const HEADER = [
  'what',
  'value',
  'p95',
  'n',
  'spread',
  'SQLite',
  '÷ SQLite',
  'raw Kuzu',
  '÷ Kuzu',
  'bar',
];

function cells(f: Figure): readonly string[] {
  const ratio = (other: Sample | number | undefined): string =>
    other === undefined ? '' : (f.value / medianOf(other)).toFixed(2);
  return [
    f.what,
    `${number(f.value)} ${f.unit}`,
    f.sample === undefined ? '' : number(f.sample.p95),
    f.sample === undefined ? '' : String(f.sample.n),
    f.sample === undefined ? '' : `±${Math.round(f.sample.spread * 100)} %`,
    f.sqlite === undefined ? '' : number(medianOf(f.sqlite)),
    ratio(f.sqlite),
    f.kuzu === undefined ? '' : number(medianOf(f.kuzu)),
    ratio(f.kuzu),
    f.bar === undefined ? '' : `${f.bar.met ? 'met' : 'MISSED'}: ${f.bar.text}`,
  ];
}

/** A table in Markdown, which reads well in a terminal too. */
export function table(figures: readonly Figure[]): string {
  const rows = [HEADER, ...figures.map(cells)];
  const widths = HEADER.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  const [head, ...body] = rows.map(line);
  return [head, rule, ...body].join('\n');
}
