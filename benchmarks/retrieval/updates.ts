import { openMemory, type OntologyDefinition, type SearchOptions } from '../../lib/index.js';
import { DAY } from '../../lib/model/calendar.js';
import { knowledgeUpdates } from './fixtures.js';

export interface UpdateFigures {
  readonly questions: number;
  /** The newest statement of its pair is found, and comes first of the two. */
  readonly newestFirst: number;
  /** The stale statement is among the hits. */
  readonly staleShown: number;
  /** Asked as of a day before the update, the stale one is found, and first. */
  readonly staleFirstBefore: number;
  /** The same, with the date in the question, of the pairs that were not said on one day. */
  readonly staleFirstInWords: number;
}

/**
 * Pairs of statements of which the second updates the first, all in one memory: each pair a fact of one
 * key with two values, dated by when they were said.
 */
export async function updates(): Promise<UpdateFigures> {
  const pairs = await knowledgeUpdates();
  let now = 0;
  const ontology: OntologyDefinition = {
    predicates: Object.fromEntries(pairs.map((_, i) => [`matter ${i}`, { cardinality: 'one' }])),
  };
  await using memory = await openMemory({ store: 'memory', ontology, clock: () => now });
  const handle = memory.in({ org: 'bench' });
  for (const [i, { stale, newest }] of pairs.entries()) {
    for (const { text, at } of [stale, newest]) {
      await handle.assert({
        subject: 'user',
        predicate: `matter ${i}`,
        object: text,
        validFrom: at,
        observedAt: at,
      });
    }
  }
  const counts = { newestFirst: 0, staleShown: 0, staleFirstBefore: 0, staleFirstInWords: 0 };
  let apart = 0;
  for (const [i, { question, askedAt, stale, newest }] of pairs.entries()) {
    now = askedAt;
    // Two pairs of the set are of the same words, so what counts is the key.
    const ofPair = async (asked: string, options: SearchOptions = {}): Promise<unknown[]> => {
      const { hits } = await handle.search(asked, { limit: 10, ...options });
      return hits.flatMap((hit) =>
        hit.kind === 'fact' && hit.fact.predicate === `matter ${i}` ? [hit.fact.object] : [],
      );
    };
    const found = await ofPair(question);
    if (found[0] === newest.text) counts.newestFirst++;
    if (found.includes(stale.text)) counts.staleShown++;
    const before = newest.at - 1;
    const past = await ofPair(question, { validAt: before });
    if (past[0] === stale.text) counts.staleFirstBefore++;
    const day = dayOf(Math.max(stale.at, newest.at - DAY));
    if (day === dayOf(newest.at)) continue;
    apart++;
    const inWords = await ofPair(`${question} (as of ${day})`);
    if (inWords[0] === stale.text) counts.staleFirstInWords++;
  }
  const share = (count: number): number => count / pairs.length;
  return {
    questions: pairs.length,
    newestFirst: share(counts.newestFirst),
    staleShown: share(counts.staleShown),
    staleFirstBefore: share(counts.staleFirstBefore),
    staleFirstInWords: counts.staleFirstInWords / apart,
  };
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
