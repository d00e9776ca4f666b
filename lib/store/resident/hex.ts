import type { TupleTable } from './tuples.js';

/** Ids are 128 bits in hexadecimal; in the tables they are four whole numbers. */
export function idCells(id: string): readonly number[] {
  const hex = id.slice(2);
  return [
    Number.parseInt(hex.slice(0, 8), 16) | 0,
    Number.parseInt(hex.slice(8, 16), 16) | 0,
    Number.parseInt(hex.slice(16, 24), 16) | 0,
    Number.parseInt(hex.slice(24, 32), 16) | 0,
  ];
}

export function idText(letter: 'c' | 'f', ids: TupleTable, row: number): string {
  let out = `${letter}_`;
  for (let cell = 0; cell < 4; cell++) {
    out += (ids.get(row, cell) >>> 0).toString(16).padStart(8, '0');
  }
  return out;
}
