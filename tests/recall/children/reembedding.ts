import { openMemory, type Embedder } from '../../../lib/index.js';
import { hashedEmbedder } from '../../../lib/recall/vectors/hashed.js';

/** Changes the vectors of a store over to another model, tells of each call, and never gets to the end. */
const [folder = ''] = process.argv.slice(2);
const hashing = hashedEmbedder({ model: 'new', dimensions: 32 });
let calls = 0;
const embedder: Embedder = {
  ...hashing,
  embed: async (texts, options) => {
    calls += 1;
    process.send?.(calls);
    if (calls > 2) await new Promise(() => setInterval(() => undefined, 1_000));
    return hashing.embed(texts, options);
  },
};
const memory = await openMemory({ path: folder, graph: 'none', recall: { embedder } });
const { done } = await memory.reembed();
await done;
