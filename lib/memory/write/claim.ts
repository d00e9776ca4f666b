import { canonicalJson } from '../../model/canonical.js';
import { check } from '../../model/check.js';
import { PalimpsestError } from '../../model/errors.js';
import type {
  ClaimRecord,
  EntityRecord,
  EvidenceRecord,
  Origin,
  Target,
} from '../../model/entry.js';
import { contentHash, isFactId } from '../../model/ids.js';
import { readInstant, toIso } from '../../model/instant.js';
import { BEGIN, FOREVER } from '../../model/interval.js';
import { SAME_AS, UNDECLARED, type PredicateRecord } from '../../model/ontology.js';
import { isBroader, scopeKey, scopeOfKey, sees, type Scope } from '../../model/scope.js';
import { ensureNoSecrets } from '../../secrets/secrets.js';
import { wasErased } from '../../store/erased.js';
import { idCells, idText } from '../../store/resident/hex.js';
import { NONE, PREFIX } from '../../store/resident/tables.js';
import { EntityInputSchema, notFound } from '../names.js';
import { visibleFact } from '../read/why.js';
import type { Draft, VerbOutcome } from './draft.js';
import type { Saying } from './input.js';
import { ensureJson } from '../json.js';
import { readObject } from './objects.js';
import { readTimes } from './times.js';

/**
 * Drafts the acceptance of one claim: resolved, identified, and judged by the policy.
 *
 * With `hold` it waits for approval whatever the policy would accept.
 *
 * @throws PalimpsestError for everything that is wrong with it; nothing is drafted then.
 */
export function draftClaim(
  draft: Draft,
  input: Saying & { readonly key?: string | undefined },
  hold: string | null = null,
): VerbOutcome {
  const takeBack = draft.mark();
  const first = draft.entries.length;
  // It is not kept, but what it makes of the claim's id is.
  if (input.idempotencyKey !== undefined) {
    ensureNoSecrets([['idempotencyKey', input.idempotencyKey]]);
  }
  const scope = targetScope(draft, input.to);
  const { predicate, swap, record } = readPredicate(draft, input.predicate);
  const polarity = input.polarity ?? 'assert';
  const { timeZone } = draft.settings;
  const evidence = readEvidence(input.evidence ?? [], timeZone);
  const origin = input.origin ?? originOf(evidence);
  if (origin !== 'api' && evidence.length === 0) {
    throw new PalimpsestError('INVALID_EVIDENCE', `evidence: what a ${origin} said has an event.`, {
      field: 'evidence',
      hint: 'Name the session and the sequence number, or leave the origin out.',
    });
  }
  const observedAt = readObservedAt(draft, input, evidence);
  const times = readTimes(input, record.kind, polarity, timeZone);
  const ends = readEnds(draft, scope, input, record, predicate, swap);
  if ('any' in ends.object && (polarity !== 'deny' || input.instance !== undefined)) {
    throw new PalimpsestError(
      'INVALID_OBJECT',
      "object: '*' stands for every object in a denial.",
      {
        field: 'object',
        hint: "Use it with polarity: 'deny' and without an instance.",
      },
    );
  }
  const properties = readProperties(draft, predicate, input.properties);
  const targets = withChain(
    draft,
    (input.corrects ?? []).flatMap((id, i) => targetsOf(draft, id, `corrects[${i}]`)),
  );
  const authority = input.authority ?? draft.settings.authority[origin];
  const body: Omit<ClaimRecord, 'id'> = {
    scope,
    ...ends,
    predicate,
    polarity,
    ...times,
    observedAt: toIso(observedAt.at),
    origin,
    authority,
    ...(input.confidence === undefined ? {} : { confidence: input.confidence }),
    ...(input.statement === undefined ? {} : { statement: input.statement }),
    ...(input.instance === undefined ? {} : { instance: input.instance }),
    ...(properties === null ? {} : { properties }),
    ...(evidence.length === 0 ? {} : { evidence }),
    ...(targets.length === 0 ? {} : { targets: targets.map(({ target }) => target) }),
    ...(input.extractor === undefined ? {} : { extractor: input.extractor }),
    ...(input.key === undefined ? {} : { key: input.key }),
  };
  const id = claimIdOf(draft, body, input, observedAt.given);
  const broader =
    isBroader(scope, draft.place.scope) ||
    targets.some((t) => isBroader(t.scope, draft.place.scope));
  const before = draft.entries.length;
  const outcome = propose(draft, { id, ...body }, broader, hold);
  // Nothing to write: the entities that it names are not declared for its sake either.
  if (draft.entries.length === before) takeBack();
  else waitTogether(draft, first, takeBack);
  return outcome;
}

/** What only a held claim names is not to be seen before its approval: it waits with the claim. */
function waitTogether(draft: Draft, first: number, takeBack: () => void): void {
  const own = draft.entries.slice(first);
  const hold = own.at(-1);
  if (hold?.op !== 'hold') return;
  const entities = own.flatMap((entry): EntityRecord[] => {
    if (entry.op !== 'entity') return [];
    const { op: _op, ...entity } = entry;
    return [entity];
  });
  if (entities.length === 0) return;
  takeBack();
  draft.entries.push({ ...hold, entities });
}

/** Accepts, holds or refuses, unless it was told before. */
function propose(
  draft: Draft,
  claim: ClaimRecord,
  broader: boolean,
  hold: string | null,
): VerbOutcome {
  const { id } = claim;
  const { tables, lastTx } = draft.index;
  if (draft.accepted.has(id)) return { claims: [id], noEffect: { why: 'already-told' } };
  const row = draft.index.claimRow(id);
  const outs = row === NONE ? [] : (tables.side.outs.get(row) ?? []);
  const withdrawn = outs.some((o) => o.cause !== 'corrected' && o.until > lastTx);
  if (row !== NONE && !withdrawn) return { claims: [id], noEffect: { why: 'already-told' } };
  const held = tables.side.held.get(id);
  if (held !== undefined) return { claims: [id], noEffect: { why: 'held', reason: held.why } };
  // What is here still was not erased, although another claim of the same event may have been.
  if (row === NONE && wasErased(draft.index, claim)) {
    return { claims: [id], noEffect: { why: 'erased' } };
  }
  const judged = draft.space.policy({
    action: 'assert',
    claim,
    writer: draft.place.scope,
    broader,
  });
  const verdict = judged === 'accept' && hold !== null ? { hold } : judged;
  if (verdict === 'accept') {
    draft.entries.push(withdrawn ? { op: 'reinstate', claim: id } : { op: 'claim', claim });
    draft.accepted.add(id);
    return { claims: [id], noEffect: null };
  }
  if ('hold' in verdict) {
    draft.entries.push({ op: 'hold', claim, why: verdict.hold });
    return { claims: [id], noEffect: { why: 'held', reason: verdict.hold } };
  }
  throw new PalimpsestError('POLICY_REFUSED', `The policy refuses this claim: ${verdict.refuse}`, {
    field: 'claim',
  });
}

export function targetScope(draft: Draft, to: Scope | undefined): Scope {
  if (to === undefined) return draft.place.scope;
  if (sees(draft.place.scope, to)) return to;
  throw new PalimpsestError('INVALID_SCOPE', 'to: this handle does not see that scope.', {
    field: 'to',
    hint: 'A handle writes to its own scope or to a broader one.',
  });
}

export function readPredicate(
  draft: Draft,
  asked: string,
): { predicate: string; swap: boolean; record: PredicateRecord } {
  const { predicates } = draft.settings;
  for (const [predicate, record] of predicates) {
    if (record.inverse === asked) return { predicate, swap: true, record };
  }
  const record = predicates.get(asked);
  // A proposal of ours, which no ontology needs to declare.
  if (record === undefined && draft.space.strict && asked !== SAME_AS) {
    throw new PalimpsestError(
      'UNKNOWN_PREDICATE',
      `predicate: ${asked.slice(0, 80)} is not declared.`,
      {
        field: 'predicate',
        hint: 'Declare it in the ontology, or open the memory without `strict`.',
      },
    );
  }
  return { predicate: asked, swap: false, record: record ?? UNDECLARED };
}

/** Subject and object in the direction in which the edge is stored. */
function readEnds(
  draft: Draft,
  scope: Scope,
  input: Saying,
  record: PredicateRecord,
  predicate: string,
  swap: boolean,
): Pick<ClaimRecord, 'subject' | 'object'> {
  if (!swap) {
    const subject = draft.entity(scope, input.subject, record.subject, 'subject');
    if (input.object === '*' && input.polarity === 'deny')
      return { subject, object: { any: true } };
    return { subject, object: readObject(draft, scope, predicate, record, input.object) };
  }
  if (input.object === '*' && input.polarity === 'deny') {
    throw new PalimpsestError('INVALID_OBJECT', "object: '*' does not go with an inverse name.", {
      field: 'object',
      hint: 'Deny each edge by its subject.',
    });
  }
  const declared =
    record.object !== null && 'entity' in record.object ? record.object.entity : null;
  const far = check(EntityInputSchema, input.object, 'object');
  return {
    subject: draft.entity(scope, far, record.subject, 'object'),
    object: { entity: draft.entity(scope, input.subject, declared, 'subject') },
  };
}

function readEvidence(input: NonNullable<Saying['evidence']>, timeZone: string): EvidenceRecord[] {
  return input.map((e, i) => ({
    session: e.session,
    seq: e.seq,
    role: e.role ?? 'user',
    ...(e.quote === undefined ? {} : { quote: e.quote }),
    ...(e.at === undefined
      ? {}
      : { at: toIso(readInstant(e.at, { timeZone, field: `evidence[${i}].at` }).at) }),
  }));
}

function originOf(evidence: readonly EvidenceRecord[]): Origin {
  const role = evidence[0]?.role;
  if (role === undefined) return 'api';
  return role === 'system' ? 'document' : role;
}

function readObservedAt(
  draft: Draft,
  input: Saying,
  evidence: readonly EvidenceRecord[],
): { at: number; given: boolean } {
  if (input.observedAt !== undefined) {
    const { timeZone } = draft.settings;
    return { at: readInstant(input.observedAt, { timeZone, field: 'observedAt' }).at, given: true };
  }
  const events = evidence.flatMap((e) => (e.at === undefined ? [] : [Date.parse(e.at)]));
  return events.length > 0
    ? { at: Math.max(...events), given: true }
    : { at: draft.now, given: false };
}

function readProperties(
  draft: Draft,
  predicate: string,
  input: Saying['properties'],
): Record<string, unknown> | null {
  if (input === undefined) return null;
  const schema = draft.space.code.get(predicate)?.properties ?? null;
  ensureJson(input, 'properties', 'INVALID_INPUT');
  if (Object.keys(input).some((property) => property.trim() === '')) {
    throw new PalimpsestError('INVALID_NAME', 'properties: a property has an empty name.', {
      field: 'properties',
    });
  }
  if (schema !== null) check(schema, input, 'properties');
  return Object.keys(input).length === 0 ? null : input;
}

/**
 * From everything that the fold reads, scope and evidence: telling the same thing twice from the same
 * event is one claim. Without evidence each call is a claim of its own, unless it brings a key.
 */
function claimIdOf(
  draft: Draft,
  body: Omit<ClaimRecord, 'id'>,
  input: Saying,
  observedAtGiven: boolean,
): string {
  const evidence = (body.evidence ?? []).map((e) => [e.session, e.seq]);
  const repeatable = evidence.length > 0 || input.idempotencyKey !== undefined;
  const once = repeatable ? null : [draft.index.lastTx + 1, draft.entries.length];
  const content = [
    scopeKey(body.scope),
    body.subject,
    body.predicate,
    body.object,
    body.polarity,
    body.validFrom,
    body.validTo,
    body.unit,
    observedAtGiven || !repeatable ? body.observedAt : null,
    body.authority,
    body.instance ?? null,
    body.properties ?? null,
    input.corrects ?? [],
    evidence,
    input.idempotencyKey ?? null,
    once,
  ];
  // Without objects of several members the canonical form is what JSON.stringify makes, only sooner.
  const isFlat = body.properties === undefined && !('json' in body.object);
  return `c_${contentHash(isFlat ? JSON.stringify(content) : canonicalJson(content))}`;
}

export interface Aimed {
  readonly target: Target;
  readonly scope: Scope;
}

/** A claim named is taken out whole; of a fact named, its claims within its valid interval. */
export function targetsOf(draft: Draft, id: string, field: string): Aimed[] {
  const { index, visible } = draft;
  const { tables, lastTx } = index;
  const scopeOfRow = (row: number): string =>
    tables.texts.text(tables.claim.scope.get(row)).slice(PREFIX.scope.length);
  if (!isFactId(id)) {
    const row = tables.claimIds.find(idCells(id));
    if (index.claimRow(id) === NONE || !visible.includes(scopeOfRow(row))) {
      throw notFound(`claim ${id}`, field);
    }
    return [{ target: { claim: id }, scope: scopeOfKey(scopeOfRow(row)) }];
  }
  const fact = visibleFact(draft.space, draft.place, id, lastTx, field);
  const known = Math.min(lastTx, fact.knownTo - 1);
  return index.supportOf(fact, known).map((claim) => ({
    target: {
      claim: idText('c', tables.claimIds, claim.row),
      ...(fact.validFrom === BEGIN && fact.validTo === FOREVER
        ? {}
        : { from: fact.validFrom, to: fact.validTo }),
    },
    scope: scopeOfKey(scopeOfRow(claim.row)),
  }));
}

/**
 * What the targets had corrected themselves is corrected as well: a correction of a correction does
 * not bring back what was wrong in the first place.
 */
function withChain(draft: Draft, aimed: readonly Aimed[]): readonly Aimed[] {
  const { tables } = draft.index;
  const out = new Map<string, Aimed>();
  const queue = [...aimed];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const name = JSON.stringify(next.target);
    if (out.has(name)) continue;
    out.set(name, next);
    const row = draft.index.claimRow(next.target.claim);
    for (const { claim, from, to } of tables.side.targets.get(row) ?? []) {
      const scope = tables.texts.text(tables.claim.scope.get(claim)).slice(PREFIX.scope.length);
      const isWhole = from === BEGIN && to === FOREVER;
      const id = idText('c', tables.claimIds, claim);
      queue.push({
        target: { claim: id, ...(isWhole ? {} : { from, to }) },
        scope: scopeOfKey(scope),
      });
    }
  }
  return [...out.values()];
}
