import type { ExtractionRequest, SessionEvent } from '../../../lib/index.js';
import { ExtractionError } from '../../../lib/index.js';

export const event = (
  seq: number,
  text: string,
  more: Partial<SessionEvent> = {},
): SessionEvent => ({
  session: 's-1',
  seq,
  at: Date.parse('2024-05-06T09:00:00Z'),
  role: 'user',
  text,
  speaker: null,
  turn: null,
  ...more,
});

export const request = (
  events: readonly SessionEvent[],
  more: Partial<ExtractionRequest> = {},
): ExtractionRequest => ({
  events,
  context: [],
  facts: [],
  predicates: [],
  timeZone: 'UTC',
  ...more,
});

export const candidate = (more: object = {}): Record<string, unknown> => ({
  action: 'add',
  subject: 'shop',
  subjectType: null,
  predicate: 'database',
  object: 'Postgres',
  objectType: null,
  objectKind: 'string',
  validFrom: null,
  validTo: null,
  statement: 'The shop uses Postgres.',
  confidence: 0.9,
  seq: 0,
  quote: 'We use Postgres',
  target: null,
  ...more,
});

export const patience = new AbortController().signal;

/** The error with which an extraction fails; one that does not fail is an error of the test. */
export async function failureOf(extraction: Promise<unknown>): Promise<ExtractionError> {
  try {
    await extraction;
  } catch (error) {
    if (error instanceof ExtractionError) return error;
    throw error;
  }
  throw new Error('The extraction did not fail.');
}
