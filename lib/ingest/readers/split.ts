import type { Line, Unreadable } from './reader.js';

export interface SplitLimits {
  /** Bytes of the first line, which may be a whole document. */
  readonly first: number;
  /** Bytes of every later line. */
  readonly rest: number;
}

const NEWLINE = 0x0a;

/** Gathers the bytes of one line, and no more of them than the limit. */
class LineBuffer {
  private parts: Uint8Array[] = [];
  private length = 0;
  private limit: number;
  private damage: string | null = null;

  constructor(private readonly limits: SplitLimits) {
    this.limit = limits.first;
  }

  get isEmpty(): boolean {
    return this.length === 0 && this.damage === null;
  }

  add(part: Uint8Array): void {
    this.length += part.length;
    if (this.length > this.limit) this.parts = [];
    else if (part.length > 0) this.parts.push(part);
  }

  spoil(problem: string): void {
    this.damage ??= problem;
  }

  take(): Line {
    const line = this.decode();
    this.parts = [];
    this.length = 0;
    this.damage = null;
    this.limit = this.limits.rest;
    return line;
  }

  private decode(): Line {
    if (this.damage !== null) return { problem: this.damage };
    if (this.length > this.limit) return { problem: `is longer than ${this.limit} bytes` };
    try {
      // A fresh decoder each time drops a byte order mark, and refuses what it would have to replace.
      const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(this.parts));
      return text.endsWith('\r') ? text.slice(0, -1) : text;
    } catch {
      return { problem: 'is not UTF-8' };
    }
  }
}

/**
 * Lines of a log's bytes. What cannot be read is a line as well, so that it is counted: a line above the
 * limit, one that is not UTF-8, and the place where the bytes themselves were damaged.
 */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array | Unreadable>,
  limits: SplitLimits,
): AsyncGenerator<Line> {
  const buffer = new LineBuffer(limits);
  for await (const chunk of chunks) {
    if (!(chunk instanceof Uint8Array)) {
      buffer.spoil(chunk.problem);
      yield buffer.take();
      continue;
    }
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      buffer.add(chunk.subarray(from, at));
      yield buffer.take();
      from = at + 1;
    }
    buffer.add(chunk.subarray(from));
  }
  if (!buffer.isEmpty) yield buffer.take();
}
