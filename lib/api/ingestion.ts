import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { check } from '../model/check.js';
import { PalimpsestError } from '../model/errors.js';
import { readInstant } from '../model/instant.js';
import { ROLES } from '../model/entry.js';
import { name, text } from '../model/text.js';
import { scopeOfKey, type Scope } from '../model/scope.js';
import { Curator, DEFAULT_CURATOR, type CuratorSettings } from '../ingest/curator.js';
import type { SessionEvent } from '../ingest/event.js';
import type { Extractor } from '../ingest/extract/port.js';
import type { Job } from '../ingest/job.js';
import type { Step } from '../ingest/run.js';
import { Ingestor, type Ingested } from '../ingest/ingestor.js';
import { withoutSecrets } from '../ingest/credentials.js';
import { fieldsOf } from '../secrets/fields.js';
import { checkSecrets, ensureNoSecrets } from '../secrets/secrets.js';
import type { EventSource } from '../ingest/source.js';
import { reextract, type Reextraction } from '../ingest/reextract.js';
import { settingsNow, type Place, type Space } from '../memory/space.js';
import type { InstantInput } from '../model/instant.js';

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
  /** Sees each step of the pipeline before it is taken, for tests and for progress. */
  readonly onStep?: ((step: Step, job: Job) => void | Promise<void>) | undefined;
}

/** An event as callers give it. */
export interface EventInput {
  readonly session: string;
  /** Place in the session, from 0. */
  readonly seq: number;
  readonly role: SessionEvent['role'];
  readonly text: string;
  readonly at?: InstantInput | undefined;
  readonly speaker?: string | undefined;
  readonly turn?: number | undefined;
}

const EventSchema = z.strictObject({
  session: name(),
  seq: z.number().int().nonnegative(),
  role: z.enum(ROLES),
  text: text().refine((s) => s !== '' && !s.includes('\0'), { error: 'is empty or holds NUL' }),
  at: z.unknown().optional(),
  speaker: name().nullish(),
  turn: z.number().int().nonnegative().nullish(),
  meta: z.unknown().optional(),
});

const EventsSchema = z.array(EventSchema).nonempty({ error: 'is empty' });

export const IngestOptionsSchema = z.strictObject({
  extractor: z.unknown().optional(),
  events: z.enum(['keep', 'reference']).optional(),
  source: z.unknown().optional(),
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
  onStep: z.unknown().optional(),
});

/** The part of a memory that takes in sessions; opened when it is first needed. */
export class Ingestion {
  readonly #space: Space;
  readonly #options: IngestOptions;
  #isClosed = false;
  #opened: Promise<{ readonly ingestor: Ingestor; readonly curator: Curator }> | null = null;

  constructor(space: Space, options: IngestOptions) {
    this.#space = space;
    this.#options = options;
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
      onStep: o.onStep,
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
    const ingested = await ingestor.ingest(scope, events, options);
    if (this.#options.when === 'curated' && ingested.seqs.length > 0) curator.noticed(scope);
    return ingested;
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
    });
  }

  /** Removes events from the files, and the jobs that refer to them. */
  async erase(isMeant: Parameters<Ingestor['erase']>[0]): Promise<void> {
    const { path } = this.#space.store;
    const isUsed = this.#opened !== null || (path !== null && existsSync(join(path, 'events')));
    if (!isUsed) return;
    const { ingestor } = await this.open();
    await ingestor.erase(isMeant);
  }

  /** @throws PalimpsestError `NOT_FOUND` for a job that did not fail. */
  async replay(job: string): Promise<Job> {
    const { ingestor, curator } = await this.open();
    const again = await ingestor.replay(job);
    if (this.#options.when === 'curated') curator.noticed(scopeOfKey(again.scope));
    return again;
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
    return { ...event, text: undefined };
  });
}
