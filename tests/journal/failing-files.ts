import type { FileCalls } from '../../lib/journal/files.js';

export type Failing = FileCalls & {
  /** Calls made so far. */
  readonly count: () => number;
  /** For a look at the state: calls within are not counted and do not fail. */
  readonly quietly: <T>(look: () => Promise<T>) => Promise<T>;
};

export interface FailureOptions {
  /** Which call fails, from 1. */
  readonly at: number;
  readonly errno: string;
  /** How many fail from there on. Default one. */
  readonly times?: number;
  /** A failing write gets so far first. Default nothing is written. */
  readonly share?: number;
}

/** File calls of which some fail: the nth, and as many after it as wished. */
export function failing(files: FileCalls, options: FailureOptions): Failing {
  const { at, errno, times = 1, share = 0 } = options;
  let count = 0;
  let isQuiet = false;
  const failure = (): Error | null => {
    if (isQuiet) return null;
    count += 1;
    const fails = count >= at && count < at + times;
    return fails ? Object.assign(new Error(`${errno}: call ${count}`), { code: errno }) : null;
  };
  const guarded =
    <A extends readonly unknown[], R>(call: (...args: A) => R) =>
    (...args: A): R => {
      const error = failure();
      if (error !== null) throw error;
      return call(...args);
    };
  return {
    count: () => count,
    quietly: async (look) => {
      isQuiet = true;
      try {
        return await look();
      } finally {
        isQuiet = false;
      }
    },
    open: guarded(files.open),
    close: (fd) => {
      // The descriptor is gone whatever is reported, as on Linux.
      files.close(fd);
      const error = failure();
      if (error !== null) throw error;
    },
    size: guarded(files.size),
    read: guarded(files.read),
    write: (fd, bytes, position) => {
      const error = failure();
      if (error === null) return files.write(fd, bytes, position);
      const part = Math.floor(bytes.length * share);
      if (part > 0) files.write(fd, bytes.subarray(0, part), position);
      throw error;
    },
    flush: guarded(files.flush),
    truncate: guarded(files.truncate),
    rename: guarded(files.rename),
    makeFolder: guarded(files.makeFolder),
    list: guarded(files.list),
    remove: guarded(files.remove),
    flushFolder: guarded(files.flushFolder),
  };
}

/** Files that write and read a few bytes a call. */
export function stuttering(files: FileCalls, bytesPerCall: number): FileCalls {
  return {
    ...files,
    read: (fd, into, position) => files.read(fd, into.subarray(0, bytesPerCall), position),
    write: (fd, bytes, position) => files.write(fd, bytes.subarray(0, bytesPerCall), position),
  };
}
