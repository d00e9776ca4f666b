import { closeSync, openSync, writeSync } from 'node:fs';
import { isWellFormed } from './params.js';
import type { Param } from './native.js';

/** What `COPY` needs to read these files back byte for byte; without `PARALLEL=false` a text must not hold a line break. */
export const COPY_OPTIONS = `(HEADER=false, PARALLEL=false, AUTO_DETECT=false, DELIM=',', QUOTE='"', ESCAPE='"')`;

const FLUSH_AT = 1 << 20;

/** A CSV file written in pieces of about a megabyte. Both engines read `""` as null: empty texts need a `SET` afterwards. */
export class CsvFile {
  readonly path: string;
  #fd: number | null;
  #text = '';
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
    this.#text += `${line}\n`;
    this.#rows++;
    if (this.#text.length >= FLUSH_AT) this.#flush();
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
    if (this.#fd === null) return;
    if (!isWellFormed(this.#text)) throw new Error(`half a surrogate pair in ${this.path}`);
    const bytes = Buffer.from(this.#text, 'utf8');
    this.#text = '';
    for (let done = 0; done < bytes.length;) done += writeSync(this.#fd, bytes, done);
  }
}

function cell(value: Param): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  return value.includes('"') ? `"${value.replaceAll('"', '""')}"` : `"${value}"`;
}
