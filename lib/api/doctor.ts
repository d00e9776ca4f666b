import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { livenessOf, readOwner } from '../journal/lock-owner.js';
import { verifyJournal, type JournalReport } from '../journal/verify.js';
import { PalimpsestError } from '../model/errors.js';
import * as generations from '../store/kuzu/generation.js';
import { loadEngine } from '../store/kuzu/module.js';
import { readCheckpoint } from '../store/resident/checkpoint.js';
import { checkpointPath } from '../store/checkpoints.js';
import { checkStoreFolder } from '../store/store-file.js';

/** What is wrong, or worth knowing, and what can be done about it. */
export interface Finding {
  /** `wrong`: something is damaged. `note`: all is well, and yet somebody may want to know. */
  readonly kind: 'wrong' | 'note';
  readonly text: string;
}

export interface StoreReport {
  readonly path: string;
  /** `null` when it cannot be read at all: `findings` says why. */
  readonly journal: JournalReport | null;
  /** The index at rest, which spares an opening the replay of the journal. */
  readonly checkpoint:
    | { readonly state: 'ready'; readonly tx: number }
    | { readonly state: 'missing' }
    | { readonly state: 'damaged'; readonly why: string };
  readonly graph:
    | { readonly state: 'ready'; readonly engine: string; readonly engineVersion: string }
    | { readonly state: 'missing' }
    | { readonly state: 'damaged'; readonly why: string };
  /** The engine that this machine has, or why it has none. */
  readonly engine:
    | { readonly name: string; readonly version: string }
    | { readonly name: null; readonly why: string };
  /** Sizes of the parts on disk, in bytes. */
  readonly bytes: {
    readonly journal: number;
    readonly index: number;
    readonly graph: number;
  };
  /** Process that has the store open. */
  readonly openIn: number | null;
  readonly findings: readonly Finding[];
  /** Nothing is wrong. */
  readonly healthy: boolean;
}

export interface InspectOptions {
  readonly graph?: 'auto' | 'kuzu' | 'ladybug' | 'none' | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Looks at every file of a store and says how it is. Reads only: it opens nothing, and takes no lock.
 *
 * @throws PalimpsestError `NOT_FOUND` where there is no store, `ABORTED`.
 * @example
 * const { healthy, findings } = await inspectStore('./memory');
 */
export async function inspectStore(
  path: string,
  { graph = 'auto', signal }: InspectOptions = {},
): Promise<StoreReport> {
  if (!existsSync(join(path, 'store.json')) && !existsSync(join(path, 'journal'))) {
    throw new PalimpsestError('NOT_FOUND', `There is no store in ${path}.`, { field: 'path' });
  }
  const folder = realpathSync(path);
  const findings: Finding[] = [];
  const wrong = (text: string): void => void findings.push({ kind: 'wrong', text });
  const note = (text: string): void => void findings.push({ kind: 'note', text });
  await attempt(() => checkStoreFolder(folder), wrong);

  const openIn = holderOf(folder);
  if (openIn !== null)
    note(`The store is open in process ${openIn}: what it writes now may be missing here.`);

  const journal = await attempt(
    () => verifyJournal(join(folder, 'journal'), signal === undefined ? {} : { signal }),
    wrong,
  );
  if (journal !== null) findings.push(...journalFindings(journal, openIn !== null));

  const checkpoint = checkpointOf(folder);
  if (checkpoint.state === 'damaged') {
    wrong(
      `The index at rest is ${checkpoint.why}. The next opening replays the journal, and nothing is lost.`,
    );
  }
  const engine = graph === 'none' ? { name: null, why: 'not asked for' } : await engineOf(graph);
  if (engine.name === null && graph !== 'none') note(`There is no graph engine: ${engine.why}`);
  const graphAtRest =
    graph === 'none' ? ({ state: 'missing' } as const) : await graphOf(folder, openIn !== null);
  if (graphAtRest.state === 'damaged') {
    wrong(
      `The graph at rest cannot be used: ${graphAtRest.why}. It is built anew when it is next asked, and nothing is lost.`,
    );
  }
  return {
    path: folder,
    journal,
    checkpoint,
    graph: graphAtRest,
    engine,
    bytes: {
      journal: sizeOf(join(folder, 'journal')),
      index: sizeOf(join(folder, 'index')),
      graph: sizeOf(join(folder, 'graph')),
    },
    openIn,
    findings,
    healthy: findings.every((finding) => finding.kind !== 'wrong'),
  };
}

async function attempt<T>(
  work: () => T | Promise<T>,
  wrong: (text: string) => void,
): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (!PalimpsestError.isInstance(error) || error.code === 'ABORTED') throw error;
    wrong(error.message);
    return null;
  }
}

function journalFindings({ damage, tornTail }: JournalReport, isOpen: boolean): Finding[] {
  if (damage !== null) {
    const { file, segment, offset, reason, readableUpToTx } = damage;
    const before =
      readableUpToTx === null
        ? 'Nothing before it can be read.'
        : `Transactions up to ${readableUpToTx} can be read.`;
    const text = `The journal is damaged in segment ${segment} at byte ${offset} (${file}): ${reason}. ${before}`;
    return [{ kind: 'wrong', text }];
  }
  if (tornTail === null || isOpen) return [];
  const text = `A commit was cut short and never acknowledged: the next opening cuts off its ${tornTail.bytes} bytes.`;
  return [{ kind: 'note', text }];
}

function checkpointOf(folder: string): StoreReport['checkpoint'] {
  const found = readCheckpoint(checkpointPath(folder));
  if ('tables' in found) return { state: 'ready', tx: found.tables.lastTx };
  return found.why === 'missing' ? { state: 'missing' } : { state: 'damaged', why: found.why };
}

async function graphOf(folder: string, isOpen: boolean): Promise<StoreReport['graph']> {
  const home = join(folder, 'graph');
  if (!existsSync(home)) return { state: 'missing' };
  const current = await generations.readCurrent(home);
  if (current === null) return { state: 'missing' };
  if (typeof current === 'string') return { state: 'damaged', why: current };
  const { engine, engineVersion } = current;
  // While somebody writes, its files need not agree with what was noted of them.
  const { fault } = isOpen ? { fault: null } : await generations.inspect(home, current);
  return fault === null
    ? { state: 'ready', engine, engineVersion }
    : { state: 'damaged', why: fault };
}

async function engineOf(graph: 'auto' | 'kuzu' | 'ladybug'): Promise<StoreReport['engine']> {
  try {
    const { name, version } = await loadEngine(graph === 'auto' ? undefined : graph);
    return { name, version };
  } catch (error) {
    if (!PalimpsestError.isInstance(error)) throw error;
    return { name: null, why: error.message };
  }
}

/** The process that holds the highest lock, if it is running. */
function holderOf(folder: string): number | null {
  const numbers = readdirSync(folder).flatMap((name) => /^lock\.(\d+)$/u.exec(name)?.[1] ?? []);
  const highest = Math.max(-1, ...numbers.map(Number));
  if (highest < 0) return null;
  const owner = readOwner(readFileSync(join(folder, `lock.${highest}`), 'utf8'));
  if (owner === null || owner.state === 'released') return null;
  return livenessOf(owner) === 'running' ? owner.pid : null;
}

function sizeOf(path: string): number {
  if (!existsSync(path)) return 0;
  let bytes = 0;
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size;
  }
  return bytes;
}
