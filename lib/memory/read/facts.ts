import { PalimpsestError } from '../../model/errors.js';
import { Presenter } from '../present.js';
import { soon, type Soon } from '../../store/soon.js';
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
  const edges = edgesOf(space, place, selector);
  const page = pageOf(space, selector, edges instanceof Promise ? await edges : edges);
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
  const page = pageOf(space, selector, await edgesOf(space, place, selector));
  for (let i = 0; i < page.length; i += BATCH) {
    yield* await presentAll(space, page.slice(i, i + BATCH), selector.known, selector.at);
  }
}

const BATCH = 256;

const edgesOf = (space: Space, place: Place, s: ReadSelector): Soon<ShownEdge[]> =>
  findEdges(space.store.index, readerOf(space), {
    subject: s.subject,
    predicates:
      s.predicate === undefined || Array.isArray(s.predicate) ? s.predicate : [s.predicate],
    object: s.object,
    scopes: place.visible,
    valid: s.valid,
    known: s.known,
    newest: isNewestFirst(s) ? s.limit : undefined,
  });

/** The first page in the order that is usual, at one instant: the rest need not be read. */
const isNewestFirst = (s: ReadSelector): boolean =>
  s.at !== null &&
  s.after === undefined &&
  s.order !== 'asc' &&
  (s.orderBy === undefined || s.orderBy === 'validFrom');

export function presentAll(
  space: Space,
  edges: readonly ShownEdge[],
  known: number,
  at: number | null,
): Soon<Fact[]> {
  const presenter = new Presenter(space.store.index, known);
  const support = readerOf(space).support(
    edges.map((e) => e.row),
    known,
  );
  return soon(support, (supportOf) =>
    edges.map(({ row, shadows, swapped }) =>
      presenter.fact(row, { at, support: supportOf(row), shadows, swapped }),
    ),
  );
}

type Order = (edge: ShownEdge, presenter: Presenter) => string | number;

const ORDERS: Record<
  NonNullable<ReadSelector['orderBy']>,
  { readonly of: Order; readonly sign: 1 | -1 }
> = {
  validFrom: { of: ({ row }) => row.validFrom, sign: -1 },
  knownFrom: { of: ({ row }) => row.knownFrom, sign: -1 },
  subject: { of: (edge, presenter) => presenter.entity(subjectOf(edge)).name, sign: 1 },
  predicate: { of: ({ row, swapped }) => swapped?.predicate ?? row.predicate, sign: 1 },
};

const subjectOf = ({ row, swapped }: ShownEdge): string =>
  swapped === null ? row.subject : row.object.slice('e:'.length);

const byKey = (a: string | number, b: string | number): number => (a < b ? -1 : a > b ? 1 : 0);

function inOrder(
  space: Space,
  selector: ReadSelector,
  edges: readonly ShownEdge[],
): readonly ShownEdge[] {
  const { orderBy = 'validFrom', order } = selector;
  const { of, sign } = ORDERS[orderBy];
  const direction = order === undefined ? sign : order === 'asc' ? 1 : -1;
  if (orderBy === 'validFrom') {
    // The usual order needs nothing that has to be looked up.
    return edges.toSorted(
      ({ row: a }, { row: b }) => direction * (a.validFrom - b.validFrom) || byKey(a.id, b.id),
    );
  }
  const presenter = new Presenter(space.store.index, selector.known);
  return edges
    .map((edge) => ({ edge, key: of(edge, presenter) }))
    .sort((a, b) => direction * byKey(a.key, b.key) || byKey(a.edge.row.id, b.edge.row.id))
    .map(({ edge }) => edge);
}

function pageOf(
  space: Space,
  selector: ReadSelector,
  edges: readonly ShownEdge[],
): readonly ShownEdge[] {
  const sorted = edges.length < 2 ? edges : inOrder(space, selector, edges);
  const start = selector.after === undefined ? 0 : positionAfter(sorted, selector.after);
  const end = selector.limit === undefined ? sorted.length : start + selector.limit;
  return start === 0 && end >= sorted.length ? sorted : sorted.slice(start, end);
}

function positionAfter(sorted: readonly ShownEdge[], id: string): number {
  const at = sorted.findIndex((e) => e.row.id === id);
  if (at >= 0) return at + 1;
  throw new PalimpsestError(
    'NOT_FOUND',
    `after: ${id} is not among the facts that are asked for.`,
    {
      field: 'after',
      hint: 'Page with the same selector, and with a fixed validAt and knownAt.',
    },
  );
}
