import { z } from 'zod';
import { check } from '../model/check.js';
import { PalimpsestError } from '../model/errors.js';
import { readInstant } from '../model/instant.js';
import type { Scope } from '../model/scope.js';
import { graphReader, residentReader, type Reader } from '../store/reader.js';
import { settingsAt } from '../store/resident/settings.js';
import type { Settings } from '../store/resident/side.js';
import type { BeliefIndex } from '../store/resident/index.js';
import type { Store } from '../store/store.js';
import type { Policy } from './policy.js';

/** Code that belongs to predicates: what the journal cannot keep. */
export interface PredicateCode {
  readonly object: z.ZodType | null;
  readonly properties: z.ZodType | null;
}

/** What all handles of one memory share. */
export interface Space {
  readonly store: Store;
  readonly policy: Policy;
  readonly code: ReadonlyMap<string, PredicateCode>;
  /** Refuse predicates that are not declared. */
  readonly strict: boolean;
}

export const readerOf = (space: Space): Reader =>
  space.store.readsFromGraph
    ? graphReader(space.store.graph, space.store.index)
    : residentReader(space.store.index);

export const settingsNow = (space: Space): Settings =>
  settingsAt(space.store.index.tables, space.store.index.lastTx);

/** One point on each axis. */
export interface Moment {
  /** Epoch milliseconds. */
  readonly valid: number;
  readonly known: number;
  /** The instant that `known` was asked for by, where it was one: epoch milliseconds. */
  readonly knownAt?: number;
}

const TxSchema = z.strictObject({ tx: z.number().int().nonnegative() });

/**
 * Reads an instant, or `{ tx }`.
 *
 * @throws PalimpsestError `INVALID_INSTANT`, `INVALID_INPUT`, `NOT_FOUND` for a transaction that does not
 * exist.
 */
export function readKnown(
  index: BeliefIndex,
  input: unknown,
  timeZone: string,
  field = 'knownAt',
): number {
  if (input === undefined) return index.lastTx;
  if (typeof input === 'object' && input !== null && 'tx' in input) {
    const { tx } = check(TxSchema, input, field);
    if (tx <= index.lastTx) return tx;
    throw new PalimpsestError('NOT_FOUND', `There is no transaction ${String(tx)}.`, {
      field: `${field}.tx`,
      hint: `The last one is ${index.lastTx}.`,
    });
  }
  return index.txAt(readInstant(input, { timeZone, field }).at);
}

export function readValid(
  space: Space,
  input: unknown,
  timeZone: string,
  field = 'validAt',
): number {
  return input === undefined ? space.store.clock() : readInstant(input, { timeZone, field }).at;
}

/** Where a handle stands: its own scope, and what it sees. */
export interface Place {
  readonly scope: Scope;
  /** Keys of the visible scopes, the most specific first. */
  readonly visible: readonly string[];
}
