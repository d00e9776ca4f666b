import { z } from 'zod';
import { check } from '../../model/check.js';
import { name } from '../../model/text.js';
import { isWhollyOut, keyAt, outAt } from '../../store/resident/claims.js';
import { isUndated, predicatesSeen, undatedSeen } from '../../store/resident/seen.js';
import { NONE, PREFIX } from '../../store/resident/tables.js';
import { settingsAt } from '../../store/resident/settings.js';
import type { BeliefIndex } from '../../store/resident/index.js';
import { EntityInputSchema, meant } from '../names.js';
import { Presenter } from '../present.js';
import { readerOf, readKnown, type Moment, type Place, type Space } from '../space.js';
import type { Claim, History } from '../types.js';
import { presentClaim } from './claims.js';
import { findEdges, type ShownEdge } from './edges.js';
import { presentAll } from './facts.js';

const HistorySchema = z.strictObject({
  subject: EntityInputSchema,
  predicate: z.union([name(), z.array(name()).nonempty()]).optional(),
  object: z.unknown().optional(),
  knownAt: z.unknown().optional(),
});

/**
 * Everything that was ever believed of a subject, up to the known time: each fact with the
 * transactions which opened and closed it, in the order of opening.
 */
export async function readHistory(
  space: Space,
  place: Place,
  view: Partial<Moment>,
  input: unknown,
): Promise<History> {
  const { subject, predicate, object, knownAt } = check(HistorySchema, input);
  const { index } = space.store;
  const { timeZone } = settingsAt(index.tables, index.lastTx);
  const known =
    knownAt === undefined && view.known !== undefined
      ? view.known
      : readKnown(index, knownAt, timeZone);
  const predicates = predicate === undefined || Array.isArray(predicate) ? predicate : [predicate];
  const subjects = meant(index, subject, place.visible, known);
  const found = findEdges(index, readerOf(space), {
    subject,
    canonical: subjects,
    predicates,
    object,
    scopes: place.visible,
    valid: null,
    known,
    ever: true,
  });
  const edges = found instanceof Promise ? await found : found;
  if (edges.length > 1) edges.sort(inOrderOfLearning);
  const facts = presentAll(space, edges, known, null);
  return {
    facts: facts instanceof Promise ? await facts : facts,
    undated: object === undefined ? undatedOf(space, subjects.ids, predicates, place, known) : [],
  };
}

const inOrderOfLearning = ({ row: a }: ShownEdge, { row: b }: ShownEdge): number =>
  a.knownFrom - b.knownFrom || a.validFrom - b.validFrom || (a.id < b.id ? -1 : 1);

function undatedOf(
  space: Space,
  subjects: readonly string[],
  predicates: readonly string[] | undefined,
  place: Place,
  known: number,
): Claim[] {
  const { index } = space.store;
  // Most memories have none.
  if (undatedSeen(index.tables).length === 0) return [];
  const presenter = new Presenter(index, known);
  return undatedRows(index, subjects, predicates, place.visible, known).map((row) =>
    presentClaim(space.store, presenter, row),
  );
}

function undatedRows(
  index: BeliefIndex,
  subjects: readonly string[],
  predicates: readonly string[] | undefined,
  scopes: readonly string[],
  known: number,
): number[] {
  const { tables } = index;
  const { claim, texts } = tables;
  const named = predicates
    ?.map((p) => texts.findWith(PREFIX.predicate, p))
    .filter((p) => p !== NONE);
  const out: number[] = [];
  for (const key of keysOf(index, subjects, named, scopes)) {
    tables.claimsOfKey.each(key, (row) => {
      if (claim.tx.get(row) > known || keyAt(tables, row, known) !== key) return;
      if (!isUndated(tables, row) || isWhollyOut(outAt(tables, row, known))) return;
      out.push(row);
    });
  }
  return out.sort((a, b) => a - b);
}

/** Keys of some subjects, in some scopes, of given predicates or of all. */
function keysOf(
  index: BeliefIndex,
  subjects: readonly string[],
  predicates: readonly number[] | undefined,
  scopes: readonly string[],
): number[] {
  const { tables } = index;
  const { texts, groups } = tables;
  const out: number[] = [];
  const subjectTerms = new Set(subjects.map((id) => texts.find(`e:${id}`)));
  const scopeTerms = new Set(scopes.map((s) => texts.findWith(PREFIX.scope, s)));
  for (const scope of scopeTerms) {
    for (const subject of subjectTerms) {
      for (const predicate of predicates ?? predicatesSeen(tables)) {
        const group = groups.find([scope, subject, predicate]);
        if (group !== NONE) out.push(...tables.keysOfGroup.list(group));
      }
    }
  }
  return out;
}
