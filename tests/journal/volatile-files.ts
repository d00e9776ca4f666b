import { basename, dirname } from 'node:path';
import type { FileCalls } from '../../lib/journal/files.js';

interface File {
  readonly kind: 'file';
  cached: Buffer;
  durable: Buffer;
}
interface Folder {
  readonly kind: 'folder';
  cached: Entries;
  durable: Entries;
  /** What leads from the durable entries to the cached ones. */
  pending: ((entries: Entries) => void)[];
}
type Entries = Map<string, File | Folder>;

/** What becomes of what was not flushed. `random` gives numbers from 0 up to 1. */
export type Crash =
  /** Of the process alone: the cache stays, and stays unflushed. */
  | { readonly kind: 'only the process' }
  | { readonly kind: 'all lost' }
  | { readonly kind: 'all kept' }
  | { readonly kind: 'mixed'; readonly random: () => number };

/**
 * A disk with a cache, in memory: writes, creations, renames and removals last only once the file or the
 * folder is flushed, and `crash` decides about the others.
 */
export class VolatileDisk {
  readonly #root = newFolder();
  readonly #open = new Map<number, File>();
  #nextFd = 3;

  readonly files: FileCalls = {
    open: (path, flags) => {
      const folder = this.#folder(dirname(path));
      let file = folder.cached.get(basename(path));
      if (file === undefined && flags === 'w+') {
        const made: File = { kind: 'file', cached: Buffer.alloc(0), durable: Buffer.alloc(0) };
        change(folder, (entries) => entries.set(basename(path), made));
        file = made;
      }
      if (file?.kind !== 'file') throw errno('ENOENT', path);
      if (flags === 'w+') file.cached = Buffer.alloc(0);
      this.#open.set(this.#nextFd, file);
      return this.#nextFd++;
    },
    close: (fd) => {
      this.#file(fd);
      this.#open.delete(fd);
    },
    size: (fd) => this.#file(fd).cached.length,
    read: (fd, into, position) => this.#file(fd).cached.copy(into, 0, position),
    write: (fd, bytes, position) => {
      const file = this.#file(fd);
      const next = Buffer.alloc(Math.max(file.cached.length, position + bytes.length));
      file.cached.copy(next);
      bytes.copy(next, position);
      file.cached = next;
      return bytes.length;
    },
    flush: (fd) => {
      const file = this.#file(fd);
      file.durable = file.cached;
    },
    truncate: (fd, length) => {
      const file = this.#file(fd);
      file.cached = Buffer.from(file.cached.subarray(0, length));
    },
    rename: (from, to) => {
      const folder = this.#folder(dirname(from));
      if (dirname(to) !== dirname(from)) throw errno('EXDEV', to);
      if (!folder.cached.has(basename(from))) throw errno('ENOENT', from);
      change(folder, (entries) => {
        const moved = entries.get(basename(from));
        if (moved === undefined) return;
        entries.delete(basename(from));
        entries.set(basename(to), moved);
      });
    },
    makeFolder: (path) => {
      if (path === '/') return undefined;
      const first = this.files.makeFolder(dirname(path));
      const parent = this.#folder(dirname(path));
      if (parent.cached.get(basename(path))?.kind === 'folder') return first;
      const made = newFolder();
      change(parent, (entries) => entries.set(basename(path), made));
      return first ?? path;
    },
    list: (path) => [...this.#folder(path).cached.keys()],
    remove: (path) => {
      const folder = this.#folder(dirname(path));
      const removed = folder.cached.get(basename(path));
      if (removed === undefined) return;
      if (removed.kind === 'folder') {
        for (const name of removed.cached.keys()) this.files.remove(`${path}/${name}`);
      }
      change(folder, (entries) => entries.delete(basename(path)));
    },
    flushFolder: (path) => {
      const folder = this.#folder(path);
      folder.durable = new Map(folder.cached);
      folder.pending = [];
    },
  };

  crash(crash: Crash): void {
    this.#open.clear();
    if (crash.kind !== 'only the process') settle(this.#root, crash);
  }

  #file(fd: number): File {
    const file = this.#open.get(fd);
    if (file === undefined) throw errno('EBADF', String(fd));
    return file;
  }

  #folder(path: string): Folder {
    let folder: Folder = this.#root;
    for (const name of path.split('/').filter((part) => part !== '')) {
      const next = folder.cached.get(name);
      if (next?.kind !== 'folder') throw errno('ENOENT', path);
      folder = next;
    }
    return folder;
  }
}

function newFolder(): Folder {
  return { kind: 'folder', cached: new Map(), durable: new Map(), pending: [] };
}

function change(folder: Folder, step: (entries: Entries) => void): void {
  step(folder.cached);
  folder.pending.push(step);
}

function settle(node: File | Folder, crash: Crash): void {
  if (node.kind === 'folder') {
    for (const step of node.pending) {
      const isKept = crash.kind === 'all kept' || (crash.kind === 'mixed' && crash.random() < 0.5);
      if (isKept) step(node.durable);
    }
    node.pending = [];
    node.cached = new Map(node.durable);
    for (const child of node.cached.values()) settle(child, crash);
    return;
  }
  if (crash.kind === 'all kept') node.durable = node.cached;
  if (crash.kind === 'mixed') node.durable = partOf(node, crash.random);
  node.cached = node.durable;
}

const SECTOR = 512;

/**
 * What was flushed, and of what came after it any sectors that were written over, and a first part of what
 * was added; the rest of that is missing, or zeros.
 */
function partOf({ cached, durable }: File, random: () => number): Buffer {
  if (random() < 0.3) return durable;
  const from = Math.min(cached.length, durable.length);
  const to = from + Math.floor((cached.length - from + 1) * random());
  const isGrown = random() < 0.5;
  const next = Buffer.alloc(isGrown ? cached.length : to);
  durable.copy(next, 0, 0, from);
  for (let at = 0; at < from; at += SECTOR) {
    if (random() < 0.5) cached.copy(next, at, at, Math.min(at + SECTOR, from));
  }
  cached.copy(next, from, from, to);
  return next;
}

function errno(code: string, what: string): Error {
  return Object.assign(new Error(`${code}: ${what}`), { code });
}
