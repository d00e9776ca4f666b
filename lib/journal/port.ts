/** A range of bytes in a segment of the journal. Valid until the next `rewrite`. */
export interface Locator {
  /** Number of the segment, from 1. */
  readonly segment: number;
  /** First byte, from the start of the segment. */
  readonly offset: number;
  /** Count of bytes. */
  readonly length: number;
}

/** A record that a projection has seen, with the generation of the journal its locator belongs to. */
export interface Checkpoint {
  readonly generation: number;
  /** The body of the last record seen. */
  readonly at: Locator;
}

/** Follows a rewrite, so that a projection can change over together with the journal. */
export interface RewriteWatch {
  /** Where each body will lie, in their order, before the next one is asked for. */
  readonly placed: (at: Locator) => void;
  /** Called in one go with the swap: no read comes between. */
  readonly swapped: () => void;
}

export interface JournalRecord {
  /** JSON Lines. A view into a read buffer: copy it to keep it for long. */
  readonly body: Buffer;
  /** Where the body lies. */
  readonly at: Locator;
}

/**
 * The durable log of framed records. It knows bytes, and nothing of what they mean.
 *
 * @example
 * const [at] = await journal.append([Buffer.from('{"tx":1}\n')]);
 * journal.read(at).toString(); // '{"tx":1}\n'
 */
export interface Journal {
  /** Bytes in all segments, frames and headers included. */
  readonly size: number;

  /** Counts up with every `rewrite`: locators of another generation mean nothing. */
  readonly generation: number;

  /**
   * Writes each body as one record, all of them or none, also across a crash; resolves when they are
   * durable. Blocks the event loop for one write and one disk flush (about 0.1 ms on an SSD).
   *
   * @returns where the bodies lie, in their order.
   * @throws STORE_FULL, STORE_READ_ONLY, STORE_FAILED: nothing was written, and a retry is sound unless
   *   the message says that the journal is broken; INVALID_INPUT for a body that is not whole lines, or
   *   has a line that begins with `#`; STORE_CLOSED.
   */
  append(bodies: readonly Buffer[]): Promise<readonly Locator[]>;

  /**
   * Reads any range of bytes within a body, at once.
   *
   * @throws INVALID_INPUT when the range is not in the journal; STORE_FAILED, STORE_CLOSED.
   */
  read(at: Locator): Buffer;

  /**
   * All records in order, or those after `from`, each verified by its checksum; memory is bounded by the
   * largest record. Records appended meanwhile are included. A rewrite ends the walk with CONFLICT.
   *
   * @throws JOURNAL_DAMAGED, CONFLICT, ABORTED, STORE_FAILED, STORE_CLOSED.
   */
  records(
    from?: Locator,
    options?: { readonly signal?: AbortSignal },
  ): AsyncIterable<JournalRecord>;

  /**
   * Replaces all records by `next` (which may be made from `records()`), in new files, and removes the old
   * ones: what is not in `next` is gone from the disk. Until the swap the old journal is untouched, and it
   * stays when `next` or `watch.placed` throws. Appends wait meanwhile, so `next` must not wait for one. All
   * locators change.
   *
   * @throws what `next` throws; CONFLICT when a rewrite is running; and as `append`.
   */
  rewrite(next: AsyncIterable<Buffer> | Iterable<Buffer>, watch?: RewriteWatch): Promise<void>;

  /** Waits for a running rewrite. Closing twice is allowed. */
  close(): Promise<void>;
}

/** A journal in files, with what its opening has found. */
export interface FileJournal extends Journal {
  /** The unfinished append that was cut off at open, if a crash had left one. */
  readonly tornTail: { readonly bytes: number } | null;
  /**
   * The checkpoint from which the journal was verified at open; `null` when all of it was read, because
   * none was given or because the one given is not a record of this generation. In that second case
   * whatever was derived up to the checkpoint must be derived anew.
   */
  readonly verifiedFrom: Checkpoint | null;
}
