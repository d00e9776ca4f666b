import { openMemory, type EvidenceInput } from '../../../lib/index.js';

/**
 * Writes transactions of several claims each until it is killed, and sends the mark of each that was
 * acknowledged. Checkpoints of the index come with each opening and closing, and with catching up of the
 * graph; every reopening in between makes more of both.
 */
const [folder = '', kind, firstMark = '1'] = process.argv.slice(2);
const isLong = kind === 'long';
let mark = Number(firstMark);

const filler = 'A palimpsest is a page that has been written over. 羊皮紙。 ';
const textOf = (n: number): string =>
  isLong
    ? filler.repeat(Math.ceil((5_000 + ((n * 7919) % 95_000)) / filler.length))
    : `Short ${n}.`;

for (;;) {
  const memory = await openMemory({ path: folder, graph: 'kuzu' });
  const shop = memory.in({ org: 'acme', project: 'shop' });
  process.send?.('open');
  for (let i = 0; i < 12; i++, mark++) {
    const evidence: EvidenceInput[] = [
      { session: `s${mark % 5}`, seq: mark, role: 'user', quote: textOf(mark).slice(0, 3_000) },
    ];
    const observedAt = new Date(Date.UTC(2024, 0, 1) + mark * 60_000);
    const common = { observedAt, evidence, validFrom: observedAt };
    await shop.transact((t) => {
      t.assert({ ...common, subject: 'shop', predicate: 'mark', object: mark });
      t.assert({ ...common, subject: 'shop', predicate: 'size', object: textOf(mark).length });
      t.assert({
        ...common,
        subject: 'shop',
        predicate: 'text',
        object: `text ${mark}`,
        statement: textOf(mark),
      });
      if (mark % 10 === 0)
        t.assert({ ...common, subject: 'shop', predicate: 'round', object: mark });
    });
    process.send?.(mark);
    // Not awaited: the graph takes in what it lacks while the next transactions are written.
    if (mark % 4 === 0) void memory.syncGraph();
    if (mark % 7 === 0) await memory.syncGraph();
  }
  await memory.close();
}
