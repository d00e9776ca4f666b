import { BEGIN, FOREVER } from '../../../lib/model/interval.js';
import { PRECISIONS } from '../../../lib/model/precision.js';
import type { GraphSource } from '../../../lib/store/graph.js';
import {
  STILL,
  SUPERSESSIONS,
  type ClaimRow,
  type EntityRow,
  type FactRow,
  type OutRow,
  type RowQuery,
  type TxChanges,
} from '../../../lib/store/rows.js';

export const NASTY = [
  '',
  'a,b',
  'say "hi"',
  '"',
  'two\nlines',
  'dos\r\nlines',
  '\n',
  ' edges ',
  'back\\slash\\',
  "it's",
  'nul\0inside',
  '张三 😀 é',
  '\u2028',
  '\ufeffmark',
  '[1,2]',
  '{a: 1}',
  'NULL',
  '\\N',
  '"\n"x',
  'x'.repeat(100_000),
] as const;

export function random(seed: number): (below: number) => number {
  let a = seed >>> 0;
  return (below) => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}

/** A store's history made up by a seed: the rows hang together, their meaning does not matter. */
export class MadeUpSource implements GraphSource {
  storeId = 'store-1';
  readonly facts = new Map<string, FactRow>();
  readonly claims = new Map<string, ClaimRow>();
  readonly entities = new Map<string, EntityRow>();
  readonly supports = new Map<string, string[]>();
  readonly #txs: TxChanges[] = [];
  readonly #below: (n: number) => number;

  constructor(seed: number) {
    this.#below = random(seed);
  }

  get lastTx(): number {
    return this.#txs.at(-1)?.tx ?? 0;
  }

  get factCount(): number {
    return this.facts.size;
  }

  *changes(after: number): Generator<TxChanges> {
    const nowOf = (c: ClaimRow): ClaimRow => this.claims.get(c.id) ?? c;
    for (const tx of this.#txs) {
      if (tx.tx <= after) continue;
      yield { ...tx, claims: tx.claims.map(nowOf), reconsidered: tx.reconsidered.map(nowOf) };
    }
  }

  /** Adds transactions, each of about ten facts. */
  grow(transactions: number): this {
    for (let i = 0; i < transactions; i++) this.#commit();
    return this;
  }

  /** A transaction which no graph can take: it speaks of an entity that does not exist. */
  break(): void {
    const tx = this.lastTx + 1;
    this.#txs.push({
      ...EMPTY,
      tx,
      at: atOf(tx),
      opened: [{ ...this.#fact(tx, 0), id: `broken${tx}`, subject: 'nobody' }],
    });
  }

  /** Takes the last transaction away, as a journal restored from a backup does. */
  forgetLast(): void {
    this.#txs.pop();
  }

  expected(query: RowQuery): FactRow[] {
    return [...this.facts.values()].filter(
      (f) =>
        query.scopes.includes(f.scope) &&
        (query.subjects?.includes(f.subject) ?? true) &&
        (query.objects?.includes(f.object) ?? true) &&
        (query.predicates?.includes(f.predicate) ?? true) &&
        (query.valid === null || (f.validFrom < query.valid.to && query.valid.from < f.validTo)) &&
        (query.known === 'ever' || (f.knownFrom <= query.known && query.known < f.knownTo)) &&
        (query.polarity === 'both' || query.polarity === f.polarity),
    );
  }

  query(): RowQuery {
    const some = <T>(list: readonly T[], most: number): T[] =>
      Array.from({ length: this.#below(most + 1) }, () => this.#pick(list));
    const start = day(this.#below(1_000));
    const names = {
      subjects: some([...this.entities.keys(), 'nobody'], 4),
      objects: some(this.#objects(), 4),
    };
    return {
      scopes: some(SCOPES, 3),
      ...(this.#below(2) === 0 ? { subjects: names.subjects } : {}),
      ...(this.#below(3) === 0 ? { objects: names.objects } : {}),
      ...(this.#below(3) === 0 ? { predicates: some(PREDICATES, 20) } : {}),
      valid:
        this.#below(3) === 0 ? null : { from: start, to: start + 1 + this.#below(3) * day(30) },
      known: this.#below(3) === 0 ? 'ever' : this.#below(this.lastTx + 2),
      polarity: this.#pick(['assert', 'deny', 'both'] as const),
    };
  }

  #commit(): void {
    const tx = this.lastTx + 1;
    const entities = Array.from({ length: tx === 1 ? 8 : this.#below(3) }, (_, i) =>
      this.#entity(tx, i),
    );
    for (const e of entities) this.entities.set(e.id, e);
    const claims = Array.from({ length: 3 }, (_, i) => this.#claim(tx, i));
    const older = [...this.claims.values()];
    const reconsidered =
      older.length === 0 ? [] : [{ ...this.#pick(older), outs: [this.#out(tx)] }];
    for (const c of [...reconsidered, ...claims]) this.claims.set(c.id, c);
    const open = [...this.facts.values()].filter((f) => f.knownTo === STILL);
    const closing = new Set(
      Array.from({ length: Math.min(3, open.length) }, () => this.#pick(open)),
    );
    const closed = [...closing].map((f) => ({
      id: f.id,
      knownTo: tx,
      reason: this.#pick(['ended', 'revised'] as const),
    }));
    const opened = Array.from({ length: 6 + this.#below(8) }, (_, i) => this.#fact(tx, i));
    for (const f of opened) this.facts.set(f.id, f);
    for (const c of closed) {
      const fact = this.facts.get(c.id);
      if (fact !== undefined)
        this.facts.set(c.id, { ...fact, knownTo: c.knownTo, reason: c.reason });
    }
    const supersedes = closed.map((c, i) => ({
      from: opened[i]?.id ?? '',
      to: c.id,
      kind: this.#pick(SUPERSESSIONS),
    }));
    const supports = opened.map((f, i) => ({
      fact: f.id,
      claim: claims[i % claims.length]?.id ?? '',
    }));
    if (older[0] !== undefined && open[0] !== undefined)
      supports.push({ fact: open[0].id, claim: claims[0]?.id ?? '' });
    for (const s of supports)
      this.supports.set(s.fact, [...(this.supports.get(s.fact) ?? []), s.claim]);
    this.#txs.push({
      tx,
      at: atOf(tx),
      entities,
      claims,
      reconsidered,
      opened,
      closed,
      supersedes,
      supports,
    });
  }

  #entity(tx: number, i: number): EntityRow {
    return {
      id: `entity ${tx}-${i} "é"`,
      scope: this.#pick(SCOPES),
      type: 'thing',
      name: this.#pick(NASTY),
      tx,
    };
  }

  #fact(tx: number, i: number): FactRow {
    const object = this.#pick(this.#objects());
    const from = this.#below(6) === 0 ? BEGIN : day(this.#below(1_000));
    return {
      id: `f${tx}-${i}`,
      key: `key ${this.#below(5)}`,
      scope: this.#pick(SCOPES),
      subject: this.#pick([...this.entities.keys()]),
      predicate: this.#pick(PREDICATES),
      polarity: object === '*' || this.#below(5) === 0 ? 'deny' : 'assert',
      object,
      shown: object,
      instance: this.#pick([null, null, '', 'first']),
      properties: this.#pick([null, '{"role":"C\\"TO"}']),
      validFrom: from,
      validTo: this.#below(2) === 0 ? FOREVER : Math.max(from, 0) + day(1 + this.#below(400)),
      fromPrecision: this.#pick(PRECISIONS),
      toPrecision: this.#pick(PRECISIONS),
      startUnknown: from === BEGIN,
      knownFrom: tx,
      knownTo: STILL,
      reason: null,
    };
  }

  #claim(tx: number, i: number): ClaimRow {
    return {
      id: `c${tx}-${i}`,
      scope: this.#pick(SCOPES),
      subject: this.#pick([...this.entities.keys()]),
      predicate: this.#pick(PREDICATES),
      polarity: 'assert',
      object: 's:x',
      shown: 's:X',
      instance: null,
      properties: null,
      validFrom: this.#pick([null, day(3)]),
      validTo: this.#pick(['ongoing', 'unknown', day(9), FOREVER] as const),
      unit: 86_400_000,
      fromPrecision: 'day',
      toPrecision: 'week',
      observedAt: day(20),
      authority: this.#pick([30, 10.5, 0.1]),
      origin: 'user',
      confidence: this.#pick([null, 0, 0.3, 1]),
      statement: this.#pick([null, ...NASTY]),
      evidence: Array.from({ length: this.#below(4) }, () => ({
        session: this.#pick(['s', 's#1', '会议 "a"']),
        seq: this.#below(12),
        role: 'user',
        quote: this.#pick([null, ...NASTY]),
        at: this.#pick([null, day(5)]),
      })),
      tx,
      outs: [],
    };
  }

  #out(tx: number): OutRow {
    return {
      from: BEGIN,
      to: FOREVER,
      since: tx,
      until: STILL,
      cause: 'retract',
      by: this.#pick([null, 'c1-0']),
    };
  }

  #objects(): string[] {
    return [
      '*',
      ...NASTY.map((s) => `s:${s}`),
      'n:1',
      't:5:day',
      ...[...this.entities.keys()].flatMap((id) => [`e:${id}`, `e:${id}`]),
    ];
  }

  #pick<T>(list: readonly T[]): T {
    const item = list[this.#below(list.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }
}

const SCOPES = ['org=acme', 'org=acme,project="shop"', 'org=acme,user=ana'] as const;
const PREDICATES = Array.from({ length: 20 }, (_, i) => `predicate_${i}`);
const EMPTY = {
  entities: [],
  claims: [],
  reconsidered: [],
  opened: [],
  closed: [],
  supersedes: [],
  supports: [],
};
const day = (n: number): number => n * 86_400_000;
const atOf = (tx: number): number => day(20_000) + tx * 1_000;
