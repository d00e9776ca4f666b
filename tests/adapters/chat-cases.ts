import type { RememberingOptions } from 'palimpsest/tools';
import { describe, expect, test } from 'vitest';
import { world } from './tool-cases.js';

/** A host that puts a memory around its model. */
export interface ChatHost {
  /** A person says something, and the model answers. `seen` is all that the model was given, as text. */
  say(text: string): Promise<{ readonly seen: string; readonly answer: string }>;
  /** The same, streamed: the pieces as they came. */
  stream?(text: string): Promise<readonly string[]>;
}

/** A conversation with a model that answers with these pieces. */
export type MakeChatHost = (options: RememberingOptions, pieces: readonly string[]) => ChatHost;

const QUESTION = 'Which database does the shop use?';
const PIECES = ['It runs ', 'on Postgres', '.'];

/** What holds wherever a memory stands around a model; a host may say why it cannot be asked for a stream. */
export function chatCases(
  name: string,
  make: MakeChatHost,
  { unstreamed }: { readonly unstreamed?: string } = {},
): void {
  describe(`a conversation at ${name}`, () => {
    test('recall goes in, and what was shown is kept for the session', async () => {
      const { shop } = await world();
      const host = make({ memory: shop, session: 'chat-7' }, PIECES);
      const { seen, answer } = await host.say(QUESTION);
      expect(seen).toContain(QUESTION);
      expect(seen).toContain('"shop" database "Postgres"');
      expect(answer).toBe('It runs on Postgres.');
      const [snapshot] = await shop.snapshots({ session: 'chat-7' });
      expect(await shop.snapshot(snapshot!.id)).toMatchObject({ state: 'kept', query: QUESTION });
    });

    test('what both said goes out, once, and without what the memory said', async () => {
      const { shop } = await world();
      const host = make({ memory: shop, session: 'chat-7' }, PIECES);
      await host.say(QUESTION);
      await host.say('Then the orders are in Postgres, too.');
      const { hits } = await shop.search('orders Postgres runs database shop', {
        floor: 0,
        limit: 50,
      });
      const events = hits.flatMap((hit) => (hit.kind === 'event' ? [hit] : []));
      const inOrder = events.toSorted((a, b) => a.seq - b.seq);
      expect(inOrder.map(({ session, role, text }) => ({ session, role, text }))).toEqual([
        { session: 'chat-7', role: 'user', text: QUESTION },
        { session: 'chat-7', role: 'assistant', text: 'It runs on Postgres.' },
        { session: 'chat-7', role: 'user', text: 'Then the orders are in Postgres, too.' },
        { session: 'chat-7', role: 'assistant', text: 'It runs on Postgres.' },
      ]);
    });

    test('another scope is neither read nor written', async () => {
      const { shop, other } = await world();
      const { seen } = await make({ memory: shop, session: 'chat-7' }, PIECES).say(QUESTION);
      expect(seen).not.toContain('Oracle');
      const { hits } = await other.search('It runs on Postgres', { floor: 0 });
      expect(hits.filter(({ kind }) => kind === 'event')).toEqual([]);
    });

    test('a memory that fails is told of, and does not fail the host', async () => {
      const { memory, shop } = await world();
      const errors: unknown[] = [];
      const onError = (error: unknown): void => {
        errors.push(error);
      };
      await memory.close();
      const host = make({ memory: shop, session: 'chat-7', onError }, PIECES);
      const { seen, answer } = await host.say(QUESTION);
      expect(seen).toContain(QUESTION);
      expect(answer).toBe('It runs on Postgres.');
      expect(errors).toHaveLength(2);
    });

    test('nothing is kept where capture is off', async () => {
      const { shop } = await world();
      await make({ memory: shop, session: 'chat-7', capture: false }, PIECES).say(QUESTION);
      const { hits } = await shop.search(QUESTION, { floor: 0 });
      expect(hits.filter(({ kind }) => kind === 'event')).toEqual([]);
    });

    const why = unstreamed === undefined ? '' : ` (not here: ${unstreamed})`;
    test.skipIf(unstreamed !== undefined)(
      `a stream keeps its pieces, and is whole${why}`,
      async () => {
        const { shop } = await world();
        const host = make({ memory: shop, session: 'chat-7' }, PIECES);
        expect(await host.stream?.(QUESTION)).toEqual(PIECES);
        const { hits } = await shop.search('It runs on Postgres', { floor: 0 });
        const said = hits.flatMap((hit) => (hit.kind === 'event' ? [hit.text] : []));
        expect(said).toContain('It runs on Postgres.');
      },
    );
  });
}
