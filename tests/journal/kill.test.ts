import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFileJournal } from '../../lib/journal/file-journal.js';
import { ended, runChild } from '../support/child.js';
import { temporaryFolder } from '../support/folder.js';
import { textsOf, variedBodyOf } from './bodies.js';

const ROUNDS = Number(process.env['PALIMPSEST_KILLS'] ?? 40);

test(`a journal whose process is killed ${ROUNDS} times has every acknowledged record, and no half of one`, async () => {
  const folder = join(temporaryFolder(), 'journal');
  let found: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const child = runChild(new URL('children/appender.ts', import.meta.url), [
      folder,
      String(found.length + 1),
    ]);
    let acknowledged = found.length;
    const isWriting = new Promise<void>((resolve, reject) => {
      child.once('message', () => resolve());
      child.once('exit', () => reject(new Error('The child ended before it wrote anything.')));
    });
    child.on('message', (tx) => {
      acknowledged = Number(tx);
    });
    await isWriting;
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 120));
    child.kill('SIGKILL');
    expect(await ended(child)).toBe('SIGKILL');

    const journal = await openFileJournal(folder);
    found = await textsOf(journal);
    await journal.close();
    const whole = found.map((_, index) => String(variedBodyOf(index + 1)));
    expect(found.findIndex((text, index) => text !== whole[index])).toBe(-1);
    expect(found.length).toBeGreaterThanOrEqual(acknowledged);
    // Small again, so that a round stays short.
    if (found.length > 400) {
      const rewritten = await openFileJournal(folder);
      await rewritten.rewrite([]);
      await rewritten.close();
      found = [];
    }
  }
});
