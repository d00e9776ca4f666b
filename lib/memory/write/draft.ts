import { PalimpsestError } from '../../model/errors.js';
import type { Entry } from '../../model/entry.js';
import { contentHash } from '../../model/ids.js';
import { scopeKey, type Scope } from '../../model/scope.js';
import { normaliseName } from '../../model/text.js';
import { entitiesNamed, entityIdOf, entityOfId } from '../../store/resident/entities.js';
import type { BeliefIndex } from '../../store/resident/index.js';
import { settingsAt } from '../../store/resident/settings.js';
import type { Settings } from '../../store/resident/side.js';
import { NONE, PREFIX } from '../../store/resident/tables.js';
import { notFound, type NamedEntity } from '../names.js';
import type { Place, Space } from '../space.js';
import type { NoEffect } from '../types.js';

/** What became of one verb of a transaction. */
export interface VerbOutcome {
  /** Claims that it wrote, or had written before. */
  readonly claims: readonly string[];
  /** Known before the fold: told already, held. */
  readonly noEffect: NoEffect | null;
}

/** The entity type of what nobody has given a type. */
export const UNTYPED = 'thing';

/** Collects the entries of one transaction, against the index as it is before it. */
export class Draft {
  readonly space: Space;
  readonly place: Place;
  readonly index: BeliefIndex;
  /** Epoch milliseconds: the "now" of every default. */
  readonly now: number;
  readonly settings: Settings;
  readonly entries: Entry[] = [];
  readonly outcomes: VerbOutcome[] = [];
  /** Ids of the claims that this transaction accepts. */
  readonly accepted = new Set<string>();
  readonly #declared = new Map<string, readonly { readonly id: string; readonly type: string }[]>();
  /** Keys of `#declared`, in the order in which their lists grew by one. */
  readonly #declarations: string[] = [];

  constructor(space: Space, place: Place, index: BeliefIndex, now: number) {
    this.space = space;
    this.place = place;
    this.index = index;
    this.now = now;
    this.settings = settingsAt(index.tables, index.lastTx);
  }

  /** Runs one verb; when it throws, nothing of it stays in the draft. */
  attempt<T>(verb: () => T): T {
    const takeBack = this.mark();
    try {
      return verb();
    } catch (error) {
      takeBack();
      throw error;
    }
  }

  /** Remembers the draft as it is; the answer takes back what is added from here on. */
  mark(): () => void {
    const length = this.entries.length;
    const accepted = this.accepted.size;
    const declared = this.#declarations.length;
    return () => {
      this.entries.length = length;
      for (const id of [...this.accepted].slice(accepted)) this.accepted.delete(id);
      for (const key of this.#declarations.splice(declared).reverse()) {
        this.#declared.set(key, (this.#declared.get(key) ?? []).slice(0, -1));
      }
    };
  }

  /** Keys of every scope that the handle sees. */
  get visible(): readonly string[] {
    return this.place.visible;
  }

  /**
   * The entity of a scope that a write means; declared when it is new. One that is named by id in
   * another visible scope gets its counterpart in this one, which reads join with it.
   *
   * @throws PalimpsestError `NOT_FOUND`, `AMBIGUOUS_ENTITY`.
   */
  entity(scope: Scope, input: NamedEntity, declaredType: string | null, field: string): string {
    if (typeof input === 'object' && 'id' in input) return this.#byId(scope, input.id, field);
    const wanted = typeof input === 'string' ? { name: input } : input;
    const type = wanted.type ?? declaredType;
    const found = this.named(scope, wanted.name, type, wanted.distinct);
    if (found.length > 1) {
      throw new PalimpsestError(
        'AMBIGUOUS_ENTITY',
        `${field}: ${found.length} entities are called ${JSON.stringify(wanted.name.slice(0, 80))}.`,
        {
          field,
          hint: `Give one of the ids ${found.join(', ')}, a type, or what distinguishes it.`,
        },
      );
    }
    const [one] = found;
    if (one !== undefined) return one;
    return this.declare(scope, {
      name: wanted.name,
      type: type ?? this.#typeElsewhere(wanted.name) ?? UNTYPED,
      distinct: wanted.distinct,
    });
  }

  declare(
    scope: Scope,
    entity: {
      readonly name: string;
      readonly type: string;
      readonly distinct?: string | undefined;
    },
  ): string {
    const { name, type, distinct } = entity;
    const norm = normaliseName(name);
    const id = `e_${contentHash(JSON.stringify([scopeKey(scope), type, norm, distinct ?? null]))}`;
    const key = nameKey(scope, norm);
    const list = this.#declared.get(key) ?? [];
    const known = entityOfId(this.index.tables, id, this.index.lastTx) !== NONE;
    if (known || list.some((e) => e.id === id)) return id;
    this.#declared.set(key, [...list, { id, type }]);
    this.#declarations.push(key);
    this.entries.push({
      op: 'entity',
      id,
      scope,
      type,
      name: name.trim(),
      ...(distinct === undefined ? {} : { distinct }),
    });
    return id;
  }

  #byId(scope: Scope, id: string, field: string): string {
    const { tables, lastTx } = this.index;
    const row = entityOfId(tables, id, lastTx);
    const { texts, entity } = tables;
    if (row === NONE) throw notFound(`entity ${id}`, field);
    const home = texts.text(entity.scope.get(row)).slice(PREFIX.scope.length);
    if (!this.visible.includes(home)) throw notFound(`entity ${id}`, field);
    if (home === scopeKey(scope)) return entityIdOf(tables, entity.term.get(row));
    const distinct = entity.distinct.get(row);
    return this.declare(scope, {
      name: texts.text(entity.name.get(row)).slice(PREFIX.display.length),
      type: texts.text(entity.type.get(row)).slice(PREFIX.type.length),
      ...(distinct === NONE
        ? {}
        : { distinct: texts.text(distinct).slice(PREFIX.distinct.length) }),
    });
  }

  /** Ids of the entities of a scope that a name means, with those which this draft declares. */
  named(scope: Scope, name: string, type: string | null, distinct: string | undefined): string[] {
    const { tables, lastTx } = this.index;
    const { entity, texts } = tables;
    const isMeant = (row: number): boolean => {
      if (type !== null && texts.text(entity.type.get(row)) !== PREFIX.type + type) return false;
      const mark = entity.distinct.get(row);
      return (
        distinct === undefined || (mark !== NONE && texts.text(mark) === PREFIX.distinct + distinct)
      );
    };
    const found = entitiesNamed(tables, scopeKey(scope), name, lastTx, isMeant).map((row) =>
      entityIdOf(tables, entity.term.get(row)),
    );
    if (distinct !== undefined) return found;
    const fresh = this.#declared.get(nameKey(scope, normaliseName(name))) ?? [];
    return [...found, ...fresh.filter((e) => type === null || e.type === type).map((e) => e.id)];
  }

  /** The type that this name has in the other visible scopes, when it has only one. */
  #typeElsewhere(name: string): string | null {
    const { tables, lastTx } = this.index;
    const types = new Set<string>();
    for (const scope of this.visible) {
      for (const row of entitiesNamed(tables, scope, name, lastTx)) {
        types.add(tables.texts.text(tables.entity.type.get(row)).slice(PREFIX.type.length));
      }
    }
    const [only] = types;
    return types.size === 1 && only !== undefined ? only : null;
  }
}

/** A scope's key is JSON and a folded name one line, so the first line break parts them. */
const nameKey = (scope: Scope, norm: string): string => `${scopeKey(scope)}\n${norm}`;
