import { openMemory } from '../../../lib/index.js';

/** Leaves the process in one of several ways, after it has written something. */
const [folder = '', how = ''] = process.argv.slice(2);

process.on('unhandledRejection', (error) => {
  console.error('unhandled rejection', error);
  process.exitCode = 9;
});

const memory = await openMemory({ path: folder, resident: how !== 'reading the graph' });
const shop = memory.in({ org: 'acme' });
const tell = (n: number) =>
  shop.assert({ subject: 'shop', predicate: 'uses', object: n, validFrom: '2024' });
for (let n = 1; n <= 5; n++) await tell(n);
switch (how) {
  case 'closed':
    await memory.syncGraph();
    await memory.cypher('MATCH (f:Fact) RETURN f.id');
    await memory.close();
    break;
  case 'synced':
    await memory.syncGraph();
    break;
  case 'asked':
    await memory.cypher('MATCH (f:Fact) RETURN f.id');
    break;
  case 'reading the graph':
    await shop.facts();
    break;
  case 'about to catch up':
    // The timer of the background work is pending now, and nothing else is.
    break;
  case 'catching up':
    await new Promise((resolve) => setTimeout(resolve, 260));
    break;
  case 'closing with everything under way': {
    const doings = [
      memory.syncGraph(),
      memory.cypher('MATCH (f:Fact) RETURN f.id'),
      tell(6),
      memory.rebuild(),
      shop.facts(),
    ];
    const closing = [memory.close(), memory.close()];
    for (const done of await Promise.allSettled(doings)) {
      if (done.status === 'fulfilled') continue;
      if (done.reason.code !== 'STORE_CLOSED') throw done.reason;
    }
    await Promise.all(closing);
    break;
  }
  case 'erasing while it catches up': {
    const doings = [1, 2, 3].flatMap((n) => [
      memory.syncGraph(),
      shop.forget({ fact: 'f_none' }).catch(() => undefined),
      memory.cypher('MATCH (f:Fact) RETURN f.id'),
      shop.forget({ entity: 'shop' }, { mode: 'erase' }).catch((error) => {
        if (error.code !== 'NOT_FOUND') throw error;
      }),
      tell(10 + n),
    ]);
    await Promise.all(doings);
    await memory.close();
    break;
  }
  case 'process.exit':
    await memory.syncGraph();
    process.exit(0);
  case 'thrown':
    await memory.syncGraph();
    process.exitCode = 0;
    process.once('uncaughtException', () => process.exit(0));
    throw new Error('on purpose');
}
process.send?.('done');
process.disconnect?.();
