import type { Place } from '../../memory/space.js';
import type { Shown } from '../../memory/shadow.js';
import { contains } from '../../model/interval.js';
import type { EventDocuments } from '../index/event-documents.js';
import type { ClaimDocuments } from '../index/claim-documents.js';
import { raiseNeighbours } from '../neighbours.js';
import type { VectorAnswer } from '../ports.js';
import { raiseWithin } from '../raise-within.js';
import { byRank, type Scored } from '../top.js';
import type { AskedTime } from './asked.js';
import { rowOf, type Believed } from './believed.js';

/** Claims and events that the lexical leg looks at. */
const CLAIMS = 200;
const EVENTS = 100;
/** Keys to which they lead: with fewer it is looked for others, so many times. */
const ENOUGH = 40;
const ROUNDS = 24;

/** A fact among the candidates, by its row. */
export interface FoundFact {
  readonly shown: Shown;
  /** The claim whose words were found, by its row; `null` where only the graph led here. */
  readonly claim: number | null;
}

/** What one way of searching gave. */
export interface Finding {
  /** Best first. */
  readonly hits: readonly Scored[];
  /** The score that counts as nothing; `null` where the list was cut: its worst. */
  readonly least: number | null;
  /** What a text that says all that was asked would score; 0 where that means nothing. */
  readonly whole: number;
  /** Texts that were searched. */
  readonly documents: number;
}

/** The same of events, with how much of the question each one says. */
export interface EventFinding extends Finding {
  readonly strengths: ReadonlyMap<number, number>;
}

export const NOTHING_FOUND: EventFinding = {
  hits: [],
  least: 0,
  whole: 0,
  documents: 0,
  strengths: new Map(),
};

/** Facts by row, as the legs meet them. */
export class FactPool {
  readonly #believed: Believed;
  readonly #facts = new Map<number, FoundFact>();

  constructor(believed: Believed) {
    this.#believed = believed;
  }

  get(row: number): FoundFact {
    const found = this.#facts.get(row);
    if (found === undefined) throw new Error('A fact was ranked before it was found.');
    return found;
  }

  /** The facts to which scored claims lead, each with the score of its best claim. */
  ofClaims(claims: readonly Scored[]): Scored[] {
    const scores = new Map<number, number>();
    for (const { id: claim, score } of claims) {
      for (const shown of this.#believed.ofClaim(claim)) {
        const row = rowOf(shown);
        if (scores.has(row)) continue;
        scores.set(row, score);
        const known = this.#facts.get(row);
        if (known === undefined || known.claim === null) this.#facts.set(row, { shown, claim });
      }
    }
    return [...scores].map(([id, score]) => ({ id, score })).sort(byRank);
  }

  /** The same for facts that the graph led to. */
  ofFacts(facts: ReadonlyMap<number, number>): Scored[] {
    const scores = new Map<number, number>();
    for (const [fact, score] of facts) {
      for (const shown of this.#believed.ofFact(fact)) {
        const row = rowOf(shown);
        scores.set(row, Math.max(score, scores.get(row) ?? 0));
        if (!this.#facts.has(row)) this.#facts.set(row, { shown, claim: null });
      }
    }
    return [...scores].map(([id, score]) => ({ id, score })).sort(byRank);
  }
}

/** The terms of a question. */
export interface Words {
  readonly terms: readonly string[];
  /** The same without the time in the question. */
  readonly timeless: readonly string[];
  /** Those of the time in the question, which a text may leave out. */
  readonly besides: ReadonlySet<string>;
}

export function claimsByWords(
  documents: ClaimDocuments,
  place: Place,
  { timeless }: Words,
  standsFor: (row: number) => readonly Shown[],
): Finding {
  const scopes = documents.scopesOf(place.visible);
  // Of one key, whatever is said again and again would take all the places: then the others are looked for.
  const met = new Set<readonly Shown[]>();
  const accept = (row: number): boolean => {
    const shown = standsFor(row);
    return shown.length > 0 && !met.has(shown);
  };
  const hits: Scored[] = [];
  for (let round = 1; ; round++) {
    const found = documents.lexical.find(timeless, { scopes, limit: CLAIMS, accept });
    hits.push(...found.hits);
    for (const { id } of found.hits) met.add(standsFor(id));
    const isAll = found.hits.length < CLAIMS;
    if (isAll || met.size >= ENOUGH || round === ROUNDS) {
      return { ...found, hits: hits.sort(byRank), least: isAll ? 0 : null };
    }
  }
}

/** How much of the question a score stands for; all of it where the question is of nothing but a time. */
export const strengthIn = (score: number, whole: number): number =>
  score === 0 ? 0 : whole === 0 ? 1 : score / whole;

/** Whether an event may be shown: what the place sees, said in the asked time, told by then. */
export function eventFilter(
  documents: EventDocuments,
  place: Place,
  { said, toldBefore }: AskedTime,
): (document: number) => boolean {
  const visible = new Set(place.visible);
  return (document) => {
    if (document >= documents.size || !visible.has(documents.scopeOf(document))) return false;
    const at = documents.saidAt(document);
    if (said !== null && !contains(said, at)) return false;
    if (toldBefore === null) return true;
    const told = documents.toldAt(document);
    return (Number.isNaN(told) ? at : told) < toldBefore;
  };
}

/**
 * Events by their words: those beside a hit are raised with it, and those of the time that the question
 * names.
 */
export function eventsByWords(
  documents: EventDocuments,
  place: Place,
  { terms, besides }: Words,
  { question }: AskedTime,
  accept: (document: number) => boolean,
): EventFinding {
  const scopes = documents.scopesOf(place.visible);
  const { lexical } = documents;
  const found = lexical.find(terms, { scopes, limit: EVENTS, accept, besides });
  const { whole } = found;
  const met = new Map(found.hits.map((hit) => [hit.id, hit]));
  if (question !== null) {
    const isWithin = (document: number): boolean =>
      contains(question.window, documents.saidAt(document)) && accept(document);
    // A filter changes no score, so both lists are of one measure.
    for (const hit of lexical.search(terms, { scopes, limit: EVENTS, accept: isWithin })) {
      met.set(hit.id, hit);
    }
  }
  const neighbours = (document: number): readonly number[] =>
    documents.neighbours(document).filter((other) => lexical.has(other) && accept(other));
  const raised = raiseNeighbours([...met.values()], neighbours);
  const strengths = new Map(raised.map(({ id, score }) => [id, strengthIn(score, whole)]));
  if (question === null) return { ...found, hits: raised, least: 0, strengths };
  const saidAt = (document: number): number | null => {
    const at = documents.saidAt(document);
    return Number.isNaN(at) ? null : at;
  };
  return { ...found, hits: raiseWithin(raised, question, saidAt), least: 0, strengths };
}

export const NO_VECTORS: VectorAnswer = { claims: [], events: [], problem: null };
