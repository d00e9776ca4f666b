/** How much of the gold is among the first ten. */
export function recallAtTen(ranked: readonly number[], gold: ReadonlySet<number>): number {
  return ranked.slice(0, 10).filter((id) => gold.has(id)).length / gold.size;
}

/** Gain discounted by rank over the first ten, as a share of what the best order would gain. */
export function ndcgAtTen(ranked: readonly number[], gold: ReadonlySet<number>): number {
  const discount = (rank: number): number => 1 / Math.log2(rank + 2);
  const gained = ranked
    .slice(0, 10)
    .reduce((sum, id, rank) => (gold.has(id) ? sum + discount(rank) : sum), 0);
  let best = 0;
  for (let rank = 0; rank < Math.min(10, gold.size); rank++) best += discount(rank);
  return gained / best;
}

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** The value which 95 of a hundred do not exceed. */
export function p95(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.95))] ?? NaN;
}
