import type { Interval } from '../../model/interval.js';
import { UNDECLARED, type PredicateRecord } from '../../model/ontology.js';
import { canonicalAt, entityIdOf } from '../../store/resident/entities.js';
import { NONE, PREFIX } from '../../store/resident/tables.js';
import { settingsAt } from '../../store/resident/settings.js';
import type { BeliefIndex } from '../../store/resident/index.js';
import type { FactRow, RowQuery } from '../../store/rows.js';
import type { Reader } from '../../store/reader.js';
import { soon, type Soon } from '../../store/soon.js';
import { entitiesMeant, meant, objectsMeant, type Meant, type NamedEntity } from '../names.js';
import { entityId } from '../present.js';
import { shadow, type Shown } from '../shadow.js';

/** An edge as a read shows it: perhaps from its other end. */
export interface ShownEdge extends Shown {
  /** Set when the edge is read backwards, with the name it has in that direction. */
  readonly swapped: { readonly predicate: string } | null;
}

export interface EdgeQuery {
  readonly subject?: NamedEntity | undefined;
  /** The entities that the subject means, where that is known already. */
  readonly canonical?: Meant | undefined;
  readonly predicates?: readonly string[] | undefined;
  readonly object?: unknown;
  readonly scopes: readonly string[];
  readonly valid: Interval | null;
  readonly known: number;
  readonly ever?: boolean | undefined;
  /** So many of those that start last are enough, where that can be told without reading all. */
  readonly newest?: number | undefined;
}

/**
 * The edges that a query means, with inverse names read backwards, symmetric edges from both ends,
 * and what narrower scopes hide taken out. Over all known times nothing is hidden.
 */
export function findEdges(index: BeliefIndex, reader: Reader, query: EdgeQuery): Soon<ShownEdge[]> {
  const { predicates } = settingsAt(index.tables, query.known);
  const { inverses, symmetric } = readingsOf(predicates);
  const forward: string[] = [];
  const backward: { readonly stored: string; readonly asked: string }[] = [];
  for (const asked of query.predicates ?? []) {
    const stored = inverses.get(asked);
    if (stored !== undefined) backward.push({ stored, asked });
    else forward.push(asked);
    if (symmetric.has(asked)) backward.push({ stored: asked, asked });
  }
  if (query.predicates === undefined && query.subject !== undefined) {
    for (const name of symmetric) backward.push({ stored: name, asked: name });
  }
  const names = query.predicates === undefined ? undefined : forward;
  if (backward.length === 0) return oneWay(index, reader, query, names, null);
  return bothWays(index, reader, query, names, backward);
}

/** Edges read forward under some names, or under all, and backward under others. */
async function bothWays(
  index: BeliefIndex,
  reader: Reader,
  query: EdgeQuery,
  names: readonly string[] | undefined,
  backward: readonly { readonly stored: string; readonly asked: string }[],
): Promise<ShownEdge[]> {
  const { newest: _newest, ...whole } = query;
  const out = names?.length === 0 ? [] : await oneWay(index, reader, whole, names, null);
  const seen = new Set(out.map((e) => e.row.id));
  for (const { stored, asked } of backward) {
    const edges = await oneWay(index, reader, query, [stored], { predicate: asked });
    for (const edge of edges) if (!seen.has(edge.row.id)) out.push(edge);
  }
  return out;
}

/** How predicates are read from their other end. */
interface Readings {
  /** Stored name by inverse name. */
  readonly inverses: ReadonlyMap<string, string>;
  readonly symmetric: ReadonlySet<string>;
}

const readings = new WeakMap<ReadonlyMap<string, PredicateRecord>, Readings>();

function readingsOf(predicates: ReadonlyMap<string, PredicateRecord>): Readings {
  let found = readings.get(predicates);
  if (found === undefined) {
    const inverses = new Map<string, string>();
    const symmetric = new Set<string>();
    for (const [name, record] of predicates) {
      if (record.inverse !== null && !inverses.has(record.inverse))
        inverses.set(record.inverse, name);
      if (record.symmetric) symmetric.add(name);
    }
    found = { inverses, symmetric };
    readings.set(predicates, found);
  }
  return found;
}

function oneWay(
  index: BeliefIndex,
  reader: Reader,
  query: EdgeQuery,
  predicates: readonly string[] | undefined,
  swapped: ShownEdge['swapped'],
): Soon<ShownEdge[]> {
  const { known, scopes } = query;
  const settings = settingsAt(index.tables, known);
  const record =
    predicates?.length === 1 ? (settings.predicates.get(predicates[0]!) ?? UNDECLARED) : UNDECLARED;
  const canonical =
    query.canonical ??
    (query.subject === undefined ? undefined : meant(index, query.subject, scopes, known));
  const near =
    query.ever === true && canonical !== undefined
      ? withMerged(index, canonical.ids, known)
      : canonical?.ids;
  const far =
    query.object === undefined
      ? undefined
      : objectsMeant(
          index,
          query.object,
          swapped === null ? record : { ...record, object: null },
          scopes,
          known,
          settings.timeZone,
        );
  const subjects = swapped === null ? near : far?.filter(isEntityKey).map((key) => key.slice(2));
  const objects = swapped === null ? far : near?.map((id) => `e:${id}`);
  // A denial of everything names no object, and still hides what a broader scope says of this one.
  const wanted = objects === undefined || scopes.length === 1 ? objects : [...objects, '*'];
  const rowQuery: RowQuery = {
    scopes,
    subjects,
    subjectTerms: swapped === null && near === canonical?.ids ? canonical?.terms : undefined,
    objects: wanted,
    predicates,
    valid: query.valid,
    known: query.ever === true ? 'ever' : known,
    polarity: scopes.length > 1 && query.ever !== true ? 'both' : 'assert',
  };
  if (query.newest !== undefined && wanted === undefined && subjects?.length === 1) {
    const lived = scopes.filter((s) => index.tables.texts.findWith(PREFIX.scope, s) !== NONE);
    const found = reader.newest({ ...rowQuery, scopes: lived, polarity: 'assert' }, query.newest);
    return soon(found, (rows) =>
      rows === null
        ? whole(index, reader, query, rowQuery, swapped)
        : rows.map((row) => ({ row, shadows: NOTHING, swapped })),
    );
  }
  return whole(index, reader, query, rowQuery, swapped);
}

/** All edges of a query. */
function whole(
  index: BeliefIndex,
  reader: Reader,
  { valid, known, ever }: EdgeQuery,
  rows: RowQuery,
  swapped: ShownEdge['swapped'],
): Soon<ShownEdge[]> {
  // A literal has no end from which the edge could be read.
  const isRead = (row: FactRow): boolean => swapped === null || isEntityKey(row.object);
  if (ever !== true && valid !== null) {
    return soon(shownRows(index, reader, { ...rows, valid, known }), (shown) =>
      shown.filter(({ row }) => isRead(row)).map(({ row, shadows }) => ({ row, shadows, swapped })),
    );
  }
  return soon(reader.rows(rows), (found) => {
    const out: ShownEdge[] = [];
    for (const row of found) {
      if (row.knownFrom <= known && isRead(row)) out.push({ row, shadows: NOTHING, swapped });
    }
    return out;
  });
}

const NOTHING: readonly string[] = [];

const isEntityKey = (key: string): boolean => key.startsWith('e:');

/**
 * The rows of a query that no narrower scope hides. With given objects, what hides a row may have
 * another object, so the rivals of each row are read too.
 */
export const shownRows = (
  index: BeliefIndex,
  reader: Reader,
  query: RowQuery & { readonly valid: Interval; readonly known: number },
): Soon<Shown[]> => soon(reader.rows(query), (rows) => shownAmong(index, reader, query, rows));

function shownAmong(
  index: BeliefIndex,
  reader: Reader,
  query: RowQuery & { readonly valid: Interval; readonly known: number },
  rows: readonly FactRow[],
): Soon<Shown[]> {
  const { objects, valid, known } = query;
  const first = rows[0];
  if (objects === undefined || first === undefined || !livesInSeveral(index, query.scopes)) {
    return shadow(index, rows, valid, known);
  }
  const matches = rows.filter((row) => row.polarity === 'assert');
  const subjects = new Set<string>();
  for (const row of matches) {
    const joined = entitiesMeant(index, { id: entityId(row.subject) }, query.scopes, known);
    for (const id of joined) subjects.add(id);
  }
  const { objects: _objects, subjectTerms: _subjects, ...open } = query;
  const rivals = reader.rows({
    ...open,
    subjects: [...subjects],
    predicates: [...new Set(matches.map((row) => row.predicate))],
  });
  const wanted = new Set(objects);
  return soon(rivals, (found) =>
    shadow(index, found, valid, known).filter(({ row }) => wanted.has(row.object)),
  );
}

/** Whether more than one of the scopes has anything in it. */
const livesInSeveral = (index: BeliefIndex, scopes: readonly string[]): boolean =>
  scopes.filter((s) => index.tables.texts.findWith(PREFIX.scope, s) !== NONE).length > 1;

/** The entities, and those that have been merged into them: what was believed of them is of the history. */
function withMerged(index: BeliefIndex, ids: readonly string[], known: number): readonly string[] {
  const { tables } = index;
  if (tables.side.canonicals.size === 0) return ids;
  const wanted = new Set(ids);
  const merged = [...tables.side.canonicals.keys()]
    .filter((term) => wanted.has(entityIdOf(tables, canonicalAt(tables, term, known))))
    .map((term) => entityIdOf(tables, term));
  return [...new Set([...ids, ...merged])];
}
