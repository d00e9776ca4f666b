import { englishEmbedder } from '../../lib/index.js';
import type { BenchSet } from './fixtures.js';
import { runThroughMemory } from './through-memory.js';

/** What a figure may lose by the embedder. */
const LOSS = 0.01;

interface Compared {
  readonly name: string;
  readonly set: BenchSet;
  /** In a script that the embedder does not read: it must change nothing. */
  readonly heldBack: boolean;
}

/** Each set without and with the local English embedder, through a memory. */
export async function withEmbedder(sets: readonly Compared[]): Promise<boolean> {
  console.log(`\n${'with the local English embedder'.padEnd(36)} R@10          nDCG@10`);
  let held = true;
  for (const { name, set, heldBack } of sets) {
    const without = await runThroughMemory(set, false);
    const figures = await runThroughMemory(set, false, englishEmbedder());
    const gains = [figures.recall - without.recall, figures.ndcg - without.ndcg];
    const isHeld = gains.every((gain) => (heldBack ? gain === 0 : gain >= -LOSS));
    if (!isHeld) held = false;
    const cells = [
      [without.recall, figures.recall],
      [without.ndcg, figures.ndcg],
    ].map(([a = 0, b = 0]) => `${a.toFixed(3)} → ${b.toFixed(3)}`);
    console.log(`${name.padEnd(36)} ${cells.join('  ')}${isHeld ? '' : '  missed'}`);
  }
  return held;
}
