import { defineOntology } from '../../lib/index.js';

/** One turn of a labelled dialogue. Its sequence number is its place. */
export interface Turn {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly speaker?: string;
  /** Where it is later than the dialogue began; ISO 8601. */
  readonly at?: string;
}

/** A claim that a careful reader makes of a turn. */
export interface Expected {
  readonly stance: 'says' | 'denies' | 'ends' | 'same';
  readonly seq: number;
  /** Names that mean the same; any of them will do. */
  readonly subject: readonly string[];
  readonly predicate: string;
  /** Empty: whatever it is. */
  readonly object: readonly string[];
  /** When it begins, and ends, to hold, as exactly as it was told. */
  readonly from?: string;
  readonly to?: string;
  /** Said by somebody who does not know: it is to come with little confidence. */
  readonly doubtful?: true;
  /** A reader may make it, and need not. */
  readonly optional?: true;
}

export interface Dialogue {
  readonly name: string;
  /** ISO 8601. */
  readonly at: string;
  readonly timeZone: string;
  readonly turns: readonly Turn[];
  readonly expected: readonly Expected[];
  /** What must be in no claim. */
  readonly secrets?: readonly string[];
}

export const user = (text: string, more: Partial<Turn> = {}): Turn => ({
  role: 'user',
  text,
  ...more,
});
export const assistant = (text: string): Turn => ({ role: 'assistant', text });
export const tool = (text: string): Turn => ({ role: 'tool', text });

type Names = string | readonly string[];
type More = Pick<Expected, 'from' | 'to' | 'doubtful' | 'optional'>;

const namesOf = (names: Names): readonly string[] => (typeof names === 'string' ? [names] : names);

const claim =
  (stance: Expected['stance']) =>
  (seq: number, subject: Names, predicate: string, object: Names, more: More = {}): Expected => ({
    stance,
    seq,
    subject: namesOf(subject),
    predicate,
    object: namesOf(object),
    ...more,
  });

export const says = claim('says');
export const denies = claim('denies');
export const ends = claim('ends');

/** The predicates that every dialogue knows, so that only their use is judged and not their spelling. */
export const ontology = defineOntology({
  predicates: {
    role: { cardinality: 'one', description: 'Job or position of a person.' },
    'works for': { description: 'Employer of a person.' },
    'lives in': { cardinality: 'one', description: 'Town or country where a person lives.' },
    speaks: { description: 'Language that a person speaks.' },
    'allergic to': { description: 'What a person must not eat or touch.' },
    prefers: { description: 'What a person wants to have or how they want it done.' },
    'married to': { cardinality: 'one', description: 'Spouse of a person.' },
    'member of': { description: 'Team or club that a person belongs to.' },
    owner: { cardinality: 'one', description: 'Person in charge of a project or system.' },
    database: { cardinality: 'one', description: 'Database that a project uses.' },
    uses: { description: 'Tool, library or service that a project uses.' },
    region: { cardinality: 'one', description: 'Where a system runs.' },
    version: { cardinality: 'one', description: 'Current version of a piece of software.' },
    status: {
      cardinality: 'one',
      description: 'State of a project or contract, in a word or two.',
    },
    deadline: { cardinality: 'one', description: 'Date until which something must be done.' },
    'located in': { cardinality: 'one', description: 'Town where an office or company is.' },
    revenue: { cardinality: 'one', description: 'Revenue of a company in a period.' },
    budget: { cardinality: 'one', description: 'Money set aside for a project.' },
    price: { cardinality: 'one', description: 'What something costs.' },
    released: { kind: 'event', description: 'A version of a product that was released.' },
    met: { kind: 'event', description: 'Person whom a person met.' },
  },
});
