import { PalimpsestError } from '../model/errors.js';
import { toIso } from '../model/instant.js';
import { scopeKey, visibleScopes, type Scope } from '../model/scope.js';
import { settingsNow, type Place, type Space } from '../memory/space.js';
import { Draft } from '../memory/write/draft.js';
import type { Draft as StoreDraft } from '../store/draft.js';
import { fieldsOf } from '../secrets/fields.js';
import { checkSecrets } from '../secrets/secrets.js';
import { isBlank } from '../store/histories.js';

import { Batch, BATCH } from './batch.js';
import { draftAct, type KeyChanges } from './draft.js';
import { readEvent, type StreamEvent } from './event.js';
import { failure } from './failure.js';
import { KeyBook } from './keys.js';
import { inOrder, netOf, type Act } from './net.js';

export interface StreamOptions {
  readonly scope: Scope;
  readonly source: string;
  /** Events without `tx` to a transaction. */
  readonly batch?: number | undefined;
}

export interface StreamCounts {
  transactions: number;
  claims: number;
  opened: number;
  closed: number;
}

/** A draft failed at one of several acts; those before it are good. */
class Stopped extends Error {
  constructor(
    readonly done: number,
    readonly reason: unknown,
  ) {
    super('An act could not be drafted.');
  }
}

/** Takes the lines of an event stream one by one and commits them batch by batch. */
export class EventStream {
  /** Lines that an earlier run has committed. */
  readonly position: number;
  readonly counts: StreamCounts = { transactions: 0, claims: 0, opened: 0, closed: 0 };
  readonly #space: Space;
  readonly #place: Place;
  readonly #source: string;
  readonly #limit: number;
  readonly #timeZone: string;
  #book: KeyBook | null = null;
  #batch = new Batch();

  constructor(space: Space, options: StreamOptions) {
    const { scope, source } = options;
    this.#space = space;
    this.#place = { scope, visible: visibleScopes(scope).map(scopeKey) };
    this.#source = source;
    this.#limit = options.batch ?? BATCH;
    this.#timeZone = settingsNow(space).timeZone;
    this.position = space.store.index.tables.side.cursors.get(source) ?? 0;
  }

  /**
   * Takes a line; what it returns, if anything, is to be waited for before the next one.
   *
   * @throws PalimpsestError `IMPORT_FAILED`: what stands before the line is committed.
   */
  take(text: string, line: number): Promise<void> | undefined {
    if (line <= this.position || text.trim() === '') return undefined;
    let event: StreamEvent;
    try {
      event = readEvent(text, line, this.#timeZone);
      this.#ensureForward(event);
    } catch (error) {
      return this.#refuse(error);
    }
    if (this.#batch.takes(event, this.#limit, settingsNow(this.#space))) {
      this.#batch.add(event);
      return undefined;
    }
    return this.flush().then(() => this.#batch.add(event));
  }

  async #refuse(error: unknown): Promise<void> {
    // An unfinished instant stays out: a transaction is known as a whole.
    if (this.#batch.at === null) await this.flush();
    throw error;
  }

  #ensureForward(event: StreamEvent): void {
    const { at } = this.#batch;
    if (event.at === null || at === null || event.at >= at) return;
    throw failure(event.line, 'tx', `It goes back behind ${toIso(at)}.`, {
      hint: 'Known time runs forwards: sort the stream by `tx`.',
    });
  }

  /** Commits what has been taken. */
  async flush(): Promise<void> {
    const batch = this.#batch;
    if (batch.isEmpty) return;
    this.#batch = new Batch();
    const { store } = this.#space;
    const { at } = batch;
    const first = batch.events[0];
    if (at !== null && first !== undefined && store.index.lastTx > 0) {
      const last = store.index.at(store.index.lastTx);
      if (at < last) {
        if (!isBlank(store.index)) {
          throw failure(
            first.line,
            'tx',
            `It goes back behind the last transaction, of ${toIso(last)}.`,
            {
              hint: 'A history with known times of its own goes into an empty store.',
            },
          );
        }
        await store.makeRoom(at);
      }
    }
    if (batch.events.some((event) => event.key !== null)) {
      this.#book ??= this.position === 0 ? new KeyBook() : KeyBook.read(store, this.#source);
    }
    const acts = netOf(at === null ? batch.events : inOrder(batch.events));
    try {
      await this.#commit(acts, batch.position, at);
    } catch (error) {
      const stopped = error instanceof Stopped ? error : await refusedAt(acts, error);
      if (stopped === null) throw error;
      const good = acts.slice(0, stopped.done);
      const last = good.at(-1);
      if (at === null && last !== undefined) await this.#commit(good, last.event.line, null);
      throw stopped.reason;
    }
  }

  async #commit(acts: readonly Act[], position: number, at: number | null): Promise<void> {
    const space = this.#space;
    const { store } = space;
    const changes: KeyChanges = new Map();
    const { value } = await store.write(
      (index): StoreDraft => {
        const now =
          at ??
          Math.max(store.clock(), index.lastTx === 0 ? -Infinity : index.at(index.lastTx) + 1);
        if (index.lastTx > 0 && now < index.at(index.lastTx)) {
          throw new PalimpsestError(
            'IMPORT_FAILED',
            'Another write came between, with a later time.',
            {
              hint: 'Import into a store that nobody else writes to.',
            },
          );
        }
        const draft = new Draft(space, this.#place, index, now);
        acts.forEach((act, done) => {
          try {
            draftAct(draft, act, this.#book, changes);
          } catch (reason) {
            throw new Stopped(done, reason);
          }
        });
        const reason = reasonOf(acts);
        return {
          entries: draft.entries,
          at: now,
          cursor: { source: this.#source, position },
          ...(reason === null ? {} : { reason }),
        };
      },
      (pending) => ({
        opened: pending?.opened.length ?? 0,
        closed: pending?.closed.length ?? 0,
      }),
    );
    for (const [key, chain] of changes) this.#book?.set(key, chain);
    this.counts.transactions += 1;
    this.counts.claims += acts.filter(
      (act) => act.kind === 'say' || act.kind === 'end' || act.said !== null,
    ).length;
    this.counts.opened += value.opened;
    this.counts.closed += value.closed;
  }
}

/** Which act holds the credential that a whole transaction was refused for. */
async function refusedAt(acts: readonly Act[], error: unknown): Promise<Stopped | null> {
  if (!PalimpsestError.isInstance(error) || error.code !== 'SECRET_REFUSED') return null;
  for (const [done, { event }] of acts.entries()) {
    try {
      await checkSecrets(fieldsOf(JSON.parse(event.text)));
    } catch (refusal) {
      if (!PalimpsestError.isInstance(refusal)) throw refusal;
      const { field } = refusal;
      const found = new PalimpsestError(
        'SECRET_REFUSED',
        `Line ${event.line}: ${refusal.message}`,
        {
          ...(field === undefined ? {} : { field }),
          hint: 'Say where it is kept, not what it is.',
        },
      );
      return new Stopped(done, found);
    }
  }
  return null;
}

/** Reasons that the events of a transaction give, a few of them. */
function reasonOf(acts: readonly Act[]): string | null {
  const reasons = new Set<string>();
  for (const { event } of acts) {
    if (event.why !== null && event.why.trim() !== '') reasons.add(event.why.trim());
    if (reasons.size === REASONS) break;
  }
  return reasons.size === 0 ? null : [...reasons].join('; ');
}

const REASONS = 5;
