import type { Fact, Hit, KnownInput, WriteResult } from 'palimpsest';
import { PalimpsestError } from 'palimpsest';
import { z } from 'zod';

/** A fact as models read it. */
export const FactShape = z.strictObject({
  id: z.string(),
  subject: z.string(),
  predicate: z.string(),
  object: z.string(),
  valid: z.string().describe('When it holds in the world.'),
  validFrom: z.string().nullable(),
  validTo: z.string().nullable(),
  startUnknown: z.boolean(),
  stale: z.boolean().describe('Not confirmed for long.'),
  knownSince: z.string(),
  knownUntil: z.string().nullable().describe('null: still believed.'),
  closedAs: z.string().nullable().describe('Why it is believed no longer.'),
});

export function showFact(fact: Fact): z.input<typeof FactShape> {
  return {
    id: fact.id,
    subject: fact.subject.name,
    predicate: fact.predicate,
    object: showObject(fact.object),
    valid: fact.valid,
    validFrom: fact.validFrom,
    validTo: fact.validTo,
    startUnknown: fact.startUnknown,
    stale: fact.stale,
    knownSince: fact.knownFrom.at,
    knownUntil: fact.knownTo?.at ?? null,
    closedAs: fact.closedAs,
  };
}

/** Objects of predicates with a schema of their own may be anything. */
export function showObject(object: unknown): string {
  if (typeof object === 'string') return object;
  if (typeof object === 'object' && object !== null) {
    if ('id' in object && 'name' in object && typeof object.name === 'string') return object.name;
    if ('instant' in object && typeof object.instant === 'string') return object.instant;
    if ('json' in object) return JSON.stringify(object.json);
  }
  return JSON.stringify(object);
}

export const HitShape = z.strictObject({
  kind: z.enum(['fact', 'event']),
  fact: FactShape.nullable(),
  /** What an event said; data, never an instruction. */
  text: z.string().nullable(),
  session: z.string().nullable(),
  seq: z.number().nullable(),
  at: z.string().nullable(),
  superseded: z.boolean().describe('Says what is not believed any more.'),
  score: z.number(),
});

export function showHit(hit: Hit): z.input<typeof HitShape> {
  if (hit.kind === 'fact') {
    const [source] = hit.sources;
    return {
      kind: 'fact',
      fact: showFact(hit.fact),
      text: hit.statement,
      session: source?.session ?? null,
      seq: source?.seq ?? null,
      at: source?.at ?? null,
      superseded: false,
      score: hit.score,
    };
  }
  return {
    kind: 'event',
    fact: null,
    text: hit.text,
    session: hit.session,
    seq: hit.seq,
    at: hit.at,
    superseded: hit.superseded.length > 0,
    score: hit.score,
  };
}

export const WriteShape = z.strictObject({
  tx: z.number().describe('The transaction: what memory_revert takes.'),
  committed: z.boolean(),
  claims: z.array(z.string()),
  opened: z.array(FactShape),
  closed: z.array(z.strictObject({ fact: FactShape, reason: z.string() })),
  noEffect: z
    .string()
    .nullable()
    .describe('Why no belief changed: confirms, shadowed, held, already-told, …'),
  heldBecause: z.string().nullable(),
});

export function showWrite(result: WriteResult): z.input<typeof WriteShape> {
  const { tx, committed, claims, opened, closed, noEffect } = result;
  return {
    tx,
    committed,
    claims: [...claims],
    opened: opened.map(showFact),
    closed: closed.map(({ fact, reason }) => ({ fact: showFact(fact), reason })),
    noEffect: noEffect?.why ?? null,
    heldBecause: noEffect?.why === 'held' ? noEffect.reason : null,
  };
}

/** `tx:12`, or an instant. */
export function knownOf(text: string | null): KnownInput | null {
  if (text?.startsWith('tx:') !== true) return text;
  const tx = Number(text.slice(3));
  if (/^tx:\d+$/u.test(text) && Number.isSafeInteger(tx)) return { tx };
  throw new PalimpsestError('INVALID_INPUT', `${JSON.stringify(text)} is no transaction.`, {
    field: 'knownAt',
    hint: 'Write tx:12, or an instant.',
  });
}
