import { createReadStream } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { PalimpsestError } from '../model/errors.js';

/** Lines of text, or the path of a file that has them. */
export type LineSource = AsyncIterable<string> | Iterable<string> | URL;

export const linesOf = (source: LineSource): AsyncIterable<string> | Iterable<string> =>
  typeof source === 'string' || source instanceof URL ? readLines(source) : source;

/** The lines of a UTF-8 file, without their ends and without a byte order mark. */
async function* readLines(path: string | URL): AsyncIterable<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let first = true;
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 18 })) {
      const text: string = rest + (Buffer.isBuffer(chunk) ? decoder.write(chunk) : String(chunk));
      const lines = text.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        yield tidy(line, first);
        first = false;
      }
    }
  } catch (cause) {
    if (PalimpsestError.isInstance(cause)) throw cause;
    throw new PalimpsestError('IMPORT_FAILED', `The file ${String(path)} cannot be read.`, {
      field: 'path',
      cause,
    });
  }
  rest += decoder.end();
  if (rest !== '') yield tidy(rest, first);
}

function tidy(line: string, first: boolean): string {
  const end = line.endsWith('\r') ? -1 : undefined;
  return line.slice(first && line.startsWith('\uFEFF') ? 1 : 0, end);
}
