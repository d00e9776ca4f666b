import type { EventSource } from 'palimpsest';
import type { Config } from '../config.js';
import { eventFrom } from './log.js';
import type { HostContext, HostEvent, HostHeader, Persistence } from './types.js';

/** Whether a host's error says that a session, or an event of it, is not there. */
export const isGone = (error: unknown): boolean =>
  error instanceof Error && /not found|has no event/u.test(error.message);

/** Milliseconds for which a log that was read is kept: whoever reads one event reads its neighbours next. */
const KEPT_MS = 10_000;

type Log = Awaited<ReturnType<Persistence['readFrom']>>;

/** Reads logs from an event on. An event never changes, so that what was read once is right still. */
class Logs {
  readonly #ctx: HostContext;
  #last: { readonly session: string; readonly log: Log } | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(ctx: HostContext) {
    this.#ctx = ctx;
  }

  async event(
    session: string,
    seq: number,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly meta: HostHeader; readonly event: HostEvent } | null> {
    const found = this.#last?.session === session ? at(this.#last.log, seq) : null;
    if (found !== null) return found;
    const log = await this.#ctx.get('sessionPersistence')?.readFrom(session, seq, signal);
    if (log === undefined) return null;
    this.#last = { session, log };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#last = null;
    }, KEPT_MS);
    this.#timer.unref();
    return at(log, seq);
  }
}

function at(log: Log, seq: number): { meta: HostHeader; event: HostEvent } | null {
  const [first] = log.events;
  const event = first === undefined ? undefined : log.events[seq - first.seq];
  return event?.seq === seq ? { meta: log.meta, event } : null;
}

/** Reads events where the host keeps them: in its own logs. */
export function logSource(ctx: HostContext, config: Config): EventSource {
  const logs = new Logs(ctx);
  const reading = { subagents: config.subagents, ownTools: config.tools.prefix };
  return {
    async read(session, seq, signal) {
      try {
        const entry = await logs.event(session, seq, signal);
        if (entry === null) return null;
        const found = await eventFrom(entry.meta, entry.event, reading);
        return found === null ? null : { ...found, turn: found.turn ?? null, speaker: null };
      } catch (error) {
        if (isGone(error)) return null;
        throw error;
      }
    },
  };
}
