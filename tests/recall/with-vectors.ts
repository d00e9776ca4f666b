import { onTestFinished } from 'vitest';
import type { Handle } from '../../lib/index.js';
import { Handle as HandleOf } from '../../lib/api/handle.js';
import { Ingestion } from '../../lib/api/ingestion.js';
import { Recall } from '../../lib/api/recall.js';
import { defaultPolicy } from '../../lib/memory/policy.js';
import type { Space } from '../../lib/memory/space.js';
import type { VectorLeg } from '../../lib/recall/ports.js';
import { Store } from '../../lib/store/store.js';

/** A shop that uses two things, searched with a leg of the test's own; another org uses more. */
export async function withVectors(
  vectors: VectorLeg,
): Promise<{ readonly shop: Handle; readonly other: Handle }> {
  const store = await Store.open({
    path: null,
    clock: () => Date.parse('2026-01-01T12:00:00Z'),
    graph: 'none',
    resident: true,
  });
  onTestFinished(() => store.close());
  const space: Space = { store, policy: defaultPolicy, code: new Map(), strict: false };
  const ingestion = new Ingestion(space, {});
  const recall = new Recall(space, ingestion, { vectors });
  const handleOf = (org: string): Handle => new HandleOf(space, { org }, ingestion, recall);
  for (const [org, object] of [
    ['acme', 'Kafka'],
    ['other', 'Rabbit'],
    ['acme', 'Redis'],
  ] as const) {
    await handleOf(org).assert({ subject: 'shop', predicate: 'uses', object });
  }
  return { shop: handleOf('acme'), other: handleOf('other') };
}
