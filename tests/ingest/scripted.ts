import type {
  EventInput,
  ExtractedCandidate,
  ExtractionRequest,
  Extractor,
} from '../../lib/index.js';

/** A candidate that adds `shop database …`, but for what a test changes. */
export const candidate = (change: Partial<ExtractedCandidate>): ExtractedCandidate => ({
  action: 'add',
  subject: 'shop',
  subjectType: null,
  predicate: 'database',
  object: 'Postgres',
  objectType: null,
  objectKind: 'string',
  validFrom: null,
  validTo: null,
  statement: null,
  confidence: null,
  seq: 0,
  quote: 'Postgres',
  target: null,
  ...change,
});

/** What is answered to one call: candidates, a failure, or whatever a function makes of the request. */
export type Answer =
  | readonly ExtractedCandidate[]
  | Error
  | ((
      request: ExtractionRequest,
      signal: AbortSignal,
    ) => Promise<readonly ExtractedCandidate[]> | readonly ExtractedCandidate[]);

export interface Scripted extends Extractor {
  /** The requests so far. */
  readonly requests: readonly ExtractionRequest[];
  /** How many events each was about. */
  readonly asked: readonly number[];
  script(...answers: readonly Answer[]): void;
}

/** Answers in turn; a call beyond the script is an error. */
export function scripted(...answers: readonly Answer[]): Scripted {
  const left = [...answers];
  const asked: number[] = [];
  const requests: ExtractionRequest[] = [];
  return {
    name: 'scripted',
    version: '1',
    asked,
    requests,
    script: (...more) => void left.push(...more),
    extract: async (request, signal) => {
      asked.push(request.events.length);
      requests.push(request);
      const answer = left.shift();
      if (answer === undefined) throw new Error('Nothing is scripted for this call.');
      if (answer instanceof Error) throw answer;
      const candidates = typeof answer === 'function' ? await answer(request, signal) : answer;
      return { candidates, usage: { calls: 1, inputTokens: 0, outputTokens: 0, cost: null } };
    },
  };
}

/** What somebody said, at ten in the morning of the last day of 2025. */
export const said = (seq: number, text: string, session = 's-1'): EventInput => ({
  session,
  seq,
  role: 'user',
  text,
  at: '2025-12-31T10:00:00Z',
});
