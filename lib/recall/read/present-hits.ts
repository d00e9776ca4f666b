import type { BeliefClaim } from '../../belief/claim.js';
import { toIso } from '../../model/instant.js';
import { contains } from '../../model/interval.js';
import { scopeOfKey } from '../../model/scope.js';
import { Presenter } from '../../memory/present.js';
import { readerOf, type Space } from '../../memory/space.js';
import type { Shown } from '../../memory/shadow.js';
import type { Fact } from '../../memory/types.js';
import type { EventText } from '../ports.js';
import type { EventHit, FactHit, HitSource, Superseded } from '../types.js';
import type { AskedTime } from './asked.js';
import type { FactPool } from './candidates.js';
import type { Ranked } from './rank.js';
import type { Overruled } from './superseded.js';

/** Claims whose events are named as sources of one hit. */
const SOURCES = 4;

/** What is to be shown, before it is. */
export type Chosen =
  | { readonly kind: 'fact'; readonly ranked: Ranked; readonly shown: Shown }
  | {
      readonly kind: 'event';
      readonly ranked: Ranked;
      readonly event: EventText;
      readonly overruled: readonly Overruled[];
    };

/** With the text of every event at hand. */
export type Readable =
  | Extract<Chosen, { kind: 'fact' }>
  | (Extract<Chosen, { kind: 'event' }> & { readonly text: string });

export const choiceOfFact = (ranked: Ranked, pool: FactPool): Chosen => ({
  kind: 'fact',
  ranked,
  shown: pool.get(ranked.id).shown,
});

/** Facts and events as callers see them, in the order given. */
export async function presentHits(
  space: Space,
  chosen: readonly Readable[],
  { at, known }: AskedTime,
): Promise<(FactHit | EventHit)[]> {
  const { store } = space;
  const shown = chosen.flatMap((c) =>
    c.kind === 'fact'
      ? [c.shown]
      : c.overruled.flatMap(({ row, by }) => [{ row, shadows: [] }, ...by]),
  );
  const support = await readerOf(space).support(
    shown.map(({ row }) => row),
    known,
  );
  const presenter = new Presenter(store.index, known);
  const factOf = ({ row, shadows }: Shown): Fact =>
    presenter.fact(row, {
      // What happened and is over holds at no instant of now.
      at: at !== null && contains({ from: row.validFrom, to: row.validTo }, at) ? at : null,
      support: support(row),
      shadows,
    });
  return chosen.map((c): FactHit | EventHit => {
    const { score, scores } = c.ranked;
    if (c.kind === 'fact') {
      const { statement, sources } = said(space, support(c.shown.row));
      return { kind: 'fact', fact: factOf(c.shown), statement, score, scores, sources };
    }
    const { event, overruled } = c;
    return {
      kind: 'event',
      session: event.session,
      seq: event.seq,
      at: event.at === null ? null : toIso(event.at),
      role: event.role,
      speaker: event.speaker,
      text: c.text,
      scope: scopeOfKey(event.scope),
      score,
      scores,
      superseded: overruled.map(({ row, by }): Superseded => ({
        fact: factOf({ row, shadows: [] }),
        by: by.map(factOf),
      })),
    };
  });
}

/** What people read of a fact, and the events that say so, the latest first. */
function said(
  { store }: Space,
  support: readonly BeliefClaim[],
): Pick<FactHit, 'statement' | 'sources'> {
  const latest = support
    .toSorted((a, b) => b.observedAt - a.observedAt || (a.id < b.id ? -1 : 1))
    .slice(0, SOURCES)
    .map(({ id }) => store.claim(store.index.claimRow(id)));
  const sources = new Map<string, HitSource>();
  for (const { evidence, observedAt } of latest) {
    for (const { session, seq, role, at, quote } of evidence ?? []) {
      const name = `${seq} ${session}`;
      if (sources.has(name)) continue;
      sources.set(name, { session, seq, role, at: at ?? observedAt, quote: quote ?? null });
    }
  }
  const statement = latest.find((claim) => claim.statement !== undefined)?.statement ?? null;
  return { statement, sources: [...sources.values()] };
}
