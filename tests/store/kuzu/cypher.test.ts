import { describe, expect, test } from 'vitest';
import { checkCypher } from '../../../lib/store/kuzu/cypher.js';
import { checkParams } from '../../../lib/store/kuzu/params.js';

describe('a query that only reads passes', () => {
  test.each([
    'MATCH (f:Fact) RETURN f.predicate AS created',
    'MATCH (f:Fact) RETURN f.predicate AS create',
    "MATCH (f:Fact {subject: 'DELETE everything; CREATE'}) RETURN f.set, f.`drop`",
    'match (e:Entity {id: "it\\"s; drop"})-[:SUBJECT]->(f) where f.knownTo = 2147483647 return f // SET it\n limit 5;',
    'OPTIONAL MATCH (n:Set) RETURN {delete: 1}.delete /* ; CREATE */',
    'WITH 1 AS x RETURN x',
    'UNWIND [1, 2] AS x RETURN x ORDER BY x',
    'CALL show_tables() RETURN *',
    "CALL table_info('Fact') RETURN *",
    'MATCH (张三:Entity) RETURN 张三.name',
    'RETURN 1;',
  ])('%s', (text) => {
    expect(() => checkCypher(text, {})).not.toThrow();
  });
});

describe('a query that could change anything is refused', () => {
  test.each([
    'CREATE (:Entity {id: 1})',
    'match (f:Fact) create (:Entity {id: f.id})',
    'MATCH (f:Fact) SET f.scope = 1',
    'MATCH (f:Fact) SET/**/f.scope = 1',
    'MATCH (f:Fact) DELETE f',
    'MATCH (f:Fact) DETACH DELETE f',
    'MERGE (f:Fact {id: 1})',
    'MATCH (f) WITH f AS x MERGE (g:Fact {id: 1})',
    'DROP TABLE Fact',
    'ALTER TABLE Fact ADD x INT64',
    "COPY Fact FROM 'x.csv'",
    "COPY (MATCH (f:Fact) RETURN f) TO 'x.csv'",
    "LOAD FROM '/etc/passwd' RETURN *",
    "MATCH (f:Fact) LOAD FROM 'x.csv' RETURN *",
    'LOAD EXTENSION fts',
    'INSTALL fts',
    "ATTACH 'other' AS x",
    'DETACH x',
    'USE x',
    "EXPORT DATABASE 'x'",
    "IMPORT DATABASE 'x'",
    'CHECKPOINT',
    'BEGIN TRANSACTION',
    'COMMIT',
    'ROLLBACK',
    'CALL threads=1',
    'CALL force_checkpoint_on_close=true',
    "CALL project_graph('g', ['Fact'], [])",
    "CALL CREATE_FTS_INDEX('Fact', 'i', ['key'])",
    "MATCH (f:Fact) CALL drop_fts_index('Fact', 'i') RETURN f",
    'EXPLAIN MATCH (f) RETURN f',
    'PROFILE MATCH (f) RETURN f',
    'MATCH (f:Fact) RETURN f; MATCH (g:Fact) RETURN g',
    "RETURN 'open",
    '',
    '// only a remark',
  ])('%s', (text) => {
    expect(() => checkCypher(text, {})).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', field: 'cypher' }),
    );
  });
});

describe('parameters', () => {
  test('must be those which the query names', () => {
    expect(() => checkCypher('RETURN $x AS x', { x: 1 })).not.toThrow();
    expect(() => checkCypher('RETURN $x AS x', {})).toThrow(
      expect.objectContaining({ field: 'x' }),
    );
    expect(() => checkCypher("RETURN '$x' AS x", { x: 1 })).toThrow(
      expect.objectContaining({ field: 'x' }),
    );
  });
  test.each([
    new Date(0),
    [1, 0.5],
    {},
    undefined,
    2 ** 53,
    Number.NaN,
    Infinity,
    1n,
    'half \ud83d',
  ])('never are %s', (x) => {
    expect(() => checkParams({ x })).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', field: 'x' }),
    );
  });
  test.each(['😀', '', 0.5, -1, 8_640_000_000_000_000, true, null])('may be %s', (x) => {
    expect(() => checkParams({ x })).not.toThrow();
  });
});
