import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EmbeddingError, type Embedder, type Handle, type Memory } from '../../lib/index.js';
import { hashedEmbedder } from '../../lib/recall/vectors/hashed.js';
import { ended, runChild } from '../support/child.js';
import { temporaryFolder } from '../support/folder.js';
import { opened, refusal, SHOP } from '../memory/opened.js';

/** Everything has its vector, or the embedder has failed. */
async function settled(memory: Pick<Memory, 'reembed'>) {
  const { done } = await memory.reembed();
  return done;
}

const liveIn = (path: string): string => join(path, 'vectors', 'live.vec');

/** The vector of a text as the file holds it. */
async function bytesOf(embedder: Embedder, text: string): Promise<Buffer> {
  const [vector] = await embedder.embed([text], { signal: new AbortController().signal });
  const length = Math.hypot(...vector!);
  const bytes = Buffer.alloc(vector!.length * 4);
  vector!.forEach((value, d) => bytes.writeFloatLE(value / length, d * 4));
  return bytes;
}

/** An embedder whose texts can be seen. */
function watched(inner: Embedder = hashedEmbedder()) {
  const texts: string[] = [];
  const embedder: Embedder = {
    ...inner,
    embed: async (asked, options) => {
      texts.push(...asked);
      return inner.embed(asked, options);
    },
  };
  return { embedder, texts };
}

const drinks = (object: string) => ({ subject: 'Ana', predicate: 'drinks', object });

async function scoresOf(memory: { in(scope: typeof SHOP): Pick<Handle, 'search'> }, query: string) {
  const { hits } = await memory.in(SHOP).search(query, { weights: { lexical: 0, graph: 0 } });
  return hits.map((hit) => [
    hit.kind === 'fact' ? hit.fact.object : hit.text,
    hit.scores.vector !== null,
  ]);
}

describe('with an embedder', () => {
  test('facts and events are found by their vectors, in the visible scopes only', async () => {
    const memory = await opened({ recall: { embedder: hashedEmbedder() }, ontology: undefined });
    await memory.in(SHOP).assert(drinks('peppermint'));
    await memory.in({ org: 'other' }).assert(drinks('peppermints'));
    const { done } = await memory
      .in(SHOP)
      .ingest([{ session: 's-1', seq: 0, role: 'user', text: 'I had peppermint ice.' }]);
    await done;
    const state = await settled(memory);
    expect(state).toMatchObject({ status: 'ready', embedded: 3, pending: 0, error: null });
    // No word of it is in any text, so that words alone would find nothing.
    expect(await scoresOf(memory, 'peppermnt')).toEqual(
      expect.arrayContaining([
        ['peppermint', true],
        ['I had peppermint ice.', true],
      ]),
    );
    expect(JSON.stringify(await scoresOf(memory, 'peppermnt'))).not.toContain('peppermints');
  });

  test('what is not believed at the asked point takes no place', async () => {
    const memory = await opened({ recall: { embedder: hashedEmbedder() } });
    const shop = memory.in(SHOP);
    await shop.assert({ subject: 'it', predicate: 'is', object: 'peppermint', validFrom: '2020' });
    await shop.assert({ subject: 'it', predicate: 'is', object: 'coffee', validFrom: '2024' });
    await settled(memory);
    const now = await shop.search('peppermnt', { validAt: '2025-01-01', events: false });
    const then = await shop.search('peppermnt', { validAt: '2021-01-01', events: false });
    expect(JSON.stringify(now.hits)).not.toContain('peppermint');
    expect(then.hits).toMatchObject([{ kind: 'fact', fact: { object: 'peppermint' } }]);
  });

  test('a write waits for none', async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const hashing = hashedEmbedder();
    const embedder: Embedder = {
      ...hashing,
      embed: async (texts, options) => {
        await gate;
        return hashing.embed(texts, options);
      },
    };
    const memory = await opened({ recall: { embedder } });
    await memory.in(SHOP).assert(drinks('peppermint'));
    expect((await memory.health()).vectors).toMatchObject({ status: 'embedding', embedded: 0 });
    expect(await memory.in(SHOP).facts()).toHaveLength(1);
    release();
    expect(await settled(memory)).toMatchObject({ status: 'ready', embedded: 1 });
  });

  test('vectors last, and no text is embedded twice', async () => {
    const path = temporaryFolder();
    const first = await opened({ path, recall: { embedder: hashedEmbedder() } });
    await first.in(SHOP).assert(drinks('peppermint'));
    await settled(first);
    await first.close();
    const { embedder, texts } = watched();
    const again = await opened({ path, recall: { embedder } });
    await again.in(SHOP).assert(drinks('coffee'));
    expect(await settled(again)).toMatchObject({ embedded: 2, status: 'ready' });
    expect(texts.filter((t) => t.includes('peppermint'))).toEqual([]);
    expect(texts.filter((t) => t.includes('coffee'))).toHaveLength(1);
  });

  test('a torn or damaged vector is made again', async () => {
    const path = temporaryFolder();
    const first = await opened({ path, recall: { embedder: hashedEmbedder() } });
    for (const object of ['peppermint', 'coffee', 'tea'])
      await first.in(SHOP).assert(drinks(object));
    await settled(first);
    await first.close();
    const whole = readFileSync(liveIn(path));
    const broken = Buffer.from(whole);
    const at = broken.indexOf(10) + 1 + 100;
    broken[at] = (broken[at] ?? 0) ^ 0xff;
    writeFileSync(liveIn(path), broken);
    truncateSync(liveIn(path), whole.length - 7);
    const { embedder, texts } = watched();
    const again = await opened({ path, recall: { embedder } });
    expect(await settled(again)).toMatchObject({ embedded: 3, status: 'ready' });
    expect(texts).toHaveLength(2);
    expect(statSync(liveIn(path)).size).toBe(whole.length);
  });

  test('a text that it cannot read is held back, and a question too', async () => {
    const { embedder, texts } = watched();
    const reads = (text: string): boolean => !/\p{Script=Han}/u.test(text);
    const memory = await opened({ recall: { embedder: { ...embedder, reads } } });
    await memory.in(SHOP).assert(drinks('薄荷茶'));
    await memory.in(SHOP).assert(drinks('peppermint'));
    expect(await settled(memory)).toMatchObject({ heldBack: 1, embedded: 1, status: 'ready' });
    const { hits, problems } = await memory.in(SHOP).search('薄荷茶');
    expect(hits).toMatchObject([{ fact: { object: '薄荷茶' }, scores: { vector: null } }]);
    expect(problems).toEqual([]);
    expect(texts.every(reads)).toBe(true);
  });

  test('without one there is nothing to be embedded', async () => {
    const memory = await opened();
    expect((await memory.health()).vectors).toMatchObject({ status: 'off', stored: null });
    expect((await refusal(() => memory.reembed())).field).toBe('recall.embedder');
  });
});

test('what is said again and again takes one place by its meaning, too', async () => {
  const embedder: Embedder = {
    model: 'same',
    dimensions: 2,
    embed: async (texts) => texts.map((text) => (text.includes('coffee') ? [1, 0.2] : [1, 0])),
  };
  const memory = await opened({ recall: { embedder } });
  const shop = memory.in(SHOP);
  await shop.assert({ ...drinks('coffee'), validFrom: '2020' });
  await shop.transact((t) => {
    for (let seq = 0; seq < 150; seq++) {
      const evidence = [{ session: 's', seq, role: 'user' as const }];
      t.assert({ ...drinks('tea'), validFrom: '2020', evidence });
    }
  });
  await settled(memory);
  const { hits } = await shop.search('something else');
  expect(hits.map((hit) => hit.kind === 'fact' && hit.fact.object)).toEqual(['tea', 'coffee']);
});

describe('an embedder that fails', () => {
  const failing = (embed: Embedder['embed']): Embedder => ({ model: 'm', dimensions: 4, embed });

  test.each([
    ['is away', async () => Promise.reject(new Error('It is away.')), 'It is away.'],
    ['gives too few', async () => [], 'm gave 0 vectors for 1 texts.'],
    [
      'gives another size',
      async () => [[1, 2]],
      'm gave a vector of 2 dimensions; 4 were announced.',
    ],
  ] as const)('%s: search goes on by words, and says so', async (_what, embed, message) => {
    const memory = await opened({ recall: { embedder: failing(embed) } });
    await memory.in(SHOP).assert(drinks('peppermint'));
    expect(await settled(memory)).toMatchObject({
      status: 'failing',
      embedded: 0,
      error: { code: 'EMBEDDER_FAILED', message },
    });
    const { status, hits, problems } = await memory.in(SHOP).search('peppermint');
    expect(status).toBe('found');
    expect(hits).toHaveLength(1);
    expect(problems).toEqual([message]);
  });

  test.each([
    ['no numbers', [Number.NaN, 1, 1, 1]],
    ['nothing but zeros', [0, 0, 0, 0]],
  ])('gives %s for one text: that one is left out, the others are not', async (_what, bad) => {
    const embedder = failing(async (texts) =>
      texts.map((text) => (text.includes('poison') ? bad : [1, 2, 3, 4])),
    );
    const memory = await opened({ recall: { embedder } });
    for (const object of ['tea', 'poison', 'coffee']) await memory.in(SHOP).assert(drinks(object));
    expect(await settled(memory)).toMatchObject({ status: 'ready', embedded: 2, failed: 1 });
  });

  test('ended in the middle of writing: what lay there half done does not stay', async () => {
    const path = temporaryFolder();
    const half = join(path, 'vectors', 'live.vec.draft');
    const embedder = hashedEmbedder();
    {
      await using memory = await opened({ path, recall: { embedder } });
      await memory.in(SHOP).assert({ ...drinks('peppermint'), validFrom: '2020' });
      expect(await settled(memory)).toMatchObject({ status: 'ready', embedded: 1 });
    }
    writeFileSync(half, 'half of it');
    await using memory = await opened({ path, recall: { embedder } });
    expect((await memory.in(SHOP).search('peppermint')).hits).toHaveLength(1);
    expect(existsSync(half)).toBe(false);
  });

  test('never answers a question: search goes on by words, and says so', async () => {
    let isAway = false;
    const hashing = hashedEmbedder();
    const embedder: Embedder = {
      ...hashing,
      timeoutMs: 200,
      embed: (texts, options) =>
        isAway ? new Promise(() => undefined) : hashing.embed(texts, options),
    };
    const memory = await opened({ recall: { embedder } });
    await memory.in(SHOP).assert(drinks('peppermint'));
    expect(await settled(memory)).toMatchObject({ status: 'ready', embedded: 1 });
    isAway = true;
    const { status, hits, problems } = await memory.in(SHOP).search('peppermint');
    expect(status).toBe('found');
    expect(hits).toHaveLength(1);
    expect(problems).toEqual([`${hashing.model} gave no answer within 200 ms.`]);
  });

  test('refuses everything: no text is to blame', async () => {
    const embedder = failing(async () => {
      throw new EmbeddingError('Unknown parameter.', { retry: 'never' });
    });
    const memory = await opened({ recall: { embedder } });
    for (const object of ['tea', 'coffee']) await memory.in(SHOP).assert(drinks(object));
    expect(await settled(memory)).toMatchObject({
      status: 'failing',
      failed: 0,
      error: { message: 'Unknown parameter.' },
    });
  });

  test('comes back: it goes on where it was', async () => {
    let isAway = true;
    const hashing = hashedEmbedder();
    const memory = await opened({
      recall: {
        embedder: {
          ...hashing,
          embed: async (texts, options) => {
            if (isAway) throw new EmbeddingError('Busy.', { retry: 'later', retryAfterMs: 60_000 });
            return hashing.embed(texts, options);
          },
        },
      },
    });
    await memory.in(SHOP).assert(drinks('peppermint'));
    expect((await settled(memory)).status).toBe('failing');
    isAway = false;
    expect(await settled(memory)).toMatchObject({ status: 'ready', embedded: 1, error: null });
  });
});

describe('another model', () => {
  const OLD = hashedEmbedder({ model: 'old', dimensions: 64 });
  const NEW = hashedEmbedder({ model: 'new', dimensions: 32 });

  async function withOld(path: string): Promise<void> {
    const memory = await opened({ path, recall: { embedder: OLD } });
    for (const object of ['peppermint', 'coffee', 'tea'])
      await memory.in(SHOP).assert(drinks(object));
    await settled(memory);
    await memory.close();
  }

  test('is named with the former one, while search goes on by words', async () => {
    const path = temporaryFolder();
    await withOld(path);
    const memory = await opened({ path, recall: { embedder: NEW } });
    await memory.in(SHOP).assert(drinks('cocoa'));
    const { problems, hits } = await memory.in(SHOP).search('peppermint');
    expect(hits).toHaveLength(1);
    expect(problems[0]).toContain('old (64 dimensions)');
    expect(problems[0]).toContain('new (32 dimensions)');
    expect((await memory.health()).vectors).toMatchObject({
      status: 'mismatch',
      error: { code: 'EMBEDDER_MISMATCH' },
      stored: { model: 'old', dimensions: 64 },
      embedder: { model: 'new', dimensions: 32 },
    });
  });

  test('takes over when everything has its new vector', async () => {
    const path = temporaryFolder();
    await withOld(path);
    const memory = await opened({ path, recall: { embedder: NEW } });
    expect(await settled(memory)).toMatchObject({
      status: 'ready',
      stored: { model: 'new', dimensions: 32 },
      embedded: 3,
    });
    expect((await memory.in(SHOP).search('peppermint')).problems).toEqual([]);
    await memory.close();
    const { embedder, texts } = watched(NEW);
    const again = await opened({ path, recall: { embedder } });
    expect(await settled(again)).toMatchObject({ status: 'ready', embedded: 3 });
    expect(texts).toEqual([]);
  });

  test('goes on where a process ended, and the former one is whole until then', async () => {
    const path = temporaryFolder();
    await withOld(path);
    let calls = 0;
    const breaking: Embedder = {
      ...NEW,
      embed: async (texts, options) => {
        // The second time it is asked for several, it has had enough.
        if (texts.length > 1 || ++calls > 2) {
          throw new EmbeddingError('No more.', { retry: texts.length > 1 ? 'never' : 'later' });
        }
        return NEW.embed(texts, options);
      },
    };
    const broken = await opened({ path, recall: { embedder: breaking } });
    expect((await settled(broken)).status).toBe('failing');
    await broken.close();
    const former = readFileSync(liveIn(path));
    expect(former.toString('latin1')).toContain('"old"');
    const { embedder, texts } = watched(NEW);
    const again = await opened({ path, recall: { embedder } });
    expect(await settled(again)).toMatchObject({ status: 'ready', stored: { model: 'new' } });
    expect(texts).toHaveLength(1);
  });
});

test('a process that is killed while it changes over goes on with the next opening', async () => {
  const path = temporaryFolder();
  const first = await opened({ path, recall: { embedder: hashedEmbedder({ model: 'old' }) } });
  // Three calls of the embedder and a bit.
  const count = 200;
  await first.in(SHOP).transact((t) => {
    for (let i = 0; i < count; i++) {
      t.assert({ subject: `thing ${i}`, predicate: 'has', object: `part ${i}` });
    }
  });
  await settled(first);
  await first.close();
  const child = runChild(new URL('./children/reembedding.ts', import.meta.url), [path]);
  await new Promise<void>((resolve) => {
    child.on('message', (calls) => {
      if (calls === 3) resolve();
    });
  });
  child.kill('SIGKILL');
  await ended(child);
  expect(readFileSync(liveIn(path)).toString('latin1', 0, 100)).toContain('"old"');
  const { embedder, texts } = watched(hashedEmbedder({ model: 'new', dimensions: 32 }));
  const again = await opened({ path, recall: { embedder } });
  expect(await settled(again)).toMatchObject({
    status: 'ready',
    stored: { model: 'new', dimensions: 32 },
    embedded: count,
  });
  expect(texts).toHaveLength(count - 128);
});

describe('an erasure', () => {
  test('takes the vectors with it, also where no embedder is given any more', async () => {
    const path = temporaryFolder();
    const { embedder, texts } = watched();
    const memory = await opened({ path, recall: { embedder } });
    const shop = memory.in(SHOP);
    const secret = await shop.assert(drinks('Zanzibar'));
    const second = await shop.assert(drinks('Madagascar'));
    await shop.assert(drinks('coffee'));
    await settled(memory);
    const text = (word: string): string => texts.find((t) => t.includes(word))!;
    const vectorOf = (word: string) => bytesOf(hashedEmbedder(), text(word));
    const holds = async (word: string): Promise<boolean> =>
      readFileSync(liveIn(path)).includes(await vectorOf(word));
    expect(await holds('Zanzibar')).toBe(true);
    await shop.forget({ claim: secret.claims[0]! }, { mode: 'erase' });
    expect(await holds('Zanzibar')).toBe(false);
    expect(await holds('coffee')).toBe(true);
    expect(await settled(memory)).toMatchObject({ embedded: 2, status: 'ready' });
    expect(await scoresOf(memory, 'coffe')).toEqual(expect.arrayContaining([['coffee', true]]));
    await memory.close();
    const without = await opened({ path });
    await without.in(SHOP).forget({ claim: second.claims[0]! }, { mode: 'erase' });
    expect(await holds('Madagascar')).toBe(false);
    expect(await holds('coffee')).toBe(true);
  });
});
