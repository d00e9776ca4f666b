import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { Scope } from '../engine/vocabulary.js';

const ScopeSchema = z.strictObject({
  org: z.string(),
  project: z.string().optional(),
  user: z.string().optional(),
  agent: z.string().optional(),
});

const EntrySchema = z.strictObject({
  session: z.string(),
  scope: ScopeSchema,
  /** Everything up to this event is in the memory's own outbox, or not for it; -1 for nothing. */
  cursor: z.number().int().min(-1),
  /** The log as it was when it was last read to its end. */
  revision: z.string().nullable(),
  /** The log could not be found any more. */
  gone: z.boolean(),
});

export type LedgerEntry = Readonly<z.output<typeof EntrySchema>>;

/**
 * How far each session has been taken in. The session's log is the outbox, this is the place in it: what a
 * crash keeps from being noted is read again, and told twice is told once. One line a change; the last counts.
 */
export class Ledger {
  readonly #path: string;
  readonly #entries = new Map<string, LedgerEntry>();
  #lines = 0;

  constructor(path: string) {
    this.#path = path;
    mkdirSync(dirname(path), { recursive: true });
    if (!existsSync(path)) return;
    for (const line of readFileSync(path, 'utf8').split('\n')) {
      const entry = read(line);
      if (entry === null) continue;
      this.#entries.set(entry.session, entry);
      this.#lines += 1;
    }
    if (this.#lines > 2 * this.#entries.size + 100) this.#compact();
  }

  get(session: string): LedgerEntry | null {
    return this.#entries.get(session) ?? null;
  }

  all(): readonly LedgerEntry[] {
    return [...this.#entries.values()];
  }

  note(session: string, change: Partial<LedgerEntry> & { readonly scope: Scope }): void {
    const before = this.#entries.get(session) ?? { cursor: -1, revision: null, gone: false };
    const { org, project, user } = change.scope;
    const scope = {
      org,
      ...(project === undefined ? {} : { project }),
      ...(user === undefined ? {} : { user }),
    };
    const entry = { ...before, ...change, session, scope };
    const line = JSON.stringify(entry);
    if (line === JSON.stringify(this.#entries.get(session))) return;
    this.#entries.set(session, entry);
    appendFileSync(this.#path, `${line}\n`);
  }

  forget(session: string): void {
    if (this.#entries.delete(session)) this.#compact();
  }

  #compact(): void {
    const draft = `${this.#path}.tmp`;
    writeFileSync(draft, [...this.#entries.values()].map((e) => `${JSON.stringify(e)}\n`).join(''));
    renameSync(draft, this.#path);
    this.#lines = this.#entries.size;
  }
}

/** A line that was cut off by a crash is as if it had not been written. */
function read(line: string): LedgerEntry | null {
  try {
    const entry = EntrySchema.safeParse(JSON.parse(line));
    return entry.success ? entry.data : null;
  } catch {
    return null;
  }
}
