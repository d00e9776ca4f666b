import { openGraph } from '../../../lib/store/kuzu/engine.js';
import { MadeUpSource } from './source.js';

/** Works on a graph until it is killed: `apply` transaction by transaction, `rebuild` it again and again, or `build` it first. */
const [folder = '', engine, seed = '0', act] = process.argv.slice(2);
const source = new MadeUpSource(Number(seed)).grow(act === 'apply' ? 5 : 40);
if (act === 'build') process.send?.('ready');
const graph = await openGraph({ folder, source, engine: engine === 'kuzu' ? 'kuzu' : 'ladybug' });
if (act !== 'build') process.send?.('ready');
for (let i = 0; i < 1_000; i++) {
  if (act !== 'apply') await graph.rebuild();
  else {
    source.grow(1);
    await graph.catchUp();
  }
}
