import { appendFileSync } from 'node:fs';
import { openWith } from '../../../lib/api/open.js';
import { recorded, tellings } from '../sessions.js';

/**
 * Tells every session to a store and waits for its jobs. Is killed before a step is taken for the nth
 * time; what it was told is safe is in a file by then.
 */
const [folder = '', acknowledged = '', where = '', times = '', mode = ''] = process.argv.slice(2);
let left = Number(times);

const memory = await openWith(
  {
    path: folder,
    graph: 'none',
    ingest: { extractor: recorded(), when: mode === 'curated' ? 'curated' : 'now' },
  },
  {
    onStep: (step) => {
      if (step !== where) return;
      left -= 1;
      if (left === 0) process.kill(process.pid, 'SIGKILL');
    },
  },
);
const shop = memory.in({ org: 'acme', project: 'shop' });
process.send?.('open');
const jobs = [];
for (const events of tellings()) {
  jobs.push(await shop.ingest(events));
  for (const { session, seq } of events) appendFileSync(acknowledged, `${session} ${seq}\n`);
}
if (mode === 'curated') await shop.curate();
for (const job of jobs) await job.done;
await memory.close();
process.disconnect?.();
