import { Column } from './column.js';
import { InternTable } from './intern.js';
import { Meanings } from './meanings.js';
import { Postings } from './postings.js';
import { records, type Records } from './records.js';
import type { PredicateRecord } from '../../model/ontology.js';
import { emptySide, type Settings, type Side } from './side.js';
import { TupleTable } from './tuples.js';

/** What one letter in front of an interned text says of it. Objects carry their own (`e:`, `s:`, …). */
export const PREFIX = {
  scope: 'S:',
  predicate: 'P:',
  type: 'y:',
  display: 'd:',
  norm: 'm:',
  instance: 'i:',
  properties: 'p:',
  session: 'x:',
  start: 'T:',
  distinct: 'D:',
} as const;

export type Part = Column | InternTable | Postings | Records | TupleTable;

/** No text, no row, no key. */
export const NONE = -1;

export const CLAIM = { deny: 1, ongoing: 2, endUnknown: 4, startUnknown: 8 } as const;
export const FACT = { deny: 1, startUnknown: 2 } as const;

/**
 * The resident index: every hot column of the projection, as typed arrays and interned texts.
 * A row is a number; what is cold (statements, quotes) is a locator into the journal.
 */
export class Tables {
  readonly texts = new InternTable();

  /** Row = transaction number − 1. The last four are the ends of what the transaction added. */
  readonly #txs = records({
    at: 'f64',
    segment: 'i32',
    offset: 'f64',
    length: 'i32',
    claims: 'i32',
    facts: 'i32',
    closures: 'i32',
    entities: 'i32',
  });
  readonly tx = this.#txs.fields;

  readonly #entities = records({
    term: 'i32',
    scope: 'i32',
    type: 'i32',
    name: 'i32',
    norm: 'i32',
    distinct: 'i32',
    tx: 'i32',
  });
  readonly entity = this.#entities.fields;
  readonly entityOfTerm = new Column('i32', NONE);
  /** (scope, normalised name) → entries of `name`. */
  readonly nameKeys = new TupleTable(2);
  readonly names = new Postings();
  readonly namesOfEntity = new Postings();
  readonly #nameRecords = records({ entity: 'i32', since: 'i32', until: 'i32', text: 'i32' });
  readonly name = this.#nameRecords.fields;
  /** Canonical entity by term, where it is another. */
  readonly canonical = new Column('i32', NONE);

  /** (scope, subject, predicate, object, instance, start); `NONE` where the key has no such part. */
  readonly keys = new TupleTable(6);
  /** The last transaction that changed belief about the key. */
  readonly keyTx = new Column('i32', 0);
  /** (scope, subject, predicate) */
  readonly groups = new TupleTable(3);
  readonly keysOfGroup = new Postings();
  readonly keysOfPredicate = new Postings();
  /** Denials that speak to every key of their group with their object, or to all. */
  readonly broadcasts = new Postings();

  readonly claimIds = new TupleTable(4);
  readonly #claims = records({
    key: 'i32',
    scope: 'i32',
    subject: 'i32',
    predicate: 'i32',
    object: 'i32',
    shown: 'i32',
    instance: 'i32',
    properties: 'i32',
    from: 'f64',
    to: 'f64',
    unit: 'f64',
    observed: 'f64',
    authority: 'f64',
    flags: 'u8',
    fromPrecision: 'u8',
    toPrecision: 'u8',
    tx: 'i32',
    segment: 'i32',
    offset: 'f64',
    length: 'i32',
  });
  readonly claim = this.#claims.fields;
  readonly claimsOfKey = new Postings();
  readonly claimsOfSession = new Postings();
  /** (session, sequence number in two cells), as `eventCells` writes it. */
  readonly events = new TupleTable(3);
  readonly claimsOfEvent = new Postings();

  readonly factIds = new TupleTable(4);
  readonly #facts = records({
    key: 'i32',
    object: 'i32',
    shown: 'i32',
    instance: 'i32',
    properties: 'i32',
    from: 'f64',
    to: 'f64',
    knownFrom: 'i32',
    knownTo: 'i32',
    flags: 'u8',
    fromPrecision: 'u8',
    toPrecision: 'u8',
    reason: 'u8',
  });
  readonly fact = this.#facts.fields;
  readonly factsOfKey = new Postings();
  readonly factsOfSubject = new Postings();
  readonly factsOfObject = new Postings();
  /** Facts in the order in which they were closed. */
  readonly closures = new Column('i32');

  /** What is rare enough for plain maps. */
  side: Side = emptySide();

  /** Definitions by term. Emptied whenever terms are taken back. */
  predicateCache = new WeakMap<Settings, Map<number, PredicateRecord>>();
  /** Of that the part which was used last. */
  latestDefinitions: {
    readonly settings: Settings;
    readonly byTerm: Map<number, PredicateRecord>;
  } | null = null;

  readonly meanings = new Meanings();

  /** What was found out by passing over the columns so far. */
  seen = nothingSeen();

  /** The number of the last transaction that is visible to readers. */
  get lastTx(): number {
    return this.#published;
  }
  #published = 0;

  publish(tx: number): void {
    this.#published = tx;
  }

  get claimCount(): number {
    return this.claim.key.length;
  }

  get factCount(): number {
    return this.fact.key.length;
  }

  /** Everything that a checkpoint holds, in a fixed order and by name. */
  parts(): ReadonlyMap<string, Part> {
    this.#parts ??= this.#listParts();
    return this.#parts;
  }
  #parts: ReadonlyMap<string, Part> | null = null;

  #listParts(): ReadonlyMap<string, Part> {
    const out = new Map<string, Part>();
    const parts = {
      tx: this.#txs,
      entity: this.#entities,
      name: this.#nameRecords,
      claim: this.#claims,
      fact: this.#facts,
      texts: this.texts,
      entityOfTerm: this.entityOfTerm,
      nameKeys: this.nameKeys,
      names: this.names,
      namesOfEntity: this.namesOfEntity,
      canonical: this.canonical,
      keys: this.keys,
      keyTx: this.keyTx,
      groups: this.groups,
      keysOfGroup: this.keysOfGroup,
      keysOfPredicate: this.keysOfPredicate,
      broadcasts: this.broadcasts,
      claimIds: this.claimIds,
      claimsOfKey: this.claimsOfKey,
      claimsOfSession: this.claimsOfSession,
      events: this.events,
      claimsOfEvent: this.claimsOfEvent,
      factIds: this.factIds,
      factsOfKey: this.factsOfKey,
      factsOfSubject: this.factsOfSubject,
      factsOfObject: this.factsOfObject,
      closures: this.closures,
    };
    for (const [name, part] of Object.entries(parts)) out.set(name, part);
    return out;
  }

  /** Bytes held by the columns. */
  get memory(): number {
    let bytes = 0;
    for (const part of this.parts().values()) bytes += part.memory;
    return bytes;
  }
}

/** The predicates of so many keys, and those without a date of so many claims; forgotten whenever any are taken back. */
export const nothingSeen = (): {
  keys: number;
  readonly predicates: Set<number>;
  claims: number;
  readonly undated: number[];
} => ({ keys: 0, predicates: new Set(), claims: 0, undated: [] });
