import { z } from 'zod';
import { showWrite, WriteShape } from './show.js';
import { defineTool, given, type MemoryTool, type ToolFrame, type ToolMemory } from './tool.js';

const reason = z.string().nullable().describe('Why, for the record.');
const claim = z.string().describe('Id of a claim, from memory_review.');

/** What takes back, decides or erases: with somebody's consent only. */
export function guardedTools(
  frame: ToolFrame,
  memory: ToolMemory,
  actor: string,
): readonly MemoryTool[] {
  return [
    defineTool(frame, {
      name: 'memory_retract',
      title: 'Retract',
      description:
        'Takes a fact or a claim back: nobody stands by it any more. For what has ended use memory_end, for what was ' +
        'wrong memory_correct.',
      kind: 'guarded',
      input: z.strictObject({ id: z.string().describe('Id of a fact or a claim.'), reason }),
      output: WriteShape,
      run: async (input) =>
        showWrite(await memory.retract(input.id, { actor, ...given({ reason: input.reason }) })),
    }),
    defineTool(frame, {
      name: 'memory_forget',
      title: 'Forget',
      description:
        'Forgets what rests on a fact, a claim, an entity or a session, because somebody asked for it. With erase it is gone ' +
        'for ever; without, it can be reverted. Give exactly one of fact, claim, entity and session.',
      kind: 'guarded',
      input: z.strictObject({
        fact: z.string().nullable(),
        claim: z.string().nullable(),
        entity: z.string().nullable(),
        session: z.string().nullable(),
        erase: z.boolean(),
        dryRun: z.boolean().describe('Only say what would be forgotten.'),
        reason,
      }),
      output: z.strictObject({
        tx: z.number(),
        committed: z.boolean(),
        nothingLeft: z.boolean(),
        claims: z.number(),
        events: z.number(),
        sessions: z.array(z.string()).describe('Logs of hosts that may still hold it.'),
      }),
      async run({ erase, dryRun, reason: why, ...selector }) {
        // The library refuses what names none or several.
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
        const chosen = given(selector) as Parameters<ToolMemory['forget']>[0];
        const receipt = await memory.forget(chosen, {
          mode: erase ? 'erase' : 'retract',
          dryRun,
          actor,
          ...given({ reason: why }),
        });
        const { tx, committed, nothingLeft, claims, events, sessions } = receipt;
        return { tx, committed, nothingLeft, claims, events, sessions: [...sessions] };
      },
    }),
    defineTool(frame, {
      name: 'memory_approve',
      title: 'Approve',
      description: 'Accepts a claim that waits for approval, when a person said so.',
      kind: 'guarded',
      input: z.strictObject({ claim }),
      output: WriteShape,
      run: async (input) => showWrite(await memory.approve(input.claim, { actor })),
    }),
    defineTool(frame, {
      name: 'memory_reject',
      title: 'Reject',
      description: 'Refuses a claim that waits for approval, when a person said so.',
      kind: 'guarded',
      input: z.strictObject({ claim }),
      output: WriteShape,
      run: async (input) => showWrite(await memory.reject(input.claim, { actor })),
    }),
    defineTool(frame, {
      name: 'memory_revert',
      title: 'Revert',
      description:
        'Undoes a transaction, in a new one. The number is in the answer of the call that wrote.',
      kind: 'guarded',
      input: z.strictObject({ tx: z.number(), reason }),
      output: WriteShape,
      run: async (input) =>
        showWrite(await memory.revert(input.tx, { actor, ...given({ reason: input.reason }) })),
    }),
    defineTool(frame, {
      name: 'memory_merge',
      title: 'Merge',
      description: 'Says that two names mean one and the same person or thing.',
      kind: 'guarded',
      input: z.strictObject({
        from: z.string().describe('Name that is taken up.'),
        into: z.string().describe('Name that stays.'),
      }),
      output: WriteShape,
      run: async (input) =>
        showWrite(await memory.entities.merge(input.from, input.into, { actor })),
    }),
  ];
}
