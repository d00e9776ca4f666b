import { z } from 'zod';
import type { ForgetWhat } from '../engine/vocabulary.js';
import { outcomeText } from './text.js';
import { tool, type Tool } from './tool.js';

const claim = z.string().min(1).describe('Id of a claim that waits, as review shows it.');
const ACTOR = 'model';

const approve = tool({
  name: 'approve',
  description: 'Accepts a claim that waits for review.',
  input: z.object({ claim }),
  asks: 'A claim that waits would be believed.',
  async run({ claim }, { engine, scope }) {
    return outcomeText(await engine.approve(scope, claim, ACTOR));
  },
});

const reject = tool({
  name: 'reject',
  description: 'Refuses a claim that waits for review, for good.',
  input: z.object({ claim }),
  asks: 'A claim that waits would be refused.',
  async run({ claim }, { engine, scope }) {
    return outcomeText(await engine.reject(scope, claim, ACTOR));
  },
});

const rollback = tool({
  name: 'rollback',
  description: 'Undoes a transaction of the memory, by its number, in a new one.',
  input: z.object({ tx: z.number().int().min(1) }),
  asks: 'A change of the memory would be undone.',
  async run({ tx }, { engine, scope }) {
    return outcomeText(await engine.revert(scope, tx, ACTOR));
  },
});

/** What became of a forgetting, and what it cannot reach. */
export function forgottenText(forgotten: {
  readonly committed: boolean;
  readonly claims: number;
  readonly facts: number;
  readonly sessions: readonly string[];
}): string {
  const { committed, claims, sessions } = forgotten;
  if (!committed && claims === 0) return 'There was nothing to forget.';
  const rest =
    sessions.length === 0
      ? ''
      : ` The host's own logs still hold what was said or shown, in these sessions: ${sessions.join(', ')}.`;
  return `${committed ? 'Forgotten' : 'Would be forgotten'}: ${claims} claims.${rest}`;
}

const forget = tool({
  name: 'forget',
  description:
    'Forgets a fact, everything about a thing, or everything from a session. With erase nothing is left to be read in the memory, and it cannot be undone. A person is asked first.',
  input: z.object({
    fact: z.string().optional(),
    entity: z.string().optional(),
    session: z.string().optional(),
    erase: z.boolean().default(false),
    reason: z.string().optional(),
  }),
  asks: 'Something would be forgotten.',
  async run({ fact, entity, session, erase, reason }, { engine, scope }) {
    const given: ForgetWhat[] = [
      ...(fact === undefined ? [] : [{ fact }]),
      ...(entity === undefined ? [] : [{ entity }]),
      ...(session === undefined ? [] : [{ session }]),
    ];
    const [what] = given;
    if (what === undefined || given.length > 1) {
      throw new Error('INVALID_ARGS: give one of fact, entity and session.');
    }
    return forgottenText(await engine.forget(scope, what, { erase, actor: ACTOR, reason }));
  },
});

export const governingTools: readonly Tool[] = [approve, reject, rollback, forget];
