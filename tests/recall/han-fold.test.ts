import { expect, test } from 'vitest';
import { openMemory } from '../../lib/index.js';
import { loadHanFold, NO_HAN_FOLD } from '../../lib/recall/han-fold.js';
import { tokenize } from '../../lib/recall/tokens.js';

test('traditional and simplified characters meet where the table is installed', async () => {
  const fold = await loadHanFold();
  expect(fold.size).toBeGreaterThan(3000);
  expect(tokenize('開會', fold)).toEqual(tokenize('开会', fold));
  expect(tokenize('開會', NO_HAN_FOLD)).not.toEqual(tokenize('开会', NO_HAN_FOLD));
});

test('a fact told in traditional characters is found by simplified ones, and the other way round', async () => {
  await using memory = await openMemory({ store: 'memory' });
  const team = memory.in({ org: 'acme' });
  await team.assert({ subject: '會議', predicate: '地點', object: '臺北辦公室' });
  await team.assert({ subject: '数据库', predicate: '负责人', object: '安娜' });
  for (const [query, subject] of [
    ['会议在台北办公室吗', '會議'],
    ['數據庫的負責人', '数据库'],
  ] as const) {
    const { hits } = await team.search(query);
    expect(hits[0]).toMatchObject({ kind: 'fact', fact: { subject: { name: subject } } });
  }
});
