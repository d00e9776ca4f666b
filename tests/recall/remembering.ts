import { onTestFinished } from 'vitest';
import {
  openMemory,
  type Hit,
  type Memory,
  type OntologyDefinition,
  type OpenOptions,
} from '../../lib/index.js';

export const SHOP = { org: 'acme', project: 'shop' };

/** A clock that only the test moves. */
export class Watch {
  now: number;

  constructor(at: string) {
    this.now = Date.parse(at);
  }

  set(at: string): void {
    this.now = Date.parse(at);
  }
}

export const ONTOLOGY: OntologyDefinition = {
  predicates: {
    database: { cardinality: 'one' },
    home: { cardinality: 'one' },
    diet: { cardinality: 'one' },
    owner: { cardinality: 'one' },
    uses: { cardinality: 'many' },
    released: { cardinality: 'many', kind: 'event' },
  },
};

/** A memory that is closed when the test ends. */
export async function remembering(
  options: Omit<OpenOptions, 'store' | 'ontology' | 'clock'> & { readonly watch?: Watch } = {},
): Promise<Memory> {
  const { watch = new Watch('2026-01-01T12:00:00Z'), ...rest } = options;
  const memory = await openMemory({
    ...(rest.path === undefined ? { store: 'memory' as const } : {}),
    ontology: ONTOLOGY,
    graph: 'none',
    clock: () => watch.now,
    ...rest,
  });
  onTestFinished(() => memory.close());
  return memory;
}

export const objectsOf = (hits: readonly Hit[]): unknown[] =>
  hits.flatMap((hit) => (hit.kind === 'fact' ? [nameOf(hit.fact.object)] : []));

const nameOf = (object: unknown): unknown =>
  typeof object === 'object' && object !== null && 'name' in object ? object.name : object;

export const textsOf = (hits: readonly Hit[]): string[] =>
  hits.flatMap((hit) => (hit.kind === 'event' ? [hit.text] : []));
