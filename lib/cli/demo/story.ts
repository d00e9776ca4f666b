import { defineOntology, entity, instant, type Scope } from '../../index.js';
import { FIRST_YEAR } from './story-2024.js';
import { SECOND_YEAR } from './story-2025.js';

/** Eighteen months of Harbour, a booking system for ferries, as the people who build it told them. */
export interface Session {
  readonly id: string;
  /** When the log came in, where that was later than it was written; ISO 8601. */
  readonly receivedAt?: string;
  readonly events: readonly StoryEvent[];
}

/** One entry of a session's log. */
export interface StoryEvent {
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  readonly role: 'user' | 'tool';
  readonly by: string;
  readonly text: string;
  /** What it says of the world, one transaction. */
  readonly claims: readonly StoryClaim[];
}

/** Something that was believed, named by what it said. */
export interface Named {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
}

/** What a quote, which stands word for word in the text of its event, says. */
export type StoryClaim = { readonly quote: string } & (
  | (Named & {
      readonly verb: 'assert' | 'deny';
      readonly from: string;
      readonly to?: string;
    })
  | (Named & { readonly verb: 'end'; readonly at: string })
  | {
      readonly verb: 'correct';
      readonly was: Named;
      /** What is right instead; the rest stays as it was. */
      readonly from: string;
      readonly object?: string;
    }
  | { readonly verb: 'alias'; readonly subject: string; readonly name: string }
);

export const SCOPE: Scope = { org: 'tidewater', project: 'harbour' };

/** The day on which the story ends, and the demo stands. */
export const LAST_DAY = '2025-11-28';

export const STORY: readonly Session[] = [...FIRST_YEAR, ...SECOND_YEAR];

export const ontology = defineOntology({
  predicates: {
    backups: { cardinality: 'one', description: 'where backups are kept' },
    cache: { cardinality: 'one' },
    database: { cardinality: 'one' },
    deadline: { cardinality: 'one', object: instant(), description: 'when the next thing is due' },
    framework: { cardinality: 'one' },
    member: { object: entity('person'), inverse: 'member of' },
    office: { cardinality: 'one' },
    'on call': { cardinality: 'one', object: entity('person') },
    owner: { cardinality: 'one', object: entity('person'), inverse: 'owns' },
    payments: { cardinality: 'one', description: 'who handles payments' },
    phase: { cardinality: 'one' },
    region: { cardinality: 'one', description: 'where it is hosted' },
    release: { kind: 'event' },
    uses: { cardinality: 'many' },
    'works on': { subject: 'person' },
  },
});
