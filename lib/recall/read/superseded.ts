import type { Place, Space } from '../../memory/space.js';
import { endsOf, keyAt } from '../../store/resident/claims.js';
import { claimsOfEvent } from '../../store/resident/events.js';
import { ResidentFact } from '../../store/resident/facts.js';
import { CLAIM, FACT, PREFIX } from '../../store/resident/tables.js';
import type { Shown } from '../../memory/shadow.js';
import type { EventName } from '../ports.js';
import { isWithdrawn, type Believed } from './believed.js';

/** What an event said, as it was believed once, and what is believed in its place. */
export interface Overruled {
  readonly row: ResidentFact;
  readonly by: readonly Shown[];
}

/** Finds what events said that is not believed any more at the asked point. */
export class SupersededStatements {
  readonly #space: Space;
  readonly #place: Place;
  readonly #known: number;
  readonly #believed: Believed;

  constructor(space: Space, place: Place, known: number, believed: Believed) {
    this.#space = space;
    this.#place = place;
    this.#known = known;
    this.#believed = believed;
  }

  of(event: EventName): readonly Overruled[] {
    const { tables } = this.#space.store.index;
    // Others may call a session by the same name.
    const scope = tables.texts.find(PREFIX.scope + event.scope);
    const out = new Map<number, Overruled>();
    for (const claim of claimsOfEvent(tables, event.session, event.seq)) {
      if (tables.claim.scope.get(claim) !== scope || !this.#mayCount(claim)) continue;
      const overruled = this.#overruled(claim);
      if (overruled !== null) out.set(overruled.row.row, overruled);
    }
    return [...out.values()].sort((a, b) => a.row.row - b.row.row);
  }

  #mayCount(row: number): boolean {
    const { tables } = this.#space.store.index;
    const { claim } = tables;
    if (claim.tx.get(row) > this.#known || (claim.flags.get(row) & CLAIM.deny) !== 0) return false;
    const scope = tables.texts.text(claim.scope.get(row)).slice(PREFIX.scope.length);
    return this.#place.visible.includes(scope);
  }

  /** The fact that a claim made believed once, where it does not hold at the asked point. */
  #overruled(claim: number): Overruled | null {
    const { index } = this.#space.store;
    const t = index.tables;
    const known = this.#known;
    // What was taken back was not overruled by anything, and nobody is to be reminded of it.
    if (isWithdrawn(index, claim, known)) return null;
    const key = keyAt(t, claim, known);
    const { object } = endsOf(t, claim, known);
    const by = this.#believed.ofKey(key);
    if (by.some(({ row }) => row instanceof ResidentFact && row.objectTerm === object)) return null;
    let former: number | null = null;
    t.factsOfKey.some(key, (row) => {
      const isOfIt =
        t.fact.object.get(row) === object &&
        t.fact.knownFrom.get(row) <= known &&
        (t.fact.flags.get(row) & FACT.deny) === 0;
      if (isOfIt) former = row;
      return isOfIt;
    });
    if (former === null || this.#believed.isAhead(former)) return null;
    return { row: new ResidentFact(t, former), by };
  }
}
