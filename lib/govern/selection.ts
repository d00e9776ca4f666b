import { z } from 'zod';
import { check } from '../model/check.js';
import { PalimpsestError } from '../model/errors.js';
import type { EntityRecord } from '../model/entry.js';
import { isClaimId, isFactId } from '../model/ids.js';
import { readScope, scopeKey, scopeOfKey, ScopeSchema, sees } from '../model/scope.js';
import { name, normaliseName } from '../model/text.js';
import { isSourceLost } from '../store/resident/claims.js';
import { canonicalAt, termOfEntity } from '../store/resident/entities.js';
import { idText } from '../store/resident/hex.js';
import type { BeliefIndex } from '../store/resident/index.js';
import { NONE, PREFIX } from '../store/resident/tables.js';
import { EntityInputSchema, entitiesMeant, notFound, type NamedEntity } from '../memory/names.js';
import { visibleFact } from '../memory/read/why.js';
import type { Place, Space } from '../memory/space.js';

const ref = (is: (id: string) => boolean, what: string) =>
  z.preprocess(
    (v) => (typeof v === 'object' && v !== null && 'id' in v ? v.id : v),
    z.string().refine(is, { error: `is no id of a ${what}` }),
  );

/** What is to be forgotten. One of these. */
export const SelectionSchema = z.union([
  z.strictObject({ fact: ref(isFactId, 'fact') }),
  z.strictObject({ claim: ref(isClaimId, 'claim') }),
  z.strictObject({ entity: EntityInputSchema }),
  z.strictObject({ session: name() }),
  z.strictObject({
    event: z.strictObject({ session: name(), seq: z.number().int().nonnegative() }),
  }),
  z.strictObject({ user: ScopeSchema.unwrap().shape.org }),
  z.strictObject({ scope: z.unknown() }),
]);

const KINDS = ['fact', 'claim', 'entity', 'session', 'event', 'user', 'scope'];

function readSelection(input: unknown): z.output<typeof SelectionSchema> {
  const [kind, second] = typeof input === 'object' && input !== null ? Object.keys(input) : [];
  if (kind !== undefined && second === undefined && KINDS.includes(kind)) {
    return check(SelectionSchema, input, 'selector');
  }
  throw new PalimpsestError('INVALID_INPUT', 'selector: it is not told what to forget.', {
    field: 'selector',
    hint: `Give one of ${KINDS.join(', ')}.`,
  });
}

export interface Selected {
  /** Rows of accepted claims. */
  readonly claims: readonly number[];
  /** Ids of claims that wait or were rejected. */
  readonly waiting: readonly string[];
  /** Terms of entities that go with them. */
  readonly entities: readonly number[];
  /** Every name of the entity that is to be forgotten, folded; empty when no entity was named. */
  readonly names: readonly string[];
  /** Of claims that have another source too, only this one goes; `null` when no source was named. */
  readonly source: Source | null;
  /** Rows of those claims. */
  readonly shared: readonly number[];
  /** Whether everything of a scope goes, by its key. */
  readonly inScope: (key: string) => boolean;
  /** Whether the selection reaches a scope at all. */
  readonly inReach: (key: string) => boolean;
}

/** A session, or one event of it. */
export interface Source {
  readonly session: string;
  readonly seq: number | null;
}

export const isFrom = (
  source: Source,
  evidence: { readonly session: string; readonly seq: number },
): boolean =>
  evidence.session === source.session && (source.seq === null || evidence.seq === source.seq);

const nowhere = (): boolean => false;

const SOURCELESS = { source: null, shared: [], names: [], inScope: nowhere } as const;

/**
 * The claims and entities that a selection names. `everything` lets it reach beyond what the place
 * sees, to every scope of its org: that is the administrator's.
 */
export function select(space: Space, place: Place, input: unknown, everything: boolean): Selected {
  const selection = readSelection(input);
  const { index } = space.store;
  const { org } = place.scope;
  const inReach = (key: string): boolean =>
    everything ? scopeOfKey(key).org === org : place.visible.includes(key);
  if ('fact' in selection) {
    const row = visibleFact(space, place, selection.fact, index.lastTx, 'selector.fact');
    const support = index.supportOf(row, Math.min(index.lastTx, row.knownTo - 1));
    return { claims: support.map((c) => c.row), waiting: [], entities: [], ...SOURCELESS, inReach };
  }
  if ('claim' in selection) {
    const row = index.claimRow(selection.claim);
    if (row === NONE || !inReach(scopeOfClaim(index, row))) {
      throw notFound(`claim ${selection.claim}`, 'selector.claim');
    }
    return { claims: [row], waiting: [], entities: [], ...SOURCELESS, inReach };
  }
  if ('entity' in selection) {
    const scopes = everything ? scopesOf(index, org) : place.visible;
    const ids = entitiesMeant(index, selection.entity, scopes, index.lastTx);
    const unseen = unseenNamed(index, selection.entity, inReach);
    if (ids.length + unseen.size === 0) throw notFound('such entity', 'selector.entity');
    const terms = new Set(ids.map((id) => termOfEntity(index.tables, id)));
    return ofEntities(index, terms, unseen, inReach);
  }
  if ('session' in selection) return ofSession(space, selection.session, null, inReach);
  if ('event' in selection) {
    return ofSession(space, selection.event.session, selection.event.seq, inReach);
  }
  if ('user' in selection)
    return ofScopes(index, (key) => inReach(key) && scopeOfKey(key).user === selection.user);
  const wanted = readScope(selection.scope, 'selector.scope');
  return ofScopes(index, (key) => inReach(key) && sees(scopeOfKey(key), wanted));
}

const scopeOfClaim = (index: BeliefIndex, row: number): string =>
  index.tables.texts.text(index.tables.claim.scope.get(row)).slice(PREFIX.scope.length);

/** Keys of every scope of an org that has a claim or an entity. */
export function scopesOf(index: BeliefIndex, org: string): string[] {
  const { claim, entity, texts } = index.tables;
  const terms = new Set<number>();
  for (let row = 0; row < claim.scope.length; row++) terms.add(claim.scope.get(row));
  for (let row = 0; row < entity.scope.length; row++) terms.add(entity.scope.get(row));
  const keys = [...terms].map((term) => texts.text(term).slice(PREFIX.scope.length));
  for (const h of [...index.tables.side.held.values(), ...index.tables.side.rejected.values()]) {
    keys.push(scopeKey(h.claim.scope));
  }
  return [...new Set(keys)].filter((key) => scopeOfKey(key).org === org).sort();
}

function claimsWhere(index: BeliefIndex, wanted: (row: number) => boolean): number[] {
  const out: number[] = [];
  for (let row = 0; row < index.tables.claimCount; row++) if (wanted(row)) out.push(row);
  return out;
}

function waitingWhere(
  index: BeliefIndex,
  wanted: (claim: {
    readonly scope: string;
    readonly ends: readonly number[];
    /** Their ids, also of those that nobody has declared. */
    readonly named: readonly string[];
    readonly sessions: readonly (readonly [string, number])[];
  }) => boolean,
): string[] {
  const { side } = index.tables;
  return [...side.held, ...side.rejected]
    .filter(([, { claim }]) => {
      const named = [claim.subject, ...('entity' in claim.object ? [claim.object.entity] : [])];
      return wanted({
        scope: scopeKey(claim.scope),
        ends: named.map((id) => termOfEntity(index.tables, id)),
        named,
        sessions: (claim.evidence ?? []).map((e) => [e.session, e.seq] as const),
      });
    })
    .map(([id]) => id);
}

/** Ids and names of entities that only waiting claims name, of those which an input means. */
function unseenNamed(
  { tables }: BeliefIndex,
  input: NamedEntity,
  inReach: (key: string) => boolean,
): ReadonlyMap<string, string> {
  const wanted = typeof input === 'string' ? { name: input } : input;
  const isMeant = (e: EntityRecord): boolean =>
    'id' in wanted
      ? e.id === wanted.id
      : normaliseName(e.name) === normaliseName(wanted.name) &&
        (wanted.type === undefined || e.type === wanted.type) &&
        (wanted.distinct === undefined || e.distinct === wanted.distinct);
  const { held, rejected } = tables.side;
  const found = new Map<string, string>();
  for (const { entities = [] } of [...held.values(), ...rejected.values()]) {
    for (const e of entities) {
      if (isMeant(e) && inReach(scopeKey(e.scope))) found.set(e.id, normaliseName(e.name));
    }
  }
  return found;
}

/** Everything that is said of some entities, and they themselves. */
function ofEntities(
  index: BeliefIndex,
  terms: ReadonlySet<number>,
  unseen: ReadonlyMap<string, string>,
  inReach: (key: string) => boolean,
): Selected {
  const { tables, lastTx } = index;
  const isMeant = (term: number): boolean => terms.has(canonicalAt(tables, term, lastTx));
  const claims = claimsWhere(
    index,
    (row) =>
      inReach(scopeOfClaim(index, row)) &&
      (isMeant(tables.claim.subject.get(row)) || isMeant(tables.claim.object.get(row))),
  );
  const waiting = waitingWhere(
    index,
    (c) => inReach(c.scope) && (c.ends.some(isMeant) || c.named.some((id) => unseen.has(id))),
  );
  const entities: number[] = [];
  for (let row = 0; row < tables.entity.term.length; row++) {
    const term = tables.entity.term.get(row);
    if (isMeant(term)) entities.push(term);
  }
  return {
    claims,
    waiting,
    entities,
    ...SOURCELESS,
    names: [...new Set([...namesOf(index, entities), ...unseen.values()])],
    inReach,
  };
}

/** Names of all known times. */
function namesOf({ tables }: BeliefIndex, entities: readonly number[]): string[] {
  const names = new Set<string>();
  for (const term of entities) {
    tables.namesOfEntity.each(tables.entityOfTerm.get(term), (entry) => {
      const text = tables.texts.text(tables.name.text.get(entry)).slice(PREFIX.display.length);
      names.add(normaliseName(text));
    });
  }
  return [...names];
}

function ofSession(
  space: Space,
  session: string,
  seq: number | null,
  inReach: (key: string) => boolean,
): Selected {
  const { index } = space.store;
  const source = { session, seq };
  const term = index.tables.texts.find(PREFIX.session + session);
  const rows = term === NONE ? [] : [...new Set(index.tables.claimsOfSession.list(term))];
  const claims: number[] = [];
  const shared: number[] = [];
  for (const row of rows) {
    if (!inReach(scopeOfClaim(index, row))) continue;
    const evidence = space.store.claim(row).evidence ?? [];
    if (!evidence.some((e) => isFrom(source, e))) continue;
    const isLeft = evidence.some(
      (e) => !isFrom(source, e) && !isSourceLost(index.tables, row, e, index.lastTx),
    );
    (isLeft ? shared : claims).push(row);
  }
  const waiting = waitingWhere(
    index,
    (c) => inReach(c.scope) && c.sessions.some(([s, n]) => isFrom(source, { session: s, seq: n })),
  );
  return { claims, waiting, entities: [], names: [], source, shared, inScope: nowhere, inReach };
}

function ofScopes(index: BeliefIndex, inScope: (key: string) => boolean): Selected {
  const { entity, texts } = index.tables;
  const claims = claimsWhere(index, (row) => inScope(scopeOfClaim(index, row)));
  const waiting = waitingWhere(index, (c) => inScope(c.scope));
  const entities: number[] = [];
  for (let row = 0; row < entity.term.length; row++) {
    if (inScope(texts.text(entity.scope.get(row)).slice(PREFIX.scope.length))) {
      entities.push(entity.term.get(row));
    }
  }
  return { claims, waiting, entities, ...SOURCELESS, inScope, inReach: inScope };
}

export const claimIdsOf = (index: BeliefIndex, selected: Selected): string[] => [
  ...selected.claims.map((row) => idText('c', index.tables.claimIds, row)),
  ...selected.waiting,
];
