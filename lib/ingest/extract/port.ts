import type { SessionEvent } from '../event.js';
import { addUsage, type Usage } from '../job.js';

/** A fact that the extractor may refer to, as it is shown to it. */
export interface KnownFact {
  readonly id: string;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly valid: string;
}

export interface KnownPredicate {
  readonly name: string;
  readonly cardinality: 'one' | 'many';
  readonly kind: 'state' | 'event';
  readonly description: string | null;
  readonly objectType: string | null;
}

export interface ExtractionRequest {
  /** The events to extract from, in their order. */
  readonly events: readonly SessionEvent[];
  /** Events just before them, for the meaning of "it"; nothing is to be extracted from these. */
  readonly context: readonly SessionEvent[];
  /** What is believed about what the events mention. Bounded, however large the memory is. */
  readonly facts: readonly KnownFact[];
  readonly predicates: readonly KnownPredicate[];
  readonly timeZone: string;
}

export interface Extraction {
  /** Each an `ExtractedCandidate`. What is not is refused with its reason, and the others are kept. */
  readonly candidates: readonly unknown[];
  readonly usage: Usage;
}

/** Why an attempt at extraction failed, and whether another can help. */
export class ExtractionError extends Error {
  override readonly name = 'ExtractionError';
  /** `later`: the provider is busy or away; `never`: the same call will fail again. */
  readonly retry: 'later' | 'never';
  /** Not before so many milliseconds, when the provider said so. */
  readonly retryAfterMs: number | null;
  readonly usage: Usage | null;

  constructor(
    message: string,
    options: {
      readonly retry: 'later' | 'never';
      readonly retryAfterMs?: number | null;
      readonly usage?: Usage | null;
      readonly cause?: unknown;
    },
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.retry = options.retry;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.usage = options.usage ?? null;
  }

  /** The same failure, with what had been used before it came to that. */
  after(used: Usage): ExtractionError {
    const { message, retry, retryAfterMs, cause } = this;
    const usage = this.usage === null ? used : addUsage(used, this.usage);
    return new ExtractionError(message, { retry, retryAfterMs, usage, cause });
  }
}

/** Turns events into candidates. A host's own model serves through this as well as an endpoint. */
export interface Extractor {
  /** Name and version, kept with every claim. */
  readonly name: string;
  readonly version: string;
  /** @throws ExtractionError */
  extract(request: ExtractionRequest, signal: AbortSignal): Promise<Extraction>;
}
