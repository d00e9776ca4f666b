import { writeSync } from 'node:fs';
import { openGraph } from '../../../lib/store/kuzu/engine.js';
import type { EngineName } from '../../../lib/store/kuzu/module.js';
import { MadeUpSource } from './source.js';

export interface VictimInput {
  readonly folder: string;
  readonly engine: EngineName;
  readonly seed: number;
  readonly act: 'apply' | 'rebuild' | 'build';
}

/** Works on a graph until it is killed: transaction by transaction, by rebuilding, or by building it first. */
export async function main({ folder, engine, seed, act }: VictimInput): Promise<void> {
  const source = new MadeUpSource(seed).grow(act === 'apply' ? 5 : 40);
  if (act === 'build') writeSync(1, 'ready\n');
  const graph = await openGraph({ folder, source, engine });
  if (act !== 'build') writeSync(1, 'ready\n');
  for (let i = 0; i < 1_000; i++) {
    if (act !== 'apply') await graph.rebuild();
    else {
      source.grow(1);
      await graph.catchUp();
    }
  }
}
