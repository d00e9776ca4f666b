import { describe, expect, test } from 'vitest';
import { diversify, likeness } from '../../lib/recall/diversify.js';
import { fuse, normalised } from '../../lib/recall/fuse.js';
import { raiseNeighbours } from '../../lib/recall/neighbours.js';
import type { QuestionTime } from '../../lib/recall/question-time.js';
import { raiseWithin } from '../../lib/recall/raise-within.js';

const hit = (id: number, score: number): { id: number; score: number } => ({ id, score });
const ids = (hits: readonly { readonly id: number }[]): number[] => hits.map(({ id }) => id);

describe('fusion', () => {
  const text = { name: 'text', weight: 0.5, hits: [hit(1, 12), hit(2, 9), hit(3, 2)] };
  const vector = { name: 'vector', weight: 0.5, hits: [hit(2, 0.9), hit(4, 0.4)] };

  test('adds up the shares of the legs, whatever their scales', () => {
    const fused = fuse([text, vector]);
    expect(ids(fused)).toEqual([2, 1, 4, 3]);
    expect(fused[0]?.score).toBeCloseTo(0.5 * 0.7 + 0.5, 12);
    expect(fused[0]?.legs).toEqual({ text: 0.7, vector: 1 });
    expect(fused[1]?.legs).toEqual({ text: 1 });
  });

  test('the scale of a leg changes nothing', () => {
    const scaled = { ...text, hits: text.hits.map(({ id, score }) => hit(id, score * 100 + 7)) };
    expect(ids(fuse([scaled, vector]))).toEqual(ids(fuse([text, vector])));
  });

  test('a leg of weight 0 takes no part in the order', () => {
    expect(ids(fuse([text, { ...vector, weight: 0 }])).slice(0, 2)).toEqual([1, 2]);
  });

  test('by rank only places count', () => {
    const far = { ...text, hits: [hit(1, 1000), hit(2, 1.1), hit(3, 1)] };
    expect(ids(fuse([far, vector], 'rank'))).toEqual(ids(fuse([text, vector], 'rank')));
  });

  test('equal hits come newest first, in every order of the legs', () => {
    const one = { name: 'a', weight: 1, hits: [hit(5, 3)] };
    const other = { name: 'b', weight: 1, hits: [hit(8, 1)] };
    expect(ids(fuse([one, other]))).toEqual([8, 5]);
    expect(ids(fuse([other, one]))).toEqual([8, 5]);
  });

  test('hits that are all alike are all good; no hits are none', () => {
    expect(normalised([hit(1, 4), hit(2, 4)])).toEqual([hit(1, 1), hit(2, 1)]);
    expect(normalised([])).toEqual([]);
    expect(fuse([])).toEqual([]);
  });
});

describe('neighbours of a matching event', () => {
  const beside = (id: number): number[] => [id - 1, id + 1];

  test('gain three tenths of its score, and come in where they were no hits', () => {
    const raised = raiseNeighbours([hit(10, 10), hit(12, 1)], beside);
    expect(ids(raised)).toEqual([10, 11, 9, 12, 13]);
    expect(raised[1]?.score).toBeCloseTo(3.3, 12);
    expect(raised[2]?.score).toBeCloseTo(3, 12);
  });

  test('gain by the own score of a hit, not by what that was raised to', () => {
    const raised = raiseNeighbours([hit(1, 10), hit(2, 10), hit(3, 10)], beside);
    expect(raised.find(({ id }) => id === 2)?.score).toBeCloseTo(16, 12);
    expect(raised.find(({ id }) => id === 0)?.score).toBeCloseTo(3, 12);
  });
});

describe('events of the time asked about', () => {
  const time = (kind: 'point' | 'window'): QuestionTime => ({
    kind,
    asOf: 19,
    window: { from: 10, to: 20 },
    words: [],
  });
  const saidAt = new Map([
    [1, 9],
    [2, 10],
    [3, 19],
    [4, 20],
  ]);
  const at = (id: number): number | null => saidAt.get(id) ?? null;
  const hits = [hit(1, 10), hit(2, 6), hit(3, 4), hit(4, 2), hit(5, 1)];

  test('rise by half of the best score for a day, and the others stay', () => {
    expect(ids(raiseWithin(hits, time('point'), at))).toEqual([2, 1, 3, 4, 5]);
  });

  test('rise by less for a longer time', () => {
    expect(ids(raiseWithin(hits, time('window'), at))).toEqual([1, 2, 3, 4, 5]);
  });
});

describe('diversity', () => {
  const terms = new Map([
    [1, ['shop', 'argo', 'deploy']],
    [2, ['shop', 'argo', 'deploy', 'now']],
    [3, ['shop', 'redis', 'queue']],
  ]);
  const termsOf = (id: number): readonly string[] => terms.get(id) ?? [];
  const hits = [hit(1, 1), hit(2, 0.9), hit(3, 0.6)];

  test('a repetition gives way to something else', () => {
    expect(ids(diversify(hits, { termsOf, limit: 2, strength: 0.5 }))).toEqual([1, 3]);
    expect(ids(diversify(hits, { termsOf, limit: 3, strength: 0.5 }))).toEqual([1, 3, 2]);
  });

  test('without strength the order stays', () => {
    expect(ids(diversify(hits, { termsOf, limit: 2, strength: 0 }))).toEqual([1, 2]);
  });

  test('likeness is of the smaller text', () => {
    expect(likeness(new Set(['a', 'b']), new Set(['a', 'b', 'c', 'd']))).toBe(1);
    expect(likeness(new Set(['a', 'b']), new Set(['b', 'c']))).toBe(0.5);
    expect(likeness(new Set(), new Set(['a']))).toBe(0);
  });
});
