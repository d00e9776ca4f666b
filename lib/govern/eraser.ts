import { randomBytes } from 'node:crypto';
import type { Entry, Transaction } from '../model/entry.js';
import { scopeKey } from '../model/scope.js';
import type { Place } from '../memory/space.js';
import { erasedHash, sourceInScope, sourceText } from '../store/erased.js';
import { entityIdOf } from '../store/resident/entities.js';
import { BeliefIndex } from '../store/resident/index.js';
import { NONE } from '../store/resident/tables.js';
import type { Store } from '../store/store.js';
import type { ErasedEvents } from './erased-events.js';
import { claimIdsOf, isFrom, type Selected, type Source } from './selection.js';

/** What of the journal is to go. */
export interface Erasure {
  readonly selected: Selected;
  readonly events: ErasedEvents;
  /** Ids of entities. */
  readonly entities: ReadonlySet<string>;
}

/** The texts whose hashes tell that a source was erased: wherever in the org, or in what the place sees. */
export const sourceTexts = (place: Place, source: Source, everything: boolean): string[] =>
  everything
    ? [sourceText(place.scope.org, source)]
    : place.visible.map((key) => sourceInScope(key, source));

/** Rewrites transactions without what was selected. */
export class Eraser {
  readonly #claims: ReadonlySet<string>;
  readonly #entities: ReadonlySet<string>;
  readonly #events: ErasedEvents;
  readonly #source: Source | null;
  readonly #salt = randomBytes(16).toString('hex');

  constructor(index: BeliefIndex, { selected, events, entities }: Erasure) {
    this.#claims = new Set(claimIdsOf(index, selected));
    this.#entities = entities;
    this.#events = events;
    this.#source = selected.source;
  }

  rewrite(transaction: Transaction): Transaction {
    const entries: Entry[] = [];
    let touched = this.#events.isMentioned(null, transaction.header.reason);
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
      case 'withdraw':
        if (this.#source !== null && entry.source !== undefined) {
          const { session, seq } = entry.source;
          if (seq !== null && isFrom(this.#source, { session, seq })) return null;
        }
        return this.#claims.has(entry.claim) ? null : entry;
      case 'approve':
      case 'reject':
      case 'unsettle':
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

  /** A claim that stays loses the erased source, what it targets there, and the words that tell of it. */
  #withoutSource<E extends Extract<Entry, { op: 'claim' | 'hold' }>>(entry: E): E {
    const { claim } = entry;
    const source = this.#source;
    const scope = scopeKey(claim.scope);
    let changed = false;
    const evidence = claim.evidence?.flatMap((e) => {
      if (source !== null && isFrom(source, e)) {
        changed = true;
        return [];
      }
      const { quote, ...reference } = e;
      if (quote === undefined) return [e];
      if (!this.#events.isQuoted(scope, e) && !this.#events.isMentioned(scope, quote)) return [e];
      changed = true;
      return [reference];
    });
    const targets = claim.targets?.filter((t) => !this.#claims.has(t.claim));
    const { statement, ...unspoken } = claim;
    const isSilent = this.#events.isMentioned(scope, statement);
    if (!changed && !isSilent && targets?.length === claim.targets?.length) return entry;
    return {
      ...entry,
      claim: {
        ...(isSilent ? unspoken : claim),
        ...(evidence === undefined ? {} : { evidence }),
        ...(targets === undefined ? {} : { targets }),
      },
    };
  }

  /** Hashes let the return of what was erased be noticed, and tell nothing else. */
  receipt(place: Place, sessions: readonly string[], everything: boolean): Entry {
    const texts = new Set<string>(this.#claims);
    for (const { scope, session, seq } of this.#events.inScopes()) {
      texts.add(sourceInScope(scope, { session, seq }));
    }
    if (this.#source !== null) {
      for (const text of sourceTexts(place, this.#source, everything)) texts.add(text);
    }
    return {
      op: 'erased',
      org: place.scope.org,
      claims: this.#claims.size,
      entities: this.#entities.size,
      hashes: [...texts].map((text) => erasedHash(this.#salt, text)),
      salt: this.#salt,
      sessions: [...sessions],
    };
  }
}

/** What would be left: the history without what an erasure takes, projected anew in memory. */
export function without(store: Store, eraser: Eraser): BeliefIndex {
  const rehearsal = new BeliefIndex();
  const nowhere = { segment: 0, offset: 0, length: 0 };
  for (let tx = 1; tx <= store.index.lastTx; tx++) {
    const transaction = eraser.rewrite(store.transaction(tx));
    const lines = transaction.entries.map(() => nowhere);
    rehearsal.begin(transaction).publish(nowhere, lines);
  }
  return rehearsal;
}

/** Ids of entities of which nothing would be known any more. */
export function orphans(index: BeliefIndex, selected: Selected): ReadonlySet<string> {
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
    const terms = [claim.subject, ...('entity' in claim.object ? [claim.object.entity] : [])]
      .map((e) => tables.texts.find(`e:${e}`))
      .filter((term) => term !== NONE);
    for (const term of terms) (waiting.has(id) ? mentioned : keep).add(term);
  }
  const out = new Set<string>();
  for (const term of mentioned) {
    if (tables.entityOfTerm.get(term) >= 0 && !keep.has(term)) out.add(entityIdOf(tables, term));
  }
  return out;
}
