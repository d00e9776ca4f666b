import type { FormatName, Reading } from '../event.js';

/** A line that could not even be made text of: too long, not UTF-8, lost in a damaged file. */
export interface Unreadable {
  readonly problem: string;
}

export type Line = string | Unreadable;

export const MEBIBYTE = 1024 * 1024;

export const DEFAULT_LIMITS = {
  maxLineBytes: 8 * MEBIBYTE,
  maxDocumentBytes: 64 * MEBIBYTE,
} as const;

export interface ReaderOptions {
  /** Id of the session, for logs that do not name it. */
  readonly session?: string;
  /** Name of the file without folder and endings; some hosts name the session there. */
  readonly fileName?: string;
  /**
   * What becomes of sub-agents' sessions. `skip` (the default) lists each line as skipped; with `read`
   * their answers and tool results are events, and their prompts are events of role `system`.
   */
  readonly subagents?: 'skip' | 'read';
  /** Lines above this many bytes of UTF-8 are bad. Default 8 MiB. */
  readonly maxLineBytes?: number;
  /** The same for a log that is one JSON document. Default 64 MiB. */
  readonly maxDocumentBytes?: number;
  /** IANA zone for times that are written without an offset. Default UTC. */
  readonly timeZone?: string;
}

/** One log format. Readers are pure: lines in, readings out, nothing kept between two reads. */
export interface Reader {
  readonly name: FormatName;
  /** Whether the first lines of a log look like this format. */
  detects(head: readonly string[]): boolean;
  /** Gives a reading for every line, in order; see {@link Reading}. Never throws for what a line says. */
  read(lines: AsyncIterable<Line>, options?: ReaderOptions): AsyncIterable<Reading>;
}
