import {
  readSession,
  recordedExtractor,
  type Fact,
  type Handle,
  type HeldClaim,
  type Job,
  type Memory,
  type Scope,
  type SessionEvent,
  type Why,
} from '../../index.js';
import { DSH_LOG, DSH_SESSION } from './dsh-log.js';
import type { ontology } from './story.js';

/** Where the session of the harness belongs. */
export const DSH_SCOPE: Scope = { org: 'tidewater', project: 'shop-api' };

/**
 * What a model once made of the session, so that the demo needs none. The last candidate is one that a model
 * might make up from the context which the harness had put in: its words are not in the event.
 */
export const extractor = recordedExtractor([
  { session: DSH_SESSION, seq: 4, candidates: [] },
  {
    session: DSH_SESSION,
    seq: 15,
    candidates: [
      {
        action: 'add',
        subject: 'shop-api',
        subjectType: 'service',
        predicate: 'orders database',
        object: 'Postgres',
        objectType: 'database',
        objectKind: 'entity',
        quote: 'database: postgres://db.internal/shop',
      },
      {
        action: 'add',
        subject: 'shop-api',
        subjectType: 'service',
        predicate: 'orders database',
        object: 'SQLite',
        objectType: 'database',
        objectKind: 'entity',
        quote: 'The shop API stores orders in SQLite.',
      },
    ],
  },
  {
    session: DSH_SESSION,
    seq: 26,
    candidates: [
      {
        action: 'merge',
        subject: 'Postgres',
        subjectType: 'database',
        predicate: 'same_as',
        object: 'PostgreSQL',
        quote: 'The configuration now points at PostgreSQL',
      },
    ],
  },
  {
    session: DSH_SESSION,
    seq: 34,
    candidates: [
      {
        action: 'add',
        subject: 'user',
        subjectType: 'person',
        predicate: 'wants reports',
        object: 'outline first, then the conclusions',
        objectKind: 'string',
        quote: 'give me a structured outline first, then the conclusions',
      },
    ],
  },
  { session: DSH_SESSION, seq: 42, candidates: [] },
]);

/** What became of the log, and what the memory answers from it. */
export interface SessionAnswers {
  readonly lines: number;
  readonly events: number;
  /** How many lines were skipped, by the code of the reason. */
  readonly skipped: Readonly<Record<string, number>>;
  readonly job: Job;
  readonly believed: readonly { readonly fact: Fact; readonly why: Why }[];
  readonly held: readonly HeldClaim[];
}

/** Reads the log, ingests its events and asks what is believed since. */
export async function ingestSession(memory: Memory<typeof ontology>): Promise<SessionAnswers> {
  const events: SessionEvent[] = [];
  const skipped: Record<string, number> = {};
  let lines = 0;
  for await (const reading of readSession(bytesOf(DSH_LOG))) {
    lines += 1;
    if (reading.kind === 'event') events.push(reading.event);
    if (reading.kind === 'skipped') {
      const { code } = reading.reason;
      skipped[code] = (skipped[code] ?? 0) + 1;
    }
  }
  const shop = memory.in(DSH_SCOPE);
  const { done } = await shop.ingest(events);
  const job = await done;
  return { lines, events: events.length, skipped, job, ...(await askSession(shop)) };
}

async function askSession(
  shop: Handle<typeof ontology>,
): Promise<Pick<SessionAnswers, 'believed' | 'held'>> {
  const facts = await shop.facts({ orderBy: 'predicate' });
  const believed: { readonly fact: Fact; readonly why: Why }[] = [];
  for (const fact of facts) believed.push({ fact, why: await shop.why(fact) });
  return { believed, held: await shop.held() };
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text, 'utf8');
}
