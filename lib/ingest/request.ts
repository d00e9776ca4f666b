import { BEGIN, FOREVER } from '../model/interval.js';
import { Presenter } from '../memory/present.js';
import { objectText } from '../memory/read/why.js';
import { settingsNow, type Place, type Space } from '../memory/space.js';
import type { SessionEvent } from './event.js';
import type { ExtractionRequest, KnownFact, KnownPredicate } from './extract/port.js';
import { entitiesIn } from './mentions.js';

/** What an extractor is shown at most, however large the memory is. */
const FACTS_SHOWN = 40;
const PREDICATES_SHOWN = 80;

/** Builds what an extractor is asked: the events, and what is believed about what they mention. */
export function requestFor(
  space: Space,
  place: Place,
  events: readonly SessionEvent[],
  context: readonly SessionEvent[],
): ExtractionRequest {
  const { timeZone } = settingsNow(space);
  return {
    events,
    context,
    facts: knownFacts(space, place, [...context, ...events]),
    predicates: knownPredicates(space),
    timeZone,
  };
}

function knownFacts(space: Space, place: Place, events: readonly SessionEvent[]): KnownFact[] {
  const { index } = space.store;
  const { lastTx } = index;
  const text = events.map((e) => e.text).join('\n');
  const subjects = entitiesIn(index, text, place.visible, lastTx);
  if (subjects.length === 0) return [];
  const presenter = new Presenter(index, lastTx);
  return index
    .rows({
      scopes: place.visible,
      subjects,
      valid: { from: BEGIN, to: FOREVER },
      known: lastTx,
      polarity: 'assert',
    })
    .sort((a, b) => b.validTo - a.validTo || b.validFrom - a.validFrom || (a.id < b.id ? -1 : 1))
    .slice(0, FACTS_SHOWN)
    .map((row) => ({
      id: row.id,
      subject: presenter.entity(row.subject).name,
      predicate: row.predicate,
      object: objectText(presenter.object(row.shown, row.predicate)),
      valid: presenter.interval(row),
    }));
}

function knownPredicates(space: Space): KnownPredicate[] {
  return [...settingsNow(space).predicates].slice(0, PREDICATES_SHOWN).map(([name, record]) => ({
    name,
    cardinality: record.cardinality,
    kind: record.kind,
    description: record.description,
    objectType: record.object !== null && 'entity' in record.object ? record.object.entity : null,
  }));
}
