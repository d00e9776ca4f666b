import { pipeline, Readable, type Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { PalimpsestError } from '../../model/errors.js';
import { MEBIBYTE, type Unreadable } from './reader.js';
import { zstdFrames } from './zstd-frames.js';

const MAX_FRAME_BYTES = 256 * MEBIBYTE;

const startsWith = (bytes: Uint8Array, ...magic: readonly number[]): boolean =>
  magic.every((byte, index) => bytes[index] === byte);

/**
 * A log's bytes, unpacked where they are gzip or zstd, which the first bytes tell. Damage inside of the
 * packed data comes out as a mark in its place: what stands before it is read.
 *
 * @throws PalimpsestError `IMPORT_FAILED` for zstd on a Node without it (before 22.15).
 */
export async function* unpack(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array | Unreadable> {
  const iterator = chunks[Symbol.asyncIterator]();
  let head: Uint8Array = new Uint8Array();
  while (head.length < 4) {
    const next = await iterator.next();
    if (next.done === true) break;
    head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
  }
  const all = rejoin(head, iterator);
  if (startsWith(head, 0x1f, 0x8b)) yield* through(zlib.createGunzip(), all);
  else if (startsWith(head, 0x28, 0xb5, 0x2f, 0xfd)) yield* unpackZstd(all);
  else yield* all;
}

async function* rejoin(
  head: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    if (head.length > 0) yield head;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
      yield next.value;
    }
  } finally {
    await rest.return?.();
  }
}

async function* unpackZstd(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array | Unreadable> {
  const create = zstdOf(zlib);
  if (create === null) {
    throw new PalimpsestError('IMPORT_FAILED', 'This Node cannot read zstd.', {
      field: 'source',
      hint: 'Use Node 22.15 or later, or unpack the log first.',
    });
  }
  // A frame each: Node's own stream ends at the end of the first one.
  for await (const frame of zstdFrames(chunks, MAX_FRAME_BYTES)) {
    if (frame instanceof Uint8Array) yield* through(create(), piece(frame));
    else yield frame;
  }
}

/** Node's zstd, where it has one. The types are of Node 20, which does not. */
function zstdOf(module: object): (() => Transform) | null {
  const create: unknown = Reflect.get(module, 'createZstdDecompress');
  return isFactory(create) ? create : null;
}

const isFactory = (value: unknown): value is () => Transform => typeof value === 'function';

async function* piece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* through(
  unpacker: Transform,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array | Unreadable> {
  let ofSource: unknown;
  const source = Readable.from(chunks, { objectMode: false });
  source.once('error', (error: unknown) => (ofSource = error));
  // Errors of both arrive at the loop below; the callback only keeps them from being thrown twice.
  pipeline(source, unpacker, () => undefined);
  try {
    for await (const chunk of unpacker) if (chunk instanceof Uint8Array) yield chunk;
  } catch (error) {
    if (ofSource !== undefined) throw ofSource;
    yield { problem: `stands after damaged packed data (${codeOf(error)})` };
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'no code';
