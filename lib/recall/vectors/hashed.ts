import { crc32 } from 'node:zlib';
import type { Embedder } from './embedder.js';

/**
 * An embedder that needs no model: words and their trigrams, hashed into as many numbers. It knows nothing of
 * meaning, and gives the same for the same text everywhere: for tests.
 *
 * @example
 * const memory = await openMemory({ store: 'memory', recall: { embedder: hashedEmbedder() } });
 */
export function hashedEmbedder(
  options: { readonly dimensions?: number; readonly model?: string } = {},
): Embedder {
  const { dimensions = 256, model = 'hashed' } = options;
  return {
    model,
    dimensions,
    floor: 0.1,
    embed: async (texts) => texts.map((text) => hashed(text, dimensions)),
  };
}

function hashed(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  const add = (feature: string, weight: number): void => {
    const hash = crc32(feature);
    const cell = (hash >>> 1) % dimensions;
    vector[cell] = (vector[cell] ?? 0) + ((hash & 1) === 0 ? weight : -weight);
  };
  // A text without words is a text all the same.
  add('', 1e-3);
  for (const [word] of text
    .normalize('NFKC')
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}]+/gu)) {
    add(word, 1);
    const framed = `^${word}$`;
    for (let i = 0; i + 3 <= framed.length; i++) add(framed.slice(i, i + 3), 0.3);
  }
  return vector;
}
