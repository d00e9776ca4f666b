import { z } from 'zod';
import { check } from '../../model/check.js';
import { name } from '../../model/text.js';
import { settingsAt } from '../../store/resident/settings.js';
import { idText } from '../../store/resident/hex.js';
import type { Tables } from '../../store/resident/tables.js';
import { walk, type Reach } from '../../store/resident/walk.js';
import type { FactRow } from '../../store/rows.js';
import { EntityInputSchema, entitiesMeant, notFound, type NamedEntity } from '../names.js';
import { entityId, factId, Presenter } from '../present.js';
import { readerOf, readKnown, readValid, type Moment, type Place, type Space } from '../space.js';
import type { EntityRef, Fact } from '../types.js';
import type { FactId } from '../../model/ids.js';
import { shownRows } from './edges.js';
import { presentAll } from './facts.js';

const MAX_HOPS = 8;
const DEFAULT_LIMIT = 10_000;

const walking = {
  validAt: z.unknown().optional(),
  knownAt: z.unknown().optional(),
  predicates: z.array(name()).nonempty().optional(),
  /** `out`: from subject to object. Default `both`. */
  direction: z.enum(['out', 'in', 'both']).optional(),
};

const NeighborsSchema = z.strictObject({
  subject: EntityInputSchema,
  hops: z.number().int().min(1).max(MAX_HOPS).optional(),
  /** At most so many neighbours; the nearest first. */
  limit: z.number().int().positive().optional(),
  ...walking,
});

const PathsSchema = z.strictObject({
  from: EntityInputSchema,
  to: EntityInputSchema,
  maxHops: z.number().int().min(1).max(MAX_HOPS).optional(),
  /** At most so many paths; the shortest first. */
  limit: z.number().int().positive().optional(),
  ...walking,
});

export interface Neighbor {
  readonly entity: EntityRef;
  /** How many edges away. */
  readonly hops: number;
  /** The edge by which it was reached first. */
  readonly via: FactId;
  /** The entity from which it was reached. */
  readonly from: EntityRef['id'];
}

export interface Neighborhood {
  readonly neighbors: readonly Neighbor[];
  /** True when `limit` cut it short. */
  readonly cut: boolean;
}

/** One walk from one entity to another. */
export interface Path {
  readonly entities: readonly EntityRef[];
  readonly facts: readonly Fact[];
}

interface Walk {
  readonly space: Space;
  readonly place: Place;
  readonly known: number;
  readonly valid: number;
  readonly predicates: readonly string[] | undefined;
  readonly direction: 'out' | 'in' | 'both';
}

function walkOf(
  space: Space,
  place: Place,
  view: Partial<Moment>,
  input: {
    readonly validAt?: unknown;
    readonly knownAt?: unknown;
    readonly predicates?: readonly string[] | undefined;
    readonly direction?: Walk['direction'] | undefined;
  },
): Walk {
  const { index } = space.store;
  const { timeZone } = settingsAt(index.tables, index.lastTx);
  const { validAt, knownAt, predicates, direction = 'both' } = input;
  const known =
    knownAt === undefined && view.known !== undefined
      ? view.known
      : readKnown(index, knownAt, timeZone);
  const valid =
    view.valid !== undefined && validAt === undefined
      ? view.valid
      : readValid(space, validAt, timeZone);
  return { space, place, known, valid, predicates, direction };
}

interface Step {
  readonly from: string;
  readonly to: string;
  readonly row: FactRow;
}

/** Every edge that leaves the frontier, with the entity on its other side. */
async function step(w: Walk, frontier: readonly string[]): Promise<Step[]> {
  const reader = readerOf(w.space);
  const { index } = w.space.store;
  const valid = { from: w.valid, to: w.valid + 1 };
  const base = {
    scopes: w.place.visible,
    ...(w.predicates === undefined ? {} : { predicates: w.predicates }),
    valid,
    known: w.known,
    polarity: w.place.visible.length > 1 ? ('both' as const) : ('assert' as const),
  };
  const out: Step[] = [];
  if (w.direction !== 'in') {
    for (const { row } of await shownRows(index, reader, { ...base, subjects: frontier })) {
      if (row.object.startsWith('e:'))
        out.push({ from: row.subject, to: row.object.slice(2), row });
    }
  }
  if (w.direction !== 'out') {
    const objects = frontier.map((id) => `e:${id}`);
    for (const { row } of await shownRows(index, reader, { ...base, objects })) {
      out.push({ from: row.object.slice(2), to: row.subject, row });
    }
  }
  return out;
}

/** Entities by their number of edges from a subject, over edges that hold at the asked moment. */
export async function readNeighbors(
  space: Space,
  place: Place,
  view: Partial<Moment>,
  input: unknown,
): Promise<Neighborhood> {
  const { subject, hops = 1, limit = DEFAULT_LIMIT, ...rest } = check(NeighborsSchema, input);
  const w = walkOf(space, place, view, rest);
  const start = meant(w, subject, 'subject');
  const presenter = new Presenter(space.store.index, w.known);
  const near = walkInMemory(w, start, hops, limit);
  if (near !== null) return shownOf(presenter, space.store.index.tables, near);
  const seen = new Set(start);
  const neighbors: Neighbor[] = [];
  let frontier: readonly string[] = start;
  let cut = false;
  for (let hop = 1; hop <= hops && frontier.length > 0 && !cut; hop++) {
    const next: string[] = [];
    for (const { from, to, row } of await step(w, frontier)) {
      if (seen.has(to)) continue;
      if (neighbors.length >= limit) {
        cut = true;
        break;
      }
      seen.add(to);
      next.push(to);
      neighbors.push({
        entity: presenter.entity(to),
        hops: hop,
        via: factId(row.id),
        from: entityId(from),
      });
    }
    frontier = joined(w, next, seen);
  }
  return { neighbors, cut };
}

/** The walk over the index alone, where that can be: by numbers, which is much faster. */
function walkInMemory(
  w: Walk,
  start: readonly string[],
  hops: number,
  limit: number,
): Reach | null {
  const { store } = w.space;
  if (store.readsFromGraph) return null;
  const edges = {
    scopes: w.place.visible,
    ...(w.predicates === undefined ? {} : { predicates: w.predicates }),
    valid: { from: w.valid, to: w.valid + 1 },
    known: w.known,
  };
  return walk(store.index.tables, start, edges, w.direction, hops, limit);
}

function shownOf(presenter: Presenter, t: Tables, { reached, cut }: Reach): Neighborhood {
  const neighbors = reached.map(({ entity, from, fact, hops }) => ({
    entity: presenter.entityOf(entity),
    hops,
    via: factId(idText('f', t.factIds, fact)),
    from: presenter.entityOf(from).id,
  }));
  return { neighbors, cut };
}

/** The same entities in the other visible scopes: a walk goes on from there as well. */
function joined(w: Walk, ids: readonly string[], seen: Set<string>): readonly string[] {
  if (w.place.visible.length === 1) return ids;
  const out = [...ids];
  for (const id of ids) {
    for (const other of meantById(w, id)) {
      if (seen.has(other)) continue;
      seen.add(other);
      out.push(other);
    }
  }
  return out;
}

const meantById = (w: Walk, id: string): readonly string[] =>
  entitiesMeant(w.space.store.index, { id: entityId(id) }, w.place.visible, w.known);

function meant(w: Walk, entity: NamedEntity, field: string): readonly string[] {
  const ids = entitiesMeant(w.space.store.index, entity, w.place.visible, w.known);
  if (ids.length === 0) throw notFound('such entity', field);
  return ids;
}

/** Walks without a cycle between two entities, the shortest first. */
export async function readPaths(
  space: Space,
  place: Place,
  view: Partial<Moment>,
  input: unknown,
): Promise<readonly Path[]> {
  const { from, to, maxHops = 4, limit = 10, ...rest } = check(PathsSchema, input);
  const w = walkOf(space, place, view, rest);
  const goals = new Set(meant(w, to, 'to'));
  const starts = meant(w, from, 'from');
  let partial: (readonly Step[])[] = [];
  const found: (readonly Step[])[] = [];
  let frontier: readonly string[] = starts;
  for (let hop = 1; hop <= maxHops && found.length < limit && frontier.length > 0; hop++) {
    const steps = new Map<string, Step[]>();
    for (const s of await step(w, frontier)) {
      const list = steps.get(s.from);
      if (list === undefined) steps.set(s.from, [s]);
      else list.push(s);
    }
    const longer: (readonly Step[])[] = [];
    const grow = (path: readonly Step[], ends: readonly string[]): void => {
      for (const end of ends) {
        for (const s of steps.get(end) ?? []) {
          if (starts.includes(s.to) || path.some((p) => p.to === s.to)) continue;
          const next = [...path, s];
          if (goals.has(s.to)) found.push(next);
          else if (longer.length < DEFAULT_LIMIT) longer.push(next);
        }
      }
    };
    if (hop === 1) grow([], starts);
    else for (const path of partial) grow(path, meantById(w, path.at(-1)!.to));
    partial = longer;
    frontier = [...new Set(longer.flatMap((path) => meantById(w, path.at(-1)!.to)))];
  }
  const presenter = new Presenter(space.store.index, w.known);
  return Promise.all(
    found.slice(0, limit).map(async (path) => ({
      entities: [path[0]!.from, ...path.map((s) => s.to)].map((id) => presenter.entity(id)),
      facts: await presentAll(
        space,
        path.map(({ row }) => ({ row, shadows: [], swapped: null })),
        w.known,
        w.valid,
      ),
    })),
  );
}
