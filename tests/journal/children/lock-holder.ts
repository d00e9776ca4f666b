import { acquireStoreLock } from '../../../lib/journal/lock.js';
import { PalimpsestError } from '../../../lib/model/errors.js';

/** Tries for the lock at each message with a folder, and tells how it went; holds it until killed or told. */
let lock: { release(): Promise<void> } | null = null;

process.on('message', async (message) => {
  if (message === 'release') {
    await lock?.release();
    process.send?.('released');
    return;
  }
  try {
    lock = await acquireStoreLock(String(message));
    process.send?.('held');
  } catch (error) {
    process.send?.(PalimpsestError.isInstance(error) ? error.code : String(error));
  }
});
process.send?.('ready');
