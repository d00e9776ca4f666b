import { join } from 'node:path';
import {
  defaultPolicy,
  openMemory,
  PalimpsestError,
  type Extractor,
  type Memory,
  type Policy,
  type Verdict,
} from 'palimpsest';
import { mountCommand } from './command/command.js';
import type { Config } from './config.js';
import { endpointExtractor } from './engine/endpoint.js';
import { modelOfHost, ModelInUse } from './engine/host-model.js';
import { PalimpsestEngine } from './engine/palimpsest.js';
import { logSource } from './host/source.js';
import type { HostContext } from './host/types.js';
import { mountRetrieval } from './retrieval/retrieval.js';
import { mountCard } from './settings/card.js';
import { Status } from './status.js';
import { mountTools } from './tools/mount.js';
import { Ledger } from './writer/ledger.js';
import { mountWriter } from './writer/writer.js';

/** Opens the memory, and mounts everything that works on it. */
export async function mountMemory(ctx: HostContext, given: Config): Promise<void> {
  const config = { ...given };
  mountCard(ctx, given.recall, (recall) => {
    config.recall = recall;
  });
  const status = new Status();
  const command = mountCommand(ctx, config, status);
  const log = ctx.logger('palimpsest');
  const off = (why: string): void => {
    status.off = why;
    log.error(`Capture is off: ${why}`);
  };
  const owner = ownerOf(ctx, config.service);
  if (owner !== null) {
    off(
      `ctx.${config.service} belongs to another plugin (${owner}). Remove that one, or give this one ` +
        `another key: { service: 'palimpsest' }.`,
    );
    return;
  }
  const model = new ModelInUse();
  ctx.on('session/event', (session, event) => {
    model.heard(event);
    // A session that was there before this plugin has named its model already.
    if (event.type === 'turn/end') model.began({ session });
  });
  ctx.on('agent/created', ({ agent }) => model.began(agent));
  const start = async (): Promise<boolean> => {
    try {
      const extractor = extractorOf(ctx, config, model);
      const memory = await open(ctx, config, extractor);
      const plugin = {
        name: 'palimpsest-memory',
        apply: (child: HostContext) => {
          const lack = lackOf(child);
          const parts = {
            engine: new PalimpsestEngine(memory, { searchEvents: config.events === 'keep' }),
            ledger: new Ledger(join(config.directory, 'sessions.jsonl')),
            config,
            status,
            model,
          };
          child.provide(config.service, parts.engine);
          const writer = mountWriter(child, { ...parts, isOn: lack === null });
          mountRetrieval(child, parts);
          mountTools(child, { ...parts, writer });
          command.attach({ ...parts, writer });
          status.off = null;
          if (lack !== null) off(lack);
          return async () => {
            command.detach();
            status.off = 'The plugin has ended.';
            await writer.stop();
            await memory.close();
          };
        },
      };
      try {
        await ctx.plugin(plugin);
      } catch (error) {
        await memory.close();
        throw error;
      }
      return true;
    } catch (error) {
      const isLocked = PalimpsestError.isInstance(error) && error.code === 'STORE_LOCKED';
      const message = error instanceof Error ? error.message : String(error);
      off(isLocked ? `${message} It is tried again until that one has ended.` : message);
      return !isLocked;
    }
  };
  if (await start()) return;
  // Several processes may share one home: what this one hears is in the logs, and is caught up with.
  ctx.effect(() => {
    let isTrying = false;
    const again = async (): Promise<void> => {
      if (isTrying) return;
      isTrying = true;
      if (await start()) clearInterval(timer);
      isTrying = false;
    };
    const timer = setInterval(() => void again(), config.retryMs);
    timer.unref();
    return () => clearInterval(timer);
  }, 'palimpsest retry');
}

async function open(
  ctx: HostContext,
  config: Config,
  extractor: Extractor | null,
): Promise<Memory> {
  const { extraction, events, graph, timeZone, directory } = config;
  return openMemory({
    path: join(directory, 'store'),
    graph,
    policy: policyOf(ctx),
    ...(timeZone === undefined ? {} : { timeZone }),
    ingest: {
      events,
      source: logSource(ctx, config),
      when: extraction.when,
      dailyCalls: extraction.dailyCalls,
      curator: { turns: extraction.turns, idleMs: extraction.idleMs },
      ...(extractor === null ? {} : { extractor }),
    },
  });
}

function extractorOf(
  ctx: HostContext,
  { extraction }: Config,
  model: ModelInUse,
): Extractor | null {
  if (extraction.by === 'none') return null;
  if (extraction.by === 'endpoint') return endpointExtractor(ctx, extraction);
  const { provider, model: named } = extraction;
  const fixed = provider === undefined || named === undefined ? null : { provider, model: named };
  return modelOfHost(ctx, () => fixed ?? model.last);
}

/** Who provides a service already, in the host's words; `null` for nobody. */
function ownerOf(ctx: HostContext, service: string): string | null {
  if (ctx.get(service) === undefined) return null;
  try {
    ctx.provide(service, null)();
    return 'unknown';
  } catch (error) {
    return error instanceof Error ? error.message : 'unknown';
  }
}

/** What capture cannot do without, and this host does not have. */
function lackOf(ctx: HostContext): string | null {
  const log = ctx.get('sessionPersistence');
  const canRead = typeof log?.readFrom === 'function' && typeof log.listSnapshots === 'function';
  if (log !== undefined && !canRead) {
    return 'This version of the host keeps its logs in a way that is not known here.';
  }
  if (typeof ctx.get('sessions')?.flush !== 'function') {
    return 'This version of the host has no way to make a log durable that is known here.';
  }
  return null;
}

/** Other plugins may accept, hold or refuse what is to be written, by the waterfall `memory/pre-commit`. */
const policyOf =
  (ctx: HostContext): Policy =>
  (candidate) => {
    const verdict: unknown = ctx.waterfall('memory/pre-commit', candidate, () =>
      defaultPolicy(candidate),
    );
    return isVerdict(verdict) ? verdict : { hold: 'A policy gave no answer that can be read.' };
  };

const isVerdict = (value: unknown): value is Verdict =>
  value === 'accept' ||
  (typeof value === 'object' &&
    value !== null &&
    (('hold' in value && typeof value.hold === 'string') ||
      ('refuse' in value && typeof value.refuse === 'string')));
