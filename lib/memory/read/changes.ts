import { z } from 'zod';
import { check } from '../../model/check.js';
import { PalimpsestError } from '../../model/errors.js';
import { toIso } from '../../model/instant.js';
import { closedIn, openedIn, ResidentFact, successorsOf } from '../../store/resident/facts.js';
import { settingsAt } from '../../store/resident/settings.js';
import { factId, Presenter } from '../present.js';
import { readKnown, type Moment, type Place, type Space } from '../space.js';
import type { ChangeSet, ClosedFact, Fact } from '../types.js';

export const RangeSchema = z.strictObject({
  from: z.unknown().optional(),
  to: z.unknown().optional(),
});

/**
 * What each transaction after `from`, up to and with `to`, opened and closed in the visible scopes.
 * Both are known times; by default everything up to the latest.
 */
export async function* readChanges(
  space: Space,
  place: Place,
  view: Partial<Moment>,
  input: unknown,
): AsyncIterable<ChangeSet> {
  const { from, to } = check(RangeSchema, input ?? {});
  const { index } = space.store;
  const { timeZone } = settingsAt(index.tables, index.lastTx);
  const last = view.known ?? index.lastTx;
  const first = from === undefined ? 0 : readKnown(index, from, timeZone, 'from');
  const end = Math.min(last, to === undefined ? last : readKnown(index, to, timeZone, 'to'));
  if (first > end) {
    throw new PalimpsestError('INVALID_INTERVAL', '`to` is before `from`.', { field: 'to' });
  }
  for (let tx = first + 1; tx <= end; tx++) {
    const set = changeSet(space, place, tx);
    if (set !== null) yield set;
  }
}

/** What a transaction changed, as far as it can be seen from here; `null` for nothing. */
export function changeSet(space: Space, place: Place, tx: number): ChangeSet | null {
  const { index } = space.store;
  const { tables } = index;
  const visible = new Set(place.visible);
  const presenter = new Presenter(index, tx);
  const opened: Fact[] = [];
  const closed: ClosedFact[] = [];
  const [firstOpened, endOpened] = openedIn(tables, tx);
  for (let row = firstOpened; row < endOpened; row++) {
    const fact = new ResidentFact(tables, row);
    if (fact.polarity === 'deny' || !visible.has(fact.scope)) continue;
    opened.push(presenter.fact(fact, { at: null, support: index.supportOf(fact, tx) }));
  }
  const [firstClosed, endClosed] = closedIn(tables, tx);
  for (let i = firstClosed; i < endClosed; i++) {
    const fact = new ResidentFact(tables, tables.closures.get(i));
    if (fact.polarity === 'deny' || !visible.has(fact.scope) || fact.reason === null) continue;
    closed.push({
      fact: presenter.fact(fact, { at: null, support: index.supportOf(fact, tx - 1) }),
      reason: fact.reason,
      supersededBy: successorsOf(tables, fact.row).map((s) => ({
        fact: factId(s.from),
        kind: s.kind,
      })),
    });
  }
  if (opened.length + closed.length === 0) return null;
  const { header } = space.store.transaction(tx);
  return {
    tx,
    at: toIso(index.at(tx)),
    actor: header.actor ?? null,
    reason: header.reason ?? null,
    opened,
    closed,
  };
}
