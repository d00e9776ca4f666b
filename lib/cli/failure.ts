import { CommanderError } from 'commander';
import { PalimpsestError } from '../index.js';
import { printable } from './width.js';

export const EXIT = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/** A command line that makes no sense. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export interface Failure {
  readonly exit: number;
  readonly code: string;
  readonly message: string;
  readonly field?: string;
}

/** What went wrong, as it is told; `null` when nothing did, such as after `--help`. */
export function failureOf(error: unknown): Failure | null {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return null;
    return { exit: EXIT.usage, code: 'USAGE', message: error.message.replace(/^error: /u, '') };
  }
  if (error instanceof UsageError)
    return { exit: EXIT.usage, code: 'USAGE', message: error.message };
  if (PalimpsestError.isInstance(error)) {
    const { code, message, field } = error.toJSON();
    return { exit: exitOf(code), code, message, ...(field === undefined ? {} : { field }) };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { exit: EXIT.failed, code: 'FAILED', message };
}

/** What came from the command line and cannot be read is a mistake of usage. */
function exitOf(code: PalimpsestError['code']): number {
  if (code === 'ABORTED') return EXIT.interrupted;
  return code.startsWith('INVALID_') || code === 'TOO_LARGE' ? EXIT.usage : EXIT.failed;
}

/** One line, or with `json` one object. */
export function failureText({ code, message, field }: Failure, json: boolean): string {
  if (json) return JSON.stringify({ code, message, ...(field === undefined ? {} : { field }) });
  return `palimpsest: ${code}: ${printable(message.replaceAll(/\s*\n\s*/gu, ' '))}`;
}
