import { openFileJournal } from '../../../lib/journal/file-journal.js';
import { variedBodyOf } from '../bodies.js';

/** Appends records of very different sizes for ever, and tells after each call which are durable. */
const [folder = '', first = '1'] = process.argv.slice(2);
const journal = await openFileJournal(folder, { segmentBytes: 1 << 20 });
let tx = Number(first);
for (let call = 0; ; call += 1) {
  const count = call % 5 === 4 ? 3 : 1;
  const bodies = Array.from({ length: count }, (_, index) => variedBodyOf(tx + index));
  await journal.append(bodies);
  tx += count;
  process.send?.(tx - 1);
  // A rewrite that keeps all, so that kills fall into it as well.
  if (call % 40 === 25) await journal.rewrite(all());
  await new Promise(setImmediate);
}

async function* all(): AsyncGenerator<Buffer> {
  for await (const { body } of journal.records()) yield body;
}
