import { expect, test } from 'vitest';
import { openMemory } from '../../lib/index.js';
import { temporaryFolder } from '../support/folder.js';
import { describeConformance } from './suite.js';

describeConformance({
  name: 'journal and index, without an engine',
  options: (path) => ({ path, graph: 'none' }),
  otherWay: null,
});

test('without an engine, what only a graph can answer is refused by its name', async () => {
  const memory = await openMemory({ path: temporaryFolder(), graph: 'none', resident: false });
  const unavailable = { code: 'ENGINE_UNAVAILABLE' };
  await expect(memory.cypher('MATCH (f:Fact) RETURN f.id')).rejects.toMatchObject(unavailable);
  await expect(memory.in({ org: 'acme' }).facts()).rejects.toMatchObject(unavailable);
  expect(await memory.syncGraph()).toMatchObject({ state: 'unavailable' });
  await memory.close();
});
