import type { Transaction } from '../model/entry.js';
import type { BeliefIndex } from './resident/index.js';

/** Whether nothing but settings was ever written. */
export const isBlank = ({ tables: { claim, entity, side } }: BeliefIndex): boolean =>
  claim.key.length === 0 &&
  entity.term.length === 0 &&
  side.held.size === 0 &&
  side.rejected.size === 0 &&
  side.erased.size === 0;

/** The history as if all of it had been told at one instant. */
export async function* retimed(
  history: AsyncIterable<Transaction>,
  at: string,
): AsyncIterable<Transaction> {
  for await (const { header, entries } of history) yield { header: { ...header, at }, entries };
}

/** The history as `rewrite` makes it, and one transaction more. */
export async function* rewritten(
  history: AsyncIterable<Transaction>,
  rewrite: (transaction: Transaction) => Transaction,
  final: Transaction,
): AsyncIterable<Transaction> {
  for await (const transaction of history) yield rewrite(transaction);
  yield final;
}
