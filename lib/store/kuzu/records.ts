import { createHash } from 'node:crypto';
import { FOREVER } from '../../model/interval.js';
import {
  STILL,
  type ClaimRow,
  type EntityRow,
  type EvidenceRow,
  type FactRow,
  type SupersessionRow,
} from '../rows.js';
import type { Params } from './native.js';
import type { CLAIM, ENTITY, EVENT, FACT, FROM_EVENT, SUPERSEDES, VALUE_NODE } from './schema.js';
import type { Param } from './native.js';

/** Rows as the graph's tables hold them: one value a column. */

type RecordOf<T extends { readonly columns: object }> = {
  readonly [K in keyof T['columns']]: Param;
};
export type NodeRecord = Params & { readonly id: string };

/** A fact with the commit instants of its known interval. */
export interface StoredFact {
  readonly fact: FactRow;
  /** Epoch milliseconds. */
  readonly knownFromAt: number;
  /** `FOREVER` while believed. */
  readonly knownToAt: number;
}

/** As it was opened; what closed it since comes with a transaction of its own. */
export const openedFact = (fact: FactRow, at: number): StoredFact => ({
  fact:
    fact.knownTo === STILL && fact.reason === null
      ? fact
      : { ...fact, knownTo: STILL, reason: null },
  knownFromAt: at,
  knownToAt: FOREVER,
});

export const entityRecord = (e: EntityRow) =>
  ({ id: e.id, scope: e.scope, type: e.type, name: e.name, tx: e.tx }) satisfies RecordOf<
    typeof ENTITY
  >;

export const factRecord = ({ fact: f, knownFromAt, knownToAt }: StoredFact) =>
  ({
    id: f.id,
    scope: f.scope,
    subject: f.subject,
    predicate: f.predicate,
    polarity: f.polarity,
    object: f.object,
    shown: f.shown,
    instance: f.instance,
    properties: f.properties,
    validFrom: f.validFrom,
    validTo: f.validTo,
    fromPrecision: f.fromPrecision,
    toPrecision: f.toPrecision,
    key: f.key,
    startUnknown: f.startUnknown,
    knownFrom: f.knownFrom,
    knownTo: f.knownTo,
    knownFromAt,
    knownToAt,
    reason: f.reason,
  }) satisfies RecordOf<typeof FACT>;

export const claimRecord = (c: ClaimRow) =>
  ({
    id: c.id,
    scope: c.scope,
    subject: c.subject,
    predicate: c.predicate,
    polarity: c.polarity,
    object: c.object,
    shown: c.shown,
    instance: c.instance,
    properties: c.properties,
    validFrom: c.validFrom,
    validTo: typeof c.validTo === 'number' ? c.validTo : null,
    fromPrecision: c.fromPrecision,
    toPrecision: c.toPrecision,
    validEnd: typeof c.validTo === 'number' ? 'at' : c.validTo,
    unit: c.unit,
    observedAt: c.observedAt,
    authority: String(c.authority),
    origin: c.origin,
    confidence: c.confidence === null ? null : String(c.confidence),
    statement: c.statement,
    tx: c.tx,
    outs: JSON.stringify(c.outs),
  }) satisfies RecordOf<typeof CLAIM>;

/** Two events never share an id: what follows the last `#` is digits. */
export const eventId = (e: EvidenceRow): string => `${e.session}#${e.seq}`;

export const eventRecord = (e: EvidenceRow) =>
  ({ id: eventId(e), session: e.session, seq: e.seq, at: e.at }) satisfies RecordOf<typeof EVENT>;

/** `n` keeps the order; `at` is here too, since two claims may date one event differently. */
export const evidenceRecord = (e: EvidenceRow, n: number) =>
  ({ n, role: e.role, quote: e.quote, at: e.at }) satisfies RecordOf<typeof FROM_EVENT>;

export const supersessionRecord = (s: SupersessionRow) =>
  ({ kind: s.kind }) satisfies RecordOf<typeof SUPERSEDES>;

export const valueRecord = (object: string) =>
  ({ id: valueId(object), text: object.slice(object.indexOf(':') + 1) }) satisfies RecordOf<
    typeof VALUE_NODE
  >;

/** The object key, or a digest of a long one: keys are held in an index. No object key starts with `#`. */
export const valueId = (object: string): string =>
  object.length <= 256 ? object : `#${createHash('sha256').update(object).digest('hex')}`;

/** The entity which an object key names, or `null` for a literal. */
export const entityOf = (object: string): string | null =>
  object.startsWith('e:') ? object.slice(2) : null;

/** `*` in a denial names neither. */
export const isLiteral = (object: string): boolean => object !== '*' && !object.startsWith('e:');
