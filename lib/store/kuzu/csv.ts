import { closeSync, openSync, writeSync } from 'node:fs';
import type { Param } from './native.js';

/** What `COPY` needs to read these files back byte for byte; without `PARALLEL=false` a text must not hold a line break. */
export const COPY_OPTIONS = `(HEADER=false, PARALLEL=false, AUTO_DETECT=false, DELIM=',', QUOTE='"', ESCAPE='"')`;

const BUFFER_BYTES = 1 << 20;

/** A CSV file written in pieces of about a megabyte. Both engines read `""` as null: empty texts need a `SET` afterwards. */
export class CsvFile {
  readonly path: string;
  #fd: number | null;
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #used = 0;
  #rows = 0;

  constructor(path: string) {
    this.path = path;
    this.#fd = openSync(path, 'w', 0o600);
  }

  get rows(): number {
    return this.#rows;
  }

  row(values: readonly Param[]): void {
    let line = '';
    for (let i = 0; i < values.length; i++) {
      if (i > 0) line += ',';
      line += cell(values[i] ?? null);
    }
    line += '\n';
    if (!line.isWellFormed()) throw new Error(`half a surrogate pair in ${this.path}`);
    this.#rows++;
    // Row by row into bytes: a megabyte of text put together piece by piece keeps the collector busy.
    const most = line.length * 3;
    if (this.#used + most > BUFFER_BYTES) this.#flush();
    if (most > BUFFER_BYTES) this.#write(Buffer.from(line, 'utf8'));
    else this.#used += this.#buffer.write(line, this.#used, 'utf8');
  }

  close(): void {
    if (this.#fd === null) return;
    try {
      this.#flush();
    } finally {
      closeSync(this.#fd);
      this.#fd = null;
    }
  }

  #flush(): void {
    const used = this.#used;
    this.#used = 0;
    this.#write(this.#buffer.subarray(0, used));
  }

  #write(bytes: Buffer): void {
    if (this.#fd === null) throw new Error(`${this.path} is closed`);
    for (let done = 0; done < bytes.length;) done += writeSync(this.#fd, bytes, done);
  }
}

function cell(value: Param): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  return value.includes('"') ? `"${value.replaceAll('"', '""')}"` : `"${value}"`;
}
