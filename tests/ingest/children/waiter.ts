import { ExtractionError, openMemory, type Extractor } from '../../../lib/index.js';

/** Waits for a job, with nothing else to do, while the provider is away for a moment. */
let asked = 0;
const extractor: Extractor = {
  name: 'away',
  version: '1',
  extract: async () => {
    asked += 1;
    if (asked < 3) throw new ExtractionError('Away.', { retry: 'later' });
    return { candidates: [], usage: { calls: 1, inputTokens: 0, outputTokens: 0, cost: null } };
  },
};
const backoff = { first: 50, longest: 50 };
const [isAwaited] = process.argv.slice(2);
const memory = await openMemory({ store: 'memory', graph: 'none', ingest: { extractor, backoff } });
const shop = memory.in({ org: 'acme', project: 'shop' });
const job = await shop.ingest([{ session: 's', seq: 0, role: 'user', text: 'We use Postgres.' }]);
process.on('exit', () => process.send?.(asked));
if (isAwaited === 'yes') {
  process.send?.((await job.done).state);
  await memory.close();
}
process.channel?.unref();
