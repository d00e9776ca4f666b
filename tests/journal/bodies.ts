import type { Journal } from '../../lib/journal/port.js';

/** A record of transaction `tx` with a text of about `length` bytes, of letters that take one to four. */
export function bodyOf(tx: number, length = 20): Buffer {
  const text = `é漢🙂${'x'.repeat(23)}`.repeat(Math.ceil(length / 32)).slice(0, length);
  return Buffer.from(`{"tx":${tx}}\n{"text":"${tx} ${text}\\n#1 00000000"}\n`);
}

/** A body of 5 to 100 kB for every third transaction, and a small one for the others. */
export function variedBodyOf(tx: number): Buffer {
  return bodyOf(tx, tx % 3 === 0 ? 5_000 + ((tx * 7919) % 95_000) : 30);
}

const txOf = (body: Buffer): number => Number(/^\{"tx":(\d+)\}/.exec(body.toString())?.[1]);

/** Bodies of all records, as text. */
export async function textsOf(journal: Journal): Promise<string[]> {
  const texts: string[] = [];
  for await (const { body } of journal.records()) texts.push(body.toString());
  return texts;
}

/** Transactions of all records. */
export async function transactionsOf(journal: Journal): Promise<number[]> {
  const numbers: number[] = [];
  for await (const { body } of journal.records()) numbers.push(txOf(body));
  return numbers;
}
