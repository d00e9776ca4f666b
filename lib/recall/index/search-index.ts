import { join } from 'node:path';
import { settingsAt } from '../../store/resident/settings.js';
import type { Store } from '../../store/store.js';
import type { HanFold } from '../han-fold.js';
import type { EventTexts, SearchDocuments } from '../ports.js';
import { ClaimDocuments } from './claim-documents.js';
import { readDump, removeDump, writeDump } from './dump-file.js';
import { EventDocuments } from './event-documents.js';
import { Pace } from './pace.js';

/** Documents which are read again sooner than a dump is written. */
const WORTHWHILE = 1_000;

/** Milliseconds after a commit in which others may follow. */
const QUIET = 50;
const NEVER = new AbortController().signal;

export interface SearchIndexOptions {
  readonly store: Store;
  readonly fold: HanFold;
  /** The event log, once there is one. */
  readonly events: () => Promise<EventTexts | null>;
}

/** What is searched, kept in step with the store: loaded or built when it is first needed. */
export class SearchIndex {
  readonly #options: SearchIndexOptions;
  readonly claims: ClaimDocuments;
  #events: EventDocuments | null = null;
  #isLoaded = false;
  #isClosed = false;
  /** While something is erased nothing is written that could hold it. */
  #erasing = 0;
  #running: Promise<void> | null = null;
  #failure: string | null = null;
  #timer: NodeJS.Timeout | null = null;
  readonly #stopListening: () => void;

  constructor(options: SearchIndexOptions) {
    this.#options = options;
    this.claims = new ClaimDocuments(options.store, options.fold);
    this.#stopListening = options.store.onEvent(() => this.#wake());
  }

  /** Once it is in use it takes in what was committed as soon as it is quiet, so that no search has to wait. */
  #wake(): void {
    if (!this.#isLoaded || this.#isClosed || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (this.#isClosed || this.#erasing > 0) return;
      // Nobody waits for it; the next search meets the same error, if it is one.
      this.catchUp(NEVER).catch(() => undefined);
    }, QUIET);
    this.#timer.unref();
  }

  get events(): EventDocuments | null {
    return this.#events;
  }

  /** Bytes held; 0 before the first search. */
  get memory(): number {
    return this.#isLoaded ? this.claims.memory + (this.#events?.memory ?? 0) : 0;
  }

  /** Why the last dump could not be written; nothing is lost by that but time. */
  get failure(): string | null {
    return this.#failure;
  }

  /** Changes when documents are numbered anew. */
  get generation(): number {
    return this.claims.generation * 1_000_000 + (this.#events?.generation ?? 0);
  }

  get documents(): SearchDocuments {
    const { claims } = this;
    const events = this.#events;
    const of = (): EventDocuments => {
      if (events === null) throw new Error('There are no events.');
      return events;
    };
    return {
      generation: this.generation,
      claims: claims.size,
      events: events?.size ?? 0,
      claimText: (row) => claims.text(row),
      eventText: (document) => of().text(document),
      event: (document) => of().name(document),
    };
  }

  /**
   * Brings the index up to what is committed. The work goes on when nobody waits for it any more.
   * Resolves with `false` when `signal` aborts first.
   */
  async catchUp(signal: AbortSignal): Promise<boolean> {
    const events = await this.#options.events();
    if (this.#isCurrent(events)) return true;
    if (signal.aborted) return false;
    const joins = this.#running !== null;
    this.#running ??= this.#run(events).finally(() => {
      this.#running = null;
    });
    const running = this.#running;
    // Whoever waits hears of it; and where nobody does any more, the next call meets it again.
    running.catch(() => undefined);
    const isDone = await untilAborted(running, signal);
    // What had begun before this call may lack what was committed just before it.
    return isDone && joins ? this.catchUp(signal) : isDone;
  }

  #isCurrent(events: EventTexts | null): boolean {
    if (!this.#isLoaded || !this.claims.isCurrent) return false;
    return events === null || (this.#events !== null && this.#events.isCurrent);
  }

  async #run(texts: EventTexts | null): Promise<void> {
    const { store, fold } = this.#options;
    const { timeZone } = settingsAt(store.index.tables, store.index.lastTx);
    if (!this.#isLoaded) this.#load(this.claims, 'claims');
    if (texts !== null && this.#events === null) {
      this.#events = new EventDocuments(texts, { fold, timeZone, storeId: store.id });
      this.#load(this.#events, 'events');
    }
    this.#isLoaded = true;
    const pace = new Pace(() => this.#isClosed);
    await this.claims.catchUp(pace);
    await this.#events?.catchUp(pace, timeZone);
    this.#saveIfWorthwhile(0.25);
  }

  #path(what: Kind): string | null {
    const { path } = this.#options.store;
    return path === null ? null : join(path, 'index', `${what}.search`);
  }

  #load(documents: ClaimDocuments | EventDocuments, what: Kind): void {
    const path = this.#path(what);
    const dump = path === null ? null : readDump(path);
    if (dump === null) return;
    try {
      documents.load(dump);
    } catch {
      // Whole, and yet not what this version writes.
      documents.reset();
    }
  }

  /** Writes what has grown by more than a share since it was written. */
  #saveIfWorthwhile(share: number): void {
    if (this.#erasing > 0) return;
    const kinds = [
      ['claims', this.claims],
      ['events', this.#events],
    ] as const;
    for (const [what, documents] of kinds) {
      const path = this.#path(what);
      if (path === null || documents === null) continue;
      const { undumped, size } = documents;
      if (undumped <= Math.max(WORTHWHILE, size * share)) continue;
      try {
        const dump = documents.dump();
        if (dump === null) continue;
        writeDump(path, dump);
        documents.dumpedNow();
        this.#failure = null;
      } catch (error) {
        this.#failure = error instanceof Error ? error.message : String(error);
      }
    }
  }

  /**
   * Runs what erases something. What is on disk is removed before, and nothing is written meanwhile; what
   * is in memory lets go of it as well; events are read anew by the next search.
   */
  async erase<T>(work: () => Promise<T>): Promise<T> {
    this.#erasing += 1;
    try {
      for (const what of ['claims', 'events'] as const) {
        const path = this.#path(what);
        if (path !== null) removeDump(path);
      }
      return await work();
    } finally {
      this.#erasing -= 1;
      this.claims.follow();
      this.#events?.follow();
    }
  }

  /** Leaves the files in good shape for the next opening. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopListening();
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#running?.catch(() => undefined);
    if (this.#isLoaded) this.#saveIfWorthwhile(0.01);
  }
}

type Kind = 'claims' | 'events';

/** False when the signal came first. */
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  let stop: () => void = () => undefined;
  const aborted = new Promise<false>((resolve) => {
    stop = () => resolve(false);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work.then(() => true as const), aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
