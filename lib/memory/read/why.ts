import { z } from 'zod';
import { check } from '../../model/check.js';
import { isEntityId, isFactId } from '../../model/ids.js';
import { predecessorsOf, ResidentFact, successorsOf } from '../../store/resident/facts.js';
import type { SupersessionRow } from '../../store/rows.js';
import { notFound } from '../names.js';
import { Presenter } from '../present.js';
import { readerOf, type Moment, type Place, type Space } from '../space.js';
import type { Claim, Fact, ObjectValue, Why } from '../types.js';
import { presentClaim } from './claims.js';

const IdSchema = z.string().refine(isFactId, { error: 'is no id of a fact' });

/**
 * Why a fact is believed: the claims behind it, the events and quotes behind those, and what it
 * took the place of.
 *
 * @throws PalimpsestError `NOT_FOUND` for a fact that does not exist or cannot be seen from here.
 */
export async function readWhy(
  space: Space,
  place: Place,
  view: Partial<Moment>,
  input: unknown,
): Promise<Why> {
  const { index } = space.store;
  const known = view.known ?? index.lastTx;
  const row = visibleFact(space, place, check(IdSchema, fromFact(input), 'fact'), known);
  const presenter = new Presenter(index, known);
  const at = view.valid ?? space.store.clock();
  const asked = at >= row.validFrom && at < row.validTo ? at : null;
  const present = async (fact: ResidentFact, when: number | null): Promise<Fact> => {
    const support = await readerOf(space).support([fact], known);
    return presenter.fact(fact, { at: when, support: support(fact) });
  };
  const chain = async (
    links: readonly SupersessionRow[],
    end: 'from' | 'to',
  ): Promise<Why['supersedes']> => {
    const out: Why['supersedes'][number][] = [];
    for (const link of links) {
      const fact = index.factById(link[end]);
      if (fact === null || fact.polarity === 'deny') continue;
      out.push({ fact: await present(fact, null), kind: link.kind });
    }
    return out;
  };
  const fact = await present(row, asked);
  const claims = index
    .supportOf(row, Math.min(known, row.knownTo - 1))
    .map((c) => presentClaim(space.store, presenter, c.row))
    .sort((a, b) => (a.observedAt < b.observedAt ? -1 : 1));
  const supersedes = await chain(predecessorsOf(index.tables, row.row), 'to');
  const supersededBy =
    row.knownTo > known ? [] : await chain(successorsOf(index.tables, row.row), 'from');
  return {
    fact,
    claims,
    supersedes,
    supersededBy,
    text: sentences(fact, claims, supersedes, supersededBy),
  };
}

/** A fact may be given itself, or by its id. */
function fromFact(input: unknown): unknown {
  return typeof input === 'object' && input !== null && 'id' in input ? input.id : input;
}

/** @throws PalimpsestError `NOT_FOUND` */
export function visibleFact(
  space: Space,
  place: Place,
  id: string,
  known: number,
  field = 'fact',
): ResidentFact {
  const row = space.store.index.factById(id);
  if (row === null || row.polarity === 'deny' || row.knownFrom > known)
    throw notFound(`fact ${id}`, field);
  if (!place.visible.includes(row.scope)) throw notFound(`fact ${id}`, field);
  return row;
}

export function objectText(object: ObjectValue | '*'): string {
  if (typeof object !== 'object') return String(object);
  // Declared JSON may be null, and have members of any name.
  if (object === null) return 'null';
  if ('name' in object && isEntityId(object.id)) return object.name;
  if ('instant' in object && typeof object.instant === 'string') return object.instant;
  return JSON.stringify('json' in object ? object.json : object);
}

/** One edge in one line, as tables and explanations show it. */
export const edgeText = (f: {
  readonly subject: { readonly name: string };
  readonly predicate: string;
  readonly object: ObjectValue | '*';
}): string => `${f.subject.name} ─${f.predicate}▶ ${objectText(f.object)}`;

function sentences(
  fact: Fact,
  claims: readonly Claim[],
  supersedes: Why['supersedes'],
  supersededBy: Why['supersededBy'],
): string {
  const lines = [`${edgeText(fact)}   (valid ${fact.valid})`];
  const until =
    fact.knownTo === null ? '' : `, until ${fact.knownTo.at} (${fact.closedAs ?? 'closed'})`;
  lines.push(`  believed since ${fact.knownFrom.at}${until}`);
  for (const claim of claims) lines.push(...claimLines(claim));
  for (const { fact: old, kind } of supersedes) {
    lines.push(`  took the place of ${edgeText(old)} (valid ${old.valid}): ${kind}`);
  }
  for (const { fact: next, kind } of supersededBy) {
    lines.push(`  gave way to ${edgeText(next)} (valid ${next.valid}): ${kind}`);
  }
  return lines.join('\n');
}

function claimLines(claim: Claim): string[] {
  const said = claim.statement ?? edgeText(claim);
  const lines = [`  because ${claim.origin} said on ${claim.observedAt}: ${said}`];
  for (const e of claim.evidence) {
    const quote = e.quote === undefined ? '' : ` “${e.quote}”`;
    lines.push(`    ${e.session} #${e.seq} (${e.role})${quote}`);
  }
  return lines;
}
