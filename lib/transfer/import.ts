import { z } from 'zod';
import { check } from '../model/check.js';
import { PalimpsestError } from '../model/errors.js';
import { contentHash } from '../model/ids.js';
import { readScope, type Scope } from '../model/scope.js';
import { name } from '../model/text.js';
import { fieldsOf } from '../secrets/fields.js';
import { ensureNoSecrets } from '../secrets/secrets.js';
import type { Space } from '../memory/space.js';
import type { OnProgress } from '../store/progress.js';
import { failure } from './failure.js';
import { readFirstLine, Restoration } from './restore.js';
import { EventStream, type StreamCounts } from './stream.js';

export interface ImportOptions {
  /** Where the claims of an event stream belong. An export brings its scopes. */
  readonly scope?: Scope | undefined;
  /** Name of the stream, under which a second run goes on. Default: a hash of its first line. */
  readonly source?: string | undefined;
  /** Events without `tx` to a transaction. Default 1,000. */
  readonly batch?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Lines done so far. */
  readonly onProgress?: OnProgress | undefined;
}

export interface ImportReport extends Readonly<StreamCounts> {
  readonly format: 'events' | 'export';
  readonly source: string;
  /** Lines that were read, those of an earlier run included. */
  readonly lines: number;
  /** Lines of a stream, or transactions of an export, that an earlier run had taken. */
  readonly skipped: number;
  /** The last transaction of the store. */
  readonly tx: number;
}

const isFunction = (value: unknown): boolean => typeof value === 'function';
const OptionsSchema = z.strictObject({
  scope: z.unknown().optional(),
  source: name().optional(),
  batch: z.number().int().positive().max(100_000).optional(),
  signal: z.instanceof(AbortSignal).optional(),
  onProgress: z
    .unknown()
    .refine((v) => v === undefined || isFunction(v), 'is not a function')
    .optional(),
});

const PROGRESS_EVERY = 1000;

interface Taker {
  readonly counts: StreamCounts;
  take(text: string, line: number): Promise<void> | undefined;
}

/**
 * Imports an event stream, or an export, from its lines. Each transaction is durable before the next is
 * begun, and a second run goes on after the last one.
 *
 * @throws PalimpsestError `IMPORT_FAILED` naming line and field: what stands before it is committed;
 * `ABORTED`; `INVALID_SCOPE` for a stream without a scope.
 */
export async function importLines(
  space: Space,
  lines: AsyncIterable<string> | Iterable<string>,
  options: ImportOptions = {},
): Promise<ImportReport> {
  space.store.ensureOpen();
  const { source, scope } = options;
  ensureNoSecrets(fieldsOf({ source, scope }));
  check(OptionsSchema, options, '');
  const { signal, onProgress } = options;
  let line = 0;
  let run: Run | null = null;
  for await (const text of lines) {
    line += 1;
    run ??= begin(space, text, options);
    if (signal?.aborted === true) throw aborted(signal, line);
    try {
      const committed = run.taker.take(text, line);
      if (committed !== undefined) await committed;
    } catch (error) {
      // Any other error might quote it.
      ensureNoSecrets([[`line ${line}`, text]]);
      throw error;
    }
    if (line % PROGRESS_EVERY === 0) onProgress?.({ what: 'importing', done: line, all: null });
  }
  if (run === null) throw failure(1, null, 'There is no line.');
  await run.finish(line);
  onProgress?.({ what: 'importing', done: line, all: line });
  return {
    format: run.format,
    source: run.source,
    lines: line,
    skipped: run.skipped(),
    ...run.taker.counts,
    tx: space.store.index.lastTx,
  };
}

interface Run {
  readonly format: ImportReport['format'];
  readonly source: string;
  readonly taker: Taker;
  readonly finish: (lines: number) => Promise<void>;
  readonly skipped: () => number;
}

function begin(space: Space, firstLine: string, options: ImportOptions): Run {
  const source = options.source ?? contentHash(firstLine);
  const first = readFirstLine(firstLine);
  if (first !== null) {
    if (options.scope !== undefined) {
      throw new PalimpsestError('INVALID_INPUT', 'scope: an export brings its scopes.', {
        field: 'scope',
      });
    }
    const restoration = new Restoration(space, first);
    return {
      format: 'export',
      source,
      taker: restoration,
      finish: async (lines) => restoration.finish(lines),
      skipped: () => restoration.skipped,
    };
  }
  const scope = readScope(options.scope);
  const { batch } = options;
  const stream = new EventStream(space, { scope, source, batch });
  return {
    format: 'events',
    source,
    taker: stream,
    finish: () => stream.flush(),
    skipped: () => stream.position,
  };
}

const aborted = (signal: AbortSignal, line: number): PalimpsestError =>
  new PalimpsestError('ABORTED', `The import was stopped before line ${line}.`, {
    hint: 'A second run goes on from there.',
    cause: signal.reason,
  });
