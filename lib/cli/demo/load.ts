import { PalimpsestError, type Handle, type Memory, type TransactionWrites } from '../../index.js';
import type { Named, StoryClaim, StoryEvent } from './session.js';
import { SCOPE, STORY, type ontology } from './story.js';

type Ontology = typeof ontology;

/** A clock that stands still until it is set. */
export interface StoryClock {
  now: number;
}

/** Tells the memory the whole story, each event at the time at which it was heard. */
export async function tellStory(memory: Memory<Ontology>, clock: StoryClock): Promise<void> {
  const harbour = memory.in(SCOPE);
  for (const session of STORY) {
    for (const event of session.events) {
      clock.now = Date.parse(session.receivedAt ?? event.at);
      await tell(harbour, session.id, event);
    }
  }
}

async function tell(harbour: Handle<Ontology>, session: string, event: StoryEvent): Promise<void> {
  const wrong = new Map<StoryClaim, string>();
  for (const claim of event.claims) {
    if (claim.verb === 'correct') wrong.set(claim, await idOf(harbour, claim.was));
  }
  await harbour.transact(
    (t) => {
      for (const claim of event.claims)
        say(t, claim, wrong.get(claim) ?? '', evidenceOf(session, event, claim));
    },
    { actor: event.by, reason: event.text },
  );
}

/** A correction names the fact that was wrong. */
async function idOf(harbour: Handle<Ontology>, was: Named): Promise<string> {
  const [fact] = await harbour.facts({ ...was, during: {} });
  if (fact !== undefined) return fact.id;
  throw new PalimpsestError(
    'NOT_FOUND',
    `The story corrects ${JSON.stringify(was)}, which it never told.`,
  );
}

const evidenceOf = (session: string, { seq, at, role }: StoryEvent, { quote }: StoryClaim) => [
  { session, seq, at, role, quote },
];

function say(
  t: TransactionWrites<Ontology>,
  claim: StoryClaim,
  was: string,
  evidence: ReturnType<typeof evidenceOf>,
): void {
  switch (claim.verb) {
    case 'assert':
    case 'deny':
      return t.assert({
        subject: claim.subject,
        predicate: claim.predicate,
        object: claim.object,
        polarity: claim.verb,
        validFrom: claim.from,
        validTo: claim.to,
        evidence,
      });
    case 'end': {
      const { subject, predicate, object, at } = claim;
      return t.end({ subject, predicate, object, at, evidence });
    }
    case 'correct':
      return t.correct({
        was,
        validFrom: claim.from,
        ...(claim.object === undefined ? {} : { object: claim.object }),
        evidence,
      });
    case 'alias':
      return t.entities.alias(claim.subject, claim.name);
  }
}
