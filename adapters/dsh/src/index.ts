import { resolveConfig, ConfigSchema, type Config } from './config.js';
import { mountMemory } from './mount.js';
import type { HostContext } from './host/types.js';

export { MemoryEngine, type FactQuery, type SearchHit } from './engine/engine.js';
export type * from './engine/vocabulary.js';
export type { ConfigInput } from './config.js';

export const name = 'palimpsest';

/** What no host of agents is without. All else is used where it is there. */
export const inject = ['agents', 'sessions', 'tools'];

/** Any Standard Schema is a schema to the host. */
export { ConfigSchema as Config };

export async function apply(ctx: HostContext, input: unknown): Promise<void> {
  const config: Config = resolveConfig(input);
  await mountMemory(ctx, config);
}
