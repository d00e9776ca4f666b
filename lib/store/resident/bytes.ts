/** A growable run of bytes. */
export class Bytes {
  #buffer = Buffer.allocUnsafeSlow(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get buffer(): Buffer {
    return this.#buffer;
  }

  /** Makes room for `more` bytes after the end, and says where they start. */
  reserve(more: number): number {
    const need = this.#length + more;
    if (need > this.#buffer.length) {
      const next = Buffer.allocUnsafeSlow(Math.max(need, Math.ceil(this.#buffer.length * 1.5)));
      this.#buffer.copy(next, 0, 0, this.#length);
      this.#buffer = next;
    }
    return this.#length;
  }

  advance(by: number): void {
    this.#length += by;
  }

  truncate(length: number): void {
    this.#length = length;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  load(bytes: Buffer): void {
    const buffer = Buffer.allocUnsafeSlow(Math.max(1024, bytes.length));
    bytes.copy(buffer);
    this.#buffer = buffer;
    this.#length = bytes.length;
  }
}
