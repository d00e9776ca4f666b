import { z } from 'zod';
import { check } from '../model/check.js';
import { readInstant, type InstantInput } from '../model/instant.js';
import type { OntologyDefinition } from '../model/ontology.js';
import { scopeKey, visibleScopes, type Scope } from '../model/scope.js';
import { forget, type Receipt } from '../govern/forget.js';
import { draftApprove, draftReject, heldClaims, type HeldClaim } from '../govern/review.js';
import { draftRevert } from '../govern/revert.js';
import { changeSet } from '../memory/read/changes.js';
import type { Neighborhood, Path } from '../memory/read/neighbors.js';
import { readKnown, readValid, settingsNow, type Place, type Space } from '../memory/space.js';
import type {
  AssertInput,
  ChangeSet,
  EntityInput,
  EntityRef,
  Fact,
  FactSelector,
  History,
  KnownInput,
  ObjectByName,
  PredicateName,
  Why,
  WriteOptions,
  WriteResult,
} from '../memory/types.js';
import { draftClaim } from '../memory/write/claim.js';
import { commit, type Verb } from '../memory/write/commit.js';
import { draftCorrect } from '../memory/write/correct.js';
import { draftEnd } from '../memory/write/end.js';
import { draftAlias, draftDeclare, draftMerge, draftSplit } from '../memory/write/entities.js';
import {
  AssertInputSchema,
  CorrectInputSchema,
  EndInputSchema,
  RetractInputSchema,
} from '../memory/write/input.js';
import { draftRetract } from '../memory/write/retract.js';
import type {
  Hit,
  RecallAnswer,
  RecallOptions,
  SearchAnswer,
  SearchOptions,
} from '../recall/types.js';
import type { Comparison, Snapshot, SnapshotInfo } from '../recall/snapshots/types.js';
import type { Profile, ProfileOptions } from '../recall/profile/types.js';
import type { Recall } from './recall.js';
import { Stream } from './stream.js';
import { collectVerbs, discreetly } from './transaction.js';
import type { CorrectInput, EndInput, RetractInput, TransactionWrites, Writes } from './writes.js';
import {
  View,
  type ChangesInput,
  type EntityReads,
  type HistoryInput,
  type NeighborsInput,
  type PathsInput,
  type Reads,
} from './view.js';
import { watchCommits } from './watch.js';
import type { EventInput, Ingestion } from './ingestion.js';
import type { Ingested } from './job.js';
import type { CuratorRun } from '../ingest/curator.js';
import type { Reextraction } from '../ingest/reextract.js';

export interface EntityVerbs extends EntityReads {
  /** Makes sure that an entity exists in the handle's own scope. */
  declare(
    entity: { readonly name: string; readonly type?: string; readonly distinct?: string },
    options?: WriteOptions,
  ): Promise<WriteResult>;
  /** Adds a name by which an entity is found from now on. */
  alias(
    entity: EntityInput | EntityRef,
    name: string,
    options?: WriteOptions,
  ): Promise<WriteResult>;
  /** Says that two entities are one; `split` undoes it, and old answers stay as they were. */
  merge(
    from: EntityInput | EntityRef,
    into: EntityInput | EntityRef,
    options?: WriteOptions,
  ): Promise<WriteResult>;
  split(entity: EntityInput | EntityRef, options?: WriteOptions): Promise<WriteResult>;
}

export interface AsOf {
  readonly valid?: InstantInput | undefined;
  readonly known?: KnownInput | undefined;
}

export type ForgetSelector =
  | { readonly fact: string | { readonly id: string } }
  | { readonly claim: string | { readonly id: string } }
  | { readonly entity: EntityInput | EntityRef }
  | { readonly session: string }
  | { readonly event: { readonly session: string; readonly seq: number } }
  | { readonly user: string }
  | { readonly scope: Scope };

export interface ForgetOptions {
  /** `retract` (the default) withdraws and can be reverted; `erase` leaves nothing to be read. */
  readonly mode?: 'retract' | 'erase' | undefined;
  readonly dryRun?: boolean | undefined;
  readonly reason?: string | undefined;
  readonly actor?: string | undefined;
}

/** Whether a forgetting leaves nothing to be read. */
export const erases = (options: ForgetOptions | undefined): boolean =>
  options?.mode === 'erase' && options.dryRun !== true;

const AsOfSchema = z.strictObject({ valid: z.unknown().optional(), known: z.unknown().optional() });
const WatchSchema = z.strictObject({ signal: z.instanceof(AbortSignal).optional() });

/** And not a transaction. */
const isInstant = (known: unknown): boolean =>
  known !== undefined && !(typeof known === 'object' && known !== null && 'tx' in known);

/** One instant for both axes, or each by itself. */
function readAsOf(moment: unknown): { readonly valid?: unknown; readonly known?: unknown } {
  const isOfBoth =
    typeof moment === 'string' ||
    typeof moment === 'number' ||
    moment instanceof Date ||
    (typeof moment === 'object' && moment !== null && 'at' in moment);
  return isOfBoth ? { valid: moment, known: moment } : check(AsOfSchema, moment, 'moment');
}

/**
 * A memory as seen from one scope. It reads that scope and the broader ones it sees, and writes to
 * its own unless told `to:` another.
 */
export class Handle<O extends OntologyDefinition = OntologyDefinition>
  implements Reads<O>, Writes<O, Promise<WriteResult>>
{
  readonly scope: Scope;
  readonly #space: Space;
  readonly #place: Place;
  readonly #view: View<O>;
  readonly #ingestion: Ingestion;
  readonly #recall: Recall;

  constructor(space: Space, scope: Scope, ingestion: Ingestion, recall: Recall) {
    this.scope = Object.freeze({ ...scope });
    this.#space = space;
    this.#ingestion = ingestion;
    this.#recall = recall;
    this.#place = { scope: this.scope, visible: visibleScopes(scope).map(scopeKey) };
    this.#view = new View(space, this.#place, {}, recall);
  }

  #commit(verbs: readonly Verb[], options: WriteOptions | undefined): Promise<WriteResult> {
    return commit(this.#space, this.#place, verbs, options);
  }

  /**
   * Tells the memory one thing about the world.
   *
   * @throws PalimpsestError a code for each thing that can be wrong, naming the field; nothing changes.
   * @example
   * await shop.assert({ subject: 'shop', predicate: 'database', object: 'SQLite', validFrom: '2024-01-10' });
   */
  async assert<const P extends PredicateName<O> = string>(
    input: AssertInput<O, P>,
    options?: WriteOptions,
  ): Promise<WriteResult> {
    return discreetly([input], () => {
      const said = check(AssertInputSchema, input);
      return this.#commit([(draft) => draftClaim(draft, said)], options);
    });
  }

  /**
   * Says that what holds ends at an instant. A plan that is called off before it begins never held.
   *
   * @throws PalimpsestError `NOT_FOUND` when nothing goes on beyond that instant.
   * @example await shop.end({ subject: 'shop', predicate: 'owner', at: '2025-03' });
   */
  async end<const P extends PredicateName<O> = string>(
    input: EndInput<O, P>,
    options?: WriteOptions,
  ): Promise<WriteResult> {
    return discreetly([input], () => {
      const said = check(EndInputSchema, input);
      return this.#commit([(draft) => draftEnd(draft, said)], options);
    });
  }

  /**
   * Says that a fact or a claim was wrong, and what is right instead.
   *
   * @throws PalimpsestError `NOT_FOUND` for what does not exist or cannot be seen from here.
   * @example await shop.correct({ was: fact, validFrom: '2024-06' });
   */
  async correct<const P extends PredicateName<O> = string>(
    input: CorrectInput<O, P>,
    options?: WriteOptions,
  ): Promise<WriteResult> {
    return discreetly([input], () => {
      const said = check(CorrectInputSchema, input);
      return this.#commit([(draft) => draftCorrect(draft, said)], options);
    });
  }

  /** Takes claims back whole, or facts within their valid interval. */
  async retract(what: RetractInput, options?: WriteOptions): Promise<WriteResult> {
    const ids = check(RetractInputSchema, what, 'id');
    return this.#commit([(draft) => draftRetract(draft, ids)], options);
  }

  /**
   * Several verbs as one transaction: all of them, or none. Each sees the memory as it was before.
   *
   * @example
   * await shop.transact((t) => {
   *   t.assert({ subject: 'shop', predicate: 'owner', object: 'Ana' });
   *   t.assert({ subject: 'shop', predicate: 'database', object: 'Postgres' });
   * });
   */
  async transact(
    collect: (t: TransactionWrites<O>) => void,
    options?: WriteOptions,
  ): Promise<WriteResult> {
    const inputs: unknown[] = [];
    return discreetly(inputs, () => this.#commit(collectVerbs(collect, inputs), options));
  }

  /**
   * A read-only view of a fixed moment. A short form for both axes at once is `asOf('2024-05-01')`.
   *
   * @throws PalimpsestError `INVALID_INSTANT`, `NOT_FOUND` for a transaction that does not exist.
   */
  asOf(moment: AsOf | InstantInput): View<O> {
    const { store } = this.#space;
    store.ensureOpen();
    const { timeZone } = settingsNow(this.#space);
    const { valid, known } = readAsOf(moment);
    const fixed = {
      ...(valid === undefined ? {} : { valid: readValid(this.#space, valid, timeZone, 'valid') }),
      known: readKnown(store.index, known, timeZone, 'known'),
      ...(isInstant(known) ? { knownAt: readInstant(known, { timeZone, field: 'known' }).at } : {}),
    };
    return new View(this.#space, this.#place, fixed, this.#recall);
  }

  facts<const P extends PredicateName<O> = string>(
    selector?: FactSelector<O, P>,
  ): Promise<readonly Fact<ObjectByName<O, P>>[]> {
    return this.#view.facts(selector);
  }

  stream<const P extends PredicateName<O> = string>(
    selector?: FactSelector<O, P>,
  ): Stream<Fact<ObjectByName<O, P>>> {
    return this.#view.stream(selector);
  }

  history(input: HistoryInput): Promise<History> {
    return this.#view.history(input);
  }

  why(fact: string | { readonly id: Fact['id'] }): Promise<Why> {
    return this.#view.why(fact);
  }

  changes(range?: ChangesInput): Stream<ChangeSet> {
    return this.#view.changes(range);
  }

  neighbors(input: NeighborsInput): Promise<Neighborhood> {
    return this.#view.neighbors(input);
  }

  paths(input: PathsInput): Promise<readonly Path[]> {
    return this.#view.paths(input);
  }

  search(query: string, options?: SearchOptions): Promise<SearchAnswer> {
    return this.#view.search(query, options);
  }

  searchStream(query: string, options?: SearchOptions): Stream<Hit> {
    return this.#view.searchStream(query, options);
  }

  recall(query: string, options?: RecallOptions): Promise<RecallAnswer> {
    return this.#view.recall(query, options);
  }

  get entities(): EntityVerbs {
    return {
      ...this.#view.entities,
      declare: (entity, options) => this.#commit([(d) => draftDeclare(d, entity)], options),
      alias: (entity, name, options) => this.#commit([(d) => draftAlias(d, entity, name)], options),
      merge: (from, into, options) => this.#commit([(d) => draftMerge(d, from, into)], options),
      split: (entity, options) => this.#commit([(d) => draftSplit(d, entity)], options),
    };
  }

  profile(options?: ProfileOptions): Promise<Profile> {
    return this.#view.profile(options);
  }

  /**
   * What was shown under an id, as it was shown.
   *
   * @throws PalimpsestError `NOT_FOUND` for one that does not exist or cannot be seen from here.
   * @example
   * const { snapshot } = await shop.recall('Who owns the checkout?', { session: 's-1' });
   * const shown = await shop.snapshot(snapshot);
   */
  snapshot(id: string | { readonly id: string } | null): Promise<Snapshot> {
    return this.#recall.snapshots.read(this.#place, id);
  }

  /** What was shown in the scopes that this one sees, or in one session of a host, in that order. */
  snapshots(filter?: { readonly session?: string }): Promise<readonly SnapshotInfo[]> {
    return this.#recall.snapshots.list(this.#place, filter);
  }

  /**
   * What was shown under an id against what is believed now, fact by fact.
   *
   * @throws PalimpsestError `NOT_FOUND`, also for one whose content was erased.
   */
  compare(id: string | { readonly id: string } | null): Promise<Comparison> {
    return this.#recall.snapshots.compare(this.#place, id);
  }

  /** Changes as they commit, from now on, until the signal aborts or the memory closes. */
  watch(options: { readonly signal?: AbortSignal } = {}): Stream<ChangeSet> {
    const { store } = this.#space;
    store.ensureOpen();
    const { signal } = check(WatchSchema, options, 'options');
    const since = store.index.lastTx;
    const read = (tx: number): ChangeSet | null => changeSet(this.#space, this.#place, tx);
    return new Stream(() => watchCommits(store, since, read, signal));
  }

  /**
   * Takes in events of one session, as evidence, and as work for the extractor where there is one.
   * They are durable when this resolves; events told before are left out.
   *
   * @throws PalimpsestError `INVALID_INPUT`, `INVALID_INSTANT`, `SECRET_REFUSED`, `QUEUE_FULL`.
   * @example
   * const job = await shop.ingest([{ session: 's-1', seq: 0, role: 'user', text: 'We use Postgres now.' }]);
   * console.log((await job.done).state);
   */
  ingest(
    events: readonly EventInput[],
    options: { readonly root?: boolean } = {},
  ): Promise<Ingested> {
    return this.#ingestion.ingest(this.scope, events, options).finally(() => {
      this.#recall.vectors.wake();
    });
  }

  /** Runs the curator for this project now. */
  async curate(): Promise<CuratorRun> {
    this.#space.store.ensureOpen();
    const { curator } = await this.#ingestion.open();
    return curator.curate(this.scope);
  }

  /**
   * Extracts a session of this scope anew, and says what that would change. Nothing changes before
   * its `apply()`.
   *
   * @throws PalimpsestError `INVALID_INPUT` without an extractor.
   */
  reextract(
    session: string,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<Reextraction> {
    return this.#ingestion.reextract(this.#place, session, options.signal);
  }

  /** Tells the curator that a session begins; one that is resumed is no reason to run. */
  async sessionStarted(session: { readonly resumed?: boolean } = {}): Promise<void> {
    this.#space.store.ensureOpen();
    const { curator } = await this.#ingestion.open();
    curator.sessionStarted(this.scope, { resumed: session.resumed ?? false });
  }

  /** Claims that wait for approval, the oldest first. */
  async held(): Promise<readonly HeldClaim[]> {
    this.#space.store.ensureOpen();
    return heldClaims(this.#space, this.#place);
  }

  /** Accepts a claim that waits. */
  async approve(claim: string, options?: WriteOptions): Promise<WriteResult> {
    return this.#commit([(draft) => draftApprove(draft, claim)], options);
  }

  /** Refuses a claim that waits. */
  async reject(claim: string, options?: WriteOptions): Promise<WriteResult> {
    return this.#commit([(draft) => draftReject(draft, claim)], options);
  }

  /**
   * Undoes a transaction in a new one.
   *
   * @throws PalimpsestError `NOT_REVERTIBLE` for an erasure and for what reaches beyond this scope.
   */
  async revert(tx: number, options?: WriteOptions): Promise<WriteResult> {
    return commit(this.#space, this.#place, [(draft) => draftRevert(draft, tx)], options, {
      reverts: tx,
    });
  }

  /** Forgets what can be seen from here, by fact, claim, entity, session or event. */
  async forget(selector: ForgetSelector, options?: ForgetOptions): Promise<Receipt> {
    this.#space.store.ensureOpen();
    const run = (): Promise<Receipt> =>
      forget(this.#space, this.#place, selector, options, {
        eraseEvents: (isMeant) => this.#ingestion.erase(isMeant, this.#place.scope.org),
        derived: this.#recall.derived,
      });
    return erases(options) ? this.#recall.erase(run) : run();
  }
}
