import {
  openMemory,
  type Embedder,
  type EventInput,
  type Handle,
  type SearchOptions,
} from '../../lib/index.js';
import type { BenchEvent, BenchQuestion, BenchSet } from './fixtures.js';
import { mean, ndcgAtTen, recallAtTen } from './measures.js';
import type { Figures } from './run.js';

/** A set as a memory holds it: its events taken in, nothing extracted. */
export interface Filled {
  /** Places of the events that a search gives, the best first. */
  readonly ask: (question: BenchQuestion, options?: SearchOptions) => Promise<readonly number[]>;
  readonly close: () => Promise<void>;
}

export async function fill(
  { events }: Pick<BenchSet, 'events'>,
  embedder?: Embedder,
): Promise<Filled> {
  let now = 0;
  const memory = await openMemory({ store: 'memory', clock: () => now, recall: { embedder } });
  const handleOf = (scope: number): Handle => memory.in({ org: 'bench', user: `user ${scope}` });
  const places = new Map<string, number>();
  const sittings = new Map<number, { readonly scope: number; readonly events: EventInput[] }>();
  for (const [place, event] of events.entries()) {
    const sitting = sittings.get(event.sitting) ?? { scope: event.scope, events: [] };
    sittings.set(event.sitting, sitting);
    const input = inputOf(event, sitting.events.length);
    places.set(nameOf(input), place);
    sitting.events.push(input);
  }
  for (const { scope, events: said } of sittings.values()) await handleOf(scope).ingest(said);
  if (embedder !== undefined) {
    const state = await (await memory.reembed()).done;
    if (state.status !== 'ready') throw new Error(state.error?.message ?? state.status);
  }
  return {
    ask: async ({ text, scope, askedAt }, options) => {
      now = askedAt;
      const { hits } = await handleOf(scope).search(text, options);
      return hits.flatMap((hit) => (hit.kind === 'event' ? (places.get(nameOf(hit)) ?? []) : []));
    },
    close: () => memory.close(),
  };
}

const nameOf = ({ session, seq }: Pick<EventInput, 'session' | 'seq'>): string =>
  `${session}#${seq}`;

function inputOf({ sitting, day, speaker, text }: BenchEvent, seq: number): EventInput {
  const isRole = speaker === 'user' || speaker === 'assistant';
  return {
    session: `sitting ${sitting}`,
    seq,
    role: isRole ? speaker : 'user',
    ...(isRole || speaker === null ? {} : { speaker }),
    text,
    at: day,
  };
}

/** The figures of a set, asked through the memory. */
export async function runThroughMemory(
  set: BenchSet,
  readTime: boolean,
  embedder?: Embedder,
): Promise<Figures> {
  const memory = await fill(set, embedder);
  try {
    const recall: number[] = [];
    const ndcg: number[] = [];
    for (const question of set.questions) {
      const ranked = await memory.ask(question, { timeFromQuery: readTime });
      recall.push(recallAtTen(ranked, question.gold));
      ndcg.push(ndcgAtTen(ranked, question.gold));
    }
    return { recall: mean(recall), ndcg: mean(ndcg) };
  } finally {
    await memory.close();
  }
}
