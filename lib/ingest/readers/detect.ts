import { PalimpsestError } from '../../model/errors.js';
import { FORMATS, type FormatName } from '../event.js';
import { claudeCode } from './claude-code.js';
import { dsh } from './dsh.js';
import { openai } from './openai.js';
import { plain } from './plain.js';
import type { Line, Reader } from './reader.js';
import { sweAgent } from './swe-agent.js';

/** Every reader, in the order in which they are asked: the most particular signs first. */
export const READERS: readonly Reader[] = [dsh, claudeCode, plain, openai, sweAgent];

export function readerNamed(name: FormatName): Reader {
  const reader = READERS.find((known) => known.name === name);
  if (reader === undefined) {
    throw new PalimpsestError('INVALID_INPUT', `format: ${name} is not a format.`, {
      field: 'format',
      hint: `Use one of ${FORMATS.join(', ')}.`,
    });
  }
  return reader;
}

/**
 * The reader whose format the first lines of a log have.
 *
 * @throws PalimpsestError `INVALID_INPUT` where no reader knows them.
 */
export function detectReader(head: readonly Line[]): Reader {
  const lines = head.filter((line) => typeof line === 'string');
  const reader = READERS.find((candidate) => candidate.detects(lines));
  if (reader === undefined) {
    throw new PalimpsestError('INVALID_INPUT', 'The format of the log is not known.', {
      field: 'format',
      hint: `Name it: one of ${FORMATS.join(', ')}.`,
    });
  }
  return reader;
}
