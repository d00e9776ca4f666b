import { PalimpsestError } from '../model/errors.js';
import { UNDECLARED } from '../model/ontology.js';
import { claimId } from '../memory/present.js';
import { draftClaim } from '../memory/write/claim.js';
import type { Draft } from '../memory/write/draft.js';
import { draftEnd } from '../memory/write/end.js';
import { EndInputSchema } from '../memory/write/input.js';
import { takeOut } from '../memory/write/retract.js';
import { check } from '../model/check.js';
import { claimsOfKey } from '../store/resident/claims.js';
import { ResidentFact } from '../store/resident/facts.js';
import { NONE } from '../store/resident/tables.js';
import type { EndEvent, SayingEvent } from './event.js';
import { failure, failureOf } from './failure.js';
import { CHAIN, type KeyBook } from './keys.js';
import type { Act } from './net.js';

/** What a transaction changes in the book of keys, once it is committed. */
export type KeyChanges = Map<string, readonly string[]>;

/** Drafts one act. @throws PalimpsestError `IMPORT_FAILED` naming line and field. */
export function draftAct(draft: Draft, act: Act, book: KeyBook | null, changes: KeyChanges): void {
  try {
    if (act.kind === 'say') draftClaim(draft, act.event.said);
    else if (act.kind === 'end') draftEnding(draft, act.event, book, changes);
    else draftKeyed(draft, act, book, changes);
  } catch (error) {
    throw failureOf(act.event.line, error);
  }
}

function draftKeyed(
  draft: Draft,
  act: Extract<Act, { kind: 'key' }>,
  book: KeyBook | null,
  changes: KeyChanges,
): void {
  const { key, withdrawn, said, event } = act;
  let chain = book?.chain(key) ?? [];
  if (withdrawn) {
    if (chain.length === 0 && event.op === 'retract') throw unknownKey(event.line, key);
    for (const id of chain) takeOut(draft, id, 'key');
    chain = [];
  }
  if (said !== null) {
    if (said.op === 'amend' && chain.length === 0 && event === said && !withdrawn) {
      throw unknownKey(said.line, key);
    }
    for (const id of chain.slice(0, -CHAIN)) takeOut(draft, id, 'key');
    chain = chain.slice(-CHAIN);
    const instance = instanceOf(draft, said, key);
    const { claims } = draftClaim(draft, {
      ...said.said,
      ...(chain.length === 0 ? {} : { corrects: chain.map(claimId) }),
      ...(instance === undefined ? {} : { instance }),
      key,
    });
    chain = [...chain, ...claims];
  }
  changes.set(key, chain);
}

/** Of what may hold several times over, each thing said is one instance. */
function instanceOf(draft: Draft, { said }: SayingEvent, key: string): string | undefined {
  if (said.instance !== undefined || said.polarity === 'deny') return said.instance;
  return cardinalityOf(draft, said.predicate) === 'many' ? key : undefined;
}

function cardinalityOf(draft: Draft, asked: string): 'one' | 'many' {
  const { predicates } = draft.settings;
  const record =
    predicates.get(asked) ??
    [...predicates.values()].find((r) => r.inverse === asked) ??
    UNDECLARED;
  return record.cardinality;
}

function draftEnding(
  draft: Draft,
  event: EndEvent,
  book: KeyBook | null,
  changes: KeyChanges,
): void {
  const { at, fact } = event.ended;
  const { subject, predicate, object, observed_at, statement, confidence, evidence } = fact ?? {};
  const said = { at, observedAt: observed_at, statement, confidence, evidence };
  const given = Object.fromEntries(
    Object.entries(said).filter(([, value]) => value !== undefined && value !== null),
  );
  if (event.key === null) {
    const named = { subject, predicate, ...(object === undefined ? {} : { object }) };
    draftEnd(draft, check(EndInputSchema, { ...named, ...given }));
    return;
  }
  const { key } = event;
  const chain = book?.chain(key) ?? [];
  const facts = chain.flatMap((id) => factsOfClaim(draft, id));
  if (facts.length === 0) throw unknownKey(event.line, key);
  const before = draft.entries.length;
  for (const id of new Set(facts)) draftEnd(draft, check(EndInputSchema, { fact: id, ...given }));
  changes.set(key, [...chain, ...putUnderKey(draft, before, key)]);
}

/** A denial belongs to what it ends: what corrects or withdraws the one takes the other with it. */
function putUnderKey(draft: Draft, from: number, key: string): string[] {
  const ids: string[] = [];
  for (let i = from; i < draft.entries.length; i++) {
    const entry = draft.entries[i];
    if (entry?.op !== 'claim') continue;
    draft.entries[i] = { ...entry, claim: { ...entry.claim, key } };
    ids.push(entry.claim.id);
  }
  return ids;
}

/** Ids of the facts believed now which a claim supports. */
function factsOfClaim(draft: Draft, id: string): string[] {
  const { index } = draft;
  const row = index.claimRow(id);
  if (row === NONE) return [];
  const key = index.tables.claim.key.get(row);
  if (!claimsOfKey(index.tables, key, index.lastTx).some((claim) => claim.row === row)) return [];
  return index.tables.factsOfKey
    .list(key)
    .map((fact) => new ResidentFact(index.tables, fact))
    .filter((fact) => fact.polarity === 'assert' && fact.reason === null)
    .filter((fact) => index.supportOf(fact, index.lastTx).some((claim) => claim.row === row))
    .map((fact) => fact.id);
}

const unknownKey = (line: number, key: string): PalimpsestError =>
  failure(line, 'key', `Nothing is said under ${JSON.stringify(key.slice(0, 80))} so far.`, {
    hint: 'Assert it first; keys belong to their stream.',
  });
