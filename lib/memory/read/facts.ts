import { PalimpsestError } from '../../model/errors.js';
import type { FactRow } from '../../store/rows.js';
import { Presenter } from '../present.js';
import { readerOf, type Moment, type Place, type Space } from '../space.js';
import type { Fact } from '../types.js';
import { findEdges, type ShownEdge } from './edges.js';
import { readSelector, type ReadSelector } from './selector.js';

/** Facts that hold and are believed at the asked moment. */
export async function readFacts(
  space: Space,
  place: Place,
  view: Partial<Moment>,
  input: unknown,
): Promise<readonly Fact[]> {
  const selector = readSelector(space, input, view);
  const page = pageOf(selector, await edgesOf(space, place, selector));
  return presentAll(space, page, selector.known, selector.at);
}

/** The same, one by one; nothing is presented before it is asked for. */
export async function* streamFacts(
  space: Space,
  place: Place,
  view: Partial<Moment>,
  input: unknown,
): AsyncIterable<Fact> {
  const selector = readSelector(space, input, view);
  const page = pageOf(selector, await edgesOf(space, place, selector));
  for (let i = 0; i < page.length; i += BATCH) {
    yield* await presentAll(space, page.slice(i, i + BATCH), selector.known, selector.at);
  }
}

const BATCH = 256;

const edgesOf = (space: Space, place: Place, s: ReadSelector): Promise<ShownEdge[]> =>
  findEdges(space.store.index, readerOf(space), {
    subject: s.subject,
    predicates: s.predicate === undefined || Array.isArray(s.predicate) ? s.predicate : [s.predicate],
    object: s.object,
    scopes: place.visible,
    valid: s.valid,
    known: s.known,
  });

export async function presentAll(
  space: Space,
  edges: readonly ShownEdge[],
  known: number,
  at: number | null,
): Promise<Fact[]> {
  const { index } = space.store;
  const presenter = new Presenter(index, known);
  const support = await readerOf(space).support(
    edges.map((e) => e.row),
    known,
  );
  return edges.map(({ row, shadows, swapped }) =>
    presenter.fact(row, { at, support: support(row), shadows, swapped }),
  );
}

type Order = (a: FactRow, b: FactRow) => number;

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const ORDERS: Record<NonNullable<ReadSelector['orderBy']>, { readonly order: Order; readonly sign: 1 | -1 }> = {
  validFrom: { order: (a, b) => a.validFrom - b.validFrom, sign: -1 },
  knownFrom: { order: (a, b) => a.knownFrom - b.knownFrom, sign: -1 },
  subject: { order: (a, b) => byText(a.subject, b.subject), sign: 1 },
  predicate: { order: (a, b) => byText(a.predicate, b.predicate), sign: 1 },
};

function pageOf(selector: ReadSelector, edges: readonly ShownEdge[]): readonly ShownEdge[] {
  const { order, sign } = ORDERS[selector.orderBy ?? 'validFrom'];
  const direction = selector.order === undefined ? sign : selector.order === 'asc' ? 1 : -1;
  const sorted = [...edges].sort(
    (a, b) => direction * order(a.row, b.row) || byText(a.row.id, b.row.id),
  );
  const start = selector.after === undefined ? 0 : positionAfter(sorted, selector.after);
  const end = selector.limit === undefined ? sorted.length : start + selector.limit;
  return start === 0 && end >= sorted.length ? sorted : sorted.slice(start, end);
}

function positionAfter(sorted: readonly ShownEdge[], id: string): number {
  const at = sorted.findIndex((e) => e.row.id === id);
  if (at >= 0) return at + 1;
  throw new PalimpsestError('NOT_FOUND', `after: ${id} is not among the facts that are asked for.`, {
    field: 'after',
    hint: 'Page with the same selector, and with a fixed validAt and knownAt.',
  });
}
