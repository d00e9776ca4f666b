import { turnEnd } from '../host/log.js';
import { scopeOf, writeScope } from '../host/project.js';
import type { Persistence } from '../host/types.js';
import { nextOf, type Capture, type CaptureParts } from './capture.js';

/**
 * Looks through the host's logs for what was said while nobody listened: before the plugin was there, in
 * another process, or just before a crash. A log that is as it was at the last look is not opened.
 */
export class Sweep {
  readonly #parts: CaptureParts;
  readonly #capture: Capture;
  /** Sessions that the last look missed. */
  #missed = new Set<string>();
  #running: Promise<void> | null = null;

  constructor(parts: CaptureParts, capture: Capture) {
    this.#parts = parts;
    this.#capture = capture;
  }

  /** One look at a time; who asks during one waits for it. */
  run(signal: AbortSignal): Promise<void> {
    this.#running ??= this.#look(signal).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { status, onFailure, persistence } = this.#parts;
    const log = persistence();
    if (log === undefined) return;
    try {
      const listed = await log.listSnapshots(signal);
      const ids = new Set(listed.map(({ header }) => header.id));
      for (const { header, revision } of listed) {
        if (signal.aborted) return;
        try {
          await this.#catchUp(log, header, JSON.stringify(revision) ?? '', signal);
        } catch (error) {
          if (!signal.aborted) onFailure(status.failed(`Catching up with ${header.id}`, error));
        }
      }
      await this.#missing(ids);
    } catch (error) {
      if (!signal.aborted) onFailure(status.failed('Looking through the logs', error));
    }
  }

  async #catchUp(
    log: Persistence,
    header: Parameters<typeof scopeOf>[0],
    revision: string,
    signal: AbortSignal,
  ): Promise<void> {
    const { ledger, config } = this.#parts;
    const found = scopeOf(header, config);
    if (found === null || this.#capture.isLive(header.id)) return;
    if (ledger.get(header.id)?.revision === revision) return;
    const scope = writeScope(found);
    const next = nextOf(ledger, header);
    const { meta, events } = await log.readFrom(header.id, next, signal);
    // A session that came alive meanwhile is heard.
    if (this.#capture.isLive(header.id)) return;
    const last = events.findLast((event) => turnEnd(event) !== null)?.seq ?? null;
    await this.#capture.take(meta, scope, events, last);
    ledger.note(header.id, { scope, revision, gone: false });
  }

  /** A log that two looks have missed is gone; a list without any is no list. */
  async #missing(ids: ReadonlySet<string>): Promise<void> {
    const { engine, ledger, config, status } = this.#parts;
    const missing = ledger
      .all()
      .filter(({ session }) => !ids.has(session) && !this.#capture.isLive(session));
    if (ids.size > 0 && config.gone !== 'keep') {
      for (const { session, scope } of missing.filter((e) => this.#missed.has(e.session))) {
        if (config.gone === 'forget') {
          const reason = 'The log of the session is gone.';
          await engine.forget(scope, { session }, { erase: true, actor: 'sweep', reason });
          ledger.forget(session);
        } else ledger.note(session, { scope, gone: true });
      }
    }
    this.#missed = new Set(missing.map(({ session }) => session));
    status.gone = ledger.all().flatMap((entry) => (entry.gone ? [entry.session] : []));
  }
}
