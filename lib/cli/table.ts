import type { Output } from './output.js';
import { clip, displayWidth, padTo, printable } from './width.js';

export interface Column {
  readonly title: string;
  /** Columns of the terminal at most; longer cells are cut. */
  readonly max?: number;
}

/** Rows in columns that line up, whatever script they are written in. */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  output: Pick<Output, 'style'>,
): string[] {
  const cells = rows.map((row) =>
    columns.map(({ max = Infinity }, i) => clip(printable(row[i] ?? ''), max)),
  );
  const widths = columns.map(({ title }, i) =>
    cells.reduce((width, row) => Math.max(width, displayWidth(row[i] ?? '')), displayWidth(title)),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => padTo(cell, widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  const title = line(columns.map((column) => column.title));
  return [output.style('dim', title), ...cells.map(line)];
}
