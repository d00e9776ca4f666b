import { DEFAULT_LIMITS, type Line, type ReaderOptions } from './reader.js';
import { parseJson } from './reading.js';

export type ReadDocument = { readonly value: unknown } | { readonly problem: string };

/** All lines as one JSON document. One that is too large is not kept, but read to its end. */
export async function readDocument(
  lines: AsyncIterable<Line>,
  options: ReaderOptions,
): Promise<ReadDocument> {
  const limit = options.maxDocumentBytes ?? DEFAULT_LIMITS.maxDocumentBytes;
  let parts: string[] = [];
  let bytes = 0;
  let problem: string | undefined;
  for await (const line of lines) {
    if (problem !== undefined) continue;
    if (typeof line !== 'string') {
      problem = `holds a line that ${line.problem}`;
    } else {
      bytes += Buffer.byteLength(line) + 1;
      parts.push(line);
      if (bytes > limit) problem = `is longer than ${limit} bytes`;
    }
    if (problem !== undefined) parts = [];
  }
  if (problem !== undefined) return { problem };
  const value = parseJson(parts.join('\n'));
  return value === undefined ? { problem: 'is not JSON' } : { value };
}

/** The session of a log that has to be told its name. */
export const unnamed = 'belongs to no session: the log names none, and none was given';
