import { z } from 'zod';
import { check } from '../../model/check.js';
import { name } from '../../model/text.js';
import { entityIdOf, entityOfId } from '../../store/resident/entities.js';
import { PREFIX } from '../../store/resident/tables.js';
import { EntityInputSchema, entitiesMeant } from '../names.js';
import { entityId, Presenter } from '../present.js';
import type { Moment, Place, Space } from '../space.js';
import type { EntityRef } from '../types.js';
import type { Scope } from '../../model/scope.js';

/** An entity with all its names. */
export interface Entity extends EntityRef {
  readonly scope: Scope;
  /** Tells apart two of one name; `null` for most. */
  readonly distinct: string | null;
  /** Every name it is found by, its own first. */
  readonly names: readonly string[];
  /** Entities that were merged into it. */
  readonly merged: readonly EntityRef[];
}

/** The entities that a name or an id means here, as known at the view's known time. */
export function resolveEntities(
  space: Space,
  place: Place,
  view: Partial<Moment>,
  input: unknown,
): readonly Entity[] {
  const entity = check(EntityInputSchema, input, 'entity');
  const { index } = space.store;
  const known = view.known ?? index.lastTx;
  const presenter = new Presenter(index, known);
  return entitiesMeant(index, entity, place.visible, known).map((id) =>
    presentEntity(space, presenter, id),
  );
}

const ListSchema = z.strictObject({ type: name().optional() });

/** Every entity that can be seen from here; merged ones under the entity that stands for them. */
export async function* listEntities(
  space: Space,
  place: Place,
  view: Partial<Moment>,
  input: unknown,
): AsyncIterable<Entity> {
  const { type } = check(ListSchema, input ?? {});
  const { index } = space.store;
  const known = view.known ?? index.lastTx;
  const { entity, texts } = index.tables;
  const presenter = new Presenter(index, known);
  const visible = new Set(place.visible.map((s) => texts.find(PREFIX.scope + s)));
  const wanted = type === undefined ? null : texts.find(PREFIX.type + type);
  for (let row = 0; row < entity.term.length; row++) {
    if (entity.tx.get(row) > known || !visible.has(entity.scope.get(row))) continue;
    if (wanted !== null && entity.type.get(row) !== wanted) continue;
    const id = entityIdOf(index.tables, entity.term.get(row));
    if (entityOfId(index.tables, id, known) === row) yield presentEntity(space, presenter, id);
  }
}

export function presentEntity(space: Space, presenter: Presenter, id: string): Entity {
  const { tables } = space.store.index;
  const { entity, name: names, texts } = tables;
  const row = entityOfId(tables, id, presenter.known);
  const term = entity.term.get(row);
  const distinct = entity.distinct.get(row);
  const merged = [...tables.side.canonicals.keys()].filter(
    (other) =>
      other !== term && entityOfId(tables, entityIdOf(tables, other), presenter.known) === row,
  );
  const members = new Set([row, ...merged.map((other) => tables.entityOfTerm.get(other))]);
  const all = new Set([texts.text(entity.name.get(row)).slice(PREFIX.display.length)]);
  for (const member of members) {
    for (const entry of tables.namesOfEntity.list(member)) {
      if (names.since.get(entry) > presenter.known) continue;
      if (presenter.known >= names.until.get(entry)) continue;
      all.add(texts.text(names.text.get(entry)).slice(PREFIX.display.length));
    }
  }
  return {
    ...presenter.entity(entityIdOf(tables, term)),
    id: entityId(entityIdOf(tables, term)),
    scope: presenter.scope(texts.text(entity.scope.get(row)).slice(PREFIX.scope.length)),
    distinct: distinct < 0 ? null : texts.text(distinct).slice(PREFIX.distinct.length),
    names: [...all],
    merged: merged.map((other) => presenter.entity(entityIdOf(tables, other))),
  };
}
