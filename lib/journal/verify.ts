import { PalimpsestError } from '../model/errors.js';
import type { Damage } from './damage.js';
import { transactionOf } from './damage.js';
import type { FileCalls } from './files.js';
import { realFiles, storeFailure } from './files.js';
import type { OpenSegments } from './generation.js';
import { abandonSegments, generationPath, listGenerations, openSegments } from './generation.js';
import { isBlank, scan } from './scan.js';

export interface JournalReport {
  readonly generation: number;
  readonly segments: number;
  /** Size of all segments that could be opened. */
  readonly bytes: number;
  /** Good records before the damage, the tear or the end. */
  readonly records: number;
  /** Transaction of the last of them. */
  readonly lastTx: number | null;
  /** An unfinished append at the end, which the next open cuts off. */
  readonly tornTail: { readonly bytes: number } | null;
  /** The first place that cannot be read. */
  readonly damage: Damage | null;
}

export interface VerifyOptions {
  readonly signal?: AbortSignal;
  readonly files?: FileCalls;
}

/**
 * Reads the whole journal in `folder` and says how it is; changes nothing.
 *
 * @throws NOT_FOUND when there is no journal; JOURNAL_TOO_NEW, ABORTED, STORE_FAILED, STORE_READ_ONLY
 * @example
 * const { damage, records } = await verifyJournal('/data/store/journal');
 */
export async function verifyJournal(
  folder: string,
  { signal, files = realFiles }: VerifyOptions = {},
): Promise<JournalReport> {
  let open: OpenSegments = { segments: [], missing: null };
  try {
    const generation = findGeneration(files, folder);
    open = openSegments(files, generationPath(folder, generation), 'read');
    const guard = (): void => {
      if (signal?.aborted !== true) return;
      throw new PalimpsestError('ABORTED', 'Verifying the journal was aborted.', {
        cause: signal.reason,
      });
    };
    // An unfinished append does not count, though some of its records may be whole.
    let records = 0;
    let seen = 0;
    let lastTx: number | null = null;
    const scanned = scan(files, open, { guard });
    for (;;) {
      const step = await scanned.next();
      if (step.done !== true) {
        seen += 1;
        if (step.value.continued) continue;
        records = seen;
        lastTx = transactionOf(step.value.body);
        continue;
      }
      const end = step.value;
      return {
        generation,
        segments: open.segments.length,
        bytes: open.segments.reduce((sum, segment) => sum + segment.size, 0),
        records,
        lastTx,
        tornTail: end.kind === 'torn' && !isBlank(end.tear) ? { bytes: end.tear.bytes } : null,
        damage: end.kind === 'damaged' ? end.damage : null,
      };
    }
  } catch (error) {
    throw storeFailure(error, `The journal in ${folder} could not be verified`);
  } finally {
    abandonSegments(files, open.segments);
  }
}

function findGeneration(files: FileCalls, folder: string): number {
  let current: number | null = null;
  try {
    current = listGenerations(files, folder).current;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  if (current === null) {
    throw new PalimpsestError('NOT_FOUND', `There is no journal in ${folder}.`);
  }
  return current;
}
