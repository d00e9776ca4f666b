import { z } from 'zod';
import { PRECISIONS } from '../../model/precision.js';
import {
  CLOSE_REASONS,
  type ClaimRow,
  type EvidenceRow,
  type FactRow,
  type OutRow,
  type RowQuery,
} from '../rows.js';
import type { GraphDatabase } from './driver.js';
import type { Param, Row } from './native.js';
import { entityOf, valueId } from './records.js';
import { CLAIM, FACT, returned } from './schema.js';

const FACT_COLUMNS = returned(FACT, 'f');

/** More alternatives than this are filtered here: each number of them is a statement of its own. */
const MOST_ALTERNATIVES = 16;

/**
 * Facts by query. Starts from the nodes that are named, because only keys are indexed; without any it reads all facts once.
 * Long lists are taken one by one: the engines crash or scan on a list parameter.
 */
export async function readRows(
  database: GraphDatabase,
  query: RowQuery,
  newest?: number,
): Promise<readonly FactRow[]> {
  if (query.scopes.length === 0) return [];
  const filter = filterOf(query);
  const starts = startsOf(query);
  // What is filtered or joined here may need more rows than the engine would give.
  const isWhole = starts.length === 1 && filter.isWhole && query.objects === undefined;
  const cut =
    newest === undefined || !isWhole
      ? { text: '', params: {} }
      : { text: ' ORDER BY f.validFrom DESC, f.id LIMIT $most', params: { most: newest } };
  const params = { ...filter.params, ...cut.params };
  const objects = query.objects === undefined ? undefined : new Set(query.objects);
  const found: FactRow[] = [];
  for (const { match, id } of starts) {
    const text = `${match} WHERE CASE WHEN ${filter.text} THEN true ELSE false END RETURN ${FACT_COLUMNS}${cut.text}`;
    for (const row of await database.read(text, id === null ? params : { ...params, id })) {
      const fact = factOf(row);
      if (objects !== undefined && !objects.has(fact.object)) continue;
      if (filter.accepts(fact)) found.push(fact);
    }
  }
  return found;
}

interface Start {
  readonly match: string;
  readonly id: string | null;
}

function startsOf({ subjects, objects }: RowQuery): readonly Start[] {
  if (subjects !== undefined && (objects === undefined || subjects.length <= objects.length)) {
    return [...new Set(subjects)].map((id) => ({
      match: 'MATCH (s:Entity {id: $id})-[:SUBJECT]->(f:Fact)',
      id,
    }));
  }
  if (objects === undefined) return [{ match: 'MATCH (f:Fact)', id: null }];
  return [...new Set(objects)].map((object) => {
    const entity = entityOf(object);
    if (entity !== null)
      return { match: 'MATCH (o:Entity {id: $id})<-[:OBJECT]-(f:Fact)', id: entity };
    if (object !== '*')
      return { match: 'MATCH (o:Value {id: $id})<-[:HAS_VALUE]-(f:Fact)', id: valueId(object) };
    return { match: "MATCH (f:Fact {object: '*'})", id: null };
  });
}

interface Filter {
  readonly text: string;
  readonly params: Readonly<Record<string, Param>>;
  readonly accepts: (fact: FactRow) => boolean;
  /** `text` says all of it. */
  readonly isWhole: boolean;
}

function filterOf({ scopes, subjects, predicates, valid, known, polarity }: RowQuery): Filter {
  const params: Record<string, Param> = {};
  const tests: string[] = ['true'];
  const left: ((fact: FactRow) => boolean)[] = [];
  const among = (column: 'scope' | 'predicate', values: readonly string[]): void => {
    const distinct = [...new Set(values)];
    if (distinct.length > MOST_ALTERNATIVES || distinct.length === 0) {
      const set = new Set(distinct);
      left.push((fact) => set.has(fact[column]));
      return;
    }
    tests.push(`(${distinct.map((_, i) => `f.${column} = $${column}${i}`).join(' OR ')})`);
    for (const [i, value] of distinct.entries()) params[`${column}${i}`] = value;
  };
  among('scope', scopes);
  if (predicates !== undefined) among('predicate', predicates);
  // One subject is where the reading starts from.
  if (subjects !== undefined && subjects.length > 1) {
    const set = new Set(subjects);
    left.push((fact) => set.has(fact.subject));
  }
  if (valid !== null) {
    tests.push('f.validFrom < $to AND f.validTo > $from');
    params['from'] = valid.from;
    params['to'] = valid.to;
  }
  if (known !== 'ever') {
    tests.push('f.knownFrom <= $known AND f.knownTo > $known');
    params['known'] = known;
  }
  if (polarity !== 'both') {
    tests.push('f.polarity = $polarity');
    params['polarity'] = polarity;
  }
  return {
    text: tests.join(' AND '),
    params,
    accepts: (fact) => left.every((test) => test(fact)),
    isWhole: left.length === 0,
  };
}

export async function readFact(database: GraphDatabase, id: string): Promise<FactRow | null> {
  const [row] = await database.read(`MATCH (f:Fact {id: $id}) RETURN ${FACT_COLUMNS}`, { id });
  return row === undefined ? null : factOf(row);
}

const SUPPORTS = `MATCH (f:Fact {id: $id})-[:SUPPORTED_BY]->(c:Claim) RETURN ${returned(CLAIM, 'c')}`;
const EVIDENCE = `MATCH (c:Claim {id: $id})-[r:FROM_EVENT]->(e:Event) RETURN e.session AS session, e.seq AS seq, r.n AS n, r.role AS role, r.quote AS quote, r.at AS at`;

/** The claims behind each fact; a fact that is not there has none. */
export async function readSupports(
  database: GraphDatabase,
  facts: readonly string[],
): Promise<ReadonlyMap<string, readonly ClaimRow[]>> {
  const claims = new Map<string, Promise<ClaimRow>>();
  const claimIn = (row: Row): Promise<ClaimRow> => {
    const id = text(row, 'id');
    let claim = claims.get(id);
    if (claim === undefined) {
      claim = database.read(EVIDENCE, { id }).then((evidence) => claimOf(row, evidence));
      claims.set(id, claim);
    }
    return claim;
  };
  // Asked together, so that the connections share them.
  const supports = [...new Set(facts)].map(async (id) => {
    const rows = await database.read(SUPPORTS, { id });
    return [id, await Promise.all(rows.map(claimIn))] as const;
  });
  return new Map(await Promise.all(supports));
}

/** Facts of one subject asked about together. */
const TOGETHER = 20;
const SUPPORTS_OF = `MATCH (s:Entity {id: $id})-[:SUBJECT]->(f:Fact)-[:SUPPORTED_BY]->(c:Claim)
WHERE CASE WHEN ${Array.from({ length: TOGETHER }, (_, n) => `f.id = $f${n}`).join(' OR ')} THEN true ELSE false END
RETURN f.id AS fact, ${returned(CLAIM, 'c')}`;

/**
 * The same without evidence, which is one more question for each claim. Facts of one subject are found by it:
 * the engine answers twenty of them in the time of two or three.
 */
export async function readSupportsOf(
  database: GraphDatabase,
  facts: readonly Pick<FactRow, 'id' | 'subject'>[],
): Promise<ReadonlyMap<string, readonly ClaimRow[]>> {
  const bySubject = new Map<string, Set<string>>();
  for (const { id, subject } of facts) {
    const ids = bySubject.get(subject);
    if (ids === undefined) bySubject.set(subject, new Set([id]));
    else ids.add(id);
  }
  const supports = new Map<string, ClaimRow[]>();
  const questions: Promise<void>[] = [];
  const ask = async (id: string, together: readonly string[]): Promise<void> => {
    const [only, second] = together;
    const params = { id, ...namesOf(together) };
    const rows =
      only !== undefined && second === undefined
        ? await database.read(SUPPORTS, { id: only })
        : await database.read(SUPPORTS_OF, params);
    for (const row of rows) {
      const fact = second === undefined ? only : text(row, 'fact');
      if (fact !== undefined) supports.get(fact)?.push(claimOf(row, []));
    }
  };
  for (const [subject, set] of bySubject) {
    const ids = [...set];
    for (const id of ids) supports.set(id, []);
    for (let at = 0; at < ids.length; at += TOGETHER) {
      questions.push(ask(subject, ids.slice(at, at + TOGETHER)));
    }
  }
  await Promise.all(questions);
  return supports;
}

/** Every parameter has a value: what is left over asks for the last fact again. */
const namesOf = (ids: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: TOGETHER }, (_, n) => [`f${n}`, ids[n] ?? ids.at(-1) ?? '']),
  );

export async function readMeta(
  database: GraphDatabase,
): Promise<{ readonly store: string; readonly lastTx: number } | null> {
  const [row] = await database.read(
    `MATCH (m:Meta {id: 'graph'}) RETURN m.store AS store, m.lastTx AS lastTx`,
  );
  return row === undefined ? null : { store: text(row, 'store'), lastTx: number(row, 'lastTx') };
}

const POLARITIES = ['assert', 'deny'] as const;

const statementOf = (row: Row) => ({
  id: text(row, 'id'),
  scope: text(row, 'scope'),
  subject: text(row, 'subject'),
  predicate: text(row, 'predicate'),
  polarity: oneOf(POLARITIES, row, 'polarity'),
  object: text(row, 'object'),
  shown: text(row, 'shown'),
  instance: textOrNull(row, 'instance'),
  properties: textOrNull(row, 'properties'),
  fromPrecision: oneOf(PRECISIONS, row, 'fromPrecision'),
  toPrecision: oneOf(PRECISIONS, row, 'toPrecision'),
});

const factOf = (row: Row): FactRow => ({
  ...statementOf(row),
  key: text(row, 'key'),
  validFrom: number(row, 'validFrom'),
  validTo: number(row, 'validTo'),
  startUnknown: row['startUnknown'] === true,
  knownFrom: number(row, 'knownFrom'),
  knownTo: number(row, 'knownTo'),
  reason: row['reason'] === null ? null : oneOf(CLOSE_REASONS, row, 'reason'),
});

const claimOf = (row: Row, evidence: readonly Row[]): ClaimRow => ({
  ...statementOf(row),
  validFrom: numberOrNull(row, 'validFrom'),
  validTo:
    row['validEnd'] === 'at'
      ? number(row, 'validTo')
      : oneOf(['ongoing', 'unknown'] as const, row, 'validEnd'),
  unit: number(row, 'unit'),
  observedAt: number(row, 'observedAt'),
  authority: number(row, 'authority'),
  origin: text(row, 'origin'),
  confidence: numberOrNull(row, 'confidence'),
  statement: textOrNull(row, 'statement'),
  evidence: evidence.toSorted((a, b) => number(a, 'n') - number(b, 'n')).map(evidenceOf),
  tx: number(row, 'tx'),
  outs: OutsSchema.parse(JSON.parse(text(row, 'outs'))),
});

const evidenceOf = (row: Row): EvidenceRow => ({
  session: text(row, 'session'),
  seq: number(row, 'seq'),
  role: text(row, 'role'),
  quote: textOrNull(row, 'quote'),
  at: numberOrNull(row, 'at'),
});

const OutsSchema: z.ZodType<readonly OutRow[]> = z.array(
  z.object({
    from: z.number(),
    to: z.number(),
    since: z.number(),
    until: z.number(),
    cause: z.enum(['retract', 'reject', 'revert', 'forget', 'corrected']),
    by: z.string().nullable(),
  }),
);

function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw unexpected(column, value);
  return value;
}

function number(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== 'number') throw unexpected(column, value);
  return value;
}

const textOrNull = (row: Row, column: string): string | null =>
  row[column] === null ? null : text(row, column);
const numberOrNull = (row: Row, column: string): number | null =>
  row[column] === null ? null : number(row, column);

function oneOf<T extends string>(list: readonly T[], row: Row, column: string): T {
  const found = list.find((item) => item === row[column]);
  if (found === undefined) throw unexpected(column, row[column]);
  return found;
}

const unexpected = (column: string, value: unknown): Error =>
  new Error(`the graph holds ${JSON.stringify(value)} in column ${column}`);
