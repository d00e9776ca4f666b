import { canonicalJson } from '../../model/canonical.js';
import { toIso } from '../../model/instant.js';
import { BEGIN, FOREVER, overlaps, type Interval } from '../../model/interval.js';
import { UNDECLARED } from '../../model/ontology.js';
import { normaliseName } from '../../model/text.js';
import { readFacts } from '../../memory/read/facts.js';
import { settingsNow, type Place, type Space } from '../../memory/space.js';
import type { Fact } from '../../memory/types.js';
import { outsOf } from '../../store/resident/claims.js';
import { ResidentFact } from '../../store/resident/facts.js';
import type { BeliefIndex } from '../../store/resident/index.js';
import { STILL } from '../../store/rows.js';
import type { ComparedFact, Comparison, Fate, KeptSnapshot } from './types.js';

/** What a snapshot has shown, fact by fact, against what is believed now. */
export async function compare(
  space: Space,
  place: Place,
  snapshot: KeptSnapshot,
): Promise<Comparison> {
  const { index } = space.store;
  const point = pointOf(snapshot, space.store.clock());
  const shown = shownFacts(snapshot);
  const shownAt = pointOf(snapshot, Date.parse(snapshot.asOf.validAt ?? snapshot.at));
  const shownTx = Math.min(snapshot.asOf.knownAt.tx, index.lastTx);
  const believed = new Map<string, readonly Fact[]>();
  const formerly: Fact[] = [];
  for (const fact of shown) {
    const group = groupOf(fact);
    if (believed.has(group)) continue;
    believed.set(group, await beliefAbout(space, place, fact, point));
    formerly.push(...(await beliefAbout(space, place, fact, shownAt, { tx: shownTx })));
  }
  const facts = shown.map((was): ComparedFact => {
    const about = believed.get(groupOf(was)) ?? [];
    const now = isOne(space, was.predicate) ? about : about.filter((f) => isSame(f, was));
    return { was, fate: fateOf(index, was, about, point.valid), now };
  });
  const fresh = [...believed.values()]
    .flat()
    // There was no room for all that was believed: what was left out then is no news.
    .filter(
      (fact) => ![...shown, ...formerly].some((was) => was.id === fact.id || isSame(was, fact)),
    );
  const { lastTx } = index;
  return {
    snapshot: snapshot.id,
    shown: snapshot.asOf.knownAt,
    asOf: {
      validAt: point.at === null ? null : toIso(point.at),
      during: point.at === null ? boundsOf(point.valid) : null,
      knownAt: {
        tx: lastTx,
        at: lastTx === 0 ? snapshot.asOf.knownAt.at : toIso(index.at(lastTx)),
      },
    },
    facts,
    fresh,
    unchanged: fresh.length === 0 && facts.every(({ fate }) => fate === 'believed'),
  };
}

/** Each fact once: several hits may lead to one. */
function shownFacts({ hits }: KeptSnapshot): readonly Fact[] {
  const facts = new Map<string, Fact>();
  for (const hit of hits) if (hit.kind === 'fact') facts.set(hit.fact.id, hit.fact);
  return [...facts.values()];
}

interface Point {
  /** `null` where an interval is asked. */
  readonly at: number | null;
  readonly valid: Interval;
}

/** Where nobody named a time, what held then is held against now. */
function pointOf({ asOf }: KeptSnapshot, now: number): Point {
  if (asOf.during !== null) {
    const { from, to } = asOf.during;
    const valid = {
      from: from === null ? BEGIN : Date.parse(from),
      to: to === null ? FOREVER : Date.parse(to),
    };
    return { at: null, valid };
  }
  const at = asOf.from === 'now' || asOf.validAt === null ? now : Date.parse(asOf.validAt);
  return { at, valid: { from: at, to: at + 1 } };
}

const boundsOf = ({ from, to }: Interval): { from: string | null; to: string | null } => ({
  from: from === BEGIN ? null : toIso(from),
  to: to === FOREVER ? null : toIso(to),
});

const groupOf = (fact: Fact): string => JSON.stringify([fact.subject.id, fact.predicate]);

/** What is believed of the subject and predicate; nothing, where the subject was erased. */
async function beliefAbout(
  space: Space,
  place: Place,
  { id, subject, predicate }: Fact,
  { at, valid: asked }: Point,
  knownAt?: { readonly tx: number },
): Promise<readonly Fact[]> {
  if (space.store.index.factById(id) === null) return [];
  // What happened is shown when it is over, too.
  const isHappening = settingsNow(space).predicates.get(predicate)?.kind === 'event';
  const { from, to } = isHappening && at !== null ? { from: BEGIN, to: asked.to } : asked;
  const when =
    at === null || isHappening
      ? {
          during: {
            ...(from === BEGIN ? {} : { from }),
            ...(to === FOREVER ? {} : { to }),
          },
        }
      : { validAt: at };
  return readFacts(space, place, {}, { subject: { id: subject.id }, predicate, ...when, knownAt });
}

function isOne(space: Space, predicate: string): boolean {
  const { cardinality, kind } = settingsNow(space).predicates.get(predicate) ?? UNDECLARED;
  return cardinality === 'one' && kind === 'state';
}

/** The same edge: entities of several scopes are one by type and name. */
const isSame = (a: Fact, b: Fact): boolean =>
  a.predicate === b.predicate &&
  a.instance === b.instance &&
  endText(a.subject) === endText(b.subject) &&
  endText(a.object) === endText(b.object);

function endText(end: Fact['object']): string {
  if (typeof end === 'object' && end !== null && 'name' in end && 'type' in end) {
    return `${end.type} ${normaliseName(end.name)}`;
  }
  return canonicalJson(end);
}

function fateOf(index: BeliefIndex, was: Fact, about: readonly Fact[], valid: Interval): Fate {
  const same = about.filter((fact) => isSame(fact, was));
  if (same.some((fact) => fact.id === was.id || isAlike(fact, was))) return 'believed';
  if (same.length > 0) return 'changed';
  const row = index.factById(was.id);
  if (row === null) return 'forgotten';
  const { open, last } = rowsLike(index, row);
  if (open.some((other) => overlaps({ from: other.validFrom, to: other.validTo }, valid))) {
    return 'hidden';
  }
  if (open.some((other) => other.validTo <= valid.from)) return 'ended';
  if (open.length > 0) return 'changed';
  switch (last.reason) {
    case 'withdrawn':
      return wasForgotten(index, last) ? 'forgotten' : 'withdrawn';
    case 'ended':
      return 'ended';
    case 'merged':
    case 'split':
      return 'changed';
    case 'corrected':
    case 'revised':
    case null:
      return 'corrected';
  }
}

const isAlike = (a: Fact, b: Fact): boolean =>
  a.validFrom === b.validFrom &&
  a.validTo === b.validTo &&
  canonicalJson(a.properties) === canonicalJson(b.properties);

/** Rows of the same key and object: those that are believed now, and the one that was believed last. */
function rowsLike(
  index: BeliefIndex,
  row: ResidentFact,
): { readonly open: readonly ResidentFact[]; readonly last: ResidentFact } {
  const { tables } = index;
  const open: ResidentFact[] = [];
  let last = row;
  tables.factsOfKey.each(row.keyRow, (number) => {
    const other = new ResidentFact(tables, number);
    if (other.polarity === 'deny' || other.knownFrom > index.lastTx) return;
    if (other.objectTerm !== row.objectTerm || other.instanceTerm !== row.instanceTerm) return;
    if (other.knownTo === STILL) open.push(other);
    if (other.knownTo > last.knownTo) last = other;
  });
  return { open, last };
}

/** Whether a claim behind it was taken out on somebody's request. */
const wasForgotten = (index: BeliefIndex, row: ResidentFact): boolean =>
  index
    .supportOf(row, row.knownTo - 1)
    .some((claim) =>
      outsOf(index.tables, claim.row).some((o) => o.cause === 'forget' && o.until === STILL),
    );
