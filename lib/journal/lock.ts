import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PalimpsestError } from '../model/errors.js';
import { ensureFolder, realFiles, storeFailure } from './files.js';
import type { LockOwner } from './lock-owner.js';
import { livenessOf, readOwner, thisProcess } from './lock-owner.js';

/** Milliseconds, and how often: the threads of a killed process are gone in far less, or hang in the disk. */
const PAUSE = 2;
const PATIENCE = 500;

export interface StoreLock {
  /** Lets the next one in. Releasing twice is allowed. */
  release(): Promise<void>;
}

/**
 * Takes the store folder, made if missing, for this process alone. Does not wait for a living owner; the
 * lock of a process that has ended, however it ended, is taken over at once.
 *
 * The lock is the file `lock.<N>` with the highest N. Whoever takes over makes N + 1, which only one can,
 * and no number is ever made twice, since the highest file is never removed: a release only marks it. So
 * one who judged an old state and was then slow makes a number below the highest, sees that, and steps back.
 *
 * @throws STORE_LOCKED when a living process has it, this one included; STORE_READ_ONLY, STORE_FULL,
 *   STORE_FAILED.
 * @example
 * const lock = await acquireStoreLock('/data/store');
 * try { … } finally { await lock.release(); }
 */
export async function acquireStoreLock(folder: string): Promise<StoreLock> {
  try {
    ensureFolder(realFiles, folder);
    const me = thisProcess();
    for (let patience = PATIENCE; patience >= 0; patience -= 1) {
      const taken = take(folder, me, patience > 0);
      if (typeof taken === 'number') {
        sweep(folder, taken);
        return new HeldLock(folder, taken, me);
      }
      if (taken === 'owner is ending') await sleep(PAUSE);
    }
    throw new PalimpsestError('STORE_LOCKED', `Others keep taking the store in ${folder}.`);
  } catch (error) {
    throw storeFailure(error, `The store in ${folder} could not be locked`);
  }
}

const lockPath = (folder: string, number: number): string => join(folder, `lock.${number}`);

/** One attempt. When another was `quicker` the state is to be judged anew. */
function take(
  folder: string,
  me: LockOwner,
  mayWait: boolean,
): number | 'quicker' | 'owner is ending' {
  const highest = highestLock(folder);
  if (highest > 0) {
    const text = readIfThere(lockPath(folder, highest));
    if (text === null) return 'quicker';
    if (judge(folder, highest, text, mayWait) === 'ending') return 'owner is ending';
  }
  const mine = highest + 1;
  if (!create(folder, mine, me)) return 'quicker';
  if (highestLock(folder) === mine) return mine;
  rmSync(lockPath(folder, mine), { force: true });
  return 'quicker';
}

function highestLock(folder: string): number {
  const numbers = readdirSync(folder).map((name) =>
    Number(/^lock\.(\d{1,15})$/.exec(name)?.[1] ?? 0),
  );
  return Math.max(0, ...numbers);
}

/** @throws STORE_LOCKED when it is held, or when that cannot be known. */
function judge(folder: string, number: number, text: string, mayWait: boolean): 'free' | 'ending' {
  const owner = readOwner(text);
  const path = lockPath(folder, number);
  if (owner === null) {
    throw new PalimpsestError('STORE_LOCKED', `The lock ${path} cannot be read.`, {
      hint: 'If no process has the store open, delete that file.',
    });
  }
  if (owner.state === 'released') return 'free';
  if (owner.host !== hostname()) {
    throw new PalimpsestError(
      'STORE_LOCKED',
      `The store in ${folder} is open in process ${owner.pid} on another machine, ${owner.host}, or was when that machine stopped.`,
      { hint: `Close it there; if that process is gone for sure, delete ${path}.` },
    );
  }
  const liveness = livenessOf(owner);
  if (liveness === 'ended') return 'free';
  if (liveness === 'ending' && mayWait) return 'ending';
  const where = owner.pid === process.pid ? 'this process' : `process ${owner.pid}`;
  throw new PalimpsestError('STORE_LOCKED', `The store in ${folder} is already open in ${where}.`, {
    hint: 'Close it there, or share that one: a store has one process at a time.',
  });
}

/** Makes the lock file with its content in one step; false when it exists. */
function create(folder: string, number: number, owner: LockOwner): boolean {
  const draft = writeDraft(folder, owner);
  try {
    linkSync(draft, lockPath(folder, number));
    return true;
  } catch (error) {
    switch (errnoOf(error)) {
      case 'EEXIST':
      // The winner of this very race has swept our draft away.
      case 'ENOENT':
        return false;
      // A file system without hard links: a crash between the two steps leaves an unreadable lock there.
      case 'EPERM':
      case 'EACCES':
      case 'ENOSYS':
      case 'ENOTSUP':
      case 'EOPNOTSUPP':
        return createInTwoSteps(lockPath(folder, number), owner);
      default:
        throw error;
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

function createInTwoSteps(path: string, owner: LockOwner): boolean {
  try {
    writeNew(path, owner);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function writeDraft(folder: string, owner: LockOwner): string {
  const path = join(folder, `lock.${randomUUID()}.tmp`);
  try {
    writeNew(path, owner);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
  return path;
}

function writeNew(path: string, owner: LockOwner): void {
  const fd = openSync(path, 'wx');
  try {
    writeSync(fd, `${JSON.stringify(owner)}\n`);
    // Else a power cut could leave the name without the content, a lock that nobody can judge.
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Removes what is below the lock just taken, and drafts of processes that were killed. */
function sweep(folder: string, held: number): void {
  for (const name of readdirSync(folder)) {
    const number = /^lock\.(\d{1,15})$/.exec(name)?.[1];
    const isOld = number !== undefined && Number(number) < held;
    if (isOld || /^lock\.[0-9a-f-]{36}\.tmp$/.test(name))
      rmSync(join(folder, name), { force: true });
  }
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function errnoOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

class HeldLock implements StoreLock {
  readonly #folder: string;
  readonly #number: number;
  readonly #owner: LockOwner;
  #released = false;

  constructor(folder: string, number: number, owner: LockOwner) {
    this.#folder = folder;
    this.#number = number;
    this.#owner = owner;
  }

  async release(): Promise<void> {
    if (this.#released) return;
    const path = lockPath(this.#folder, this.#number);
    try {
      // Gone when the whole store was deleted while open: there is nothing left to release.
      if (existsSync(path)) this.#mark(path);
    } catch (error) {
      throw storeFailure(error, `The lock ${path} could not be released`);
    }
    this.#released = true;
  }

  #mark(path: string): void {
    const released: LockOwner = { ...this.#owner, state: 'released' };
    try {
      renameSync(writeDraft(this.#folder, released), path);
    } catch (error) {
      // A full disk has no room for another file, and yet for another word in this one.
      if (errnoOf(error) !== 'ENOSPC' && errnoOf(error) !== 'EDQUOT') throw error;
      const fd = openSync(path, 'r+');
      try {
        writeSync(fd, `${JSON.stringify(released)}\n`);
      } finally {
        closeSync(fd);
      }
    }
  }
}
