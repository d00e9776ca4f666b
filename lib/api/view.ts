import type { OntologyDefinition } from '../model/ontology.js';
import { readChanges } from '../memory/read/changes.js';
import { listEntities, resolveEntities, type Entity } from '../memory/read/entities.js';
import { readFacts, streamFacts } from '../memory/read/facts.js';
import { readHistory } from '../memory/read/history.js';
import {
  readNeighbors,
  readPaths,
  type Neighborhood,
  type Path,
} from '../memory/read/neighbors.js';
import { readWhy } from '../memory/read/why.js';
import type { Moment, Place, Space } from '../memory/space.js';
import type {
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
} from '../memory/types.js';
import type { FactId } from '../model/ids.js';
import type { InstantInput } from '../model/instant.js';
import type {
  Hit,
  RecallAnswer,
  RecallOptions,
  SearchAnswer,
  SearchOptions,
} from '../recall/types.js';
import type { Profile, ProfileOptions } from '../recall/profile/types.js';
import type { Recall } from './recall.js';
import { Stream } from './stream.js';

/** A point on each axis that a read may name. */
export interface MomentInput {
  /** When it holds in the world. Default: now. */
  readonly validAt?: InstantInput | undefined;
  /** When the memory believed it. Default: the latest transaction. */
  readonly knownAt?: KnownInput | undefined;
}

export interface HistoryInput<P extends string = string> {
  readonly subject: EntityInput | EntityRef;
  readonly predicate?: P | readonly P[] | undefined;
  readonly object?: unknown;
  readonly knownAt?: KnownInput | undefined;
}

export interface NeighborsInput extends MomentInput {
  readonly subject: EntityInput | EntityRef;
  /** 1 to 8. Default 1. */
  readonly hops?: number | undefined;
  readonly predicates?: readonly string[] | undefined;
  /** `out`: from subject to object. Default `both`. */
  readonly direction?: 'out' | 'in' | 'both' | undefined;
  /** Default 10,000. */
  readonly limit?: number | undefined;
}

export interface PathsInput extends MomentInput {
  readonly from: EntityInput | EntityRef;
  readonly to: EntityInput | EntityRef;
  /** 1 to 8. Default 4. */
  readonly maxHops?: number | undefined;
  readonly predicates?: readonly string[] | undefined;
  readonly direction?: 'out' | 'in' | 'both' | undefined;
  /** Default 10. */
  readonly limit?: number | undefined;
}

/** Known times; changes after `from`, up to and with `to`. */
export interface ChangesInput {
  readonly from?: KnownInput | undefined;
  readonly to?: KnownInput | undefined;
}

/** The verbs that read. A handle reads the present, a view a fixed moment. */
export interface Reads<O extends OntologyDefinition = OntologyDefinition> {
  /**
   * Facts that hold and are believed at the asked moment, in the handle's scope and the broader ones
   * that it sees. Sorted by start, the latest first, unless told otherwise.
   *
   * @throws PalimpsestError `INVALID_INPUT`, `INVALID_INSTANT`, `INVALID_INTERVAL`, `NOT_FOUND`.
   * @example
   * const [database] = await shop.facts({ subject: 'shop', predicate: 'database' });
   */
  facts<const P extends PredicateName<O> = string>(
    selector?: FactSelector<O, P>,
  ): Promise<readonly Fact<ObjectByName<O, P>>[]>;

  /** The same, one by one. */
  stream<const P extends PredicateName<O> = string>(
    selector?: FactSelector<O, P>,
  ): Stream<Fact<ObjectByName<O, P>>>;

  /** Everything that was ever believed of a subject, in the order in which it was learnt. */
  history(input: HistoryInput): Promise<History>;

  /**
   * Why a fact is believed: claims, events, quotes, and what it took the place of.
   *
   * @throws PalimpsestError `NOT_FOUND` for a fact that does not exist or cannot be seen.
   */
  why(fact: FactId | string | { readonly id: FactId }): Promise<Why>;

  /** What each transaction of a range opened and closed. */
  changes(range?: ChangesInput): Stream<ChangeSet>;

  /** Entities within some edges of a subject, over edges that hold at the asked moment. */
  neighbors(input: NeighborsInput): Promise<Neighborhood>;

  /** Walks between two entities, the shortest first. */
  paths(input: PathsInput): Promise<readonly Path[]>;

  /**
   * What is believed about a question, and the events behind it, the best first. Facts that do not hold or are
   * not believed at the asked point are never among the hits.
   *
   * @throws PalimpsestError `INVALID_INPUT`, `INVALID_INSTANT`, `INVALID_INTERVAL`, `NOT_FOUND`, `ABORTED`.
   * @example
   * const { hits } = await shop.search('Which database did we use in 2024?');
   */
  search(query: string, options?: SearchOptions): Promise<SearchAnswer>;

  /** The hits of a search, one by one. */
  searchStream(query: string, options?: SearchOptions): Stream<Hit>;

  /**
   * A search for a model to read: its hits as text within a budget of tokens, every quotation with its
   * source. What was shown is kept as a snapshot.
   *
   * @throws PalimpsestError as `search` does.
   * @example
   * const { text, status } = await shop.recall('Who owns the checkout?', { maxTokens: 500 });
   */
  recall(query: string, options?: RecallOptions): Promise<RecallAnswer>;

  /**
   * What is believed, in short: within a budget of tokens, each line with the facts that it rests on. A line is
   * made anew only when one of them has changed. At a fixed moment no writer is asked.
   *
   * @example
   * const { text, lines } = await ana.profile({ maxTokens: 300 });
   */
  profile(options?: ProfileOptions): Promise<Profile>;

  readonly entities: EntityReads;
}

export interface EntityReads {
  /** The entities that a name, an alias or an id means here. */
  resolve(entity: EntityInput | EntityRef): Promise<readonly Entity[]>;
  list(filter?: { readonly type?: string | undefined }): Stream<Entity>;
}

type ReadVerb<T> = (
  space: Space,
  place: Place,
  view: Partial<Moment>,
  input: unknown,
) => Promise<T>;

/** A read-only view of a fixed moment: the same verbs, and none of them can forget an axis. */
export class View<O extends OntologyDefinition = OntologyDefinition> implements Reads<O> {
  readonly #space: Space;
  readonly #place: Place;
  readonly #moment: Partial<Moment>;
  readonly #recall: Recall;

  constructor(space: Space, place: Place, moment: Partial<Moment>, recall: Recall) {
    this.#space = space;
    this.#place = place;
    this.#moment = moment;
    this.#recall = recall;
  }

  async facts<const P extends PredicateName<O> = string>(
    selector?: FactSelector<O, P>,
  ): Promise<readonly Fact<ObjectByName<O, P>>[]> {
    const facts = await this.#read(readFacts, selector);
    return facts.map((fact) => this.#typed<P>(fact));
  }

  stream<const P extends PredicateName<O> = string>(
    selector?: FactSelector<O, P>,
  ): Stream<Fact<ObjectByName<O, P>>> {
    const { store } = this.#space;
    const typed = (fact: Fact): Fact<ObjectByName<O, P>> => this.#typed<P>(fact);
    const facts = (): AsyncIterable<Fact> =>
      streamFacts(this.#space, this.#place, this.#moment, selector);
    return new Stream(async function* () {
      for await (const fact of store.stream(facts())) yield typed(fact);
    });
  }

  history(input: HistoryInput): Promise<History> {
    return this.#read(readHistory, input);
  }

  why(fact: FactId | string | { readonly id: FactId }): Promise<Why> {
    return this.#read(readWhy, fact);
  }

  changes(range?: ChangesInput): Stream<ChangeSet> {
    this.#space.store.ensureOpen();
    return new Stream(() => readChanges(this.#space, this.#place, this.#moment, range));
  }

  neighbors(input: NeighborsInput): Promise<Neighborhood> {
    return this.#read(readNeighbors, input);
  }

  paths(input: PathsInput): Promise<readonly Path[]> {
    return this.#read(readPaths, input);
  }

  search(query: string, options?: SearchOptions): Promise<SearchAnswer> {
    return this.#recall.search(this.#place, this.#moment, query, options);
  }

  searchStream(query: string, options?: SearchOptions): Stream<Hit> {
    const answer = (): Promise<SearchAnswer> => this.search(query, options);
    return new Stream(async function* () {
      yield* (await answer()).hits;
    });
  }

  recall(query: string, options?: RecallOptions): Promise<RecallAnswer> {
    return this.#recall.recall(this.#place, this.#moment, query, options);
  }

  profile(options?: ProfileOptions): Promise<Profile> {
    return this.#recall.profiles.read(this.#place, this.#moment, options);
  }

  get entities(): EntityReads {
    return {
      resolve: async (entity) => {
        this.#space.store.ensureOpen();
        return resolveEntities(this.#space, this.#place, this.#moment, entity);
      },
      list: (filter) =>
        new Stream(() =>
          this.#space.store.stream(listEntities(this.#space, this.#place, this.#moment, filter)),
        ),
    };
  }

  #read<T>(verb: ReadVerb<T>, input: unknown): Promise<T> {
    return this.#space.store.read(() => verb(this.#space, this.#place, this.#moment, input));
  }

  /**
   * The one place where a declared object type is taken at its word: the door checked each object
   * against the predicate's schema when it was written.
   */
  #typed<P extends string>(fact: Fact): Fact<ObjectByName<O, P>> {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
    return fact as Fact<ObjectByName<O, P>>;
  }
}
