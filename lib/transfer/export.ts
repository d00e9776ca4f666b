import { PalimpsestError } from '../model/errors.js';
import type { Transaction } from '../model/entry.js';
import { scopeOfKey } from '../model/scope.js';
import { entriesOfOrg } from '../memory/read/org.js';
import { countScopes } from '../memory/read/scopes.js';
import type { Space } from '../memory/space.js';
import { copyFact, ResidentFact } from '../store/resident/facts.js';
import type { BeliefIndex } from '../store/resident/index.js';
import { STILL, type FactRow } from '../store/rows.js';
import {
  EXPORT_VERSION,
  factLine,
  scopeLine,
  type FirstLine,
  type LastLine,
} from './export-format.js';

/**
 * Everything that a store holds, or one org's part of it, as lines of JSON: the same store gives the
 * same lines. What is written while it runs is left out; what was erased is not in it.
 *
 * @throws PalimpsestError `CONFLICT` when something is erased meanwhile.
 */
export async function* exportLines(
  space: Space,
  { org }: { readonly org?: string | undefined } = {},
): AsyncIterable<string> {
  const { store } = space;
  store.ensureOpen();
  const { index } = store;
  const last = index.lastTx;
  const rows = last === 0 ? 0 : index.tables.tx.facts.get(last - 1);
  const scopes = countScopes(index, org ?? null);
  const first: FirstLine = {
    palimpsest: 'export',
    version: EXPORT_VERSION,
    ...(org === undefined ? {} : { org }),
    tx: last,
  };
  yield JSON.stringify(first);
  for (let tx = 1; tx <= last; tx++) {
    ensureSame(space, index);
    const transaction = partOf(index, store.transaction(tx), org);
    if (transaction === null) continue;
    yield JSON.stringify(transaction.header);
    for (const entry of transaction.entries) yield JSON.stringify(entry);
  }
  let count = 0;
  for (let row = 0; row < rows; row++) {
    ensureSame(space, index);
    const fact = asOf(new ResidentFact(index.tables, row), last);
    if (fact.polarity !== 'assert') continue;
    if (org !== undefined && scopeOfKey(fact.scope).org !== org) continue;
    count += 1;
    yield factLine(fact);
  }
  for (const scope of scopes) yield scopeLine(scope);
  const end: LastLine = { palimpsest: 'end', facts: count, scopes: scopes.length };
  yield JSON.stringify(end);
}

function ensureSame(space: Space, index: BeliefIndex): void {
  if (space.store.index === index) return;
  throw new PalimpsestError('CONFLICT', 'The history was rewritten while it was exported.', {
    hint: 'Export again.',
  });
}

/** Of a transaction, what belongs to the org; `null` when nothing does. */
function partOf(
  index: BeliefIndex,
  { header, entries }: Transaction,
  org: string | undefined,
): Transaction | null {
  if (org === undefined) return { header, entries };
  const own = entriesOfOrg(index, org, entries);
  return own.length === 0 ? null : { header, entries: own };
}

/** A fact as it stood at a transaction: what has closed it since is not known yet. */
function asOf(row: ResidentFact, known: number): FactRow {
  const fact = copyFact(row);
  return fact.knownTo > known ? { ...fact, knownTo: STILL, reason: null } : fact;
}
