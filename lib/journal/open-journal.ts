import { openFileJournal } from './file-journal.js';
import { memoryJournal } from './memory-journal.js';
import type { Journal, JournalRecord } from './port.js';

/**
 * Opens a journal in a folder, or one in memory for `null`, and shows every record that is in it. When
 * `note` throws, the journal is let go.
 *
 * @throws as `openFileJournal`, and what `note` throws.
 */
export async function openJournal(
  folder: string | null,
  note: (record: JournalRecord) => void,
): Promise<Journal> {
  const journal = folder === null ? memoryJournal() : await openFileJournal(folder);
  try {
    for await (const record of journal.records()) note(record);
    return journal;
  } catch (error) {
    // What failed first is what the caller is to know.
    await journal.close().catch(() => undefined);
    throw error;
  }
}
