import { z } from 'zod';
import { check } from '../../model/check.js';
import { PalimpsestError } from '../../model/errors.js';
import { isFactId } from '../../model/ids.js';
import { readInstant } from '../../model/instant.js';
import { BEGIN, FOREVER, type Interval } from '../../model/interval.js';
import { name } from '../../model/text.js';
import { settingsAt } from '../../store/resident/settings.js';
import { EntityInputSchema } from '../names.js';
import { readKnown, readValid, type Moment, type Space } from '../space.js';

const anything = z.unknown();

const SelectorSchema = z.strictObject({
  subject: EntityInputSchema.optional(),
  predicate: z.union([name(), z.array(name()).nonempty()]).optional(),
  object: anything.optional(),
  during: z.strictObject({ from: anything.optional(), to: anything.optional() }).optional(),
  validAt: anything.optional(),
  knownAt: anything.optional(),
  orderBy: z.enum(['validFrom', 'knownFrom', 'subject', 'predicate']).optional(),
  order: z.enum(['asc', 'desc']).optional(),
  limit: z.number().int().positive().optional(),
  after: z.string().refine(isFactId, { error: 'is no id of a fact' }).optional(),
});

export type ReadSelector = Omit<
  z.output<typeof SelectorSchema>,
  'during' | 'validAt' | 'knownAt'
> & {
  readonly known: number;
  /** The asked instant, or `null` when an interval is asked. */
  readonly at: number | null;
  readonly valid: Interval;
};

/**
 * Reads a selector; the moment of a view takes the place of what is left out.
 *
 * @throws PalimpsestError `INVALID_INPUT`, `INVALID_INSTANT`, `INVALID_INTERVAL`, `NOT_FOUND`.
 */
export function readSelector(space: Space, input: unknown, view: Partial<Moment>): ReadSelector {
  const selector = check(SelectorSchema, input === undefined ? {} : input);
  const { during, validAt, knownAt } = selector;
  const { index } = space.store;
  const timeZone = settingsAt(index.tables, index.lastTx).timeZone;
  const known =
    knownAt === undefined && view.known !== undefined
      ? view.known
      : readKnown(index, knownAt, timeZone);
  if (during !== undefined) {
    if (validAt !== undefined) {
      throw new PalimpsestError(
        'INVALID_INPUT',
        'A selector takes `validAt` or `during`, not both.',
        {
          field: 'during',
        },
      );
    }
    return atMoment(selector, known, null, readDuring(during, timeZone));
  }
  const at =
    validAt === undefined && view.valid !== undefined
      ? view.valid
      : readValid(space, validAt, timeZone);
  return atMoment(selector, known, at, { from: at, to: at + 1 });
}

/** Written out, since this is done for every question and copying by names takes longer than finding the facts. */
const atMoment = (
  s: z.output<typeof SelectorSchema>,
  known: number,
  at: number | null,
  valid: Interval,
): ReadSelector => ({
  subject: s.subject,
  predicate: s.predicate,
  object: s.object,
  orderBy: s.orderBy,
  order: s.order,
  limit: s.limit,
  after: s.after,
  known,
  at,
  valid,
});

function readDuring(
  during: { readonly from?: unknown; readonly to?: unknown },
  timeZone: string,
): Interval {
  const bound = (value: unknown, field: string, open: number): number =>
    value === undefined || value === null ? open : readInstant(value, { timeZone, field }).at;
  const from = bound(during.from, 'during.from', BEGIN);
  const to = bound(during.to, 'during.to', FOREVER);
  if (from >= to) {
    throw new PalimpsestError('INVALID_INTERVAL', 'during.to must be after during.from.', {
      field: 'during.to',
    });
  }
  return { from, to };
}
