import { UNDECLARED, type PredicateRecord } from '../../model/ontology.js';
import { FIRST_SETTINGS, type Settings } from './side.js';
import { PREFIX, type Tables } from './tables.js';

/** The settings in force as known at a transaction. */
export function settingsAt(t: Tables, known: number): Settings {
  const all = t.side.settings;
  for (let i = all.length - 1; i >= 0; i--) {
    const settings = all[i]!;
    if (settings.since <= known) return settings;
  }
  return FIRST_SETTINGS;
}

function definitionsOf(t: Tables, settings: Settings): Map<number, PredicateRecord> {
  if (t.latestDefinitions?.settings === settings) return t.latestDefinitions.byTerm;
  let byTerm = t.predicateCache.get(settings);
  if (byTerm === undefined) {
    byTerm = new Map();
    t.predicateCache.set(settings, byTerm);
  }
  t.latestDefinitions = { settings, byTerm };
  return byTerm;
}

export function predicateAt(t: Tables, predicate: number, known: number): PredicateRecord {
  const settings = settingsAt(t, known);
  if (settings.predicates.size === 0) return UNDECLARED;
  const byTerm = definitionsOf(t, settings);
  let record = byTerm.get(predicate);
  if (record === undefined) {
    const name = t.texts.text(predicate).slice(PREFIX.predicate.length);
    record = settings.predicates.get(name) ?? UNDECLARED;
    byTerm.set(predicate, record);
  }
  return record;
}
