import { defineOntology, entity, openMemory } from 'palimpsest';
import { inputSchema, memoryTools, type MemoryTool } from 'palimpsest/tools';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { told, toolCases, world } from './tool-cases.js';

toolCases('no host', async (options) => {
  const tools = memoryTools(options);
  return {
    names: async () => tools.map(({ name }) => name),
    async call(name, input) {
      const result = await named(tools, name).run(input);
      return result.ok
        ? { isError: false, value: result.value }
        : { isError: true, value: { error: result.error } };
    },
  };
});

function named(tools: readonly MemoryTool[], name: string): MemoryTool {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  return tool;
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly anyOf?: readonly Schema[];
}

describe('the list', () => {
  test('has schemas that strict function calling takes: all fields required, no others, no records', async () => {
    const { shop } = await world();
    const tools = memoryTools({ memory: shop, shareWith: { org: 'acme' }, approve: () => true });
    expect(tools.length).toBeGreaterThan(15);
    for (const tool of tools) {
      const schema: Schema = inputSchema(tool);
      expect(schema.additionalProperties, tool.name).toBe(false);
      const fields = Object.keys(schema.properties ?? {});
      expect([...(schema.required ?? [])].toSorted(), tool.name).toEqual(fields.toSorted());
      for (const field of Object.values(schema.properties ?? {})) {
        const kinds = (field.anyOf ?? [field]).flatMap(({ type }) => type);
        for (const kind of kinds) {
          expect(['string', 'number', 'boolean', 'null'], tool.name).toContain(kind);
        }
      }
    }
  });

  test('offers only what is asked for, and knows what there is', async () => {
    const { shop } = await world();
    const tools = memoryTools({ memory: shop, only: ['memory_recall'] });
    expect(tools.map(({ name }) => name)).toEqual(['memory_recall']);
    expect(() => memoryTools({ memory: shop, only: ['memory_forget'] })).toThrow(
      'There is no tool memory_forget.',
    );
  });
});

test('a handle with an ontology of its own is taken as it is, and its rules hold', async () => {
  const ontology = defineOntology({
    predicates: {
      cups: { cardinality: 'one', object: z.number() },
      owner: { object: entity('person') },
    },
  });
  const memory = await openMemory({ store: 'memory', ontology });
  onTestFinished(() => memory.close());
  const shop = memory.in({ org: 'acme' });
  const remember = named(memoryTools({ memory: shop }), 'memory_remember');
  expect(await remember.run({ ...told, predicate: 'cups', object: 3 })).toMatchObject({ ok: true });
  expect(await remember.run({ ...told, predicate: 'cups', object: 'three' })).toMatchObject({
    ok: false,
    error: { code: 'INVALID_OBJECT', field: 'object' },
  });
  const owner = { ...told, predicate: 'owner', object: 'Ben', objectIsEntity: true };
  expect(await remember.run(owner)).toMatchObject({ ok: true });
  const [fact] = await shop.facts({ predicate: 'owner' });
  expect(fact?.object).toMatchObject({ name: 'Ben', type: 'person' });
});

describe('a model', () => {
  const run = async (tools: readonly MemoryTool[], name: string, input: unknown) => {
    const result = await named(tools, name).run(input);
    if (!result.ok) throw new Error(`${name}: ${result.error.code} ${result.error.message}`);
    return result.value;
  };

  test('updates what has changed, and both stay readable', async () => {
    const { shop } = await world();
    const tools = memoryTools({ memory: shop });
    await run(tools, 'memory_remember', told);
    const [fact] = await shop.facts({ subject: 'Ana' });
    await run(tools, 'memory_update', {
      fact: fact!.id,
      object: 'coffee',
      objectIsEntity: false,
      validFrom: '2025-01',
      statement: null,
      quote: null,
    });
    const then = await run(tools, 'memory_facts', {
      subject: 'Ana',
      predicate: null,
      validAt: '2024-06',
      knownAt: null,
      limit: null,
    });
    expect(then['facts']).toMatchObject([{ object: 'tea' }]);
    expect(await shop.facts({ subject: 'Ana' })).toMatchObject([{ object: 'coffee' }]);
    const { facts } = await run(tools, 'memory_history', {
      subject: 'Ana',
      predicate: null,
      limit: null,
    });
    expect(facts).toMatchObject([{ object: 'tea' }, { object: 'tea' }, { object: 'coffee' }]);
  });

  test('corrects, ends and explains what it said', async () => {
    const { shop } = await world();
    const tools = memoryTools({ memory: shop });
    await run(tools, 'memory_remember', told);
    const [tea] = await shop.facts({ subject: 'Ana' });
    await run(tools, 'memory_correct', {
      fact: tea!.id,
      object: 'mate',
      objectIsEntity: false,
      validFrom: null,
      validTo: null,
      statement: 'Ana drinks mate.',
      quote: null,
    });
    const [mate] = await shop.facts({ subject: 'Ana' });
    expect(mate).toMatchObject({ object: 'mate', valid: '2024-03 – …' });
    expect(await run(tools, 'memory_why', { fact: mate!.id })).toMatchObject({
      fact: { object: 'mate' },
    });
    await run(tools, 'memory_end', { fact: mate!.id, at: '2025-01', quote: null });
    expect(await shop.facts({ subject: 'Ana' })).toEqual([]);
    expect(await run(tools, 'memory_stats', {})).toEqual({ facts: 1, held: 0 });
  });

  test('cannot overrule what a person said', async () => {
    const { shop } = await world();
    const tools = memoryTools({ memory: shop });
    const evidence = [{ session: 's-2', seq: 0, role: 'user' }] as const;
    await shop.assert({
      subject: 'shop',
      predicate: 'database',
      object: 'Postgres',
      validFrom: '2024',
      validTo: '2030',
      evidence,
    });
    const value = await run(tools, 'memory_remember', {
      ...told,
      subject: 'shop',
      predicate: 'database',
      object: 'MySQL',
      validFrom: '2025',
      validTo: '2026',
    });
    expect(value).toMatchObject({ noEffect: 'shadowed' });
  });

  test('is shown what waits, and reverts with consent', async () => {
    const { shop } = await world();
    const tools = memoryTools({ memory: shop, shareWith: { org: 'acme' }, approve: () => true });
    await run(tools, 'memory_share', told);
    const { held } = await run(tools, 'memory_review', {});
    expect(held).toMatchObject([{ subject: 'Ana', predicate: 'drinks' }]);
    const [waiting] = await shop.held();
    const { tx } = await run(tools, 'memory_approve', { claim: waiting!.id });
    expect(await shop.facts({ subject: 'Ana' })).toHaveLength(1);
    await run(tools, 'memory_revert', { tx, reason: 'Not agreed.' });
    expect(await shop.facts({ subject: 'Ana' })).toEqual([]);
  });

  test('forgets for ever what it is asked to', async () => {
    const { shop } = await world();
    const tools = memoryTools({ memory: shop, approve: () => true });
    await run(tools, 'memory_remember', { ...told, subject: 'Anabel' });
    const receipt = await run(tools, 'memory_forget', {
      fact: null,
      claim: null,
      entity: 'Anabel',
      session: null,
      erase: true,
      dryRun: false,
      reason: null,
    });
    expect(receipt).toMatchObject({ committed: true, claims: 1 });
    expect((await shop.history({ subject: 'Anabel' })).facts).toEqual([]);
  });

  test('lists names, changes and what is known in short', async () => {
    const memory = await openMemory({ store: 'memory' });
    onTestFinished(() => memory.close());
    const tools = memoryTools({ memory: memory.in({ org: 'acme' }), approve: () => true });
    await run(tools, 'memory_remember', told);
    await run(tools, 'memory_remember', { ...told, subject: 'Annie', object: 'water' });
    await run(tools, 'memory_merge', { from: 'Annie', into: 'Ana' });
    const { entities } = await run(tools, 'memory_entities', { type: null, limit: null });
    expect(entities).toMatchObject([{ name: 'Ana', names: ['Ana', 'Annie'] }]);
    const profile = await run(tools, 'memory_profile', { maxTokens: null });
    expect(profile['text']).toContain('Ana drinks:');
    const { changes } = await run(tools, 'memory_changes', { since: null, limit: 1 });
    expect(changes).toMatchObject([{ actor: 'assistant' }]);
    const { hits } = await run(tools, 'memory_search', {
      query: 'What does Ana drink?',
      validAt: null,
      knownAt: null,
      limit: 5,
    });
    expect(hits).toHaveLength(2);
  });
});
