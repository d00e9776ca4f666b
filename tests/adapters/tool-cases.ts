import { openMemory, type OntologyDefinition } from 'palimpsest';
import type { ToolsOptions } from 'palimpsest/tools';
import { describe, expect, onTestFinished, test } from 'vitest';

/** An answer as the host hands it to its model. */
export interface Answer {
  readonly isError: boolean;
  readonly value: Readonly<Record<string, unknown>>;
}

/** A host with the tools of a memory, as its model calls them. */
export interface ToolHost {
  names(): Promise<readonly string[]>;
  call(tool: string, input: Readonly<Record<string, unknown>>): Promise<Answer>;
}

export type MakeToolHost = (options: ToolsOptions) => Promise<ToolHost>;

const ontology: OntologyDefinition = { predicates: { database: { cardinality: 'one' } } };

/** Two projects of two tenants, each with a database of its own. */
export async function world() {
  const memory = await openMemory({ store: 'memory', ontology });
  onTestFinished(() => memory.close());
  const shop = memory.in({ org: 'acme', project: 'shop', user: 'ana' });
  const other = memory.in({ org: 'rival', project: 'shop', user: 'eve' });
  const evidence = [{ session: 's-1', seq: 0, role: 'user', quote: 'We run Postgres.' }] as const;
  await shop.assert({ subject: 'shop', predicate: 'database', object: 'Postgres', evidence });
  await other.assert({ subject: 'shop', predicate: 'database', object: 'Oracle', evidence });
  return { memory, shop, other };
}

const moment = { validAt: null, knownAt: null };
export const asking = { question: 'Which database does the shop use?', ...moment, maxTokens: null };
export const told = {
  subject: 'Ana',
  predicate: 'drinks',
  object: 'tea',
  objectIsEntity: false,
  validFrom: '2024-03',
  validTo: null,
  statement: 'Ana drinks tea.',
  quote: 'I only drink tea.',
};

/** What holds for the tools at every host. */
export function toolCases(name: string, make: MakeToolHost): void {
  describe(`tools at ${name}`, () => {
    test('recall brings in what is known, and keeps what was shown', async () => {
      const { shop } = await world();
      const host = await make({ memory: shop });
      const { isError, value } = await host.call('memory_recall', asking);
      expect(isError).toBe(false);
      expect(value['status']).toBe('found');
      expect(value['text']).toContain('Postgres');
      const shown = await shop.snapshot(String(value['snapshot']));
      expect(shown).toMatchObject({ state: 'kept', text: value['text'] });
    });

    test('what is remembered is believed, as said by an assistant, with its source', async () => {
      const { shop } = await world();
      const host = await make({ memory: shop, cite: () => ({ session: 'chat-7', seq: 4 }) });
      const { isError } = await host.call('memory_remember', told);
      expect(isError).toBe(false);
      const [fact] = await shop.facts({ subject: 'Ana' });
      expect(fact).toMatchObject({ object: 'tea', valid: '2024-03 – …' });
      const { claims } = await shop.why(fact!);
      expect(claims[0]).toMatchObject({
        origin: 'assistant',
        evidence: [{ session: 'chat-7', seq: 4, quote: 'I only drink tea.' }],
      });
    });

    test('the scope is that of the handle, whatever a call says', async () => {
      const { shop, other } = await world();
      const host = await make({ memory: shop });
      const { value } = await host.call('memory_recall', asking);
      expect(value['text']).not.toContain('Oracle');
      const elsewhere = await host.call('memory_remember', { ...told, scope: { org: 'rival' } });
      expect(elsewhere.isError).toBe(true);
      expect(await other.facts({ subject: 'Ana' })).toEqual([]);
      const [secret] = await other.facts();
      const why = await host.call('memory_why', { fact: secret!.id });
      expect(why).toMatchObject({ isError: true, value: { error: { code: 'NOT_FOUND' } } });
    });

    test('a refusal says code, field and what to do', async () => {
      const { shop } = await world();
      const host = await make({ memory: shop });
      const refused = await host.call('memory_remember', { ...told, validFrom: 'some day' });
      expect(refused).toMatchObject({
        isError: true,
        value: { error: { code: 'INVALID_INSTANT', field: 'validFrom' } },
      });
      expect(await shop.facts({ subject: 'Ana' })).toEqual([]);
    });

    test('a secret is refused', async () => {
      const { shop } = await world();
      const host = await make({ memory: shop });
      const object = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
      const refused = await host.call('memory_remember', { ...told, object });
      expect(refused).toMatchObject({
        isError: true,
        value: { error: { code: 'SECRET_REFUSED' } },
      });
    });

    test('what is meant for everybody waits for a review', async () => {
      const { shop } = await world();
      const host = await make({ memory: shop, shareWith: { org: 'acme' } });
      const { value } = await host.call('memory_share', told);
      expect(value).toMatchObject({ noEffect: 'held' });
      expect(await shop.facts({ subject: 'Ana' })).toEqual([]);
      expect(await shop.held()).toHaveLength(1);
    });

    test('what takes back is offered with somebody to ask only, and done with consent only', async () => {
      const { shop } = await world();
      expect(await (await make({ memory: shop })).names()).not.toContain('memory_forget');
      let agrees = false;
      const host = await make({ memory: shop, approve: () => agrees });
      expect(await host.names()).toContain('memory_forget');
      const [fact] = await shop.facts();
      const retract = { id: fact!.id, reason: null };
      const refused = await host.call('memory_retract', retract);
      expect(refused).toMatchObject({ value: { error: { code: 'POLICY_REFUSED' } } });
      expect(await shop.facts()).toHaveLength(1);
      agrees = true;
      expect((await host.call('memory_retract', retract)).isError).toBe(false);
      expect(await shop.facts()).toEqual([]);
    });

    test('a memory that fails does not fail the host', async () => {
      const { memory, shop } = await world();
      const host = await make({ memory: shop });
      await memory.close();
      const failed = await host.call('memory_recall', asking);
      expect(failed).toMatchObject({ isError: true, value: { error: { code: 'STORE_CLOSED' } } });
    });
  });
}
