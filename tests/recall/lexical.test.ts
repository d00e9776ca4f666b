import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { LexicalIndex } from '../../lib/recall/lexical.js';
import { tokenize } from '../../lib/recall/tokens.js';

interface Doc {
  readonly id: number;
  readonly scope: number;
  readonly terms: readonly string[];
}

/** BM25 as the books write it, without any index. */
function naive(
  docs: readonly Doc[],
  query: readonly string[],
  scopes: readonly number[],
): Map<number, number> {
  const seen = docs.filter(({ scope }) => scopes.includes(scope));
  const average = seen.reduce((sum, { terms }) => sum + terms.length, 0) / seen.length;
  const scores = new Map<number, number>();
  for (const term of new Set(query)) {
    const having = seen.filter(({ terms }) => terms.includes(term));
    const idf = Math.log(1 + (seen.length - having.length + 0.5) / (having.length + 0.5));
    for (const { id, terms } of having) {
      const tf = Math.min(15, terms.filter((t) => t === term).length);
      const norm = 1.2 * (1 - 0.75 + (0.75 * terms.length) / average);
      scores.set(id, (scores.get(id) ?? 0) + (idf * tf * 2.2) / (tf + norm));
    }
  }
  return scores;
}

function indexOf(docs: readonly Doc[]): LexicalIndex {
  const index = new LexicalIndex();
  for (const { id, scope, terms } of docs) index.add(id, scope, terms);
  return index;
}

const word = fc.constantFrom('argo', 'kuzu', 'shop', 'deploy', 'redis', 'queue', '库', '部署');
const terms = fc.array(word, { maxLength: 40 });
const documents = fc
  .array(fc.record({ scope: fc.integer({ min: 0, max: 3 }), terms }), {
    minLength: 1,
    maxLength: 60,
  })
  .map((docs) => docs.map((doc, id): Doc => ({ id, ...doc })));

describe('ranking', () => {
  property.prop([
    documents,
    fc.array(word, { minLength: 1, maxLength: 6 }),
    fc.subarray([0, 1, 2, 3]),
  ])(
    'gives the scores of BM25 over the scopes in sight, and no other document',
    (docs, query, scopes) => {
      const found = indexOf(docs).search(query, { scopes, limit: 1000 });
      const expected = naive(docs, query, scopes);
      expect(new Set(found.map(({ id }) => id))).toEqual(new Set(expected.keys()));
      for (const { id, score } of found) expect(score).toBeCloseTo(expected.get(id) ?? NaN, 9);
      const ranks = found.map(({ score }) => score);
      expect(ranks).toEqual(ranks.toSorted((a, b) => b - a));
    },
  );

  property.prop([documents, fc.array(word, { minLength: 1 }), fc.integer({ min: 1, max: 8 })])(
    'the best few are the first of all',
    (docs, query, limit) => {
      const index = indexOf(docs);
      const scopes = [0, 1, 2, 3];
      const accept = (id: number): boolean => id % 3 !== 0;
      const all = index.search(query, { scopes, limit: 1000 }).filter(({ id }) => accept(id));
      expect(index.search(query, { scopes, limit, accept })).toEqual(all.slice(0, limit));
    },
  );

  test.each([5, 400])('common words are passed over without changing the best %i', (limit) => {
    const index = new LexicalIndex();
    const docs: Doc[] = Array.from({ length: 12_000 }, (_, id) => ({
      id,
      scope: id % 2,
      terms: [
        'common',
        ...(id % 3 === 0 ? ['often', 'often'] : []),
        ...(id % 997 === 5 ? ['rare'] : []),
        ...(id % 4001 === 7 ? ['rarest'] : []),
        ...Array.from({ length: id % 7 }, () => 'filler'),
      ],
    }));
    for (const { id, scope, terms: list } of docs) index.add(id, scope, list);
    const query = ['common', 'often', 'rare', 'rarest'];
    for (const scopes of [[0, 1], [1]]) {
      const expected = [...naive(docs, query, scopes)]
        .map(([id, score]) => ({ id, score }))
        .sort((a, b) => b.score - a.score || b.id - a.id)
        .filter(({ id }) => id % 5 !== 0)
        .slice(0, limit);
      const found = index.search(query, { scopes, limit, accept: (id) => id % 5 !== 0 });
      expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
      for (const [rank, { score }] of found.entries()) {
        expect(score).toBeCloseTo(expected[rank]?.score ?? NaN, 9);
      }
    }
  });

  test('of equal documents the newer comes first', () => {
    const index = indexOf([3, 9, 5].map((id) => ({ id, scope: 0, terms: ['argo'] })));
    expect(index.search(['argo'], { scopes: [0], limit: 2 }).map(({ id }) => id)).toEqual([9, 5]);
  });

  test('a question asks once for a word that it repeats', () => {
    const index = indexOf([{ id: 0, scope: 0, terms: ['argo', 'shop'] }]);
    const query = { scopes: [0], limit: 1 };
    expect(index.search(['argo', 'argo'], query)).toEqual(index.search(['argo'], query));
  });

  test('unknown words, no words, no scopes and no room find nothing', () => {
    const index = indexOf([{ id: 0, scope: 0, terms: ['argo'] }]);
    expect(index.search(['nowhere'], { scopes: [0], limit: 5 })).toEqual([]);
    expect(index.search([], { scopes: [0], limit: 5 })).toEqual([]);
    expect(index.search(['argo'], { scopes: [], limit: 5 })).toEqual([]);
    expect(index.search(['argo'], { scopes: [7], limit: 5 })).toEqual([]);
    expect(index.search(['argo'], { scopes: [0], limit: 0 })).toEqual([]);
  });
});

describe('walls', () => {
  const mine: readonly Doc[] = [
    { id: 0, scope: 0, terms: tokenize('The shop deploys with Argo CD') },
    { id: 1, scope: 0, terms: tokenize('The shop keeps its queue in Redis') },
  ];
  const query = tokenize('Where does the shop keep its queue?');

  test('what others write, and that they take it back, changes no score', () => {
    const index = indexOf(mine);
    const before = index.search(query, { scopes: [0], limit: 5 });
    for (let id = 10; id < 60; id++) index.add(id, 1, tokenize('queue queue secret merger'));
    expect(index.search(query, { scopes: [0], limit: 5 })).toEqual(before);
    for (let id = 10; id < 60; id += 2) index.remove(id);
    expect(index.search(query, { scopes: [0], limit: 5 })).toEqual(before);
    expect(index.search(['merger'], { scopes: [0], limit: 5 })).toEqual([]);
  });

  test('a removed document is as if it had never been there', () => {
    const index = indexOf([...mine, { id: 2, scope: 0, terms: tokenize('Redis queue again') }]);
    expect(index.remove(2)).toBe(true);
    expect(index.remove(2)).toBe(false);
    expect(index.has(2)).toBe(false);
    expect(index.size).toBe(2);
    const found = index.search(query, { scopes: [0], limit: 5 });
    expect(found).toEqual(indexOf(mine).search(query, { scopes: [0], limit: 5 }));
  });

  test('after compacting no word of a removed document is in the dump, and answers are the same', () => {
    const index = indexOf([
      { id: 7, scope: 1, terms: tokenize('merger with Zephyr, queue') },
      ...mine,
      { id: 9, scope: 1, terms: tokenize('Redis again') },
    ]);
    index.remove(7);
    const bytes = (of: LexicalIndex): string => Buffer.concat(of.dump()).toString('latin1');
    expect(bytes(index)).toContain('zephyr');
    const compacted = index.compacted();
    expect(bytes(compacted)).not.toContain('zephyr');
    expect(bytes(compacted)).toContain('queue');
    expect(compacted.size).toBe(index.size);
    for (const scopes of [[0], [1], [0, 1]]) {
      const all = { scopes, limit: 5 };
      expect(compacted.search(['redi', 'queue'], all)).toEqual(
        index.search(['redi', 'queue'], all),
      );
    }
    compacted.add(7, 0, ['zephyr']);
    expect(compacted.search(['zephyr'], { scopes: [0], limit: 5 }).map(({ id }) => id)).toEqual([
      7,
    ]);
  });

  test('a document added again is replaced', () => {
    const index = indexOf(mine);
    index.add(1, 0, ['kafka']);
    expect(index.size).toBe(2);
    expect(index.search(['redi'], { scopes: [0], limit: 5 })).toEqual([]);
    expect(index.search(['kafka'], { scopes: [0], limit: 5 }).map(({ id }) => id)).toEqual([1]);
  });
});

test('a filter that throws leaves nothing behind for the next search', () => {
  const index = indexOf([
    { id: 0, scope: 0, terms: ['argo'] },
    { id: 1, scope: 0, terms: ['argo', 'shop'] },
  ]);
  const before = index.search(['argo'], { scopes: [0], limit: 5 });
  const failing = (): boolean => {
    throw new Error('no answer');
  };
  expect(() => index.search(['argo'], { scopes: [0], limit: 5, accept: failing })).toThrow(
    'no answer',
  );
  expect(index.search(['argo'], { scopes: [0], limit: 5 })).toEqual(before);
});

test('an explanation adds up to the score', () => {
  const index = indexOf([
    { id: 4, scope: 0, terms: ['argo', 'argo', 'shop'] },
    { id: 5, scope: 0, terms: ['shop'] },
    { id: 6, scope: 1, terms: ['argo'] },
  ]);
  const [best] = index.search(['argo', 'shop'], { scopes: [0], limit: 1 });
  const parts = index.explain(4, ['argo', 'shop'], [0]);
  expect(parts.map(({ term, documents: n, repeats }) => [term, n, repeats])).toEqual([
    ['argo', 1, 2],
    ['shop', 2, 1],
  ]);
  expect(parts.reduce((sum, { score }) => sum + score, 0)).toBeCloseTo(best?.score ?? NaN, 9);
  expect(index.explain(6, ['argo'], [0])).toEqual([]);
});

property.prop([documents, documents, fc.array(word, { minLength: 1 })])(
  'a loaded index answers and grows as the one that was dumped',
  (docs, more, query) => {
    const kept = indexOf(docs);
    kept.remove(0);
    const loaded = new LexicalIndex();
    loaded.load(kept.dump().map((part) => Buffer.from(part)));
    for (const index of [kept, loaded]) {
      for (const { id, scope, terms: list } of more) index.add(1000 + id, scope, list);
    }
    const all = { scopes: [0, 1, 2, 3], limit: 1000 };
    expect(loaded.size).toBe(kept.size);
    expect(loaded.search(query, all)).toEqual(kept.search(query, all));
  },
);

describe('a long question', () => {
  const words = Array.from({ length: 90 }, (_, i) => `wo${'bdfgk'[i % 5]!}${i}`);

  test('is looked for by its rarest terms', () => {
    const index = new LexicalIndex();
    for (let id = 0; id < 50; id++) index.add(id, 0, words.slice(0, 80));
    index.add(50, 0, words.slice(80));
    expect(index.search(words, { scopes: [0], limit: 3 })[0]?.id).toBe(50);
  });

  test('is cut by what the scopes hold, and not by what others have written', () => {
    const alone = new LexicalIndex();
    const crowded = new LexicalIndex();
    for (let id = 0; id < 20; id++) {
      const terms = words.filter((_, i) => (i + id) % 3 === 0);
      alone.add(id, 0, terms);
      crowded.add(id, 0, terms);
    }
    for (let id = 20; id < 60; id++)
      crowded.add(id, 1, [...words.slice(60 + (id % 20)), 'elsewhere']);
    const query = { scopes: [0], limit: 20 };
    for (const question of [words, [...words, 'elsewhere'], [...words.slice(0, 60), 'elsewhere']]) {
      expect(crowded.find(question, query)).toEqual(alone.find(question, query));
    }
  });
});

test('of many documents that say the same, only those that are shown are asked about', () => {
  const index = new LexicalIndex();
  for (let id = 0; id < 5_000; id++) index.add(id, 0, ['zebra']);
  let asked = 0;
  const accept = (): boolean => {
    asked += 1;
    return true;
  };
  const hits = index.search(['zebra'], { scopes: [0], limit: 3, accept });
  expect(hits.map(({ id }) => id)).toEqual([4_999, 4_998, 4_997]);
  expect(asked).toBe(3);
});
