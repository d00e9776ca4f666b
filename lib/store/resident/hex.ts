import type { TupleTable } from './tuples.js';

const bytes = Buffer.alloc(16);

/** Ids are 128 bits in hexadecimal; in the tables they are four whole numbers. */
export function idCells(id: string): readonly number[] {
  // What is no hexadecimal is cut off by the buffer, and must not leave the id before in it.
  bytes.fill(0);
  bytes.write(id.slice(2), 'hex');
  return [bytes.readInt32BE(0), bytes.readInt32BE(4), bytes.readInt32BE(8), bytes.readInt32BE(12)];
}

export function idText(letter: 'c' | 'f', ids: TupleTable, row: number): string {
  for (let cell = 0; cell < 4; cell++) bytes.writeInt32BE(ids.get(row, cell), cell * 4);
  return `${letter}_${bytes.toString('hex')}`;
}
