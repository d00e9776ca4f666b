import { confirmationAt } from '../belief/bounds.js';
import type { BeliefClaim } from '../belief/claim.js';
import { PalimpsestError } from '../model/errors.js';
import {
  isClaimId,
  isEntityId,
  isFactId,
  type ClaimId,
  type EntityId,
  type FactId,
} from '../model/ids.js';
import { formatInstant, toIso } from '../model/instant.js';
import { BEGIN, FOREVER } from '../model/interval.js';
import type { Precision } from '../model/precision.js';
import { scopeOfKey, type Scope } from '../model/scope.js';
import { termOfKey } from '../model/term.js';
import type { BeliefIndex } from '../store/resident/index.js';
import { ResidentFact } from '../store/resident/facts.js';
import { Recent } from '../store/resident/recent.js';
import type { Settings } from '../store/resident/side.js';
import { settingsAt } from '../store/resident/settings.js';
import { NONE, PREFIX } from '../store/resident/tables.js';
import { STILL, type FactRow } from '../store/rows.js';
import type { EntityRef, Fact, ObjectValue, TxStamp } from './types.js';

/** What a fact says at whatever moment it is asked for. */
type Lasting = Omit<
  Fact,
  'certainty' | 'lastConfirmedAt' | 'stale' | 'knownTo' | 'closedAs' | 'shadows'
>;

/** So many facts are kept ready, in the settings of now. About a kilobyte each. */
const KEPT = 4096;

interface Kept {
  readonly settings: Settings;
  readonly facts: Recent<number, Lasting>;
}

const keptOf = new WeakMap<BeliefIndex, Kept>();

/** The facts of an index that are kept ready; `null` for settings of the past. */
function keptIn(index: BeliefIndex, settings: Settings): Recent<number, Lasting> | null {
  const kept = keptOf.get(index);
  if (kept?.settings === settings) return kept.facts;
  if (settings !== settingsAt(index.tables, index.lastTx)) return null;
  const facts = new Recent<number, Lasting>(KEPT);
  keptOf.set(index, { settings, facts });
  return facts;
}

const ENTITIES = 8192;
const keptEntities = new WeakMap<BeliefIndex, Recent<number, EntityRef>>();

/** Entities that were shown lately: a name and a type are never changed. */
function entitiesOf(index: BeliefIndex): Recent<number, EntityRef> {
  let entities = keptEntities.get(index);
  if (entities === undefined) {
    entities = new Recent(ENTITIES);
    keptEntities.set(index, entities);
  }
  return entities;
}

const scopes = new Recent<string, Scope>(1024);

/** Many answers share it, so no caller may change it for the others. */
function frozen(lasting: Lasting): Lasting {
  if (typeof lasting.object === 'object') Object.freeze(lasting.object);
  Object.freeze(lasting.properties);
  Object.freeze(lasting.precision);
  Object.freeze(lasting.knownFrom);
  return lasting;
}

/** Turns rows of the projections into what callers see. */
export class Presenter {
  readonly #index: BeliefIndex;
  /** The known time of the answer. */
  readonly #known: number;
  readonly #timeZone: string;
  readonly #kept: Recent<number, Lasting> | null;
  readonly #entities: Recent<number, EntityRef>;
  #stamps: Map<number, TxStamp> | null = null;
  /** Predicates whose objects are declared JSON: their value is shown bare. */
  #bare: Map<string, boolean> | null = null;

  constructor(index: BeliefIndex, known: number, pendingAt?: number) {
    this.#index = index;
    this.#known = known;
    const settings = settingsAt(index.tables, known);
    this.#timeZone = settings.timeZone;
    this.#kept = keptIn(index, settings);
    this.#entities = entitiesOf(index);
    if (pendingAt !== undefined)
      this.#stamps = new Map([[known, { tx: known, at: toIso(pendingAt) }]]);
  }

  get known(): number {
    return this.#known;
  }

  get timeZone(): string {
    return this.#timeZone;
  }

  entity(id: string): EntityRef {
    return this.entityOf(this.#index.tables.texts.find(`e:${id}`));
  }

  /** By the number of its text in the tables. */
  entityOf(term: number): EntityRef {
    const cached = this.#entities.get(term);
    if (cached !== undefined) return cached;
    const { entityOfTerm, texts, entity } = this.#index.tables;
    const row = entityOfTerm.get(term);
    if (row === NONE) throw lost(`entity ${term}`);
    const ref = Object.freeze({
      id: entityId(texts.text(term).slice('e:'.length)),
      type: texts.text(entity.type.get(row)).slice(PREFIX.type.length),
      name: texts.text(entity.name.get(row)).slice(PREFIX.display.length),
    });
    // What is not committed may be taken back, and its numbers given to another.
    if (entity.tx.get(row) <= this.#index.lastTx) this.#entities.set(term, ref);
    return ref;
  }

  scope(key: string): Scope {
    let scope = scopes.get(key);
    if (scope === undefined) {
      scope = Object.freeze(scopeOfKey(key));
      scopes.set(key, scope);
    }
    return scope;
  }

  stamp(tx: number): TxStamp {
    this.#stamps ??= new Map();
    let stamp = this.#stamps.get(tx);
    if (stamp === undefined) {
      stamp = { tx, at: toIso(this.#index.at(tx)) };
      this.#stamps.set(tx, stamp);
    }
    return stamp;
  }

  object(key: string, predicate: string): ObjectValue {
    const term = termOfKey(key);
    switch (term.kind) {
      case 'entity':
        return this.entity(term.id);
      case 'instant':
        return { instant: toIso(term.at), precision: term.precision };
      case 'json':
        return this.#isDeclared(predicate) ? bare(term.value) : { json: term.value };
      case 'any':
        return '*';
      default:
        return term.value;
    }
  }

  #isDeclared(predicate: string): boolean {
    this.#bare ??= new Map();
    let declared = this.#bare.get(predicate);
    if (declared === undefined) {
      const record = settingsAt(this.#index.tables, this.#known).predicates.get(predicate);
      declared = record !== undefined && record.object !== null && 'schema' in record.object;
      this.#bare.set(predicate, declared);
    }
    return declared;
  }

  /**
   * A fact as of the presenter's known time. `at` is the asked instant; `swapped` reads the edge
   * from its other end, under `predicate`.
   */
  fact(
    row: FactRow,
    options: {
      readonly at: number | null;
      readonly support: readonly BeliefClaim[];
      readonly shadows?: readonly string[];
      readonly swapped?: { readonly predicate: string } | null;
    },
  ): Fact {
    const { at, support, shadows = [], swapped = null } = options;
    const confirmation = confirmationAt(support, at ?? row.validFrom);
    const open = row.knownTo > this.#known;
    const certainty = at === null ? null : confirmation.definite ? 'definite' : 'presumed';
    const last = confirmation.lastConfirmedAt;
    const lasting = swapped === null ? this.#lasting(row) : this.#readThrough(row, swapped);
    return {
      id: lasting.id,
      subject: lasting.subject,
      predicate: lasting.predicate,
      object: lasting.object,
      instance: lasting.instance,
      properties: lasting.properties,
      validFrom: lasting.validFrom,
      validTo: lasting.validTo,
      precision: lasting.precision,
      valid: lasting.valid,
      startUnknown: lasting.startUnknown,
      certainty,
      lastConfirmedAt: last === null ? null : toIso(last),
      stale: this.#isStale(row.predicate, certainty, at, last),
      knownFrom: lasting.knownFrom,
      knownTo: open || row.knownTo === STILL ? null : this.stamp(row.knownTo),
      closedAs: open ? null : row.reason,
      scope: lasting.scope,
      shadows: shadows.map(factId),
    };
  }

  /** The lasting part of a committed fact, from the answers of before if it is in them. */
  #lasting(row: FactRow): Lasting {
    if (this.#kept === null || !(row instanceof ResidentFact)) return this.#readThrough(row, null);
    const known = this.#kept.get(row.row);
    if (known !== undefined) return known;
    const lasting = this.#readThrough(row, null);
    // What is not committed may be taken back, and what holds values of the caller's is made anew each time.
    const isPlain = row.properties === null && !row.shown.startsWith('j:');
    if (isPlain && row.knownFrom <= this.#index.lastTx) this.#kept.set(row.row, frozen(lasting));
    return lasting;
  }

  #readThrough(row: FactRow, swapped: { readonly predicate: string } | null): Lasting {
    return {
      id: factId(row.id),
      ...this.#ends(row, swapped !== null),
      predicate: swapped?.predicate ?? row.predicate,
      instance: row.instance,
      properties: row.properties === null ? {} : parseObject(row.properties),
      validFrom: row.validFrom === BEGIN ? null : toIso(row.validFrom),
      validTo: row.validTo === FOREVER ? null : toIso(row.validTo),
      precision: { from: row.fromPrecision, to: row.toPrecision },
      valid: this.interval(row),
      startUnknown: row.startUnknown,
      knownFrom: this.stamp(row.knownFrom),
      scope: this.scope(row.scope),
    };
  }

  #ends(row: FactRow, swapped: boolean): { subject: EntityRef; object: ObjectValue } {
    if (!swapped) {
      return { subject: this.entity(row.subject), object: this.object(row.shown, row.predicate) };
    }
    const term = termOfKey(row.object);
    if (term.kind !== 'entity') throw lost(`the other end of ${row.id}`);
    return { subject: this.entity(term.id), object: this.entity(row.subject) };
  }

  #isStale(
    predicate: string,
    certainty: Fact['certainty'],
    at: number | null,
    last: number | null,
  ): boolean {
    if (certainty !== 'presumed' || at === null || last === null) return false;
    const age = settingsAt(this.#index.tables, this.#known).predicates.get(predicate)?.staleAfter;
    return typeof age === 'number' && at - last > age;
  }

  interval(row: {
    readonly validFrom: number;
    readonly validTo: number;
    readonly fromPrecision: Precision;
    readonly toPrecision: Precision;
    readonly startUnknown: boolean;
  }): string {
    const from =
      row.validFrom === BEGIN
        ? '…'
        : `${row.startUnknown ? 'by ' : ''}${this.instant(row.validFrom, row.fromPrecision)}`;
    const to = row.validTo === FOREVER ? '…' : this.instant(row.validTo, row.toPrecision);
    return `${from} – ${to}`;
  }

  instant(at: number, precision: Precision): string {
    return formatInstant({ at, precision }, this.#timeZone);
  }
}

/** Declared JSON comes out as it went in; its type is the ontology's business. */
function bare(value: unknown): ObjectValue {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `ObjectOf` says what it is to callers
  return value as ObjectValue;
}

export function parseObject(json: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(json);
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value))
    : {};
}

export function factId(id: string): FactId {
  if (!isFactId(id)) throw lost(`fact ${id}`);
  return id;
}

export function claimId(id: string): ClaimId {
  if (!isClaimId(id)) throw lost(`claim ${id}`);
  return id;
}

export function entityId(id: string): EntityId {
  if (!isEntityId(id)) throw lost(`entity ${id}`);
  return id;
}

const lost = (what: string): PalimpsestError =>
  new PalimpsestError('STORE_FAILED', `The projection has lost ${what}.`, {
    hint: 'Run `palimpsest doctor --rebuild`.',
  });
