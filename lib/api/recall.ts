import { z } from 'zod';
import type { EventLog } from '../ingest/event-log.js';
import type { Derived } from '../govern/forget.js';
import type { Locator } from '../journal/port.js';
import type { Moment, Place, Space } from '../memory/space.js';
import { check } from '../model/check.js';
import { wellFormed } from '../model/text.js';
import { loadHanFold } from '../recall/han-fold.js';
import { SearchIndex } from '../recall/index/search-index.js';
import type {
  EventHost,
  EventText,
  EventTexts,
  SearchDocuments,
  VectorLeg,
} from '../recall/ports.js';
import { withoutSecrets } from '../secrets/without.js';
import type { EventSource } from '../ingest/source.js';
import { Profiles } from '../recall/profile/profiles.js';
import type { ProfileWriter } from '../recall/profile/types.js';
import { readQuery, RecallOptionsSchema, SearchOptionsSchema } from '../recall/read/asked.js';
import { recall } from '../recall/recall.js';
import { search, type Searcher } from '../recall/search.js';
import { Snapshots } from '../recall/snapshots/snapshots.js';
import type { Embedder } from '../recall/vectors/embedder.js';
import { Vectors } from '../recall/vectors/vectors.js';
import type { RecallAnswer, SearchAnswer } from '../recall/types.js';
import type { Ingestion } from './ingestion.js';

/** What adds to the search by words. */
export interface RecallSettings {
  /** Finds texts by their meaning; without one they are found by their words. */
  readonly embedder?: Embedder | undefined;
  /** Puts profiles into words; without one they are made from the facts by rule. */
  readonly profileWriter?: ProfileWriter | undefined;
}

/** What a recall is made of; a test may bring a search by meaning of its own. */
interface RecallParts extends RecallSettings {
  readonly vectors?: VectorLeg;
}

export const RecallSettingsSchema = z.strictObject({
  embedder: z
    .looseObject({
      model: z.string().min(1),
      dimensions: z.number().int().min(1),
      embed: z.unknown().refine(isFunction, 'is not a function'),
      floor: z.number().min(0).max(1).optional(),
      timeoutMs: z.number().int().positive().max(2_147_483_647).optional(),
      reads: z
        .unknown()
        .refine((v) => v === undefined || isFunction(v), 'is not a function')
        .optional(),
    })
    .optional(),
  profileWriter: z
    .looseObject({
      name: z.string().min(1),
      write: z.unknown().refine(isFunction, 'is not a function'),
    })
    .optional(),
});

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

const NEVER = new AbortController().signal;

/** The part of a memory that is searched; its index is loaded, or built, when it is first needed. */
export class Recall {
  readonly snapshots: Snapshots;
  readonly vectors: Vectors;
  readonly profiles: Profiles;
  readonly #leg: VectorLeg | null;
  readonly #space: Space;
  readonly #ingestion: Ingestion;
  #searcher: Promise<Searcher> | null = null;
  #opened: Searcher | null = null;
  #texts: { readonly log: EventLog; readonly texts: EventTexts } | null = null;

  constructor(space: Space, ingestion: Ingestion, parts: RecallParts = {}) {
    this.#space = space;
    this.#ingestion = ingestion;
    this.snapshots = new Snapshots(space);
    this.profiles = new Profiles(space, parts.profileWriter ?? null);
    this.#leg = parts.vectors ?? null;
    this.vectors = new Vectors({
      store: space.store,
      embedder: parts.embedder ?? null,
      documents: () => this.documents(),
    });
  }

  /** Bytes of the search index in memory; 0 before the first search. */
  get memory(): number {
    return this.#opened?.index.memory ?? 0;
  }

  /** Why the search index could not be saved; `null` when all is well. */
  get failure(): string | null {
    return this.#opened?.index.failure ?? null;
  }

  /** What is searched, up to the last commit. */
  async documents(): Promise<SearchDocuments> {
    const { index } = await this.#open();
    await index.catchUp(NEVER);
    return index.documents;
  }

  async search(
    place: Place,
    view: Partial<Moment>,
    query: unknown,
    input: unknown,
  ): Promise<SearchAnswer> {
    const { store } = this.#space;
    store.ensureOpen();
    const asked = readQuery(query);
    const options = check(SearchOptionsSchema, input ?? {}, 'options');
    const searcher = await this.#open();
    return store.read(() => search(searcher, { query: asked, place, view, options }));
  }

  async recall(
    place: Place,
    view: Partial<Moment>,
    query: unknown,
    input: unknown,
  ): Promise<RecallAnswer> {
    const { store } = this.#space;
    store.ensureOpen();
    const asked = readQuery(query);
    const options = check(RecallOptionsSchema, input ?? {}, 'options');
    const searcher = await this.#open();
    const { session = null, snapshot = true } = options;
    return store.read(async () => {
      const answer = await recall(searcher, { query: asked, place, view, options });
      if (!snapshot) return { ...answer, snapshot: null };
      const shown = { query: asked, place, session, answer };
      return { ...answer, snapshot: await this.snapshots.keep(shown) };
    });
  }

  /** What is kept of answers and summaries, for an erasure. */
  get derived(): Derived {
    return {
      erase: async (erased) => {
        await this.profiles.erase();
        return this.snapshots.erase(erased);
      },
      wouldErase: (erased) => this.snapshots.wouldErase(erased),
    };
  }

  /** Runs what erases something, so that nothing of it stays in the files of the index. */
  async erase<T>(work: () => Promise<T>): Promise<T> {
    const { index } = await this.#open();
    return index.erase(async () => {
      try {
        return await work();
      } finally {
        await this.vectors.sweep();
      }
    });
  }

  async close(): Promise<void> {
    // Side by side: the index gives up what it builds only for the vectors.
    await Promise.all([
      this.vectors.close(),
      this.snapshots.close(),
      this.profiles.close(),
      this.#opened?.index.close(),
    ]);
  }

  #open(): Promise<Searcher> {
    this.#searcher ??= this.#make();
    return this.#searcher;
  }

  async #make(): Promise<Searcher> {
    const fold = await loadHanFold();
    const index = new SearchIndex({
      store: this.#space.store,
      fold,
      events: () => this.#eventTexts(),
    });
    this.#opened = {
      space: this.#space,
      index,
      fold,
      vectors: this.#leg ?? this.vectors,
      host: hostOf(this.#ingestion.source),
    };
    return this.#opened;
  }

  /** `null` while nothing was ever taken in. */
  async #eventTexts(): Promise<EventTexts | null> {
    const log = await this.#ingestion.logIfUsed();
    if (log === null) return null;
    if (this.#texts?.log !== log) this.#texts = { log, texts: textsOf(log) };
    return this.#texts.texts;
  }
}

/** What a host tells is looked through for credentials like what it hands over. */
function hostOf(source: EventSource | null): EventHost | null {
  if (source?.search === undefined) return null;
  return {
    search: async (query, options) => (await source.search?.(query, options)) ?? [],
    read: async (session, seq, signal) => {
      const event = await source.read(session, seq, signal);
      return event === null ? null : withoutSecrets(wellFormed(event.text));
    },
  };
}

const PlaceSchema = z.strictObject({
  segment: z.number().int(),
  offset: z.number().int(),
  length: z.number().int(),
});
const placeOf = (position: string): Locator => PlaceSchema.parse(JSON.parse(position));

const textsOf = (log: EventLog): EventTexts => ({
  get generation() {
    return log.generation;
  },
  get bytes() {
    return log.bytes;
  },
  after: async function* (position) {
    for await (const { events, at } of log.after(position === null ? null : placeOf(position))) {
      const { segment, offset, length } = at;
      yield {
        events: events.map(asText),
        position: JSON.stringify({ segment, offset, length }),
      };
    }
  },
  markOf: (position) => log.markOf(placeOf(position)),
  read: ({ scope, session, seq }) => {
    const event = log.read(scope, session, seq);
    return event === null ? null : asText(event);
  },
});

type Kept = NonNullable<ReturnType<EventLog['read']>>;

const asText = ({ scope, session, seq, at, role, speaker, text, told }: Kept): EventText => ({
  scope,
  session,
  seq,
  at,
  role,
  speaker,
  text,
  told: told ?? null,
});
