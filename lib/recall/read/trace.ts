import { Presenter } from '../../memory/present.js';
import type { Place, Space } from '../../memory/space.js';
import type { EventDocuments } from '../index/event-documents.js';
import type { SearchIndex } from '../index/search-index.js';
import type { TermScore } from '../lexical.js';
import type { CutHit, Trace, TracedHit } from '../types.js';
import type { FactPool } from './candidates.js';
import type { Chosen } from './present-hits.js';
import type { Ranked } from './rank.js';

/** Hits left out that a trace names. */
const CUTS = 50;

/** What an answer was made of. */
export interface Traced {
  readonly place: Place;
  readonly terms: readonly string[];
  /** Those by which claims were found. */
  readonly timeless: readonly string[];
  readonly entities: readonly string[];
  readonly candidates: Trace['candidates'];
  readonly pool: FactPool;
  readonly chosen: readonly Chosen[];
  readonly all: readonly Ranked[];
  readonly isSound: (ranked: Ranked) => boolean;
}

export function traceOf(
  { space, index }: { readonly space: Space; readonly index: SearchIndex },
  { place, terms, timeless, entities, candidates, pool, chosen, all, isSound }: Traced,
): Trace {
  const { claims, events } = index;
  const presenter = new Presenter(space.store.index, space.store.index.lastTx);
  const explain = ({ kind, id }: Ranked): readonly TermScore[] => {
    if (kind === 'event') {
      return events?.lexical.explain(id, terms, events.scopesOf(place.visible)) ?? [];
    }
    const { claim } = pool.get(id);
    if (claim === null) return [];
    return claims.lexical.explain(claim, timeless, claims.scopesOf(place.visible));
  };
  const hits = chosen.map(({ ranked }): TracedHit => ({
    id: nameOf(ranked, pool, events),
    terms: explain(ranked).map(({ term, score }) => ({ term, score })),
    strength: ranked.strength,
    scores: ranked.scores,
  }));
  const taken = new Set(chosen.map(({ ranked }) => `${ranked.kind} ${ranked.id}`));
  const cut = all
    .filter(({ kind, id }) => !taken.has(`${kind} ${id}`))
    .slice(0, CUTS)
    .map((ranked): CutHit => ({
      id: nameOf(ranked, pool, events),
      score: ranked.score,
      why: isSound(ranked) ? 'limit' : 'floor',
    }));
  return {
    terms: [...new Set(terms)],
    entities: entities.map((id) => presenter.entity(id).name),
    candidates,
    hits,
    cut,
  };
}

function nameOf({ kind, id }: Ranked, pool: FactPool, events: EventDocuments | null): string {
  if (kind === 'fact') return pool.get(id).shown.row.id;
  const name = events?.name(id);
  return name === undefined ? '' : `${name.session}#${name.seq}`;
}
