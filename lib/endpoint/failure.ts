import type { Clock } from '../model/clock.js';
import { clip } from '../model/text.js';
import { ResponseTooLarge } from './bounded-fetch.js';

/** Of what an endpoint says of a failure, in characters: some quote the whole request. */
const WORDS = 300;
/** Nobody waits for longer, whatever the endpoint asks for. */
const LONGEST_WAIT = 86_400_000;

/** Statuses of an endpoint that is busy or away: 402 is an account that has to be filled up. */
const LATER = new Set([402, 408, 409, 423, 425, 429]);

export const isLater = (status: number): boolean =>
  LATER.has(status) || (status >= 500 && status !== 501 && status !== 505);

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

/** A refusal of a request, as an endpoint worded it. */
export interface Refused {
  readonly status: number;
  readonly words: string;
}

/** The refusal in an error of the client, or `null` when no answer came. */
export function refusedIn(error: unknown): Refused | null {
  const status = member(error, 'status');
  if (typeof status !== 'number') return null;
  const message = member(error, 'message');
  return { status, words: typeof message === 'string' ? message : '' };
}

/** What a failed call means: whether the endpoint is away, or the same call will fail again. */
export interface EndpointFailure {
  /** Without the key, and with what to do. */
  readonly message: string;
  /** `null` when no answer came. */
  readonly status: number | null;
  readonly retry: 'later' | 'never';
  /** Milliseconds that the endpoint asks to wait; `null` when it does not say. */
  readonly retryAfterMs: number | null;
  readonly cause: unknown;
}

export function failureOf(error: unknown, apiKey: string, clock: Clock): EndpointFailure {
  const refused = refusedIn(error);
  if (refused !== null) {
    const { status, words } = refused;
    return {
      message: told(status, words, apiKey),
      status,
      retry: isLater(status) ? 'later' : 'never',
      retryAfterMs: retryAfter(member(error, 'headers'), clock),
      cause: undefined,
    };
  }
  const unanswered = { status: null, retryAfterMs: null };
  if (causes(error).some((cause) => cause instanceof ResponseTooLarge)) {
    const message = 'The response of the endpoint is too large to be an answer.';
    return { ...unanswered, message, retry: 'never', cause: undefined };
  }
  const code = causes(error)
    .map((cause) => member(cause, 'code'))
    .find((c) => typeof c === 'string');
  const message = `The endpoint cannot be reached, or broke off${typeof code === 'string' ? ` (${code})` : ''}.`;
  return { ...unanswered, message, retry: 'later', cause: error };
}

/** What the client throws when its own limit has passed. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof Error && error.constructor.name === 'APIConnectionTimeoutError';

function told(status: number, words: string, apiKey: string): string {
  // What is said of a key may be the key.
  if (status === 401) return 'The endpoint does not accept the API key (401).';
  const said = clip(words.replaceAll(apiKey, '[key]').replace(/\s+/gu, ' '), WORDS);
  const withoutStatus = said.replace(new RegExp(`^${status}\\s*`, 'u'), '');
  return `${MEANINGS[status] ?? (isLater(status) ? 'The endpoint is away' : 'The endpoint refuses the request')} (${status}): ${withoutStatus}`;
}

const MEANINGS: Readonly<Record<number, string>> = {
  402: 'The account at the endpoint has run dry',
  403: 'The endpoint does not allow this to the API key',
  404: 'The endpoint does not know the model or the address',
  413: 'The request is too large for the endpoint',
  429: 'The endpoint is busy, or the account has used up what it may',
};

/** An error and what caused it, not further than anybody nests them. */
function causes(error: unknown): readonly unknown[] {
  const out: unknown[] = [];
  for (let e = error; e !== undefined && e !== null && out.length < 8; e = member(e, 'cause')) {
    out.push(e);
  }
  return out;
}

/** Milliseconds that the endpoint asks to wait: seconds, or an HTTP date. */
function retryAfter(headers: unknown, clock: Clock): number | null {
  if (!(headers instanceof Headers)) return null;
  const ms = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (Number.isFinite(ms)) return bounded(ms);
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/u.test(value)) return bounded(Number(value) * 1000);
  // An engine reads any number as some year.
  const date = /^[a-z]{3}/iu.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : bounded(date - clock());
}

const bounded = (ms: number): number => Math.round(Math.min(LONGEST_WAIT, Math.max(0, ms)));
