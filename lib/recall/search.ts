import type { Shown } from '../memory/shadow.js';
import type { Moment, Place, Space } from '../memory/space.js';
import { clip } from '../model/text.js';
import { diversify } from './diversify.js';
import type { HanFold } from './han-fold.js';
import type { SearchIndex } from './index/search-index.js';
import type { EventHost, VectorLeg } from './ports.js';
import { readTime, type AskedTime, type SearchOptionsSchema } from './read/asked.js';
import { Believed } from './read/believed.js';
import {
  claimsByWords,
  eventFilter,
  eventsByWords,
  FactPool,
  NO_VECTORS,
  NOTHING_FOUND,
  strengthIn,
  type Words,
} from './read/candidates.js';
import { Deadline } from './read/deadline.js';
import { graphLeg } from './read/graph-leg.js';
import { byHost, withHost, withTexts } from './read/by-host.js';
import { byMeaning, expiry, goesOn } from './read/by-meaning.js';
import { choiceOfFact, presentHits, type Chosen } from './read/present-hits.js';
import {
  DEFAULT_WEIGHTS,
  defaultFloor,
  FLOOR_OF_OTHERS,
  rank,
  type KindFound,
  type Ranked,
} from './read/rank.js';
import { SupersededStatements } from './read/superseded.js';
import { traceOf } from './read/trace.js';
import { tokenize } from './tokens.js';
import type { AnswerStatus, Hit, SearchAnswer, SearchOptions, Trace } from './types.js';
import type { z } from 'zod';

/** What a search needs besides the question. */
export interface Searcher {
  readonly space: Space;
  readonly index: SearchIndex;
  readonly fold: HanFold;
  readonly vectors: VectorLeg | null;
  /** Where the text of events is that the memory does not keep. */
  readonly host: EventHost | null;
}

export interface Question {
  readonly query: string;
  readonly place: Place;
  readonly view: Partial<Moment>;
  readonly options: z.output<typeof SearchOptionsSchema>;
}

const DEFAULT_LIMIT = 20;
/** How much likeness to what is shown already costs: little, since it was measured to harm. */
const DIVERSITY = 0.1;
/** Of a text so much is compared, in characters: its beginning tells a copy from another. */
const COMPARED = 8_000;
/** Likeness is looked at in so many hits more than are wanted. */
const SPARE = 2;

/** Everything that an answer is made of, up to its hits. */
interface Gathered {
  readonly facts: KindFound;
  readonly events: KindFound;
  readonly pool: FactPool;
  readonly direct: ReadonlySet<number>;
  readonly entities: readonly string[];
  readonly problems: readonly string[];
  readonly isWhole: boolean;
  readonly candidates: Trace['candidates'];
}

/**
 * Searches beliefs and the events behind them.
 *
 * @throws PalimpsestError `ABORTED`, and what a wrong question calls for.
 */
export async function search(searcher: Searcher, question: Question): Promise<SearchAnswer> {
  const { deadlineMs, signal } = question.options;
  const deadline = new Deadline(deadlineMs, signal);
  for (;;) {
    deadline.ensureWanted();
    const answer = await attempt(searcher, question, deadline);
    deadline.ensureWanted();
    if (answer !== null) return answer;
  }
}

/** `null` when documents were numbered anew meanwhile, so that what was found is nothing that can be shown. */
async function attempt(
  searcher: Searcher,
  question: Question,
  deadline: Deadline,
): Promise<SearchAnswer | null> {
  const { space, index } = searcher;
  const { query, place, view, options } = question;
  const time = readTime(space, view, query, options);
  const isReady = await index.catchUp(deadline.signal);
  if (!isReady || deadline.isOver) return timedOut(time, options.trace === true);
  const { generation } = index;
  const terms = tokenize(query, searcher.fold);
  const { read } = time.asOf;
  const besides = new Set(tokenize(read.join(' '), searcher.fold));
  // Facts are of the time that is asked, and need not name it.
  const timeless = tokenize(
    read.reduce((text, words) => text.replace(words, ' '), query),
    searcher.fold,
  );
  const believed = new Believed(space.store.index, place, time);
  const gathered = await gather(searcher, question, {
    time,
    words: { terms, timeless, besides },
    believed,
    deadline,
  });
  if (index.generation !== generation) return null;
  const weights = { ...DEFAULT_WEIGHTS, ...withoutUndefined(options.weights) };
  const fusion = options.fusion === 'ranks' ? 'rank' : 'min-max';
  const all = rank(gathered.facts, gathered.events, { weights, fusion });
  const isSound = isAboveFloor(gathered, all, options.floor);
  const limit = options.limit ?? DEFAULT_LIMIT;
  const isNews = newsTo(searcher, options.except);
  const sound = all.filter((ranked) => isSound(ranked) && isNews(ranked));
  const picked = pick(searcher, sound, gathered.pool, limit);
  const chosen = choose(searcher, picked, gathered.pool, { place, time, believed });
  const trace =
    options.trace === true
      ? traceOf(searcher, { ...gathered, place, terms, timeless, chosen, all, isSound })
      : null;
  // Nothing is read from the search index any more.
  const { readable, isWhole } = await withTexts(searcher.host, chosen, deadline);
  const hits = await presentHits(space, readable, time);
  return {
    status: statusOf(gathered.isWhole && isWhole, hits),
    asOf: time.asOf,
    hits,
    problems: gathered.problems,
    trace,
  };
}

const statusOf = (isWhole: boolean, hits: readonly Hit[]): AnswerStatus =>
  isWhole ? (hits.length === 0 ? 'no-evidence' : 'found') : 'timed-out';

const NO_CANDIDATES: Trace['candidates'] = { claims: 0, events: 0, vectors: 0, graph: 0 };

const timedOut = ({ asOf }: AskedTime, wantsTrace: boolean): SearchAnswer => ({
  status: 'timed-out',
  asOf,
  hits: [],
  problems: [],
  trace: wantsTrace
    ? { terms: [], entities: [], candidates: NO_CANDIDATES, hits: [], cut: [] }
    : null,
});

interface Run {
  readonly time: AskedTime;
  readonly words: Words;
  readonly believed: Believed;
  readonly deadline: Deadline;
}

async function gather(
  { space, index, vectors, host }: Searcher,
  { query, place, options }: Question,
  { time, words, believed, deadline }: Run,
): Promise<Gathered> {
  const { claims } = index;
  const events = options.events === false ? null : index.events;
  const standsFor = (row: number): readonly Shown[] => believed.ofClaim(row);
  const acceptClaim = (row: number): boolean => standsFor(row).length > 0;
  const acceptEvent = events === null ? () => false : eventFilter(events, place, time);
  const asking = byMeaning(vectors, query, { acceptClaim, standsFor, acceptEvent, deadline });
  const askingHost = byHost(events === null ? null : host, query, deadline);
  const pool = new FactPool(believed);
  const told = claimsByWords(claims, place, words, standsFor);
  const factWords = { ...told, hits: pool.ofClaims(told.hits) };
  let isWhole = await goesOn(deadline);
  const ownWords =
    events === null || !isWhole
      ? NOTHING_FOUND
      : eventsByWords(events, place, words, time, acceptEvent);
  isWhole &&= await goesOn(deadline);
  const graph = isWhole
    ? graphLeg(space.store.index, place, time.known, query, believed)
    : { entities: [], scores: new Map<number, number>(), direct: new Set<number>() };
  const near = isWhole ? await Promise.race([asking, expiry(deadline)]) : null;
  const hosted = isWhole ? await Promise.race([askingHost, expiry(deadline)]) : null;
  isWhole &&= near !== null && hosted !== null && !deadline.isOver;
  const { claims: vectorClaims, events: vectorEvents, problem } = near ?? NO_VECTORS;
  const eventWords =
    events === null || hosted === null
      ? ownWords
      : withHost(ownWords, hosted, events, place, acceptEvent);
  const wordScores = new Map(factWords.hits.map(({ id, score }) => [id, score]));
  const strengthOf = (row: number): number => strengthIn(wordScores.get(row) ?? 0, told.whole);
  const connected = pool.ofFacts(graph.scores);
  return {
    facts: {
      lexical: factWords,
      vector: pool.ofClaims(vectorClaims),
      // What a neighbour is connected with says something only where the words do, too.
      graph: connected.filter(({ id }) => graph.direct.has(id) || wordScores.has(id)),
      strength: strengthOf,
    },
    events: {
      lexical: eventWords,
      // No leg is taken at its word about what may be seen.
      vector: vectorEvents.filter(({ id }) => acceptEvent(id)),
      graph: [],
      strength: (document) => eventWords.strengths.get(document) ?? 0,
    },
    pool,
    direct: graph.direct,
    entities: graph.entities,
    problems: [problem, hosted?.problem ?? null].filter((p) => p !== null),
    isWhole,
    candidates: {
      claims: told.hits.length,
      events: eventWords.hits.length,
      vectors: vectorClaims.length + vectorEvents.length,
      graph: connected.length,
    },
  };
}

/** Words that match enough, a meaning that is like enough, or an entity that was named. */
function isAboveFloor(
  { facts, events, direct }: Gathered,
  all: readonly Ranked[],
  given: number | undefined,
): (ranked: Ranked) => boolean {
  const documents = Math.max(facts.lexical.documents, events.lexical.documents);
  const floor = given ?? defaultFloor(documents);
  const best = all.reduce((most, { strength }) => Math.max(most, strength), 0);
  return ({ kind, id, strength, scores }) => {
    const isSaid = scores.lexical !== null && best >= floor && strength >= floor * FLOOR_OF_OTHERS;
    return isSaid || scores.vector !== null || (kind === 'fact' && direct.has(id));
  };
}

/** Whether the asker does not have it before it already. */
function newsTo(
  { space, index }: Searcher,
  except: SearchOptions['except'],
): (ranked: Ranked) => boolean {
  const facts = new Set(except?.facts?.map((id) => space.store.index.factById(id)?.row));
  return ({ kind, id }) => {
    if (kind === 'fact') return !facts.has(id);
    return except?.session === undefined || index.events?.name(id).session !== except.session;
  };
}

/** The best hits, a repetition of what is chosen being held back a little. */
function pick(
  { index, fold }: Searcher,
  sound: readonly Ranked[],
  pool: FactPool,
  limit: number,
): readonly Ranked[] {
  const { claims, events } = index;
  const best = sound.slice(0, limit * SPARE).map((ranked, i) => ({ ...ranked, ranked, id: i }));
  const textOf = ({ kind, id }: Ranked): string => {
    if (kind === 'event') return events?.text(id) ?? '';
    const { claim } = pool.get(id);
    return claim === null ? '' : claims.text(claim);
  };
  const termsOf = (i: number): readonly string[] => {
    const hit = best[i];
    return hit === undefined ? [] : tokenize(clip(textOf(hit.ranked), COMPARED), fold);
  };
  return diversify(best, { termsOf, limit, strength: DIVERSITY }).map(({ ranked }) => ranked);
}

function choose(
  { space, index }: Searcher,
  picked: readonly Ranked[],
  pool: FactPool,
  {
    place,
    time,
    believed,
  }: { readonly place: Place; readonly time: AskedTime; readonly believed: Believed },
): readonly Chosen[] {
  const { events } = index;
  const superseded = new SupersededStatements(space, place, time.known, believed);
  return picked.flatMap((ranked): Chosen[] => {
    if (ranked.kind === 'fact') return [choiceOfFact(ranked, pool)];
    const event = events?.read(ranked.id) ?? null;
    return event === null
      ? []
      : [{ kind: 'event', ranked, event, overruled: superseded.of(event) }];
  });
}

/** Weights that were left out are the usual ones. */
const withoutUndefined = (
  weights: Readonly<Record<string, number | undefined>> | undefined,
): Record<string, number> =>
  Object.fromEntries(
    Object.entries(weights ?? {}).flatMap(([leg, weight]) =>
      weight === undefined ? [] : [[leg, weight]],
    ),
  );
