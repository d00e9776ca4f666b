import type { ExtractedCandidate } from '../candidate.js';
import { NO_USAGE } from '../job.js';
import { isSmallTalk } from '../small-talk.js';
import { ExtractionError, type Extractor } from './port.js';

/** A candidate without its event, which is known; members left out are `null`. */
export type RecordedCandidate = Pick<
  ExtractedCandidate,
  'action' | 'subject' | 'predicate' | 'quote'
> &
  Partial<Omit<ExtractedCandidate, 'seq'>>;

/** What an extractor once made of one event. */
export interface RecordedAnswer {
  readonly session: string;
  readonly seq: number;
  readonly candidates: readonly RecordedCandidate[];
}

/**
 * An extractor that answers from a recording, without a model: for demonstrations and tests. An event
 * of which nothing is recorded is an error, so that a recording cannot quietly fall behind; only
 * system messages and small talk need none.
 *
 * @example
 * const extractor = recordedExtractor([
 *   { session: 's-1', seq: 0, candidates: [{ action: 'add', subject: 'shop', predicate: 'database', object: 'Postgres', quote: 'We use Postgres' }] },
 * ]);
 */
export function recordedExtractor(
  answers: Iterable<RecordedAnswer>,
  options: { readonly name?: string; readonly version?: string } = {},
): Extractor {
  const byEvent = new Map<string, RecordedAnswer>();
  for (const answer of answers) byEvent.set(keyOf(answer), answer);
  return {
    name: options.name ?? 'recorded',
    version: options.version ?? '1',
    async extract({ events }) {
      const candidates = events.flatMap((event): ExtractedCandidate[] => {
        const answer = byEvent.get(keyOf(event));
        if (answer === undefined) {
          if (event.role === 'system' || isSmallTalk(event.text)) return [];
          throw new ExtractionError(`Nothing is recorded of ${event.session} #${event.seq}.`, {
            retry: 'never',
          });
        }
        return answer.candidates.map((candidate) => ({ ...NOTHING, ...candidate, seq: event.seq }));
      });
      return { candidates, usage: NO_USAGE };
    },
  };
}

const keyOf = ({ session, seq }: { session: string; seq: number }): string =>
  JSON.stringify([session, seq]);

const NOTHING = {
  subjectType: null,
  object: null,
  objectType: null,
  objectKind: null,
  validFrom: null,
  validTo: null,
  statement: null,
  confidence: null,
  target: null,
} as const;
