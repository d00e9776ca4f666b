import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { acquireStoreLock } from '../../../lib/journal/lock.js';
import { PalimpsestError } from '../../../lib/model/errors.js';

/** Takes and releases the lock 25 times against others, and fails when it is not alone within. */
const [folder = ''] = process.argv.slice(2);
const register = join(folder, 'holders');
let won = 0;
while (won < 25) {
  const lock = await acquireStoreLock(folder).catch((error: unknown) => {
    if (PalimpsestError.isInstance(error) && error.code === 'STORE_LOCKED') return null;
    throw error;
  });
  if (lock === null) {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 4));
    continue;
  }
  appendFileSync(register, `${process.pid}\n`);
  await new Promise(setImmediate);
  if (readFileSync(register, 'utf8') !== `${process.pid}\n`) throw new Error('Two hold the lock.');
  writeFileSync(register, '');
  await lock.release();
  won += 1;
}
process.send?.(won);
process.disconnect();
