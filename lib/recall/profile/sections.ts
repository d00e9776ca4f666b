import { clip } from '../../model/text.js';
import { findEdges, type ShownEdge } from '../../memory/read/edges.js';
import { presentAll } from '../../memory/read/facts.js';
import { objectText } from '../../memory/read/why.js';
import { readerOf, type Moment, type Place, type Space } from '../../memory/space.js';
import type { Fact } from '../../memory/types.js';
import { onOneLine } from '../show/on-one-line.js';
import type { ProfileLine } from './types.js';

/** What is believed of one subject and predicate. */
export interface Draft extends ProfileLine {
  /** The facts, and whatever else the text is made of. */
  readonly sign: string;
}

/** What is believed of one subject. */
export interface Section {
  readonly subject: string;
  readonly name: string;
  readonly lines: readonly Draft[];
  readonly facts: ReadonlyMap<string, Fact>;
}

/** Facts that are looked at for each token of the budget: more never find room. */
const FACTS_PER_TOKEN = 1;
const FEWEST = 200;
/** Of an object's text, in characters. */
const LONGEST = 160;
/** Objects in one line. */
const MOST = 12;

/**
 * What is believed at a moment, by subject: those of whom most is known first. Lines of before are taken again
 * where the facts are the same.
 */
export async function sectionsOf(
  space: Space,
  place: Place,
  { valid, known }: Moment,
  maxTokens: number,
): Promise<{ readonly sections: readonly Section[]; readonly facts: number }> {
  const edges = await findEdges(space.store.index, readerOf(space), {
    scopes: place.visible,
    valid: { from: valid, to: valid + 1 },
    known,
  });
  const most = Math.max(FEWEST, Math.ceil(maxTokens * FACTS_PER_TOKEN));
  const facts = await presentAll(space, ranked(edges).slice(0, most), known, valid);
  const bySubject = new Map<string, Fact[]>();
  for (const fact of facts) {
    const key = `${fact.subject.type} ${fact.subject.name}`;
    const group = bySubject.get(key);
    if (group === undefined) bySubject.set(key, [fact]);
    else group.push(fact);
  }
  return { sections: [...bySubject].map(sectionOf), facts: edges.length };
}

/** Subjects of whom most is known first, and of one subject what was learnt last. */
function ranked(edges: readonly ShownEdge[]): readonly ShownEdge[] {
  const counts = new Map<string, number>();
  const subjects = edges.map(({ row }) => row.subject);
  for (const subject of subjects) counts.set(subject, (counts.get(subject) ?? 0) + 1);
  return edges
    .map((edge, i) => ({ edge, subject: subjects[i] ?? '', id: edge.row.id }))
    .sort(
      (a, b) =>
        (counts.get(b.subject) ?? 0) - (counts.get(a.subject) ?? 0) ||
        compare(a.subject, b.subject) ||
        b.edge.row.knownFrom - a.edge.row.knownFrom ||
        compare(a.id, b.id),
    )
    .map(({ edge }) => edge);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function sectionOf([subject, facts]: readonly [string, readonly Fact[]]): Section {
  const byPredicate = new Map<string, Fact[]>();
  for (const fact of facts) {
    const group = byPredicate.get(fact.predicate);
    if (group === undefined) byPredicate.set(fact.predicate, [fact]);
    else if (group.length < MOST) group.push(fact);
  }
  const name = facts[0]?.subject.name ?? '';
  return {
    subject,
    name,
    lines: [...byPredicate.values()].map((group) => lineOf(name, group)),
    facts: new Map(facts.map((fact) => [fact.id, fact])),
  };
}

function lineOf(name: string, facts: readonly Fact[]): Draft {
  const [first] = facts;
  const sign = facts.map(({ id }) => id).join(' ');
  return {
    sign,
    facts: facts.map(({ id }) => id),
    // Made when it is first read: a line of before has its text already.
    get text() {
      return `${short(name)} ${short(first?.predicate ?? '')}: ${facts.map(objectOf).join('; ')}`;
    },
  };
}

/** One fact, for a writer. */
export const factText = (fact: Fact): string =>
  `${short(fact.subject.name)} ${short(fact.predicate)}: ${objectOf(fact)}`;

function objectOf(fact: Fact): string {
  const properties = Object.entries(fact.properties).map(
    ([name, value]) => `${short(name)} ${short(JSON.stringify(value) ?? '')}`,
  );
  return `${short(objectText(fact.object))} (${[fact.valid, ...properties].join(', ')})`;
}

/** On one line, and no longer than a line should be: what people say is data. */
const short = (text: string): string => clip(onOneLine(text), LONGEST);
