import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { check } from '../../model/check.js';
import { PalimpsestError } from '../../model/errors.js';
import { name } from '../../model/text.js';
import { FORMATS, type FormatName, type Reading } from '../event.js';
import { detectReader, readerNamed } from './detect.js';
import { DEFAULT_LIMITS, type Line, type Reader, type ReaderOptions } from './reader.js';
import { splitLines } from './split.js';
import { unpack } from './unpack.js';

/** A path, a file URL, or the bytes of a log. */
export type SessionSource = string | URL | AsyncIterable<Uint8Array>;

export interface ReadSessionOptions extends ReaderOptions {
  /** `auto` (the default) tells the format from the first lines. */
  readonly format?: FormatName | 'auto';
  readonly signal?: AbortSignal;
}

const limit = z.int().positive().optional();

const OptionsSchema = z.strictObject({
  format: z.enum([...FORMATS, 'auto']).optional(),
  session: name().optional(),
  fileName: z.string().optional(),
  subagents: z.enum(['skip', 'read']).optional(),
  maxLineBytes: limit,
  maxDocumentBytes: limit,
  timeZone: z.string().optional(),
  signal: z.instanceof(AbortSignal).optional(),
});

/** Lines that are looked at to tell the format. */
const HEAD_LINES = 32;

/**
 * Reads a session's log, plain or packed with gzip or zstd, line by line: each line is an event, skipped
 * with a reason, or bad with a problem. Instants are epoch ms.
 *
 * @throws PalimpsestError `INVALID_INPUT` for wrong options, an unknown format, or a log of messages whose
 * session was not named; and while it is read `NOT_FOUND` for no such file, `IMPORT_FAILED` for one that
 * cannot be read or needs a newer Node, `ABORTED` on the signal.
 * @example
 * for await (const reading of readSession('session.jsonl')) {
 *   if (reading.kind === 'event') console.log(reading.event.seq, reading.event.role, reading.event.text)
 * }
 */
export function readSession(
  source: SessionSource,
  options: ReadSessionOptions = {},
): AsyncGenerator<Reading> {
  check(OptionsSchema, options, 'options');
  const { format = 'auto', signal, ...rest } = options;
  const path = source instanceof URL ? fileURLToPath(source) : source;
  if (typeof path !== 'string') return readings(path, format, rest, signal);
  const fileName =
    rest.fileName ??
    basename(path)
      .replace(/\.(?:gz|zst|zstd)$/u, '')
      .replace(/\.[^.]+$/u, '');
  return readings(bytesOf(path), format, { ...rest, fileName }, signal);
}

async function* readings(
  bytes: AsyncIterable<Uint8Array>,
  format: FormatName | 'auto',
  options: ReaderOptions,
  signal: AbortSignal | undefined,
): AsyncGenerator<Reading> {
  const lines = splitLines(unpack(bytes), {
    first: options.maxDocumentBytes ?? DEFAULT_LIMITS.maxDocumentBytes,
    rest: options.maxLineBytes ?? DEFAULT_LIMITS.maxLineBytes,
  });
  try {
    const { head, all } = await peek(lines, signal);
    // An empty log is of any format.
    if (head.length === 0) return;
    const reader = format === 'auto' ? detectReader(head) : readerNamed(format);
    requireSession(reader, options);
    yield* reader.read(all, options);
  } finally {
    await lines.return(undefined);
  }
}

function requireSession(reader: Reader, options: ReaderOptions): void {
  if (reader.name !== 'openai' || options.session !== undefined) return;
  throw new PalimpsestError('INVALID_INPUT', 'Messages do not say which session they are of.', {
    field: 'session',
    hint: 'Pass { session }, an id of your own that no other log has.',
  });
}

async function peek(
  lines: AsyncGenerator<Line>,
  signal: AbortSignal | undefined,
): Promise<{ head: readonly Line[]; all: AsyncIterable<Line> }> {
  const head: Line[] = [];
  while (head.length < HEAD_LINES) {
    throwIfAborted(signal);
    const next = await lines.next();
    if (next.done === true) break;
    head.push(next.value);
  }
  return { head, all: followedBy(head, lines, signal) };
}

async function* followedBy(
  head: readonly Line[],
  rest: AsyncIterable<Line>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Line> {
  for (const line of head) {
    throwIfAborted(signal);
    yield line;
  }
  for await (const line of rest) {
    throwIfAborted(signal);
    yield line;
  }
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw new PalimpsestError('ABORTED', 'Reading the session was aborted.', {
    cause: signal.reason,
  });
}

async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of createReadStream(path)) if (chunk instanceof Uint8Array) yield chunk;
  } catch (cause) {
    const code =
      cause instanceof Error && 'code' in cause ? String(cause.code) : 'an unknown error';
    throw new PalimpsestError(
      code === 'ENOENT' ? 'NOT_FOUND' : 'IMPORT_FAILED',
      `The log cannot be read: ${code}.`,
      { field: 'source', cause },
    );
  }
}
