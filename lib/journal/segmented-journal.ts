import { PalimpsestError } from '../model/errors.js';
import { damaged } from './damage.js';
import type { FileCalls } from './files.js';
import { storeFailure, writeAll } from './files.js';
import { encodeCall, HEADER } from './frame.js';
import type { OpenSegments, Segment } from './generation.js';
import {
  abandonSegments,
  closeSegments,
  discardDraft,
  draftGeneration,
  generationPath,
  lastOf,
  openSegments,
  publishGeneration,
  readRange,
  segmentPath,
} from './generation.js';
import type { Checkpoint, FileJournal, JournalRecord, Locator, RewriteWatch } from './port.js';
import { Reserve } from './reserve.js';
import { scan } from './scan.js';

/** What the opening has found. */
export interface Opening {
  readonly tornTail: { readonly bytes: number } | null;
  readonly verifiedFrom: Checkpoint | null;
}

/** The journal over open segments; `openFileJournal` makes it once they are verified. */
export class SegmentedJournal implements FileJournal {
  readonly tornTail: { readonly bytes: number } | null;
  readonly verifiedFrom: Checkpoint | null;
  readonly #files: FileCalls;
  readonly #folder: string;
  readonly #segmentBytes: number;
  #generation: number;
  #open: OpenSegments;
  readonly #reserve: Reserve;
  #closed = false;
  #broken: { readonly cause: unknown } | null = null;
  #rewriting: Promise<void> | null = null;

  constructor(
    files: FileCalls,
    folder: string,
    segmentBytes: number,
    generation: number,
    open: OpenSegments,
    { tornTail, verifiedFrom }: Opening,
  ) {
    this.#files = files;
    this.#folder = folder;
    this.#segmentBytes = segmentBytes;
    this.#generation = generation;
    this.#open = open;
    this.#reserve = new Reserve(files, segmentBytes, lastOf(open.segments));
    this.tornTail = tornTail;
    this.verifiedFrom = verifiedFrom;
  }

  get size(): number {
    return this.#open.segments.reduce((sum, segment) => sum + segment.size, 0);
  }

  get generation(): number {
    return this.#generation;
  }

  async append(bodies: readonly Buffer[]): Promise<readonly Locator[]> {
    while (this.#rewriting !== null) await this.#rewriting;
    this.#check();
    const { bytes, bodyOffsets } = encodeCall(bodies);
    if (bodies.length === 0) return [];
    let segment = lastOf(this.#open.segments);
    if (segment.size >= this.#segmentBytes) segment = this.#nextSegment(segment.number + 1);
    const start = segment.size;
    try {
      this.#reserve.prepare(segment, bodies.length);
      writeAll(this.#files, segment.fd, bytes, start);
      this.#reserve.extend(segment, bytes.length, bodies.length);
      this.#files.flush(segment.fd);
    } catch (error) {
      this.#undoWrite(segment, error);
      throw storeFailure(error, 'The journal could not be written');
    }
    segment.size += bytes.length;
    return bodies.map((body, index) => ({
      segment: segment.number,
      offset: start + (bodyOffsets[index] ?? 0),
      length: body.length,
    }));
  }

  read(at: Locator): Buffer {
    this.#check();
    const segment = this.#open.segments[at.segment - 1];
    if (
      segment === undefined ||
      at.offset < 0 ||
      at.length < 0 ||
      at.offset + at.length > segment.size
    ) {
      throw notInJournal(at);
    }
    try {
      return readRange(this.#files, segment, at.offset, at.length);
    } catch (error) {
      throw storeFailure(error, 'The journal could not be read');
    }
  }

  async *records(
    from?: Locator,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<JournalRecord, void, undefined> {
    this.#check();
    const generation = this.#generation;
    const segment = this.#open.segments[(from?.segment ?? 1) - 1];
    if (segment === undefined || (from !== undefined && from.offset + from.length > segment.size)) {
      throw notInJournal(from);
    }
    const guard = (): void => {
      this.#check();
      if (signal?.aborted === true) {
        throw new PalimpsestError('ABORTED', 'Reading the journal was aborted.', {
          cause: signal.reason,
        });
      }
      if (generation !== this.#generation) {
        throw new PalimpsestError('CONFLICT', 'The journal was rewritten while it was read.', {
          hint: 'Read it again from the start.',
        });
      }
    };
    const scanned = scan(this.#files, this.#open, { from, guard });
    try {
      for (;;) {
        const step = await scanned.next();
        if (step.done !== true) {
          yield { body: step.value.body, at: step.value.at };
          continue;
        }
        const end = step.value;
        if (end.kind === 'damaged') throw damaged(end.damage);
        if (end.kind === 'torn') throw new Error('its end became unreadable while it was open');
        return;
      }
    } catch (error) {
      throw storeFailure(error, 'The journal could not be read');
    }
  }

  async rewrite(
    next: AsyncIterable<Buffer> | Iterable<Buffer>,
    watch?: RewriteWatch,
  ): Promise<void> {
    this.#check();
    if (this.#rewriting !== null) {
      throw new PalimpsestError('CONFLICT', 'The journal is being rewritten already.');
    }
    const work = this.#rewrite(next, watch);
    this.#rewriting = work.then(
      () => undefined,
      () => undefined,
    );
    try {
      await work;
    } finally {
      this.#rewriting = null;
    }
  }

  async close(): Promise<void> {
    while (this.#rewriting !== null) await this.#rewriting;
    if (this.#closed) return;
    this.#closed = true;
    try {
      this.#reserve.cut(lastOf(this.#open.segments));
    } catch {
      // The next open takes zeros at the end for what they are.
    }
    try {
      closeSegments(this.#files, this.#open.segments);
    } catch (error) {
      throw storeFailure(error, 'The journal could not be closed');
    }
  }

  #check(): void {
    if (this.#closed) throw new PalimpsestError('STORE_CLOSED', 'The journal is closed.');
    if (this.#broken === null) return;
    throw new PalimpsestError('STORE_FAILED', 'The journal is broken by an earlier failure.', {
      hint: 'Close the store and open it again.',
      cause: this.#broken.cause,
    });
  }

  #break(cause: unknown, what: string): PalimpsestError {
    this.#broken = { cause };
    return new PalimpsestError('STORE_FAILED', `${what}, and the journal is broken by it.`, {
      hint: 'Close the store and open it again.',
      cause,
    });
  }

  #nextSegment(number: number): Segment {
    const files = this.#files;
    const folder = generationPath(this.#folder, this.#generation);
    const path = segmentPath(folder, number);
    let fd: number | null = null;
    try {
      this.#reserve.cut(lastOf(this.#open.segments));
      // Not refused when it exists: a failure here may have left one behind that holds nothing.
      fd = files.open(path, 'w+');
      writeAll(files, fd, HEADER, 0);
      files.flush(fd);
      files.flushFolder(folder);
    } catch (error) {
      if (fd !== null) abandonSegments(files, [{ fd }]);
      throw storeFailure(error, 'A new segment of the journal could not be begun');
    }
    const segment = { number, path, fd, size: HEADER.length };
    this.#open.segments.push(segment);
    this.#reserve.restart(segment);
    return segment;
  }

  #undoWrite(segment: Segment, cause: unknown): void {
    try {
      this.#files.truncate(segment.fd, segment.size);
      this.#files.flush(segment.fd);
      this.#reserve.restart(segment);
    } catch (undo) {
      throw this.#break(
        new AggregateError([cause, undo], 'A write failed, and so did taking it back.'),
        'A write failed and could not be taken back',
      );
    }
  }

  async #rewrite(
    next: AsyncIterable<Buffer> | Iterable<Buffer>,
    watch: RewriteWatch | undefined,
  ): Promise<void> {
    const files = this.#files;
    const folder = this.#folder;
    const old = this.#generation;
    const generation = old + 1;
    const source = new Source(next);
    try {
      await draftGeneration(files, folder, generation, source, this.#segmentBytes, watch?.placed);
    } catch (error) {
      discardDraft(files, folder, generation);
      if (source.failure !== null) throw source.failure.error;
      throw storeFailure(error, 'The journal could not be rewritten');
    }
    // From here on a failure leaves open which generation the disk holds: only a new open can tell.
    let open: OpenSegments;
    try {
      publishGeneration(files, folder, generation);
      files.flushFolder(folder);
      open = openSegments(files, generationPath(folder, generation), 'write');
    } catch (error) {
      throw this.#break(error, 'The rewritten journal could not be put in place');
    }
    const before = this.#open.segments;
    this.#open = open;
    this.#reserve.restart(lastOf(open.segments));
    this.#generation = generation;
    watch?.swapped();
    try {
      closeSegments(files, before);
      files.remove(generationPath(folder, old));
      files.flushFolder(folder);
    } catch (error) {
      throw new PalimpsestError(
        'STORE_FAILED',
        'The journal was rewritten, but its old files could not be removed.',
        { hint: 'They are removed when the store is opened again.', cause: error },
      );
    }
  }
}

function notInJournal(at: Locator | undefined): PalimpsestError {
  return new PalimpsestError(
    'INVALID_INPUT',
    `Segment ${at?.segment} has no bytes ${at?.offset} to ${(at?.offset ?? 0) + (at?.length ?? 0)}.`,
    { field: 'at' },
  );
}

/** Passes bodies on, and remembers whether it was their source that failed. */
class Source implements AsyncIterable<Buffer> {
  readonly #bodies: AsyncIterable<Buffer> | Iterable<Buffer>;
  #failure: { readonly error: unknown } | null = null;

  constructor(bodies: AsyncIterable<Buffer> | Iterable<Buffer>) {
    this.#bodies = bodies;
  }

  get failure(): { readonly error: unknown } | null {
    return this.#failure;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, undefined> {
    try {
      for await (const body of this.#bodies) yield body;
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }
}
