import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { check } from '../model/check.js';
import { PalimpsestError } from '../model/errors.js';
import { readInstant } from '../model/instant.js';
import { ROLES } from '../model/entry.js';
import { name, text } from '../model/text.js';
import { scopeKey, scopeOfKey, type Scope } from '../model/scope.js';
import { Curator, DEFAULT_CURATOR, type CuratorSettings } from '../ingest/curator.js';
import type { EventMeta, SessionEvent } from '../ingest/event.js';
import type { EventLog } from '../ingest/event-log.js';
import type { Extractor } from '../ingest/extract/port.js';
import type { JobRecord } from '../ingest/job.js';
import type { Step } from '../ingest/run.js';
import type { IngestHealth } from '../ingest/health.js';
import { Ingestor } from '../ingest/ingestor.js';
import { fieldsOf } from '../secrets/fields.js';
import { checkSecrets, ensureNoSecrets } from '../secrets/secrets.js';
import { withoutSecrets } from '../secrets/without.js';
import type { EventSource } from '../ingest/source.js';
import { reextract, type Reextraction } from '../ingest/reextract.js';
import { settingsNow, type Place, type Space } from '../memory/space.js';
import type { InstantInput } from '../model/instant.js';
import { presentIngested, presentJob, type Ingested, type Job } from './job.js';

/** How session events become claims. */
export interface IngestOptions {
  /** Without one, events are kept as evidence and nothing is extracted. */
  readonly extractor?: Extractor | undefined;
  /** `keep` (the default) the text of events, or `reference` what the host keeps. */
  readonly events?: 'keep' | 'reference' | undefined;
  /** Where the host keeps the events' text, for `reference`. */
  readonly source?: EventSource | undefined;
  /** `now` (the default): jobs run as they come. `curated`: the curator decides. */
  readonly when?: 'now' | 'curated' | undefined;
  readonly curator?: Partial<CuratorSettings> | undefined;
  /** Attempts after which a job is a dead letter. Default 3; a provider that is away does not count. */
  readonly attempts?: number | undefined;
  /** Delays of retries, in milliseconds. Default 1 second, doubled up to 5 minutes. */
  readonly backoff?: { readonly first: number; readonly longest: number } | undefined;
  /** Events that may wait. Default 100,000. */
  readonly maxWaiting?: number | undefined;
  /** Calls of the extractor a scope may make on one day, UTC. Default 1,000. */
  readonly dailyCalls?: number | undefined;
}

/** Sees each step of the pipeline before it is taken: what tests break in on. */
export type OnStep = (step: Step, job: JobRecord) => void | Promise<void>;

/** An event as callers give it; those that `readSession` gives can be handed on as they are. */
export interface EventInput {
  readonly session: string;
  /** Place in the session, from 0. */
  readonly seq: number;
  readonly role: SessionEvent['role'];
  readonly text: string;
  /** When it happened. Without it relative dates in the text mean nothing. */
  readonly at?: InstantInput | null | undefined;
  /** Name of the speaker, where several share a role. */
  readonly speaker?: string | null | undefined;
  /** Number of the turn of which it is a part. */
  readonly turn?: number | null | undefined;
  /** What a reader says of it besides; it is not kept. */
  readonly meta?: EventMeta | undefined;
}

/** What a tool prints may be long; more is no text that anybody said. In UTF-16 units. */
const EVENT_TEXT = 8 * 1024 * 1024;

const EventSchema = z.strictObject({
  session: name(),
  seq: z.number().int().nonnegative(),
  role: z.enum(ROLES),
  text: text(EVENT_TEXT).refine((s) => s !== '' && !s.includes('\0'), {
    error: 'is empty or holds NUL',
  }),
  at: z.unknown().optional(),
  speaker: name().nullish(),
  turn: z.number().int().nonnegative().nullish(),
  meta: z.unknown().optional(),
});

const EventsSchema = z.array(EventSchema).nonempty({ error: 'is empty' });

/** Objects of the host's are handed on as they are: only what is called of them is looked at. */
const isExtractor = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  'extract' in value &&
  typeof value.extract === 'function' &&
  'name' in value &&
  name().safeParse(value.name).success &&
  'version' in value &&
  name().safeParse(value.version).success;
const isSource = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  'read' in value &&
  typeof value.read === 'function';

const OptionsShape = z.strictObject({
  extractor: z
    .unknown()
    .refine((v) => v === undefined || isExtractor(v), 'has no extract, name or version')
    .optional(),
  events: z.enum(['keep', 'reference']).optional(),
  source: z
    .unknown()
    .refine((v) => v === undefined || isSource(v), 'has no read')
    .optional(),
  when: z.enum(['now', 'curated']).optional(),
  curator: z
    .strictObject({
      turns: z.number().int().positive().optional(),
      idleMs: z.number().int().positive().optional(),
      sessionsPerBatch: z.number().int().positive().optional(),
      batchesPerRun: z.number().int().positive().optional(),
    })
    .optional(),
  attempts: z.number().int().positive().optional(),
  backoff: z
    .strictObject({ first: z.number().positive(), longest: z.number().positive() })
    .optional(),
  maxWaiting: z.number().int().positive().optional(),
  dailyCalls: z.number().int().nonnegative().optional(),
});

export const IngestOptionsSchema = OptionsShape.refine(
  (o) => o.events !== 'reference' || o.extractor === undefined || o.source !== undefined,
  { path: ['source'], error: 'is needed to read events that are kept by reference' },
);

/** The part of a memory that takes in sessions; opened when it is first needed. */
export class Ingestion {
  readonly #space: Space;
  readonly #options: IngestOptions;
  readonly #onStep: OnStep | undefined;
  #isClosed = false;
  #opened: Promise<{ readonly ingestor: Ingestor; readonly curator: Curator }> | null = null;

  constructor(space: Space, options: IngestOptions, onStep?: OnStep) {
    this.#space = space;
    this.#options = options;
    this.#onStep = onStep;
  }

  /** Opens at once when there may be work left from before. */
  async resume(): Promise<void> {
    const { path } = this.#space.store;
    if (path !== null && existsSync(join(path, 'outbox'))) await this.open();
  }

  async open(): Promise<{ readonly ingestor: Ingestor; readonly curator: Curator }> {
    const { clock, path } = this.#space.store;
    const o = this.#options;
    if (this.#isClosed) throw new PalimpsestError('STORE_CLOSED', 'The memory is closed.');
    this.#opened ??= Ingestor.open(this.#space, {
      folder: path,
      clock,
      extractor: o.extractor ?? null,
      events: o.events ?? 'keep',
      source: o.source ?? null,
      when: o.when ?? 'now',
      attempts: o.attempts ?? 3,
      backoff: o.backoff ?? { first: 1_000, longest: 300_000 },
      maxWaiting: o.maxWaiting ?? 100_000,
      dailyCalls: o.dailyCalls ?? 1_000,
      onStep: this.#onStep,
    }).then(
      (ingestor) => ({
        ingestor,
        curator: new Curator(ingestor, { ...DEFAULT_CURATOR, ...o.curator }, clock),
      }),
      (error: unknown) => {
        // The next call tries again.
        this.#opened = null;
        throw error;
      },
    );
    return this.#opened;
  }

  /**
   * @throws PalimpsestError `INVALID_INPUT` for events of several sessions, `QUEUE_FULL`.
   */
  async ingest(
    scope: Scope,
    input: unknown,
    options: { readonly root?: boolean },
  ): Promise<Ingested> {
    this.#space.store.ensureOpen();
    const { timeZone } = settingsNow(this.#space);
    // Before anything else: what is refused for another reason may be quoted in the error.
    ensureNoSecrets(fieldsOf(withoutTexts(input), 'events'));
    const read = check(EventsSchema, input, 'events');
    for (const [i, { session, speaker }] of read.entries()) {
      await checkSecrets(fieldsOf({ session, speaker }, `events[${i}]`));
    }
    const texts = await Promise.all(read.map((e) => withoutSecrets(e.text)));
    const events = read.map((e, i): SessionEvent => ({
      session: e.session,
      seq: e.seq,
      role: e.role,
      text: texts[i] ?? '',
      at:
        e.at === undefined || e.at === null
          ? null
          : readInstant(e.at, { timeZone, field: `events[${i}].at` }).at,
      speaker: e.speaker ?? null,
      turn: e.turn ?? null,
    }));
    const [first] = events;
    if (first === undefined || events.some((e) => e.session !== first.session)) {
      throw new PalimpsestError('INVALID_INPUT', 'events: one call takes events of one session.', {
        field: 'events',
      });
    }
    const { ingestor, curator } = await this.open();
    const taken = await ingestor.ingest(scope, events, options.root ?? true);
    if (this.#options.when === 'curated' && taken.seqs.length > 0) curator.noticed(scope);
    return presentIngested(ingestor, taken);
  }

  async reextract(
    place: Place,
    session: string,
    signal: AbortSignal | undefined,
  ): Promise<Reextraction> {
    this.#space.store.ensureOpen();
    const { extractor, source } = this.#options;
    if (extractor === undefined) {
      throw new PalimpsestError('INVALID_INPUT', 'This memory was opened without an extractor.', {
        field: 'ingest.extractor',
        hint: 'Give one to openMemory.',
      });
    }
    const { ingestor } = await this.open();
    return reextract({
      space: this.#space,
      place,
      session: check(name(), session, 'session'),
      extractor,
      log: ingestor.log,
      source: source ?? null,
      signal: signal ?? new AbortController().signal,
      beforeCall: () => ingestor.ensureCallLeft(scopeKey(place.scope)),
      onUsage: (usage) => ingestor.countCalls(scopeKey(place.scope), usage),
    });
  }

  /** The log of the events; `null` while nothing was ever taken in. */
  async logIfUsed(): Promise<EventLog | null> {
    if (!this.#isUsed) return null;
    const { ingestor } = await this.open();
    return ingestor.log;
  }

  /** Where the host keeps the text of events. */
  get source(): EventSource | null {
    return this.#options.source ?? null;
  }

  get #isUsed(): boolean {
    const { path } = this.#space.store;
    return this.#opened !== null || (path !== null && existsSync(join(path, 'events')));
  }

  /** Removes events from the files, and the jobs that refer to them. */
  async erase(isMeant: Parameters<Ingestor['erase']>[0], org: string): Promise<void> {
    if (!this.#isUsed) return;
    const { ingestor } = await this.open();
    await ingestor.erase(isMeant, org);
  }

  /** @throws PalimpsestError `NOT_FOUND` for a job that did not fail. */
  async replay(job: string): Promise<Job> {
    const { ingestor, curator } = await this.open();
    const again = await ingestor.replay(job);
    if (this.#options.when === 'curated') curator.noticed(scopeOfKey(again.scope));
    return presentJob(again);
  }

  async jobs(): Promise<readonly Job[]> {
    const { ingestor } = await this.open();
    return ingestor.jobs().map(presentJob);
  }

  async health(): Promise<IngestHealth> {
    const { ingestor, curator } = await this.open();
    const health = ingestor.health();
    if (curator.failure === null || health.reason !== null) return health;
    return { ...health, state: 'degraded', reason: curator.failure };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#opened === null) return;
    const { ingestor, curator } = await this.#opened;
    curator.close();
    await ingestor.close();
  }
}

/** The text of an event is cleaned of credentials; in whatever else it holds they are refused. */
function withoutTexts(input: unknown): unknown {
  if (!Array.isArray(input)) return input;
  return input.map((event: unknown) => {
    if (typeof event !== 'object' || event === null) return event;
    return { ...event, text: undefined, meta: undefined };
  });
}
