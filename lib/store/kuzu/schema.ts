/** What is in the graph, as data: table definitions, CSV columns and statements all follow from it. docs/graph.md describes it for people. */

/** Raised with every change below; a graph of another number is rebuilt. */
export const SCHEMA_VERSION = 1;

type ColumnType = 'STRING' | 'INT64' | 'DOUBLE' | 'BOOLEAN';

export interface NodeTable {
  readonly name: string;
  /** The first column is the primary key. */
  readonly columns: Readonly<Record<string, ColumnType>>;
}

export interface RelTable extends NodeTable {
  readonly from: string;
  readonly to: string;
}

const STATEMENT = {
  id: 'STRING',
  scope: 'STRING',
  subject: 'STRING',
  predicate: 'STRING',
  polarity: 'STRING',
  object: 'STRING',
  shown: 'STRING',
  instance: 'STRING',
  properties: 'STRING',
  validFrom: 'INT64',
  validTo: 'INT64',
  fromPrecision: 'STRING',
  toPrecision: 'STRING',
} as const;

export const ENTITY = {
  name: 'Entity',
  columns: { id: 'STRING', scope: 'STRING', type: 'STRING', name: 'STRING', tx: 'INT64' },
} as const satisfies NodeTable;

export const VALUE_NODE = {
  name: 'Value',
  columns: { id: 'STRING', text: 'STRING' },
} as const satisfies NodeTable;

export const FACT = {
  name: 'Fact',
  columns: {
    ...STATEMENT,
    key: 'STRING',
    startUnknown: 'BOOLEAN',
    knownFrom: 'INT64',
    knownTo: 'INT64',
    knownFromAt: 'INT64',
    knownToAt: 'INT64',
    reason: 'STRING',
  },
} as const satisfies NodeTable;

export const CLAIM = {
  name: 'Claim',
  columns: {
    ...STATEMENT,
    validEnd: 'STRING',
    unit: 'INT64',
    observedAt: 'INT64',
    authority: 'DOUBLE',
    origin: 'STRING',
    confidence: 'DOUBLE',
    statement: 'STRING',
    tx: 'INT64',
    outs: 'STRING',
  },
} as const satisfies NodeTable;

export const EVENT = {
  name: 'Event',
  columns: { id: 'STRING', session: 'STRING', seq: 'INT64', at: 'INT64' },
} as const satisfies NodeTable;

export const META = {
  name: 'Meta',
  columns: { id: 'STRING', store: 'STRING', lastTx: 'INT64' },
} as const satisfies NodeTable;

export const NODES: readonly NodeTable[] = [ENTITY, VALUE_NODE, FACT, CLAIM, EVENT, META];

export const SUBJECT = {
  name: 'SUBJECT',
  from: 'Entity',
  to: 'Fact',
  columns: {},
} as const satisfies RelTable;
export const OBJECT = {
  name: 'OBJECT',
  from: 'Fact',
  to: 'Entity',
  columns: {},
} as const satisfies RelTable;
export const HAS_VALUE = {
  name: 'HAS_VALUE',
  from: 'Fact',
  to: 'Value',
  columns: {},
} as const satisfies RelTable;
export const SUPERSEDES = {
  name: 'SUPERSEDES',
  from: 'Fact',
  to: 'Fact',
  columns: { kind: 'STRING' },
} as const satisfies RelTable;
export const SUPPORTED_BY = {
  name: 'SUPPORTED_BY',
  from: 'Fact',
  to: 'Claim',
  columns: {},
} as const satisfies RelTable;
export const FROM_EVENT = {
  name: 'FROM_EVENT',
  from: 'Claim',
  to: 'Event',
  columns: { n: 'INT64', role: 'STRING', quote: 'STRING', at: 'INT64' },
} as const satisfies RelTable;

export const RELS: readonly RelTable[] = [
  SUBJECT,
  OBJECT,
  HAS_VALUE,
  SUPERSEDES,
  SUPPORTED_BY,
  FROM_EVENT,
];

export function definitions(): readonly string[] {
  const list = (table: NodeTable): string[] =>
    Object.entries(table.columns).map(([name, type]) => `${name} ${type}`);
  return [
    ...NODES.map((t) => `CREATE NODE TABLE ${t.name}(${list(t).join(', ')}, PRIMARY KEY(id))`),
    ...RELS.map(
      (t) => `CREATE REL TABLE ${t.name}(${[`FROM ${t.from} TO ${t.to}`, ...list(t)].join(', ')})`,
    ),
  ];
}

/** `{id: $id, text: $text}`. Doubles travel as text: the engines take 1 for an integer and 1.5 for a double. */
export const assignments = (table: NodeTable): string =>
  Object.entries(table.columns)
    .map(
      ([name, type]) => `${name}: ${type === 'DOUBLE' ? `CAST($${name} AS DOUBLE)` : `$${name}`}`,
    )
    .join(', ');

/** `f.id AS id, f.key AS key`. */
export const returned = (table: NodeTable, variable: string): string =>
  Object.keys(table.columns)
    .map((name) => `${variable}.${name} AS ${name}`)
    .join(', ');
