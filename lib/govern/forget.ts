import { z } from 'zod';
import { check } from '../model/check.js';
import { toIso } from '../model/instant.js';
import { text } from '../model/text.js';
import { commit } from '../memory/write/commit.js';
import type { Place, Space } from '../memory/space.js';
import type { WriteResult } from '../memory/types.js';
import { fieldsOf } from '../secrets/fields.js';
import { checkSecrets } from '../secrets/secrets.js';
import { wasHashed } from '../store/erased.js';
import type { BeliefIndex } from '../store/resident/index.js';
import { ErasedEvents, type ErasableEvent } from './erased-events.js';
import type { Erased } from '../memory/erased.js';
import { erasedThings } from './erased-things.js';
import { Eraser, orphans, sourceTexts, without, type Erasure } from './eraser.js';
import { select, type Selected } from './selection.js';
import { withdrawals, type Withdrawals } from './withdrawals.js';

const OptionsSchema = z.strictObject({
  /** `retract` withdraws, and can be reverted; `erase` leaves nothing to be read. Default `retract`. */
  mode: z.enum(['retract', 'erase']).optional(),
  dryRun: z.boolean().optional(),
  reason: text().optional(),
  actor: text().optional(),
});

/** What was forgotten: counts and names of sessions, no content. */
export interface Receipt {
  readonly mode: 'retract' | 'erase';
  readonly tx: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly committed: boolean;
  /** There was nothing to be forgotten: it had been before, or was never there. */
  readonly nothingLeft: boolean;
  /** Claims that were withdrawn or erased, and those that lost a source. */
  readonly claims: number;
  /** Entities of which nothing else is known; erased with the claims. */
  readonly entities: number;
  /** Rows of facts of all known times that an erasure removed. */
  readonly facts: number;
  /** Events that an erasure removed, of those which the space had taken in. */
  readonly events: number;
  /** Sessions whose logs, kept by their hosts, may still hold what was said, or what was shown of it. */
  readonly sessions: readonly string[];
  /** What belief became of it, or would: opened and closed facts. `null` after an erasure. */
  readonly effect: Pick<WriteResult, 'opened' | 'closed'> | null;
}

/** Removes those events from the files that are meant. */
export type EventEraser = (isMeant: (event: ErasableEvent) => boolean) => Promise<void>;

/** How far forgetting reaches. */
interface Reach {
  /** Every scope of the org, and not only what the place sees. */
  readonly everything?: boolean;
  readonly eraseEvents?: EventEraser;
  readonly derived?: Derived | undefined;
}

/** What is kept of answers and summaries: it goes with what it rests on. */
export interface Derived {
  /** Returns the hosts' sessions that were shown what is erased. */
  erase(erased: Erased): Promise<readonly string[]>;
  /** The sessions that `erase` would return. */
  wouldErase(erased: Erased): Promise<readonly string[]>;
}

/**
 * Forgets by fact, claim, entity, session, event, user or scope.
 *
 * @throws PalimpsestError `NOT_FOUND` for what does not exist or is out of reach.
 */
export async function forget(
  space: Space,
  place: Place,
  input: unknown,
  options: unknown,
  reach: Reach = {},
): Promise<Receipt> {
  const {
    mode = 'retract',
    dryRun = false,
    ...header
  } = check(OptionsSchema, options ?? {}, 'options');
  await checkSecrets(fieldsOf(header));
  // Selected when its turn in the write lane has come: rows that were numbered earlier may be others by then.
  const choose = (): Selected => select(space, place, input, reach.everything ?? false);
  if (mode === 'retract') return retract(space, place, choose, { dryRun, ...header });
  const { everything = false, eraseEvents, derived } = reach;
  const erasure = new ErasureRun(space, place, choose, everything, derived);
  return dryRun ? erasure.rehearse(eraseEvents) : erasure.run(eraseEvents, header.actor);
}

interface Header {
  readonly reason?: string | undefined;
  readonly actor?: string | undefined;
}

async function retract(
  space: Space,
  place: Place,
  choose: () => Selected,
  options: Header & { readonly dryRun: boolean },
): Promise<Receipt> {
  let work: Withdrawals | null = null;
  const result = await commit(
    space,
    place,
    [
      (draft) => {
        work = withdrawals(space, choose());
        draft.entries.push(...work.entries);
        return { claims: [], noEffect: null };
      },
    ],
    options,
  );
  const { tx, at, committed, opened, closed } = result;
  const { claims, sessions } = drafted<Withdrawals>(work);
  return {
    mode: 'retract',
    tx,
    at,
    committed,
    nothingLeft: claims === 0,
    claims,
    entities: 0,
    facts: 0,
    events: 0,
    sessions,
    effect: { opened, closed },
  };
}

function drafted<T>(value: T | null): T {
  if (value === null) throw new Error('Something was forgotten before it was chosen.');
  return value;
}

class ErasureRun {
  readonly #space: Space;
  readonly #place: Place;
  readonly #choose: () => Selected;
  readonly #everything: boolean;
  readonly #derived: Derived | undefined;

  constructor(
    space: Space,
    place: Place,
    choose: () => Selected,
    everything: boolean,
    derived: Derived | undefined,
  ) {
    this.#space = space;
    this.#place = place;
    this.#choose = choose;
    this.#everything = everything;
    this.#derived = derived;
  }

  /** What an erasure would come to. */
  async rehearse(eraseEvents: EventEraser | undefined): Promise<Receipt> {
    const { store } = this.#space;
    const { index } = store;
    const selected = this.#choose();
    const events = new ErasedEvents(this.#space, selected);
    await eraseEvents?.((event) => {
      events.isMeant(event);
      return false;
    });
    const erasure = { selected, events, entities: orphans(index, selected) };
    const { opened, closed } = await commit(
      this.#space,
      this.#place,
      [
        (draft) => {
          draft.entries.push(...withdrawals(this.#space, this.#choose()).entries);
          return { claims: [], noEffect: null };
        },
      ],
      { dryRun: true },
    );
    const nothingLeft = this.#isNothing(index, erasure);
    const after = nothingLeft ? index : without(store, new Eraser(index, erasure));
    const facts = Math.max(0, index.tables.factCount - after.tables.factCount);
    const shown = await this.#derived?.wouldErase(erasedThings(index, erasure, after));
    return {
      ...this.#unchanged(),
      nothingLeft,
      ...countsOf(erasure, shown),
      facts,
      effect: { opened, closed },
    };
  }

  async run(eraseEvents: EventEraser | undefined, actor: string | undefined): Promise<Receipt> {
    const { store } = this.#space;
    const meant = this.#choose();
    const found = new ErasedEvents(this.#space, meant);
    // The events first: a crash in between leaves a selection that can be made again.
    await eraseEvents?.(found.isMeant);
    const before = { selected: meant, events: found, entities: orphans(store.index, meant) };
    // What an erasure that was cut short has left goes now: it speaks of facts that are no more.
    const gone = erasedThings(store.index, before, store.index);
    const shown = new Set(await this.#derived?.erase(gone));
    if (this.#isNothing(store.index, before)) {
      return { ...this.#unchanged(), nothingLeft: true, ...countsOf(before, shown) };
    }
    const factsBefore = store.index.tables.factCount;
    let counts: Counts | null = null;
    let goneFrom: ((after: BeliefIndex) => Erased) | null = null;
    const { tx, at } = await store.rewrite((index) => {
      const selected = this.#choose();
      const events = new ErasedEvents(this.#space, selected, found);
      const erasure = { selected, events, entities: orphans(index, selected) };
      counts = countsOf(erasure, shown);
      // By then the numbers of rows mean something else, so that what they stand for is noted now.
      const meantNow = erasedThings(index, erasure, null);
      goneFrom = (after) => ({ ...meantNow, fact: (id) => after.factById(id) === null });
      const eraser = new Eraser(index, erasure);
      const receipt = eraser.receipt(this.#place, counts.sessions, this.#everything);
      return {
        rewrite: (transaction) => eraser.rewrite(transaction),
        last: { entries: [receipt], ...(actor === undefined ? {} : { actor }) },
      };
    });
    // Once more: what was shown meanwhile, and what had no more than a date from what is gone.
    const goneNow = drafted<(after: BeliefIndex) => Erased>(goneFrom)(store.index);
    for (const session of (await this.#derived?.erase(goneNow)) ?? []) shown.add(session);
    const counted = drafted<Counts>(counts);
    return {
      ...this.#unchanged(),
      tx,
      at: toIso(at),
      committed: true,
      ...counted,
      sessions: [...new Set([...counted.sessions, ...shown])].sort(),
      facts: Math.max(0, factsBefore - store.index.tables.factCount),
    };
  }

  #unchanged(): Receipt {
    const { index, clock } = this.#space.store;
    const { lastTx } = index;
    return {
      mode: 'erase',
      tx: lastTx,
      at: toIso(lastTx === 0 ? clock() : index.at(lastTx)),
      committed: false,
      nothingLeft: false,
      claims: 0,
      entities: 0,
      facts: 0,
      events: 0,
      sessions: [],
      effect: null,
    };
  }

  /** Nothing to remove, and no source whose return would have to be noticed from now on. */
  #isNothing(index: BeliefIndex, { selected, events, entities }: Erasure): boolean {
    const { claims, waiting, shared, source } = selected;
    if (claims.length + waiting.length + shared.length + entities.size + events.count > 0)
      return false;
    if (source === null) return true;
    return sourceTexts(this.#place, source, this.#everything).every((t) => wasHashed(index, t));
  }
}

type Counts = Pick<Receipt, 'claims' | 'entities' | 'events' | 'sessions'>;

/** `shown`: the sessions which were shown something of it. */
function countsOf(
  { selected, events, entities }: Erasure,
  shown: Iterable<string> | undefined,
): Counts {
  const { claims, waiting, shared, source } = selected;
  const sessions = new Set<string>([...events.sessions, ...(shown ?? [])]);
  if (source !== null && shared.length > 0) sessions.add(source.session);
  return {
    claims: claims.length + waiting.length + shared.length,
    entities: entities.size,
    events: events.count,
    sessions: [...sessions].sort(),
  };
}
