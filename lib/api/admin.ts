import { check } from '../model/check.js';
import { readScope, scopeKey, visibleScopes } from '../model/scope.js';
import { toIso } from '../model/instant.js';
import type { Transaction } from '../model/entry.js';
import { forget, type Receipt } from '../govern/forget.js';
import { draftRevert } from '../govern/revert.js';
import { scopesOf } from '../govern/selection.js';
import { entriesOfOrg } from '../memory/read/org.js';
import { countScopes, type ScopeCount } from '../memory/read/scopes.js';
import { RangeSchema } from '../memory/read/changes.js';
import { commit } from '../memory/write/commit.js';
import { readKnown, settingsNow, type Place, type Space } from '../memory/space.js';
import type { WriteOptions, WriteResult } from '../memory/types.js';
import { exportLines } from '../transfer/export.js';
import type { Ingestion } from './ingestion.js';
import { erases, type ForgetOptions, type ForgetSelector } from './handle.js';
import type { Recall } from './recall.js';
import { Stream } from './stream.js';
import type { ChangesInput } from './view.js';

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
  readonly #ingestion: Ingestion;

  readonly #recall: Recall;

  constructor(space: Space, org: string, ingestion: Ingestion, recall: Recall) {
    this.#space = space;
    this.#ingestion = ingestion;
    this.#recall = recall;
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
    return countScopes(this.#space.store.index, this.#org);
  }

  /** The journal's transactions that touch this org, after `from`, up to and with `to`. */
  transactions(range: ChangesInput = {}): Stream<JournalTransaction> {
    const { store } = this.#space;
    store.ensureOpen();
    const { timeZone } = settingsNow(this.#space);
    const { from, to } = check(RangeSchema, range);
    const first = from === undefined ? 0 : readKnown(store.index, from, timeZone, 'from');
    const last = readKnown(store.index, to, timeZone, 'to');
    const org = this.#org;
    return new Stream(async function* () {
      for (let tx = first + 1; tx <= last; tx++) {
        const { header, entries } = store.transaction(tx);
        const own = entriesOfOrg(store.index, org, entries);
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

  /**
   * The org's part of the store as lines of JSON, transactions and facts of all known times. Imported into
   * an empty store it gives the org the same answers on both axes, under the same transaction numbers.
   */
  export(): Stream<string> {
    this.#space.store.ensureOpen();
    return new Stream(() => exportLines(this.#space, { org: this.#org }));
  }

  /** Forgets across all scopes of the org: also by user and by scope. */
  async forget(selector: ForgetSelector, options?: ForgetOptions): Promise<Receipt> {
    this.#space.store.ensureOpen();
    const run = (): Promise<Receipt> =>
      forget(this.#space, this.#place, selector, options, {
        everything: true,
        eraseEvents: (isMeant) => this.#ingestion.erase(isMeant, this.#place.scope.org),
        derived: this.#recall.derived,
      });
    return erases(options) ? this.#recall.erase(run) : run();
  }

  /** Undoes a transaction that reaches over several scopes of the org. */
  async revert(tx: number, options?: WriteOptions): Promise<WriteResult> {
    return commit(this.#space, this.#place, [(draft) => draftRevert(draft, tx)], options, {
      reverts: tx,
    });
  }
}
