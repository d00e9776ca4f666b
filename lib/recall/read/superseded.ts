import type { Place, Space } from '../../memory/space.js';
import { scopeKey } from '../../model/scope.js';
import { endsOf, keyAt } from '../../store/resident/claims.js';
import type { BeliefIndex } from '../../store/resident/index.js';
import { Recent } from '../../store/resident/recent.js';
import { ResidentFact } from '../../store/resident/facts.js';
import { CLAIM, FACT, NONE, PREFIX } from '../../store/resident/tables.js';
import type { Shown } from '../../memory/shadow.js';
import type { EventName } from '../ports.js';
import { isWithdrawn, type Believed } from './believed.js';

/** Claims of one session that are looked through for those of an event. */
const MOST_CLAIMS = 2_000;

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
    const claims = this.#ofSession(event.session).get(nameOf(event.scope, event.seq)) ?? [];
    const out = new Map<number, Overruled>();
    for (const claim of claims) {
      if (!this.#mayCount(claim)) continue;
      const overruled = this.#overruled(claim);
      if (overruled !== null) out.set(overruled.row.row, overruled);
    }
    return [...out.values()].sort((a, b) => a.row.row - b.row.row);
  }

  #ofSession(session: string): ReadonlyMap<string, readonly number[]> {
    const { store } = this.#space;
    const t = store.index.tables;
    const term = t.texts.find(PREFIX.session + session);
    if (term === NONE) return NO_CLAIMS;
    const sessions = sessionsOf(store.index);
    const met = sessions.get(term) ?? { upTo: 0, claims: new Map<string, number[]>() };
    let upTo = met.upTo;
    let looked = 0;
    t.claimsOfSession.some(term, (row) => {
      // The newest come first: what follows was looked at before.
      if (row < met.upTo || looked >= MOST_CLAIMS) return true;
      if (t.claim.tx.get(row) > t.lastTx) return false;
      looked += 1;
      upTo = Math.max(upTo, row + 1);
      const { evidence, scope } = store.claim(row);
      for (const e of evidence ?? []) {
        if (e.session !== session) continue;
        const name = nameOf(scopeKey(scope), e.seq);
        met.claims.set(name, [...(met.claims.get(name) ?? []), row]);
      }
      return false;
    });
    sessions.set(term, { upTo, claims: met.claims });
    return met.claims;
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

/** Claims by the event that they cite, of one session, up to a row. */
interface SessionClaims {
  readonly upTo: number;
  readonly claims: Map<string, number[]>;
}

const NO_CLAIMS: ReadonlyMap<string, readonly number[]> = new Map();
const SESSIONS = 512;
const keptSessions = new WeakMap<BeliefIndex, Recent<number, SessionClaims>>();

/** Sessions that were looked at lately: to find the events of a claim its line has to be read. */
function sessionsOf(index: BeliefIndex): Recent<number, SessionClaims> {
  let sessions = keptSessions.get(index);
  if (sessions === undefined) {
    sessions = new Recent(SESSIONS);
    keptSessions.set(index, sessions);
  }
  return sessions;
}

const nameOf = (scope: string, seq: number): string => `${seq} ${scope}`;
