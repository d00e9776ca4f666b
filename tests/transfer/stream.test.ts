import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { defineOntology, openMemory, type ImportOptions, type Memory } from '../../lib/index.js';
import { temporaryFolder } from '../support/folder.js';

const ontology = defineOntology({
  predicates: {
    database: { cardinality: 'one' },
    led: { cardinality: 'many' },
  },
});
const SCOPE = { org: 'acme', project: 'shop' };

const fresh = (clock?: () => number) =>
  openMemory({ store: 'memory', ontology, ...(clock === undefined ? {} : { clock }) });

const said = (
  key: string,
  tx: string,
  fact: Record<string, unknown>,
  more: Record<string, unknown> = {},
) => ({ tx, key, ...more, fact: { subject: 'Ana', predicate: 'led', object: 'Atlas', ...fact } });

const retracted = (key: string, tx: string, more: Record<string, unknown> = {}) => ({
  tx,
  op: 'retract',
  key,
  ...more,
});

const load = (
  memory: Memory<typeof ontology>,
  events: readonly object[],
  options: Partial<ImportOptions> = {},
) =>
  memory.import(
    events.map((event) => JSON.stringify(event)),
    { scope: SCOPE, ...options },
  );

/** Everything believed of Ana at a known time: object, start, end. */
async function believed(memory: Memory<typeof ontology>, known?: string): Promise<unknown[]> {
  const facts = await memory.in(SCOPE).facts({
    subject: 'Ana',
    during: {},
    ...(known === undefined ? {} : { knownAt: known }),
    orderBy: 'validFrom',
    order: 'asc',
  });
  return facts.map((f) => [
    f.object,
    f.validFrom?.slice(0, 4) ?? null,
    f.validTo?.slice(0, 4) ?? null,
  ]);
}

const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

async function reasons(memory: Memory<typeof ontology>): Promise<unknown[]> {
  const { facts } = await memory.in(SCOPE).history({ subject: 'Ana' });
  return facts.map((f) => [f.object, f.closedAs]);
}

describe('known time', () => {
  test('comes from the stream, although the store was opened later', async () => {
    await using memory = await fresh(() => Date.parse('2026-01-01T00:00:00Z'));
    const told = { subject: 'shop', predicate: 'database' };
    await load(memory, [
      { tx: '2014-05-01T10:00:00Z', fact: { ...told, object: 'SQLite', valid_from: '2014' } },
      { tx: '2016-02-01T10:00:00Z', fact: { ...told, object: 'Postgres', valid_from: '2016' } },
    ]);
    const then = memory.in(SCOPE).asOf({ valid: '2016-06', known: '2015' });
    expect((await then.facts()).map((f) => f.object)).toEqual(['SQLite']);
    const [now] = await memory.in(SCOPE).facts(told);
    expect(now).toMatchObject({
      object: 'Postgres',
      knownFrom: { at: '2016-02-01T10:00:00.000Z' },
    });
    expect(await memory.in(SCOPE).asOf({ known: '2014-04' }).facts()).toEqual([]);
  });

  test('is that of the import where the stream has none, and a later line is later', async () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    await using memory = await fresh(() => now);
    const values = Array.from({ length: 20 }, (_, i) => `value ${i}`);
    await load(
      memory,
      values.map((object) => ({ fact: { subject: 'shop', predicate: 'database', object } })),
    );
    const [last] = await memory.in(SCOPE).facts({ predicate: 'database', validAt: '2027' });
    expect(last?.object).toBe('value 19');
  });

  test('a statement without a start holds from the time at which it was told', async () => {
    await using memory = await fresh();
    await load(memory, [
      { tx: '2015-03-01T00:00:00Z', fact: { subject: 'Ana', predicate: 'led', object: 'Atlas' } },
    ]);
    const [fact] = await memory.in(SCOPE).facts({ subject: 'Ana' });
    expect(fact).toMatchObject({
      validFrom: '2015-03-01T00:00:00.000Z',
      startUnknown: true,
      validTo: null,
    });
  });

  test('does not go back within a stream', async () => {
    await using memory = await fresh();
    const refused = load(memory, [said('a', '2015', {}), said('b', '2014', {})]);
    await expect(refused).rejects.toMatchObject({
      code: 'IMPORT_FAILED',
      field: 'tx',
      message: expect.stringMatching(/^Line 2: tx: It goes back behind 2015-01-01/u),
    });
  });

  test('does not go back behind what the store knows', async () => {
    await using memory = await fresh();
    await memory.in(SCOPE).assert({ subject: 'shop', predicate: 'database', object: 'SQLite' });
    await expect(load(memory, [said('a', '2015', {})])).rejects.toMatchObject({
      code: 'IMPORT_FAILED',
      message: expect.stringContaining('Line 1: tx: It goes back behind the last transaction'),
    });
  });
});

describe('a key names the thing said', () => {
  test('a second event of a key corrects the first', async () => {
    await using memory = await fresh();
    await load(memory, [
      said('t1', '2019', { valid_from: '2018', valid_to: '2020' }),
      said('t1', '2021', { valid_from: '2018', valid_to: '2021' }, { op: 'amend' }),
      said('t1', '2022', { object: 'Birch', valid_from: '2018', valid_to: '2021' }),
    ]);
    expect(await believed(memory, '2020')).toEqual([['Atlas', '2018', '2020']]);
    expect(await believed(memory, '2021-06')).toEqual([['Atlas', '2018', '2021']]);
    expect(await believed(memory)).toEqual([['Birch', '2018', '2021']]);
  });

  test('a correction that is corrected does not bring back what it had corrected', async () => {
    await using memory = await fresh();
    const objects = Array.from({ length: 80 }, (_, i) => `name ${i}`);
    await load(
      memory,
      objects.map((object, i) =>
        said('t1', `20${String(10 + i).padStart(2, '0')}`, { object, valid_from: '2000' }),
      ),
    );
    expect(await believed(memory)).toEqual([['name 79', '2000', null]]);
    await load(memory, [
      ...objects.map((object, i) => said('t1', `20${10 + i}`, { object, valid_from: '2000' })),
      retracted('t1', '2095'),
    ]);
    expect(await believed(memory)).toEqual([]);
  });

  test('a retraction withdraws it, and what is said after that is a new claim', async () => {
    await using memory = await fresh();
    await load(memory, [
      said('t1', '2019', { valid_from: '2018' }),
      said('t1', '2020', { valid_from: '2017' }),
      retracted('t1', '2021'),
      said('t1', '2022', { valid_from: '2016' }),
    ]);
    expect(await believed(memory, '2021-06')).toEqual([]);
    expect(await believed(memory)).toEqual([['Atlas', '2016', null]]);
    expect((await reasons(memory)).at(-2)).toEqual(['Atlas', 'withdrawn']);
  });

  test('two keys of one edge are two instances', async () => {
    await using memory = await fresh();
    await load(memory, [
      said('first term', '2019', { valid_from: '2010', valid_to: '2012' }),
      said('second term', '2019', { valid_from: '2011', valid_to: '2014' }),
      retracted('second term', '2020'),
    ]);
    expect(await believed(memory, '2019-06')).toEqual([
      ['Atlas', '2010', '2012'],
      ['Atlas', '2011', '2014'],
    ]);
    expect(await believed(memory)).toEqual([['Atlas', '2010', '2012']]);
  });

  test('an end closes what was said, and a correction after it is the whole truth', async () => {
    await using memory = await fresh();
    const ended = { tx: '2020', op: 'end', key: 't1', fact: { valid_to: '2019' } };
    await load(memory, [
      said('t1', '2018', { valid_from: '2015' }),
      ended,
      said('t1', '2021', { valid_from: '2015', valid_to: '2020' }),
    ]);
    expect(await believed(memory, '2020-06')).toEqual([['Atlas', '2015', '2019']]);
    expect(await believed(memory)).toEqual([['Atlas', '2015', '2020']]);
  });

  test('an end can name subject and predicate instead, and a denial is said like anything else', async () => {
    await using memory = await fresh();
    await load(memory, [
      {
        tx: '2018',
        fact: { subject: 'Ana', predicate: 'database', object: 'SQLite', valid_from: '2015' },
      },
      { tx: '2020', op: 'end', fact: { subject: 'Ana', predicate: 'database', valid_to: '2019' } },
      said('t1', '2020', { valid_from: '2015' }),
      {
        tx: '2021',
        op: 'deny',
        fact: { subject: 'Ana', predicate: 'led', object: 'Atlas', valid_from: '2017' },
      },
    ]);
    expect((await believed(memory)).sort(byText)).toEqual([
      ['Atlas', '2015', '2017'],
      ['SQLite', '2015', '2019'],
    ]);
  });

  test.each(['amend', 'retract'])('%s of what was never said is refused', async (op) => {
    await using memory = await fresh();
    const event = said('t1', '2020', {}, { op });
    const refused = load(memory, [
      said('t0', '2019', {}),
      op === 'amend' ? event : retracted('t1', '2020'),
    ]);
    await expect(refused).rejects.toMatchObject({
      code: 'IMPORT_FAILED',
      field: 'key',
      message: expect.stringContaining('Line 2: key: Nothing is said under "t1"'),
    });
  });
});

describe('events of one time', () => {
  test('are one transaction, in whatever order they are written', async () => {
    const events = [
      said('t1', '2019', { valid_from: '2010' }),
      said('t1', '2020', { valid_from: '2011' }),
      said('t2', '2020', { object: 'Birch', valid_from: '2012' }),
      said('t3', '2020', { object: 'Cedar', valid_from: '2013' }, { why: 'A late report.' }),
    ];
    const [first, ...rest] = events;
    const exports = await Promise.all(
      [rest, [...rest].reverse()].map(async (order) => {
        await using memory = await fresh(() => 0);
        const report = await load(memory, [first!, ...order], { source: 'stream' });
        expect(report).toMatchObject({ transactions: 2, claims: 4 });
        return await memory.export().toArray();
      }),
    );
    expect(exports[0]).toEqual(exports[1]);
  });

  test('of one key come to what they leave: said and retracted is nothing, the other way round is new', async () => {
    await using memory = await fresh();
    await load(memory, [
      said('t1', '2019', { valid_from: '2010' }),
      said('t1', '2020', { valid_from: '2011' }),
      retracted('t1', '2020'),
      said('t2', '2020', { object: 'Birch' }, { seq: 1 }),
      retracted('t2', '2020', { seq: 2 }),
    ]);
    expect(await believed(memory)).toEqual([['Atlas', '2011', null]]);
    expect(await reasons(memory)).toEqual([
      ['Atlas', 'withdrawn'],
      ['Atlas', null],
    ]);
  });

  test('that say two things of one key need an order', async () => {
    const two = [
      said('t1', '2020', { object: 'Atlas', valid_from: '2010' }),
      said('t1', '2020', { object: 'Birch', valid_from: '2010' }),
    ];
    await using memory = await fresh();
    await expect(load(memory, two)).rejects.toMatchObject({ code: 'IMPORT_FAILED', field: 'key' });
    await load(memory, two.map((event, seq) => ({ ...event, seq: 10 - seq })).reverse());
    expect(await believed(memory)).toEqual([['Atlas', '2010', null]]);
  });
});

test('other members of a fact are its properties, and the reasons of events those of the transaction', async () => {
  await using memory = await fresh();
  await load(memory, [
    said(
      't1',
      '2019',
      { valid_from: '2010', role: 'lead', properties: { size: 3 } },
      { why: 'First report.' },
    ),
    said('t2', '2019', {
      object: { entity: 'Birch' },
      confidence: 0.5,
      statement: 'She led Birch.',
    }),
  ]);
  const facts = await memory.in(SCOPE).facts({ subject: 'Ana' });
  expect(facts.find((f) => f.object === 'Atlas')?.properties).toEqual({ role: 'lead', size: 3 });
  const birch = facts.find((f) => f.object !== 'Atlas');
  expect(birch?.object).toMatchObject({ name: 'Birch' });
  const [claim] = (await memory.in(SCOPE).why(birch!)).claims;
  expect(claim).toMatchObject({ confidence: 0.5, statement: 'She led Birch.' });
  const [change] = await memory.in(SCOPE).changes().toArray();
  expect(change?.reason).toBe('First report.');
});

describe('a bad line', () => {
  const good = JSON.stringify(said('t0', '2019', { valid_from: '2010' }));
  test.each([
    ['{"tx":', null, 'It is not JSON'],
    ['{"op":"say","fact":{}}', 'op', ''],
    ['{"keys":"a","fact":{}}', null, 'keys'],
    ['{"tx":"soon","fact":{}}', 'tx', ''],
    ['{"tx":"2020"}', 'fact', 'It is missing'],
    ['{"op":"retract"}', 'key', ''],
    ['{"op":"end","key":"t0","fact":{}}', 'fact.valid_to', ''],
    ['{"tx":"2020","fact":{"subject":"Ana","predicate":"led"}}', 'fact.object', ''],
    [
      '{"tx":"2020","fact":{"subject":"","predicate":"led","object":"x"}}',
      'fact.subject',
      'is empty',
    ],
    [
      '{"tx":"2020","fact":{"subject":"Ana","predicate":"led","object":"x","confidence":2}}',
      'fact.confidence',
      '',
    ],
    [
      '{"tx":"2020","fact":{"subject":"Ana","predicate":"led","object":"x","valid_from":"2026-13"}}',
      'fact.valid_from',
      '',
    ],
    [
      '{"tx":"2020","fact":{"subject":"Ana","predicate":"led","object":"x","valid_from":"2020","valid_to":"2019"}}',
      'fact.valid_to',
      '',
    ],
    [
      '{"tx":"2020","fact":{"subject":"Ana","predicate":"led","object":"x","evidence":[{"seq":1}]}}',
      'fact.evidence[0].session',
      '',
    ],
  ])('%s is told by its number and field', async (line, field, what) => {
    await using memory = await fresh();
    const error: unknown = await memory
      .import([good, line], { scope: SCOPE })
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'IMPORT_FAILED',
      message: expect.stringMatching(/^Line 2: /u),
      ...(field === null ? {} : { field }),
    });
    expect(String(error)).toContain(what);
  });

  test('leaves everything before it committed, and the mended stream goes on there', async () => {
    const path = temporaryFolder();
    const plain = (object: string) =>
      JSON.stringify({ fact: { subject: 'Ana', predicate: 'led', object } });
    const lines = [plain('a'), plain('b'), '', plain('c'), plain('d')];
    {
      await using memory = await openMemory({ path, graph: 'none', ontology });
      const broken = lines.with(3, '{"fact":{"subject":"Ana","predicate":"led","object":""}}');
      await expect(memory.import(broken, { scope: SCOPE })).rejects.toMatchObject({
        field: 'fact.object',
        message: expect.stringContaining('Line 4'),
      });
      expect(await believed(memory)).toHaveLength(2);
    }
    await using memory = await openMemory({ path, graph: 'none', ontology });
    const report = await memory.import(lines, { scope: SCOPE });
    expect(report).toMatchObject({ lines: 5, skipped: 2, claims: 2 });
    expect(
      (await memory.in(SCOPE).facts({ subject: 'Ana' })).map((fact) => fact.object).sort(byText),
    ).toEqual(['a', 'b', 'c', 'd']);
    expect(await memory.import(lines, { scope: SCOPE })).toMatchObject({
      transactions: 0,
      claims: 0,
    });
  });
});

test('an unfinished stream goes on where it stopped, and still knows its keys', async () => {
  const events = [
    said('t1', '2018', { valid_from: '2010' }),
    said('t1', '2019', { valid_from: '2011' }),
    said('t2', '2019', { object: 'Birch' }),
    retracted('t1', '2020'),
    said('t2', '2021', { object: 'Cedar' }),
  ];
  const whole = await fresh(() => 0);
  await load(whole, events, { source: 's' });
  const right = await whole.export().toArray();
  await whole.close();
  for (let cut = 1; cut < events.length; cut++) {
    const path = temporaryFolder();
    const open = () => openMemory({ path, graph: 'none', ontology, clock: () => 0 });
    {
      await using memory = await open();
      const { signal, abort } = cutter();
      const lines = function* () {
        for (const [i, event] of events.entries()) {
          if (i === cut) abort();
          yield JSON.stringify(event);
        }
      };
      await expect(
        memory.import(lines(), { scope: SCOPE, source: 's', signal }),
      ).rejects.toMatchObject({ code: 'ABORTED' });
    }
    await using memory = await open();
    await load(memory, events, { source: 's' });
    expect(await memory.export().toArray()).toEqual(right);
  }
});

function cutter(): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

test('a file is read line by line, with its mark and ends of any kind', async () => {
  const file = join(temporaryFolder(), 'stream.jsonl');
  const lines = Array.from({ length: 5000 }, (_, i) =>
    JSON.stringify({ fact: { subject: `entity ${i}`, predicate: 'led', object: '数据库 é' } }),
  );
  writeFileSync(file, `\uFEFF${lines.join('\r\n')}`);
  await using memory = await fresh();
  const seen: number[] = [];
  const report = await memory.import(file, {
    scope: SCOPE,
    onProgress: ({ done }) => seen.push(done),
  });
  expect(report).toMatchObject({ lines: 5000, claims: 5000, transactions: 5 });
  expect(seen).toEqual([1000, 2000, 3000, 4000, 5000, 5000]);
  const [fact] = await memory.in(SCOPE).facts({ subject: 'entity 4999' });
  expect(fact?.object).toBe('数据库 é');
});

test.each([
  ['a file that is not there', 'nowhere.jsonl', 'IMPORT_FAILED', 'path'],
  ['no line at all', [], 'IMPORT_FAILED', undefined],
])('%s is an error', async (_, source, code, field) => {
  await using memory = await fresh();
  await expect(memory.import(source, { scope: SCOPE })).rejects.toMatchObject({ code, field });
});

test('a stream without a scope is refused', async () => {
  await using memory = await fresh();
  await expect(memory.import(['{}'])).rejects.toMatchObject({ code: 'INVALID_SCOPE' });
});
