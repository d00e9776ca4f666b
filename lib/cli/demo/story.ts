import { defineOntology, entity, instant, type Scope } from '../../index.js';
import { FIRST_YEAR } from './story-2024.js';
import { SECOND_YEAR } from './story-2025.js';
import type { Session } from './session.js';

export const SCOPE: Scope = { org: 'tidewater', project: 'harbour' };

/** The day on which the story ends, and the demo stands. */
export const LAST_DAY = '2025-11-28';

/** Eighteen months of Harbour, a booking system for ferries, as the people who build it told them. */
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
