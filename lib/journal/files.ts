import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { PalimpsestError } from '../model/errors.js';

/**
 * Every call the journal makes to the file system, so that a test can let any of them fail.
 * All block: a flush is shorter than the way through the thread pool.
 */
export interface FileCalls {
  /** `w+` makes the file, or empties it. */
  readonly open: (path: string, flags: 'r' | 'r+' | 'w+') => number;
  readonly close: (fd: number) => void;
  readonly size: (fd: number) => number;
  /** May read less than asked for. */
  readonly read: (fd: number, into: Buffer, position: number) => number;
  /** May write less than asked for. */
  readonly write: (fd: number, bytes: Buffer, position: number) => number;
  readonly flush: (fd: number) => void;
  readonly truncate: (fd: number, length: number) => void;
  readonly rename: (from: string, to: string) => void;
  /** Makes the folder and its parents; returns the first that was missing. */
  readonly makeFolder: (path: string) => string | undefined;
  readonly list: (folder: string) => readonly string[];
  /** Removes a file or a whole folder; what is not there is removed already. */
  readonly remove: (path: string) => void;
  /** Makes creations, renames and removals in a folder durable. */
  readonly flushFolder: (path: string) => void;
}

/**
 * Level by level: where a disk refuses a folder with ENOENT (as `/proc` does), Node's own recursive call
 * never returns, and of a read-only disk it does not tell the truth.
 */
function makeFolder(path: string): string | undefined {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.push(at);
  for (const folder of missing.toReversed()) {
    try {
      mkdirSync(folder);
    } catch (error) {
      // Somebody else was quicker.
      if (!isDirectory(folder)) throw error;
    }
  }
  return missing.at(-1);
}

const isDirectory = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

export const realFiles: FileCalls = {
  open: (path, flags) => openSync(path, flags),
  close: (fd) => closeSync(fd),
  size: (fd) => fstatSync(fd).size,
  read: (fd, into, position) => readSync(fd, into, 0, into.length, position),
  write: (fd, bytes, position) => writeSync(fd, bytes, 0, bytes.length, position),
  flush: (fd) => fdatasyncSync(fd),
  truncate: (fd, length) => ftruncateSync(fd, length),
  rename: (from, to) => renameSync(from, to),
  makeFolder,
  list: (folder) => readdirSync(folder),
  remove: (path) => rmSync(path, { recursive: true, force: true }),
  flushFolder: (path) => {
    // Windows cannot open a folder for this, and writes its entries through by itself.
    if (process.platform === 'win32') return;
    const fd = openSync(path, 'r');
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  },
};

/** Makes a folder with its parents if missing, durably. */
export function ensureFolder(files: FileCalls, path: string): void {
  const first = files.makeFolder(path);
  if (first === undefined) return;
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    files.flushFolder(dirname(folder));
    if (folder === resolve(first) || folder === dirname(folder)) return;
  }
}

/** Writes all of `bytes`, however many calls it takes. */
export function writeAll(files: FileCalls, fd: number, bytes: Buffer, position: number): void {
  let done = 0;
  while (done < bytes.length) {
    const written = files.write(fd, bytes.subarray(done), position + done);
    if (written === 0) throw new Error('The file system wrote nothing and gave no reason.');
    done += written;
  }
}

/** Fills `into` as far as the file reaches; returns what was read. */
export function readFully(files: FileCalls, fd: number, into: Buffer, position: number): Buffer {
  let done = 0;
  while (done < into.length) {
    const count = files.read(fd, into.subarray(done), position + done);
    if (count === 0) break;
    done += count;
  }
  return into.subarray(0, done);
}

const FULL = new Set(['ENOSPC', 'EDQUOT']);
const READ_ONLY = new Set(['EROFS', 'EACCES', 'EPERM']);

/** The coded error for a failed call; an error of our own passes unchanged. */
export function storeFailure(cause: unknown, what: string): PalimpsestError {
  if (cause instanceof PalimpsestError) return cause;
  const errno =
    cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
  if (FULL.has(errno)) {
    return new PalimpsestError('STORE_FULL', `${what}: no space is left on the disk.`, {
      hint: 'Free some space and try again.',
      cause,
    });
  }
  if (READ_ONLY.has(errno)) {
    return new PalimpsestError('STORE_READ_ONLY', `${what}: writing is not allowed (${errno}).`, {
      hint: 'Check the permissions of the store folder and its file system.',
      cause,
    });
  }
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new PalimpsestError('STORE_FAILED', `${what}: ${reason}.`, { cause });
}
