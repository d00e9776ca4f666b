import { z } from 'zod';
import { check } from '../../model/check.js';
import { PalimpsestError } from '../../model/errors.js';
import { readInstant, toIso } from '../../model/instant.js';
import { BEGIN, FOREVER, type Interval } from '../../model/interval.js';
import { name, text } from '../../model/text.js';
import { readKnown, settingsNow, type Moment, type Space } from '../../memory/space.js';
import { questionTime, type QuestionTime } from '../question-time.js';
import type { AsOfRead } from '../types.js';

const anything = z.unknown();
const isFunction = (value: unknown): value is (text: string) => number =>
  typeof value === 'function';
const weight = () => z.number().finite().nonnegative().optional();

const searching = {
  validAt: anything.optional(),
  knownAt: anything.optional(),
  during: z.strictObject({ from: anything.optional(), to: anything.optional() }).optional(),
  limit: z.number().int().positive().max(1000).optional(),
  floor: z.number().min(0).max(1).optional(),
  weights: z.strictObject({ lexical: weight(), vector: weight(), graph: weight() }).optional(),
  fusion: z.enum(['scores', 'ranks']).optional(),
  events: z.boolean().optional(),
  timeFromQuery: z.boolean().optional(),
  except: z
    .strictObject({ facts: z.array(z.string()).optional(), session: name().optional() })
    .optional(),
  deadlineMs: z.number().nonnegative().optional(),
  signal: z.instanceof(AbortSignal).optional(),
  trace: z.boolean().optional(),
};

export const SearchOptionsSchema = z.strictObject(searching);
export const RecallOptionsSchema = z.strictObject({
  ...searching,
  maxTokens: z.number().int().nonnegative().optional(),
  countTokens: z.custom<(text: string) => number>(isFunction, 'is not a function').optional(),
  session: name().optional(),
  snapshot: z.boolean().optional(),
});

const QuerySchema = text().refine((query) => query.trim() !== '', { error: 'is empty' });

/** @throws PalimpsestError `INVALID_INPUT`, `TOO_LARGE` */
export const readQuery = (query: unknown): string => check(QuerySchema, query, 'query');

/** When what is asked for has to hold, and what was known then. */
export interface AskedTime {
  /** Where facts have to hold: one instant, or a stretch in which some of it has to. */
  readonly valid: Interval;
  /** The instant of `valid` if it is one. */
  readonly at: number | null;
  /** In which happenings have to lie; they hold for a moment only, and are found when they are over. */
  readonly happened: Interval;
  readonly known: number;
  /** Events said outside are left out; `null` for none. */
  readonly said: Interval | null;
  /** Events taken in at this instant or later are left out; `null` where all is known. */
  readonly toldBefore: number | null;
  /** The time in the question, which raises what was said then. */
  readonly question: QuestionTime | null;
  readonly asOf: AsOfRead;
}

type Searching = z.output<typeof SearchOptionsSchema>;

/**
 * The moment of a question: as given, else as the view has it, else as the question says, else now.
 *
 * @throws PalimpsestError `INVALID_INPUT`, `INVALID_INSTANT`, `INVALID_INTERVAL`, `NOT_FOUND`
 */
export function readTime(
  space: Space,
  view: Partial<Moment>,
  query: string,
  options: Searching,
): AskedTime {
  const { index, clock } = space.store;
  const { timeZone } = settingsNow(space);
  const { validAt, knownAt, during, timeFromQuery = true } = options;
  if (validAt !== undefined && during !== undefined) {
    throw new PalimpsestError('INVALID_INPUT', 'Give `validAt` or `during`, not both.', {
      field: 'during',
    });
  }
  const known =
    knownAt === undefined && view.known !== undefined
      ? view.known
      : readKnown(index, knownAt, timeZone);
  const stamp = { tx: known, at: known === 0 ? toIso(clock()) : toIso(index.at(known)) };
  const base = { known, toldBefore: toldBefore(space, knownAt, view, known) };
  const asOf = (
    from: AsOfRead['from'],
    at: number | null,
    valid: Interval,
    read: readonly string[] = [],
  ): AsOfRead => ({
    validAt: at === null ? null : toIso(at),
    during: at === null ? { from: isoOrNull(valid.from), to: isoOrNull(valid.to) } : null,
    knownAt: stamp,
    from,
    read,
  });
  if (during !== undefined) {
    const valid = readDuring(during, timeZone);
    const given = asOf('given', null, valid);
    return {
      ...base,
      valid,
      at: null,
      happened: valid,
      said: valid,
      question: null,
      asOf: given,
    };
  }
  const given =
    validAt === undefined ? view.valid : readInstant(validAt, { timeZone, field: 'validAt' }).at;
  const now = clock();
  const question =
    given === undefined && timeFromQuery ? questionTime(query, { now, timeZone }) : null;
  if (question !== null && question.kind === 'window' && question.window.to < now) {
    const { window: valid, words } = question;
    const read = asOf('question', null, valid, words);
    return { ...base, valid, at: null, happened: valid, said: null, question, asOf: read };
  }
  // What is asked of the last months is asked as it is now, but for what happened in them.
  const at =
    given ??
    (question?.kind === 'window' ? Math.max(now, question.window.from) : (question?.asOf ?? now));
  const valid = { from: at, to: at + 1 };
  return {
    ...base,
    valid,
    at,
    happened: question?.window ?? { from: BEGIN, to: at + 1 },
    said: null,
    question,
    asOf: asOf(
      given !== undefined ? 'given' : question === null ? 'now' : 'question',
      at,
      valid,
      question?.words,
    ),
  };
}

/** A transaction is the last word until the next one, and an instant until the next millisecond. */
function toldBefore(
  space: Space,
  knownAt: unknown,
  view: Partial<Moment>,
  known: number,
): number | null {
  const { index } = space.store;
  if (knownAt !== undefined && !('tx' in Object(knownAt))) {
    const { timeZone } = settingsNow(space);
    return readInstant(knownAt, { timeZone, field: 'knownAt' }).at + 1;
  }
  if (knownAt === undefined && view.knownAt !== undefined) return view.knownAt + 1;
  return known === index.lastTx ? null : index.at(known + 1);
}

function readDuring(
  during: { readonly from?: unknown; readonly to?: unknown },
  timeZone: string,
): Interval {
  const bound = (value: unknown, field: string, open: number): number =>
    value === undefined || value === null ? open : readInstant(value, { timeZone, field }).at;
  const from = bound(during.from, 'during.from', BEGIN);
  const to = bound(during.to, 'during.to', FOREVER);
  if (from < to) return { from, to };
  throw new PalimpsestError('INVALID_INTERVAL', 'during.to must be after during.from.', {
    field: 'during.to',
  });
}

const isoOrNull = (at: number): string | null => (at <= BEGIN || at >= FOREVER ? null : toIso(at));
