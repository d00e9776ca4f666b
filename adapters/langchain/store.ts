import { createHash } from 'node:crypto';
import {
  BaseStore,
  type Item,
  type Operation,
  type OperationResults,
  type SearchItem,
} from '@langchain/langgraph-checkpoint';
import type { Fact } from 'palimpsest';
import { untyped, type AnyHandle, type ToolMemory } from 'palimpsest/tools';
import { z } from 'zod';
import { matches, matchesAll } from './match.js';

export interface MemoryStoreOptions {
  /** A handle: items are facts of its scope. */
  readonly memory: AnyHandle;
}

/** The predicate of facts that are items. */
const ITEM = 'langgraph item';
/** UTF-16 units of an item that are searched by its words. */
const SEARCHED = 2_000;

const PropertiesSchema = z.object({
  namespace: z.array(z.string()),
  key: z.string(),
  createdAt: z.string(),
});
const ObjectSchema = z.object({ json: z.record(z.string(), z.unknown()) });

/**
 * The store of LangGraph on a memory: items are facts with known times, so that what an item was is still to be read.
 *
 * @example createAgent({ model, tools, store: memoryStore({ memory: memory.in({ org: 'acme' }) }) });
 */
export const memoryStore = (options: MemoryStoreOptions): BaseStore =>
  new FactStore(untyped(options.memory));

type PutOp = Extract<Operation, { value: unknown }>;
type GetOp = Extract<Operation, { key: string }>;
type SearchOp = Extract<Operation, { namespacePrefix: string[] }>;
type ListOp = Exclude<Operation, PutOp | GetOp | SearchOp>;

interface Found {
  readonly fact: Fact;
  readonly item: Item;
}

class FactStore extends BaseStore {
  readonly #memory: ToolMemory;

  constructor(memory: ToolMemory) {
    super();
    this.#memory = memory;
  }

  /** Reads see what was there before; of several writes to one key the last one counts. */
  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const results: unknown[] = [];
    const puts = new Map<string, PutOp>();
    for (const operation of operations) {
      if ('value' in operation) {
        puts.set(JSON.stringify([operation.namespace, operation.key]), operation);
        results.push(null);
      } else if ('namespacePrefix' in operation) results.push(await this.#search(operation));
      else if ('key' in operation) {
        results.push((await this.#find(operation.namespace, operation.key))?.item ?? null);
      } else results.push(await this.#list(operation));
    }
    for (const put of puts.values()) await this.#put(put);
    // One result for each operation, in their order, as the type says.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
    return results as OperationResults<Op>;
  }

  async #put({ namespace, key, value }: PutOp): Promise<void> {
    const before = await this.#find(namespace, key);
    if (value === null) {
      if (before !== null) await this.#memory.retract(before.fact);
      return;
    }
    const createdAt = before?.item.createdAt.toISOString() ?? '';
    await this.#memory.transact((t) => {
      if (before !== null) t.retract(before.fact);
      t.assert({
        subject: entityOf(namespace, key),
        predicate: ITEM,
        object: { json: value },
        properties: { namespace, key, createdAt },
        statement: `${[...namespace, key].join(' ')}: ${JSON.stringify(value)}`.slice(0, SEARCHED),
      });
    });
  }

  async #find(namespace: readonly string[], key: string): Promise<Found | null> {
    const subject = entityOf(namespace, key);
    const facts = await this.#memory.facts({ subject, predicate: ITEM });
    return facts.map(foundOf).find((found) => found !== null) ?? null;
  }

  async #all(): Promise<Found[]> {
    const facts = await this.#memory.facts({ predicate: ITEM });
    return facts.flatMap((fact) => foundOf(fact) ?? []).toSorted(byCreation);
  }

  async #search(op: SearchOp): Promise<SearchItem[]> {
    const { namespacePrefix: path, filter, query, offset = 0, limit = 10 } = op;
    const candidates = (await this.#all()).filter(
      ({ item }) =>
        matches({ matchType: 'prefix', path }, item.namespace) && matchesAll(filter, item.value),
    );
    const ranked =
      query === undefined || query === '' ? candidates : await this.#rank(candidates, query);
    return ranked.slice(offset, offset + limit).map(({ item, score }: Ranked) => ({
      ...item,
      ...(score === undefined ? {} : { score }),
    }));
  }

  /** The best first; what the words do not find comes after, as with a search by vectors. */
  async #rank(candidates: readonly Found[], query: string): Promise<readonly Ranked[]> {
    const { hits } = await this.#memory.search(query, {
      events: false,
      floor: 0,
      limit: 1_000,
      timeFromQuery: false,
    });
    const scores = new Map(
      hits.flatMap((hit) => (hit.kind === 'fact' ? [[hit.fact.id, hit.score] as const] : [])),
    );
    return candidates
      .map((found): Ranked => ({ ...found, score: scores.get(found.fact.id) }))
      .toSorted((a, b) => (b.score ?? -1) - (a.score ?? -1));
  }

  async #list({ matchConditions, maxDepth, limit, offset }: ListOp): Promise<string[][]> {
    const paths = (await this.#all())
      .map(({ item }) => item.namespace)
      .filter((path) => (matchConditions ?? []).every((condition) => matches(condition, path)))
      .map((path) => path.slice(0, maxDepth));
    const distinct = new Map(paths.map((path) => [path.join(':'), path]));
    return [...distinct]
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([, path]) => path)
      .slice(offset, offset + limit);
  }
}

type Ranked = Found & { readonly score?: number | undefined };

/** Names may be spelled in many ways; the hash tells apart what is not the very same. */
function entityOf(namespace: readonly string[], key: string) {
  const whole = JSON.stringify([namespace, key]);
  return {
    name: [...namespace, key].join('/').slice(0, 200) || whole,
    type: 'langgraph item',
    distinct: createHash('sha256').update(whole).digest('hex').slice(0, 32),
  };
}

function foundOf(fact: Fact): Found | null {
  const properties = PropertiesSchema.safeParse(fact.properties);
  const object = ObjectSchema.safeParse(fact.object);
  if (!properties.success || !object.success) return null;
  const { namespace, key, createdAt } = properties.data;
  const updatedAt = new Date(fact.knownFrom.at);
  return {
    fact,
    item: {
      namespace,
      key,
      value: object.data.json,
      createdAt: createdAt === '' ? updatedAt : new Date(createdAt),
      updatedAt,
    },
  };
}

const byCreation = (a: Found, b: Found): number =>
  a.item.createdAt.getTime() - b.item.createdAt.getTime() ||
  a.fact.knownFrom.tx - b.fact.knownFrom.tx;
