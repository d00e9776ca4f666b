import { describe, expect, test } from 'vitest';
import {
  defineOntology,
  entity,
  openMemory,
  type Memory,
  type OntologyDefinition,
} from '../../lib/index.js';
import { temporaryFolder } from '../support/folder.js';

const ontology = defineOntology({
  predicates: {
    database: { cardinality: 'one', normalise: 'casefold' },
    owner: { cardinality: 'one', object: entity('person') },
    uses: { cardinality: 'many' },
  },
});
const SHOP = { org: 'acme', project: 'shop' };
const ANA = { org: 'acme', project: 'shop', user: 'ana' };
const OTHER = { org: 'globex' };

/** A memory with something of everything in it, written in a clock of its own. */
async function eventful(): Promise<Memory<typeof ontology>> {
  let now = Date.parse('2025-01-01T00:00:00Z');
  const memory = await openMemory({
    store: 'memory',
    ontology,
    timeZone: 'Europe/Oslo',
    clock: () => (now += 60_000),
    policy: ({ action, claim }) =>
      action === 'assert' && claim.statement === 'Maybe.' ? { hold: 'Ask first.' } : 'accept',
  });
  const shop = memory.in(SHOP);
  const evidence = [{ session: 's1', seq: 3, quote: 'We use SQLite.' }];
  await shop.assert({
    subject: 'shop',
    predicate: 'database',
    object: 'SQLite',
    validFrom: '2024-01',
    evidence,
  });
  await memory.in(OTHER).assert({ subject: 'vault', predicate: 'uses', object: 'Secret sauce' });
  await shop.assert({
    subject: 'shop',
    predicate: 'database',
    object: 'Postgres',
    validFrom: '2025-01-01',
  });
  const told = await shop.assert({
    subject: 'shop',
    predicate: 'owner',
    object: 'Ana',
    properties: { since: 1 },
  });
  await memory
    .in(ANA)
    .assert({ subject: 'shop', predicate: 'uses', object: { json: { b: [1], a: null } } });
  await shop.correct(
    { was: told.opened[0]!, object: 'Ana Souza' },
    { reason: 'Her full name.', actor: 'ben' },
  );
  await shop.entities.alias('Ana Souza', 'Ana S.');
  await shop.entities.merge('Ana', 'Ana Souza');
  await shop.assert({ subject: 'shop', predicate: 'uses', object: 'Redis', statement: 'Maybe.' });
  const uses = await shop.assert({
    subject: 'shop',
    predicate: 'uses',
    object: 'Kafka',
    validFrom: '2024',
  });
  await memory.in(OTHER).assert({ subject: 'vault', predicate: 'uses', object: 'More sauce' });
  await shop.end({ subject: 'shop', predicate: 'uses', object: 'Kafka', at: '2024-06' });
  const { tx } = await shop.assert({ subject: 'shop', predicate: 'uses', object: 'Mongo' });
  await shop.revert(tx);
  await shop.retract(uses.claims[0]!);
  return memory;
}

/** What every scope of an org believed at each transaction, at several times. */
async function answers<O extends OntologyDefinition>(
  memory: Memory<O>,
  org: string,
): Promise<unknown[]> {
  const out: unknown[] = [];
  const { transactions } = await memory.stats();
  for (const { scope } of await memory.admin({ org }).scopes()) {
    const handle = memory.in(scope);
    for (let known = 0; known <= transactions; known++) {
      const facts = await handle.facts({ during: {}, knownAt: { tx: known } });
      out.push([scope, known, facts]);
      for (const valid of ['2024-03', '2025-06']) {
        out.push(await handle.asOf({ valid, known: { tx: known } }).facts());
      }
    }
    out.push(await handle.entities.list().toArray(), await handle.changes().toArray());
  }
  return out;
}

const emptyFolder = () => openMemory({ path: temporaryFolder(), graph: 'none', clock: () => 0 });

describe('an export', () => {
  test('imported into an empty store gives the same answers on both axes', async () => {
    await using memory = await eventful();
    const lines = await memory.export().toArray();
    await using copy = await emptyFolder();
    const report = await copy.import(lines);
    expect(report).toMatchObject({
      format: 'export',
      transactions: (await memory.stats()).transactions,
      skipped: 0,
    });
    expect(await answers(copy, 'acme')).toEqual(await answers(memory, 'acme'));
    expect(await answers(copy, 'globex')).toEqual(await answers(memory, 'globex'));
    expect(await copy.export().toArray()).toEqual(lines);
    expect(await copy.in(SHOP).held()).toHaveLength(1);
    expect((await copy.stats()).timeZone).toBe('Europe/Oslo');
  });

  test('takes the place of the settings that a fresh store was opened with', async () => {
    await using memory = await eventful();
    const lines = await memory.export().toArray();
    await using copy = await openMemory({ store: 'memory', ontology, timeZone: 'Asia/Tokyo' });
    await copy.import(lines);
    expect(await copy.export().toArray()).toEqual(lines);
  });

  test('of a later history goes on after it as any other store does', async () => {
    await using memory = await eventful();
    await using copy = await openMemory({
      store: 'memory',
      clock: () => Date.parse('2026-01-01T00:00:00Z'),
    });
    await copy.import(await memory.export().toArray());
    await copy
      .in(SHOP)
      .assert({ subject: 'shop', predicate: 'database', object: 'MySQL', validFrom: '2025-09' });
    const [fact] = await copy.in(SHOP).asOf({ valid: '2025-10' }).facts({ predicate: 'database' });
    expect(fact?.object).toBe('MySQL');
    const [before] = await copy
      .in(SHOP)
      .asOf({ valid: '2025-10', known: '2025-12' })
      .facts({ predicate: 'database' });
    expect(before?.object).toBe('Postgres');
  });

  test('of one org holds nothing of another, and keeps the numbers of its transactions', async () => {
    await using memory = await eventful();
    const lines = await memory.admin({ org: 'acme' }).export().toArray();
    expect(lines.join('\n')).not.toMatch(/globex|sauce|vault/u);
    await using copy = await emptyFolder();
    await copy.import(lines);
    expect(await answers(copy, 'acme')).toEqual(await answers(memory, 'acme'));
    expect(await copy.admin({ org: 'globex' }).scopes()).toEqual([]);
  });

  test('holds nothing of what was erased', async () => {
    await using memory = await eventful();
    await memory.in(SHOP).forget({ session: 's1' }, { mode: 'erase' });
    const lines = await memory.export().toArray();
    expect(lines.join('\n')).not.toContain('SQLite');
    await using copy = await emptyFolder();
    await copy.import(lines);
    expect(await answers(copy, 'acme')).toEqual(await answers(memory, 'acme'));
  });

  test('of an empty store is an empty store', async () => {
    await using memory = await openMemory({ store: 'memory' });
    const lines = await memory.export().toArray();
    await using copy = await emptyFolder();
    expect(await copy.import(lines)).toMatchObject({ transactions: 0, tx: 0 });
  });

  test('leaves out what is written while it runs', async () => {
    await using memory = await eventful();
    const before = await memory.export().toArray();
    const during: string[] = [];
    for await (const line of memory.export()) {
      during.push(line);
      if (during.length === 3) {
        await memory.in(SHOP).assert({
          subject: 'shop',
          predicate: 'database',
          object: 'Oracle',
          validFrom: '2025-02',
        });
      }
    }
    expect(during).toEqual(before);
  });
});

describe('the import of an export', () => {
  test('stopped at any line goes on when it is run again', async () => {
    await using memory = await eventful();
    const lines = await memory.export().toArray();
    const right = await answers(memory, 'acme');
    for (const cut of [1, 2, 5, 9, 14, 20, lines.length - 4, lines.length - 1]) {
      const path = temporaryFolder();
      {
        await using copy = await openMemory({ path, graph: 'none' });
        await expect(copy.import(lines.slice(0, cut))).rejects.toMatchObject({
          code: 'IMPORT_FAILED',
          message: expect.stringContaining(`Line ${cut}: The export stops here`),
        });
      }
      await using copy = await openMemory({ path, graph: 'none' });
      await copy.import(lines);
      expect(await answers(copy, 'acme')).toEqual(right);
      expect(await copy.import(lines)).toMatchObject({ transactions: 0 });
    }
  });

  test('does not touch a store that has a history of its own', async () => {
    await using memory = await eventful();
    const lines = await memory.export().toArray();
    await using other = await openMemory({ store: 'memory' });
    await other.in(SHOP).assert({ subject: 'shop', predicate: 'database', object: 'Oracle' });
    const before = await other.export().toArray();
    await expect(other.import(lines)).rejects.toMatchObject({
      code: 'IMPORT_FAILED',
      hint: expect.stringContaining('new folder'),
    });
    expect(await other.export().toArray()).toEqual(before);
  });

  test('notices facts that do not follow from the history', async () => {
    await using memory = await eventful();
    const lines = await memory.export().toArray();
    const at = lines.findIndex((line) => line.startsWith('{"fact"'));
    const forged = [...lines];
    forged[at] = (lines[at] ?? '').replace('SQLite', 'Oracle');
    expect(forged[at]).not.toBe(lines[at]);
    await using copy = await emptyFolder();
    await expect(copy.import(forged)).rejects.toMatchObject({
      code: 'IMPORT_FAILED',
      field: 'fact',
      message: expect.stringContaining(`Line ${at + 1}: `),
    });
    await using less = await emptyFolder();
    await expect(less.import(lines.toSpliced(at, 1))).rejects.toMatchObject({ field: 'facts' });
  });

  test.each([
    ['an entry that nobody knows', '{"op":"say"}', 'op'],
    [
      'a withdrawal of what is not there',
      '{"op":"withdraw","claim":"c_00000000000000000000000000000000","cause":"retract"}',
      'tx',
    ],
    ['no JSON', '{"op":', null],
  ])('tells the line of %s', async (_, bad, field) => {
    await using memory = await eventful();
    const lines = await memory.export().toArray();
    const at = lines.findIndex((line) => line.startsWith('{"op":"claim"'));
    await using copy = await emptyFolder();
    await expect(copy.import(lines.toSpliced(at, 0, bad))).rejects.toMatchObject({
      code: 'IMPORT_FAILED',
      ...(field === null ? {} : { field }),
      message: expect.stringMatching(/^Line \d+: /u),
    });
  });

  test('refuses a newer format, and a scope', async () => {
    await using copy = await emptyFolder();
    const first = '{"palimpsest":"export","version":99,"tx":0}';
    await expect(copy.import([first])).rejects.toMatchObject({
      code: 'IMPORT_FAILED',
      field: 'version',
    });
    await using memory = await eventful();
    const lines = await memory.export().toArray();
    await expect(copy.import(lines, { scope: SHOP })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      field: 'scope',
    });
  });
});
