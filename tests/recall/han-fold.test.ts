import { expect, test } from 'vitest';
import { loadHanFold } from '../../lib/recall/han-fold.js';
import { tokenize } from '../../lib/recall/tokens.js';

test('without the optional table traditional characters stay what they are, and nothing fails', async () => {
  const fold = await loadHanFold();
  expect(tokenize('開會', fold)).toEqual(tokenize('開會'));
});
