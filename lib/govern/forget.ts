import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { check } from '../model/check.js';
import { toIso } from '../model/instant.js';
import type { ClaimRecord, Entry, Transaction } from '../model/entry.js';
import { scopeKey } from '../model/scope.js';
import { entityIdOf } from '../store/resident/entities.js';
import { idText } from '../store/resident/hex.js';
import { BeliefIndex } from '../store/resident/index.js';
import type { Store } from '../store/store.js';
import { text } from '../model/text.js';
import { commit } from '../memory/write/commit.js';
import type { Place, Space } from '../memory/space.js';
import type { WriteResult } from '../memory/types.js';
import { erasedHash, sourceText } from '../store/erased.js';
import { claimIdsOf, isFrom, select, type Selected, type Source } from './selection.js';

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
  readonly claims: number;
  /** Entities of which nothing else is known; erased with the claims. */
  readonly entities: number;
  /** Rows of facts of all known times that an erasure removed. */
  readonly facts: number;
  /** Sessions whose logs, kept by their hosts, may still hold what was said. */
  readonly sessions: readonly string[];
  /** What belief became of it: opened and closed facts. `null` after an erasure. */
  readonly effect: Pick<WriteResult, 'opened' | 'closed'> | null;
}

/** An event as the event log names it; `scope` is a scope's key. */
export interface ErasableEvent {
  readonly scope: string;
  readonly session: string;
  readonly seq: number;
}

export type EventEraser = (isMeant: (event: ErasableEvent) => boolean) => Promise<void>;

/** Events of an erased source or scope, and those which erased claims rest on. */
function isErasedEvent(space: Space, selected: Selected): (event: ErasableEvent) => boolean {
  const { index } = space.store;
  const cited = new Set<string>();
  const cite = (claim: ClaimRecord | undefined): void => {
    if (claim === undefined) return;
    for (const e of claim.evidence ?? []) {
      cited.add(JSON.stringify([scopeKey(claim.scope), e.session, e.seq]));
    }
  };
  for (const row of selected.claims) cite(space.store.claim(row));
  const { side } = index.tables;
  for (const id of selected.waiting) cite((side.held.get(id) ?? side.rejected.get(id))?.claim);
  const { source, inScope, inReach } = selected;
  return (event) =>
    inScope(event.scope) ||
    (source !== null && inReach(event.scope) && isFrom(source, event)) ||
    cited.has(JSON.stringify([event.scope, event.session, event.seq]));
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
  reach: {
    /** Every scope of the org, and not only what the place sees. */
    readonly everything?: boolean;
    /** Erases the text of events, where the space keeps it. */
    readonly eraseEvents?: EventEraser;
  } = {},
): Promise<Receipt> {
  const { everything = false, eraseEvents } = reach;
  const {
    mode = 'retract',
    dryRun = false,
    reason,
    actor,
  } = check(OptionsSchema, options ?? {}, 'options');
  // Selected when its turn in the write lane has come: rows that were numbered earlier may be others by then.
  const choose = (): Chosen => {
    const selected = select(space, place, input, everything);
    return {
      selected,
      entities: orphans(space.store.index, selected),
      sessions: sessionsOf(space, selected),
    };
  };
  if (mode === 'retract' || dryRun) {
    let chosen: Chosen | null = null;
    let facts = 0;
    const result = await commit(
      space,
      place,
      [
        (draft) => {
          chosen = choose();
          draft.entries.push(...withdrawals(draft.index, chosen.selected));
          if (mode === 'erase')
            facts = factsLost(
              space.store,
              new Eraser(draft.index, chosen.selected, chosen.entities),
            );
          return { claims: [], noEffect: null };
        },
      ],
      {
        dryRun,
        ...(reason === undefined ? {} : { reason }),
        ...(actor === undefined ? {} : { actor }),
      },
    );
    const { tx, at, committed, opened, closed } = result;
    return {
      mode,
      tx,
      at,
      committed,
      ...countsOf(mode, chosen),
      facts,
      effect: { opened, closed },
    };
  }
  // The events first: a crash in between leaves a selection that can be made again.
  await eraseEvents?.(isErasedEvent(space, choose().selected));
  const factsBefore = space.store.index.tables.factCount;
  let chosen: Chosen | null = null;
  const { tx, at } = await space.store.rewrite((index) => {
    chosen = choose();
    const eraser = new Eraser(index, chosen.selected, chosen.entities);
    const last = eraser.receipt(place.scope.org, chosen.sessions, actor);
    return { rewrite: (transaction) => eraser.rewrite(transaction), last };
  });
  return {
    mode,
    tx,
    at: toIso(at),
    committed: true,
    ...countsOf(mode, chosen),
    facts: Math.max(0, factsBefore - space.store.index.tables.factCount),
    effect: null,
  };
}

/** How many rows an erasure would remove: the history without it is projected anew, in memory. */
function factsLost(store: Store, eraser: Eraser): number {
  const { lastTx, tables } = store.index;
  const rehearsal = new BeliefIndex();
  const nowhere = { segment: 0, offset: 0, length: 0 };
  for (let tx = 1; tx <= lastTx; tx++) {
    const transaction = eraser.rewrite(store.transaction(tx));
    const lines = transaction.entries.map(() => nowhere);
    rehearsal.begin(transaction).publish(nowhere, lines);
  }
  return Math.max(0, tables.factCount - rehearsal.tables.factCount);
}

interface Chosen {
  readonly selected: Selected;
  readonly entities: ReadonlySet<string>;
  readonly sessions: readonly string[];
}

function countsOf(
  mode: Receipt['mode'],
  chosen: Chosen | null,
): Pick<Receipt, 'claims' | 'entities' | 'sessions'> {
  if (chosen === null) throw new Error('Something was forgotten before it was chosen.');
  const { claims, waiting, shared } = chosen.selected;
  return {
    claims: claims.length + waiting.length + shared.length,
    entities: mode === 'erase' ? chosen.entities.size : 0,
    sessions: chosen.sessions,
  };
}

function withdrawals(index: BeliefIndex, selected: Selected): Entry[] {
  const { side } = index.tables;
  const isOut = (row: number): boolean =>
    (side.outs.get(row) ?? []).some((o) => o.cause === 'forget' && o.until > index.lastTx);
  const out: Entry[] = [];
  for (const row of selected.claims) {
    if (!isOut(row)) out.push({ op: 'withdraw', claim: claimId(index, row), cause: 'forget' });
  }
  for (const id of selected.waiting) if (side.held.has(id)) out.push({ op: 'reject', claim: id });
  return out;
}

const claimId = (index: BeliefIndex, row: number): string =>
  idText('c', index.tables.claimIds, row);

function sessionsOf(space: Space, selected: Selected): string[] {
  const sessions = new Set<string>();
  const { side } = space.store.index.tables;
  const note = (evidence: readonly { readonly session: string }[] | undefined): void => {
    for (const e of evidence ?? []) sessions.add(e.session);
  };
  for (const row of selected.claims) note(space.store.claim(row).evidence);
  for (const id of selected.waiting)
    note((side.held.get(id) ?? side.rejected.get(id))?.claim.evidence);
  if (selected.source !== null && selected.shared.length > 0) sessions.add(selected.source.session);
  return [...sessions].sort();
}

/** Ids of entities of which nothing would be known any more. */
function orphans(index: BeliefIndex, selected: Selected): ReadonlySet<string> {
  const { tables } = index;
  const { side } = tables;
  const gone = new Set(selected.claims);
  const waiting = new Set(selected.waiting);
  const mentioned = new Set<number>(selected.entities);
  for (const row of gone) {
    mentioned.add(tables.claim.subject.get(row));
    mentioned.add(tables.claim.object.get(row));
  }
  const keep = new Set<number>();
  for (let row = 0; row < tables.claimCount; row++) {
    if (gone.has(row)) continue;
    keep.add(tables.claim.subject.get(row));
    keep.add(tables.claim.object.get(row));
  }
  for (const [id, { claim }] of [...side.held, ...side.rejected]) {
    const terms = [claim.subject, ...('entity' in claim.object ? [claim.object.entity] : [])].map(
      (e) => tables.texts.find(`e:${e}`),
    );
    for (const term of terms) (waiting.has(id) ? mentioned : keep).add(term);
  }
  const out = new Set<string>();
  for (const term of mentioned) {
    if (tables.entityOfTerm.get(term) >= 0 && !keep.has(term)) out.add(entityIdOf(tables, term));
  }
  return out;
}

/** Rewrites transactions without what was selected. */
class Eraser {
  readonly #claims: ReadonlySet<string>;
  readonly #entities: ReadonlySet<string>;
  readonly #source: Source | null;
  readonly #salt = randomBytes(16).toString('hex');

  constructor(index: BeliefIndex, selected: Selected, entities: ReadonlySet<string>) {
    this.#claims = new Set(claimIdsOf(index, selected));
    this.#entities = entities;
    this.#source = selected.source;
  }

  rewrite(transaction: Transaction): Transaction {
    const entries: Entry[] = [];
    let touched = false;
    for (const entry of transaction.entries) {
      const kept = this.#keep(entry);
      if (kept !== entry) touched = true;
      if (kept !== null) entries.push(kept);
    }
    if (!touched) return transaction;
    // A reason in words may repeat what is being erased.
    const { reason: _reason, ...header } = transaction.header;
    return { header, entries };
  }

  #keep(entry: Entry): Entry | null {
    switch (entry.op) {
      case 'claim':
      case 'hold': {
        if (this.#claims.has(entry.claim.id)) return null;
        return this.#withoutSource(entry);
      }
      case 'approve':
      case 'reject':
      case 'unsettle':
      case 'withdraw':
      case 'reinstate':
        return this.#claims.has(entry.claim) ? null : entry;
      case 'entity':
        return this.#entities.has(entry.id) ? null : entry;
      case 'alias':
      case 'unalias':
        return this.#entities.has(entry.entity) ? null : entry;
      case 'merge':
      case 'split':
        return this.#entities.has(entry.from) || this.#entities.has(entry.into) ? null : entry;
      case 'settings':
      case 'erased':
        return entry;
    }
  }

  #withoutSource<E extends Extract<Entry, { op: 'claim' | 'hold' }>>(entry: E): E {
    const { claim } = entry;
    const source = this.#source;
    const evidence =
      source === null ? claim.evidence : claim.evidence?.filter((e) => !isFrom(source, e));
    const targets = claim.targets?.filter((t) => !this.#claims.has(t.claim));
    if (evidence?.length === claim.evidence?.length && targets?.length === claim.targets?.length) {
      return entry;
    }
    return {
      ...entry,
      claim: {
        ...claim,
        ...(evidence === undefined ? {} : { evidence }),
        ...(targets === undefined ? {} : { targets }),
      },
    };
  }

  /** Hashes let the return of what was erased be noticed, and tell nothing else. */
  receipt(
    org: string,
    sessions: readonly string[],
    actor: string | undefined,
  ): { readonly entries: readonly Entry[]; readonly actor?: string } {
    const hashes = [...this.#claims].map((id) => erasedHash(this.#salt, id));
    if (this.#source !== null) hashes.push(erasedHash(this.#salt, sourceText(org, this.#source)));
    return {
      entries: [
        {
          op: 'erased',
          org,
          claims: this.#claims.size,
          entities: this.#entities.size,
          hashes,
          salt: this.#salt,
          sessions: [...sessions],
        },
      ],
      ...(actor === undefined ? {} : { actor }),
    };
  }
}
