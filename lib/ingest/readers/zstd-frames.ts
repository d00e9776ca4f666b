import type { Unreadable } from './reader.js';

const SKIPPABLE = 0x184d2a50;
const FRAME = 0xfd2fb528;

type Measure =
  | { readonly kind: 'frame' | 'skippable'; readonly length: number }
  /** Not all there yet; `needs` bytes at least. */
  | { readonly kind: 'short'; readonly needs: number }
  | { readonly kind: 'damaged' };

/** Where the zstd frame at the start of `bytes` ends (RFC 8878, section 3.1), without unpacking it. */
export function measureFrame(bytes: Uint8Array): Measure {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 5) return { kind: 'short', needs: 5 };
  const magic = view.getUint32(0, true);
  if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE) {
    if (bytes.length < 8) return { kind: 'short', needs: 8 };
    const length = 8 + view.getUint32(4, true);
    return bytes.length < length ? { kind: 'short', needs: length } : { kind: 'skippable', length };
  }
  if (magic !== FRAME) return { kind: 'damaged' };
  const descriptor = view.getUint8(4);
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 0x03] ?? 0;
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  let at = 5 + (isSingleSegment ? 0 : 1) + dictionaryBytes + sizeBytes;
  for (let isLast = false; !isLast;) {
    if (bytes.length < at + 3) return { kind: 'short', needs: at + 3 };
    const header = view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
    isLast = (header & 1) === 1;
    const type = (header >> 1) & 0x03;
    if (type === 3) return { kind: 'damaged' };
    // A run-length block holds its one byte only.
    at += 3 + (type === 1 ? 1 : header >> 3);
  }
  const length = at + ((descriptor & 0x04) === 0 ? 0 : 4);
  return bytes.length < length ? { kind: 'short', needs: length } : { kind: 'frame', length };
}

/** Bytes that arrive in pieces and are taken from the front, copied a bounded number of times. */
class Pending {
  private store = new Uint8Array(64 * 1024);
  private from = 0;
  private to = 0;

  get bytes(): Uint8Array {
    return this.store.subarray(this.from, this.to);
  }

  add(chunk: Uint8Array): void {
    const length = this.to - this.from;
    if (this.to + chunk.length > this.store.length) {
      const room = Math.max(this.store.length, 2 * (length + chunk.length));
      const grown = new Uint8Array(room);
      grown.set(this.bytes);
      [this.store, this.from, this.to] = [grown, 0, length];
    }
    this.store.set(chunk, this.to);
    this.to += chunk.length;
  }

  take(length: number): Uint8Array {
    const taken = this.bytes.slice(0, length);
    this.from += length;
    return taken;
  }
}

/**
 * The frames of a zstd file, one by one. A host that appends a frame at each flush leaves a file of many,
 * the last of them perhaps half written; each can be unpacked, or lost, alone.
 */
export async function* zstdFrames(
  chunks: AsyncIterable<Uint8Array>,
  maxFrameBytes: number,
): AsyncGenerator<Uint8Array | Unreadable> {
  const pending = new Pending();
  let needs = 0;
  for await (const chunk of chunks) {
    pending.add(chunk);
    while (pending.bytes.length > 0 && pending.bytes.length >= needs) {
      const frame = measureFrame(pending.bytes);
      if (frame.kind === 'damaged') return yield { problem: 'stands after damaged zstd data' };
      if (frame.kind === 'short') {
        needs = frame.needs;
        break;
      }
      needs = 0;
      const bytes = pending.take(frame.length);
      if (frame.kind === 'frame') yield bytes;
    }
    if (pending.bytes.length > maxFrameBytes) {
      return yield { problem: `stands in a zstd frame of more than ${maxFrameBytes} bytes` };
    }
  }
  if (pending.bytes.length > 0) yield { problem: 'stands in a zstd frame that is cut off' };
}
