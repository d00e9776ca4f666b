import { contains } from '../../lib/model/interval.js';
import { LexicalIndex } from '../../lib/recall/lexical.js';
import { raiseNeighbours } from '../../lib/recall/neighbours.js';
import { questionTime } from '../../lib/recall/question-time.js';
import { raiseWithin } from '../../lib/recall/raise-within.js';
import { searchedText } from '../../lib/recall/searched-text.js';
import { tokenize } from '../../lib/recall/tokens.js';
import type { BenchEvent, BenchSet } from './fixtures.js';
import { mean, ndcgAtTen, recallAtTen } from './measures.js';

const CANDIDATES = 100;

export interface Figures {
  readonly recall: number;
  readonly ndcg: number;
}

/** The way of `recall()` over events, without facts and without a model. */
export function run({ events, questions }: BenchSet, readTime: boolean): Figures {
  const index = new LexicalIndex();
  for (const [id, event] of events.entries()) {
    index.add(id, event.scope, tokenize(searchedText(event, event.text)));
  }
  const ranked = questions.map(({ text, scope, askedAt }) => {
    const terms = tokenize(text);
    const query = { scopes: [scope], limit: CANDIDATES };
    const found = index.search(terms, query);
    const time = readTime ? questionTime(text, { now: askedAt, timeZone: 'UTC' }) : null;
    const neighbours = (id: number): number[] => neighboursOf(events, id);
    if (time === null) return raiseNeighbours(found, neighbours).map(({ id }) => id);
    // Scores do not depend on the filter, so both lists are of one measure.
    const saidAt = (id: number): number => Date.parse(events[id]?.day ?? '');
    const within = index.search(terms, {
      ...query,
      accept: (id) => contains(time.window, saidAt(id)),
    });
    const met = new Map([...found, ...within].map((hit) => [hit.id, hit]));
    const raised = raiseNeighbours([...met.values()], neighbours);
    return raiseWithin(raised, time, saidAt).map(({ id }) => id);
  });
  return {
    recall: mean(questions.map(({ gold }, i) => recallAtTen(ranked[i] ?? [], gold))),
    ndcg: mean(questions.map(({ gold }, i) => ndcgAtTen(ranked[i] ?? [], gold))),
  };
}

function neighboursOf(events: readonly BenchEvent[], id: number): number[] {
  return [id - 1, id + 1].filter((other) => events[other]?.sitting === events[id]?.sitting);
}
