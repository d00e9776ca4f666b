import { openMemory, type Memory } from 'palimpsest';
import { describe, expect, test } from 'vitest';
import { conformanceCases } from '../src/conformance/cases.js';
import type { FactQuery } from '../src/engine/engine.js';
import { PalimpsestEngine } from '../src/engine/palimpsest.js';
import type { MemoryFact, Scope } from '../src/engine/vocabulary.js';

const options = { searchEvents: false };

describe('an engine on Palimpsest', () => {
  test.each(conformanceCases)('$name', async ({ run }) => {
    await using memory = await openMemory({ store: 'memory' });
    await run(new PalimpsestEngine(memory, options));
  });
});

/** Shows everybody everything of one project. */
class Leaking extends PalimpsestEngine {
  constructor(memory: Memory) {
    super(memory, options);
  }

  override facts(scope: Scope, query: FactQuery): Promise<readonly MemoryFact[]> {
    return super.facts({ ...scope, project: 'shop' }, query);
  }
}

test('an engine that shows one project to another does not pass', async () => {
  const failed: string[] = [];
  for (const { name, run } of conformanceCases) {
    await using memory = await openMemory({ store: 'memory' });
    await run(new Leaking(memory)).catch(() => failed.push(name));
  }
  expect(failed).toEqual(['a scope sees what is broader, and never what is beside it']);
});
