import type { ChangeSet, Fact, Handle, History, Why } from '../../index.js';
import { LAST_DAY, type ontology } from './story.js';

/** The days that the demo asks about. */
export const MOMENTS = {
  now: LAST_DAY,
  past: '2024-10-20',
  /** A day of which something wrong was believed, and when it was believed. */
  disputed: '2024-11-15',
  believedAt: '2025-01-19',
  changesFrom: '2025-05-01',
  changesTo: '2025-07-31',
} as const;

export interface Answers {
  readonly now: readonly Fact[];
  readonly past: readonly Fact[];
  readonly believedThen: readonly Fact[];
  readonly believedNow: readonly Fact[];
  readonly history: History;
  readonly why: Why;
  readonly changes: readonly ChangeSet[];
}

/** Everything that the demo shows, asked through the public API. */
export async function askAll(harbour: Handle<typeof ontology>): Promise<Answers> {
  const { now, past, disputed, believedAt, changesFrom, changesTo } = MOMENTS;
  const region = { subject: 'Harbour', predicate: 'region' } as const;
  const believedNow = await harbour.asOf({ valid: disputed }).facts(region);
  const [fact] = believedNow;
  if (fact === undefined) throw new Error('The story does not say where Harbour is hosted.');
  return {
    now: await harbour.asOf({ valid: now }).facts({ orderBy: 'predicate' }),
    past: await harbour.asOf({ valid: past }).facts({ orderBy: 'predicate' }),
    believedThen: await harbour.asOf({ valid: disputed, known: believedAt }).facts(region),
    believedNow,
    history: await harbour.history(region),
    why: await harbour.why(fact),
    changes: await harbour.changes({ from: changesFrom, to: changesTo }).toArray(),
  };
}
