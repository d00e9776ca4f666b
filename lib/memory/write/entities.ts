import { z } from 'zod';
import { check } from '../../model/check.js';
import { PalimpsestError } from '../../model/errors.js';
import { scopeKey } from '../../model/scope.js';
import { name, normaliseName } from '../../model/text.js';
import { SAME_AS } from '../../model/ontology.js';
import { isWhollyOut, outAt } from '../../store/resident/claims.js';
import { entityIdOf, entityOfId, termOfEntity } from '../../store/resident/entities.js';
import { idText } from '../../store/resident/hex.js';
import { NONE, PREFIX } from '../../store/resident/tables.js';
import { STILL } from '../../store/rows.js';
import { EntityInputSchema, entitiesMeant, notFound, type NamedEntity } from '../names.js';
import type { Draft, VerbOutcome } from './draft.js';
import { UNTYPED } from './draft.js';

const EntitySchema = EntityInputSchema;

const nothing: VerbOutcome = { claims: [], noEffect: null };

interface Own {
  readonly id: string;
  readonly row: number;
}

/** One entity of the handle's own scope. */
function own(draft: Draft, input: unknown, field: string): Own {
  const entity: NamedEntity = check(EntitySchema, input, field);
  const scope = scopeKey(draft.place.scope);
  const ids = entitiesMeant(draft.index, entity, [scope], draft.index.lastTx);
  const [id, second] = ids;
  if (id === undefined) throw notFound('such entity in this scope', field);
  if (second !== undefined) {
    throw new PalimpsestError(
      'AMBIGUOUS_ENTITY',
      `${field}: ${ids.length} entities have that name.`,
      {
        field,
        hint: `Give one of the ids ${ids.join(', ')}.`,
      },
    );
  }
  return { id, row: entityOfId(draft.index.tables, id, draft.index.lastTx) };
}

const DeclareSchema = z.strictObject({
  name: name(),
  type: name().optional(),
  distinct: name().optional(),
});

/** Makes sure that an entity exists in the handle's own scope. */
export function draftDeclare(draft: Draft, input: unknown): VerbOutcome {
  const { name: entityName, type, distinct } = check(DeclareSchema, input, 'entity');
  const { scope } = draft.place;
  const known = draft.named(scope, entityName, type ?? null, distinct);
  // Without a type any entity of that name will do.
  if (known.length === 0)
    draft.declare(scope, { name: entityName, type: type ?? UNTYPED, distinct });
  return nothing;
}

/** Adds another name by which an entity is found from now on. */
export function draftAlias(draft: Draft, entity: unknown, alias: unknown): VerbOutcome {
  const text = check(name(), alias, 'alias');
  const { id } = own(draft, entity, 'entity');
  const known = entitiesMeant(draft.index, text, [scopeKey(draft.place.scope)], draft.index.lastTx);
  if (!known.includes(id)) draft.entries.push({ op: 'alias', entity: id, name: text.trim() });
  return nothing;
}

/**
 * Says that two entities are one: `from` stands under `into` from now on. Old answers stay as they
 * were, and `split` undoes it.
 *
 * @throws PalimpsestError `NOT_FOUND`, `AMBIGUOUS_ENTITY`; `CONFLICT` for names whose digits differ.
 */
export function draftMerge(draft: Draft, from: unknown, into: unknown): VerbOutcome {
  const a = standing(draft, own(draft, from, 'from'));
  const b = standing(draft, own(draft, into, 'into'));
  if (a.row === b.row) return nothing;
  const { entity, texts } = draft.index.tables;
  const nameOf = (row: number): string =>
    texts.text(entity.name.get(row)).slice(PREFIX.display.length);
  if (digitsOf(nameOf(a.row)) !== digitsOf(nameOf(b.row))) {
    throw new PalimpsestError('CONFLICT', 'from: names whose digits differ are never merged.', {
      field: 'from',
      hint: `${nameOf(a.row)} and ${nameOf(b.row)} are two things.`,
    });
  }
  draft.entries.push({ op: 'merge', from: a.id, into: b.id });
  return nothing;
}

/** Under which entity this one stands by what the transaction has merged so far. */
function standing(draft: Draft, entity: Own): Own {
  let { id } = entity;
  for (const entry of draft.entries) if (entry.op === 'merge' && entry.from === id) id = entry.into;
  return { id, row: entityOfId(draft.index.tables, id, draft.index.lastTx) };
}

/** Names whose digits differ are never of one thing. */
export const digitsOf = (text: string): string => text.normalize('NFKC').replace(/[^\p{Nd}]/gu, '');

/**
 * Takes a merge back: the entity stands on its own again.
 *
 * @throws PalimpsestError `NOT_FOUND` for an entity that is not merged.
 */
export function draftSplit(draft: Draft, input: unknown): VerbOutcome {
  const entity: NamedEntity = check(EntitySchema, input, 'entity');
  const { tables, lastTx } = draft.index;
  const scope = scopeKey(draft.place.scope);
  for (const merge of tables.side.merges) {
    if (merge.until !== STILL || merge.since > lastTx) continue;
    const row = tables.entityOfTerm.get(merge.from);
    if (tables.texts.text(tables.entity.scope.get(row)) !== PREFIX.scope + scope) continue;
    if (!isMeant(draft, entity, merge.from)) continue;
    draft.entries.push({
      op: 'split',
      from: entityIdOf(tables, merge.from),
      into: entityIdOf(tables, merge.into),
    });
    // What somebody agreed to falls with the merge that came of it.
    for (const claim of sameAs(draft, merge.from, merge.into)) {
      draft.entries.push({ op: 'withdraw', claim, cause: 'retract' });
    }
    return nothing;
  }
  throw notFound('such merged entity in this scope', 'entity');
}

/** Claims which say that two entities are one, and stand. */
function sameAs(draft: Draft, from: number, into: number): string[] {
  const { tables, lastTx } = draft.index;
  const { claim, texts } = tables;
  const predicate = texts.find(PREFIX.predicate + SAME_AS);
  const out: string[] = [];
  if (predicate === NONE) return out;
  for (let row = 0; row < tables.claimCount; row++) {
    if (claim.predicate.get(row) !== predicate || claim.subject.get(row) !== from) continue;
    if (claim.object.get(row) !== into || isWhollyOut(outAt(tables, row, lastTx))) continue;
    out.push(idText('c', tables.claimIds, row));
  }
  return out;
}

function isMeant(draft: Draft, entity: NamedEntity, term: number): boolean {
  const { tables } = draft.index;
  if (typeof entity === 'object' && 'id' in entity) return termOfEntity(tables, entity.id) === term;
  const wanted = typeof entity === 'string' ? entity : entity.name;
  const row = tables.entityOfTerm.get(term);
  if (row === NONE) return false;
  return tables.texts.find(PREFIX.norm + normaliseName(wanted)) === tables.entity.norm.get(row);
}
