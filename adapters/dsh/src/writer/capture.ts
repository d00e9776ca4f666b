import type { Config } from '../config.js';
import type { ModelInUse } from '../engine/host-model.js';
import type { MemoryEngine } from '../engine/engine.js';
import type { CapturedEvent, Scope } from '../engine/vocabulary.js';
import { capturedFrom, isSaidByPerson, turnEnd } from '../host/log.js';
import { isSubagent, scopeOf, writeScope } from '../host/project.js';
import type { HostEvent, HostHeader, HostSession, Persistence, Sessions } from '../host/types.js';
import type { Status } from '../status.js';
import type { Ledger } from './ledger.js';

export interface CaptureParts {
  readonly engine: MemoryEngine;
  readonly ledger: Ledger;
  readonly config: Config;
  readonly status: Status;
  readonly model: ModelInUse;
  readonly sessions: () => Sessions | undefined;
  readonly persistence: () => Persistence | undefined;
  readonly onFailure: (text: string) => void;
}

/** The part of a live session's log that is not taken in yet. */
interface Tail {
  readonly from: number;
  readonly events: HostEvent[];
}

/** A stretch of a log that ends with a turn, on its way into the memory. */
interface Portion {
  readonly session: HostSession;
  readonly scope: Scope;
  readonly from: number;
  readonly to: number;
  readonly events: readonly HostEvent[];
}

/**
 * Takes turns in as they end. Nothing is done in the host's event itself but noting it: what follows is first
 * made durable in the host's log, so that no fact ever cites an event which a crash takes away.
 */
export class Capture {
  readonly #parts: CaptureParts;
  readonly #tails = new Map<string, Tail>();
  readonly #lanes = new Map<string, Promise<void>>();

  constructor(parts: CaptureParts) {
    this.#parts = parts;
  }

  /** Whether this process has heard of the session. */
  isLive(session: string): boolean {
    return this.#tails.has(session) || this.#lanes.has(session);
  }

  heard(session: HostSession, event: HostEvent): void {
    const scope = scopeOf(session.header, this.#parts.config);
    if (scope === null) return;
    const tail = this.#tails.get(session.id) ?? { from: event.seq, events: [] };
    this.#tails.set(session.id, tail);
    // Pieces of streamed answers come again as a whole.
    if (event.type !== 'assistant/chunk') tail.events.push(event);
    if (turnEnd(event) === null) return;
    this.#tails.set(session.id, { from: event.seq + 1, events: [] });
    const { from, events } = tail;
    this.#queue({ session, scope: writeScope(scope), from, to: event.seq, events });
  }

  left(session: string): void {
    this.#tails.delete(session);
  }

  /** Resolves when everything heard so far is in, or has failed. */
  async settled(): Promise<void> {
    while (this.#lanes.size > 0) await Promise.all(this.#lanes.values());
  }

  #queue(portion: Portion): void {
    this.#parts.status.pending += 1;
    const { id } = portion.session;
    const lane = this.#takeAfter(this.#lanes.get(id), portion);
    this.#lanes.set(id, lane);
    void lane.finally(() => {
      if (this.#lanes.get(id) === lane) this.#lanes.delete(id);
    });
  }

  async #takeAfter(before: Promise<void> | undefined, portion: Portion): Promise<void> {
    const { status, onFailure } = this.#parts;
    await before;
    try {
      await this.#take(portion);
    } catch (error) {
      // The cursor has not moved: the next turn, or the next sweep, reads it from the log.
      onFailure(status.failed(`Capture of ${portion.session.id}`, error));
    }
    status.pending -= 1;
  }

  async #take({ session, scope, from, to, events }: Portion): Promise<void> {
    const { ledger, sessions, persistence } = this.#parts;
    const { header, id } = session;
    await sessions()?.flush?.(session);
    const next = nextOf(ledger, header);
    const log = persistence();
    if (next > to) return;
    // What was said while nobody listened is in the log.
    const isGap = next < from && log !== undefined;
    const heard = isGap
      ? (await log.readFrom(id, next)).events.filter((event) => event.seq <= to)
      : events.filter((event) => event.seq >= next);
    await this.take(header, scope, heard, to);
  }

  /** Takes in a stretch of a log which ends with `to`. */
  async take(
    header: HostHeader,
    scope: Scope,
    events: readonly HostEvent[],
    to: number | null,
  ): Promise<void> {
    const { engine, ledger, config, status, model } = this.#parts;
    for (const event of events) model.heard(event);
    const captured = await capturedFrom(header, events, {
      subagents: config.subagents,
      ownTools: config.tools.prefix,
    });
    ensureUnderstood(header, events, captured);
    const since = config.since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(config.since);
    const wanted = captured.filter(({ at }) => at === null || at >= since);
    const { seqs } = await engine.capture(scope, wanted, { root: !isSubagent(header) });
    if (to !== null) ledger.note(header.id, { scope, cursor: to, gone: false });
    if (seqs.length === 0) return;
    status.events += seqs.length;
    status.turns += events.filter((event) => turnEnd(event) !== null).length;
    status.lastCapture = { session: header.id, at: new Date().toISOString() };
  }
}

/** A host that writes its log in another way must not make the memory fall silent unnoticed. */
function ensureUnderstood(
  header: HostHeader,
  events: readonly HostEvent[],
  captured: readonly CapturedEvent[],
): void {
  const isCopied = header.seedLength === undefined && header.parentSession !== undefined;
  if (isCopied || isSubagent(header)) return;
  const seqs = new Set(captured.map(({ seq }) => seq));
  const lost = events.find(
    (event) =>
      event.seq >= (header.seedLength ?? 0) &&
      isSaidByPerson(event) &&
      isSaidAnew(event) &&
      hasText(event) &&
      !seqs.has(event.seq),
  );
  if (lost === undefined) return;
  throw new Error(
    `What a person said (event ${lost.seq}) is written in a way that this version does not read.`,
  );
}

const isSaidAnew = ({ surfaceOp = null }: HostEvent): boolean =>
  surfaceOp === null || surfaceOp === 'append';

const hasText = (event: HostEvent): boolean =>
  /"text":"[^"]*[^\s"]/u.test(JSON.stringify(event.data) ?? '');

/** The first event that is not taken in. A fork begins with its parent's, which are the parent's to tell. */
export const nextOf = (ledger: Ledger, header: HostHeader): number =>
  Math.max((ledger.get(header.id)?.cursor ?? -1) + 1, header.seedLength ?? 0);
