import { z } from 'zod';
import { check } from '../model/check.js';
import { PalimpsestError } from '../model/errors.js';
import { readInstant } from '../model/instant.js';
import { name, text } from '../model/text.js';
import { AssertInputSchema, type Saying } from '../memory/write/input.js';
import { failure, failureOf } from './failure.js';

const OPS = ['assert', 'amend', 'retract', 'deny', 'end'] as const;

/** One line of an event stream. */
interface Line {
  /** Number of the line, from 1. */
  readonly line: number;
  readonly text: string;
  readonly seq: number | null;
  /** Known time, epoch milliseconds; `null` where the import itself is when it became known. */
  readonly at: number | null;
  /** Names the thing said, so that later events can speak of it. */
  readonly key: string | null;
  readonly why: string | null;
}

/** Says something: that it holds, that it holds instead, that it does not hold. */
export interface SayingEvent extends Line {
  readonly op: 'assert' | 'amend' | 'deny';
  readonly said: Saying;
}

/** Takes back what was said under its key. */
export interface RetractEvent extends Line {
  readonly op: 'retract';
  readonly key: string;
}

/** Says from when on something holds no longer. */
export interface EndEvent extends Line {
  readonly op: 'end';
  readonly ended: Ended;
}

/** Without a key the thing is named by subject and predicate. */
export interface Ended {
  readonly at: unknown;
  readonly fact: FactMembers | null;
}

export type StreamEvent = SayingEvent | RetractEvent | EndEvent;

/** The members of a fact, as the stream names them. */
export type FactMembers = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const EnvelopeSchema = z.strictObject({
  seq: z.number().int().nullish(),
  tx: z.string().nullish(),
  op: z.enum(OPS).nullish(),
  key: name().nullish(),
  // Its members are checked by name afterwards; a record would be copied first.
  fact: z.custom<FactMembers>(isObject, { error: 'is no object' }).nullish(),
  why: text().nullish(),
  /** What it was before: for readers of the stream. */
  was: z.unknown().optional(),
});
type Envelope = z.output<typeof EnvelopeSchema>;

/** Reads one line. @throws PalimpsestError `IMPORT_FAILED` naming line and field. */
export function readEvent(textOfLine: string, line: number, timeZone: string): StreamEvent {
  const { seq, tx, op, key, fact, why } = readEnvelope(textOfLine, line);
  const base = {
    line,
    text: textOfLine,
    seq: seq ?? null,
    at: tx === null || tx === undefined ? null : readTx(tx, line, timeZone),
    key: key ?? null,
    why: why ?? null,
  };
  switch (op) {
    case 'retract':
      if (base.key === null) throw failure(line, 'key', 'A retraction names what it takes back.');
      return { ...base, op, key: base.key };
    case 'end':
      return { ...base, op, ended: readEnd(fact, base.key, line) };
    case 'amend':
      if (base.key === null) throw failure(line, 'key', 'An amendment names what it corrects.');
      break;
    default:
      break;
  }
  if (fact === null || fact === undefined) throw failure(line, 'fact', 'It is missing.');
  const polarity = op === 'deny' ? ('deny' as const) : undefined;
  try {
    const said = check(AssertInputSchema, { ...sayingOf(fact), polarity });
    return { ...base, op: op ?? 'assert', said };
  } catch (error) {
    throw failureOf(line, error);
  }
}

function readEnvelope(textOfLine: string, line: number): Envelope {
  let value: unknown;
  try {
    value = JSON.parse(textOfLine);
  } catch (cause) {
    throw failure(line, null, 'It is not JSON.', { cause, hint: 'One event a line.' });
  }
  const result = EnvelopeSchema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue === undefined || issue.path.length === 0 ? null : issue.path.join('.');
  throw failure(line, field, `${issue?.message ?? 'It is no event'}.`, { cause: result.error });
}

function readTx(tx: string, line: number, timeZone: string): number {
  try {
    return readInstant(tx, { timeZone, field: 'tx' }).at;
  } catch (error) {
    if (!PalimpsestError.isInstance(error)) throw error;
    throw failure(line, 'tx', error.message.replace(/^tx:? ?/u, ''), { cause: error });
  }
}

function readEnd(fact: FactMembers | null | undefined, key: string | null, line: number): Ended {
  const at = fact?.['valid_to'] ?? null;
  if (at === null) throw failure(line, 'fact.valid_to', 'An end says from when on.');
  const named = fact?.['subject'] !== undefined && fact['predicate'] !== undefined;
  if (key === null && !named) {
    throw failure(line, 'key', 'An end names what ends: by key, or by subject and predicate.');
  }
  return { at, fact: fact ?? null };
}

/** What the verbs call them. */
const MEMBERS: ReadonlyMap<string, string> = new Map([
  ['subject', 'subject'],
  ['predicate', 'predicate'],
  ['object', 'object'],
  ['valid_from', 'validFrom'],
  ['valid_to', 'validTo'],
  ['observed_at', 'observedAt'],
  ['statement', 'statement'],
  ['confidence', 'confidence'],
  ['instance', 'instance'],
  ['evidence', 'evidence'],
]);

/** `null` is absence; of a property it is the value that clears it. */
function sayingOf(fact: FactMembers): Record<string, unknown> {
  const said: Record<string, unknown> = {};
  const properties = new Map<string, unknown>();
  for (const [member, value] of Object.entries(fact)) {
    const known = MEMBERS.get(member);
    if (known !== undefined) {
      if (value !== null) said[known] = value;
    } else if (member !== 'properties') {
      properties.set(member, value);
    } else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [property, inner] of Object.entries(value)) properties.set(property, inner);
    } else if (value !== null) {
      said['properties'] = value;
    }
  }
  if (properties.size > 0) said['properties'] ??= Object.fromEntries(properties);
  return said;
}
