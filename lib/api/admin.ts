import { readScope, scopeOfKey, scopeKey, visibleScopes, type Scope } from '../model/scope.js';
import { toIso } from '../model/instant.js';
import type { Transaction } from '../model/entry.js';
import { forget, type Receipt } from '../govern/forget.js';
import { draftRevert } from '../govern/revert.js';
import { scopesOf } from '../govern/selection.js';
import { commit } from '../memory/write/commit.js';
import { readKnown, settingsNow, type Place, type Space } from '../memory/space.js';
import type { WriteOptions, WriteResult } from '../memory/types.js';
import { PREFIX } from '../store/resident/tables.js';
import { STILL } from '../store/rows.js';
import type { ForgetOptions, ForgetSelector } from './handle.js';
import { Stream } from './stream.js';
import type { ChangesInput } from './view.js';

/** A scope with what is in it. */
export interface ScopeCount {
  readonly scope: Scope;
  readonly claims: number;
  /** Facts believed now. */
  readonly facts: number;
  readonly entities: number;
}

/** A transaction as the journal keeps it. */
export interface JournalTransaction {
  readonly tx: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string | null;
  readonly reason: string | null;
  readonly reverts: number | null;
  readonly entries: Transaction['entries'];
}

/** What crosses the scopes of one org: explicit, and in the journal like everything else. */
export class Admin {
  readonly #space: Space;
  readonly #org: string;

  constructor(space: Space, org: string) {
    this.#space = space;
    this.#org = readScope({ org }).org;
  }

  get #place(): Place {
    const keys = scopesOf(this.#space.store.index, this.#org);
    const own = visibleScopes({ org: this.#org }).map(scopeKey);
    return { scope: { org: this.#org }, visible: [...new Set([...keys, ...own])] };
  }

  /** Every scope of the org that holds something. */
  async scopes(): Promise<readonly ScopeCount[]> {
    this.#space.store.ensureOpen();
    const { index } = this.#space.store;
    const { claim, entity, fact, keys, texts } = index.tables;
    const counts = new Map<string, { claims: number; facts: number; entities: number }>();
    for (const key of scopesOf(index, this.#org)) counts.set(key, { claims: 0, facts: 0, entities: 0 });
    const of = (term: number): { claims: number; facts: number; entities: number } | undefined =>
      counts.get(texts.text(term).slice(PREFIX.scope.length));
    const add = (term: number, what: 'claims' | 'facts' | 'entities'): void => {
      const count = of(term);
      if (count !== undefined) count[what] += 1;
    };
    for (let row = 0; row < claim.scope.length; row++) add(claim.scope.get(row), 'claims');
    for (let row = 0; row < entity.scope.length; row++) add(entity.scope.get(row), 'entities');
    for (let row = 0; row < fact.key.length; row++) {
      const believed = fact.knownTo.get(row) === STILL && (fact.flags.get(row) & 1) === 0;
      if (believed) add(keys.get(fact.key.get(row), 0), 'facts');
    }
    return [...counts].map(([key, count]) => ({ scope: scopeOfKey(key), ...count }));
  }

  /** The journal's transactions that touch this org, after `from`, up to and with `to`. */
  transactions(range: ChangesInput = {}): Stream<JournalTransaction> {
    const { store } = this.#space;
    store.ensureOpen();
    const { timeZone } = settingsNow(this.#space);
    const first = range.from === undefined ? 0 : readKnown(store.index, range.from, timeZone, 'from');
    const last = readKnown(store.index, range.to, timeZone, 'to');
    const touches = (entries: Transaction['entries']): Transaction['entries'] => this.#ownEntries(entries);
    return new Stream(async function* () {
      for (let tx = first + 1; tx <= last; tx++) {
        const { header, entries } = store.transaction(tx);
        const own = touches(entries);
        if (own.length === 0) continue;
        yield {
          tx,
          at: toIso(store.index.at(tx)),
          actor: header.actor ?? null,
          reason: header.reason ?? null,
          reverts: header.reverts ?? null,
          entries: own,
        };
      }
    });
  }

  #ownEntries(entries: Transaction['entries']): Transaction['entries'] {
    const { index } = this.#space.store;
    const { claim, entity, texts } = index.tables;
    const isOwn = (scopeTerm: number): boolean =>
      scopeOfKey(texts.text(scopeTerm).slice(PREFIX.scope.length)).org === this.#org;
    const ofEntity = (id: string): boolean => {
      const row = index.tables.entityOfTerm.get(texts.find(`e:${id}`));
      return row >= 0 && isOwn(entity.scope.get(row));
    };
    const ofClaim = (id: string): boolean => {
      const waiting = index.tables.side.held.get(id) ?? index.tables.side.rejected.get(id);
      if (waiting !== undefined) return waiting.claim.scope.org === this.#org;
      const row = index.claimRow(id);
      return row >= 0 && isOwn(claim.scope.get(row));
    };
    return entries.filter((entry) => {
      switch (entry.op) {
        case 'claim':
        case 'hold':
          return entry.claim.scope.org === this.#org;
        case 'entity':
          return entry.scope.org === this.#org;
        case 'alias':
        case 'unalias':
          return ofEntity(entry.entity);
        case 'merge':
        case 'split':
          return ofEntity(entry.from);
        case 'approve':
        case 'reject':
        case 'unsettle':
        case 'withdraw':
        case 'reinstate':
          return ofClaim(entry.claim);
        case 'settings':
        case 'erased':
          return true;
      }
    });
  }

  /** Forgets across all scopes of the org: also by user and by scope. */
  async forget(selector: ForgetSelector, options?: ForgetOptions): Promise<Receipt> {
    this.#space.store.ensureOpen();
    return forget(this.#space, this.#place, selector, options, true);
  }

  /** Undoes a transaction that reaches over several scopes of the org. */
  async revert(tx: number, options?: WriteOptions): Promise<WriteResult> {
    return commit(this.#space, this.#place, [(draft) => draftRevert(draft, tx)], options, {
      reverts: tx,
    });
  }
}
