import type { Scope } from 'palimpsest';
import { z } from 'zod';
import { showWrite, WriteShape } from './show.js';
import { defineTool, given, type MemoryTool, type ToolFrame, type ToolMemory } from './tool.js';

/** Names the event which a model answers. */
export type Cite = () => { readonly session: string; readonly seq: number };

export interface WriteSettings {
  readonly cite: Cite;
  readonly shareWith: Scope | undefined;
  readonly actor: string;
}

const object = z.union([z.string(), z.number(), z.boolean()]);
const isEntity = z
  .boolean()
  .describe('The object is a person or thing with a name, and not a plain value.');
const from = z
  .string()
  .nullable()
  .describe('Since when it holds in the world, such as 2025-06 or 2025-06-01; null if unknown.');
const to = z.string().nullable().describe('Until when, exclusive; null while it goes on.');
const quote = z.string().nullable().describe('The words of the person who said it, exactly.');
const statement = z.string().nullable().describe('One sentence that says it in full.');
const factId = z.string().describe('Id of a fact, from memory_search or memory_facts.');

const told = z.strictObject({
  subject: z.string().describe('Name of the person or thing that is spoken of.'),
  predicate: z.string().describe('A short verb or noun, such as "prefers" or "database".'),
  object,
  objectIsEntity: isEntity,
  validFrom: from,
  validTo: to,
  statement,
  quote,
});

const HELD =
  ' noEffect "held" means that somebody has to approve it first; "shadowed" that a person said otherwise.';

/** The tools by which a model tells something. What it tells has the authority of an assistant, and passes the policy. */
export function writeTools(
  frame: ToolFrame,
  memory: ToolMemory,
  { cite, shareWith, actor }: WriteSettings,
): readonly MemoryTool[] {
  const said = (words: string | null): { origin: 'assistant'; evidence: [Evidence] } => ({
    origin: 'assistant',
    evidence: [{ ...cite(), role: 'assistant', ...given({ quote: words }) }],
  });
  const assert = async (input: z.output<typeof told>, scope: Scope | null): Promise<Shown> => {
    const { objectIsEntity, quote: words, object: value, ...rest } = input;
    const result = await memory.assert(
      {
        subject: rest.subject,
        predicate: rest.predicate,
        object: objectIsEntity ? { entity: String(value) } : value,
        ...given({ validFrom: rest.validFrom, validTo: rest.validTo, statement: rest.statement }),
        ...given({ to: scope }),
        ...said(words),
      },
      { actor },
    );
    return showWrite(result);
  };
  const share =
    shareWith === undefined
      ? []
      : [
          defineTool(frame, {
            name: 'memory_share',
            title: 'Share',
            description:
              'Remembers something for others as well, beyond this user or project. Only for what all of them should know.' +
              HELD,
            kind: 'write',
            input: told,
            output: WriteShape,
            run: (input) => assert(input, shareWith),
          }),
        ];
  return [
    defineTool(frame, {
      name: 'memory_remember',
      title: 'Remember',
      description:
        'Remembers one thing about the world that will matter later: a decision, a preference, who owns what. ' +
        'One fact a call. No secrets, no small talk, nothing that only matters in this conversation. A newer value ' +
        'closes the older where only one can hold.' +
        HELD,
      kind: 'write',
      input: told,
      output: WriteShape,
      run: (input) => assert(input, null),
    }),
    ...share,
    defineTool(frame, {
      name: 'memory_update',
      title: 'Update',
      description:
        'Says that the world has changed: the fact held until validFrom, and something else holds from then on. If the fact ' +
        'was never right, use memory_correct.' +
        HELD,
      kind: 'write',
      input: z.strictObject({
        fact: factId,
        object,
        objectIsEntity: isEntity,
        validFrom: z.string().describe('When it changed.'),
        statement,
        quote,
      }),
      output: WriteShape,
      async run(input) {
        const { fact } = await memory.why(input.fact);
        const value = input.objectIsEntity ? { entity: String(input.object) } : input.object;
        const source = said(input.quote);
        const result = await memory.transact(
          (t) => {
            t.end({ fact: fact.id, at: input.validFrom, ...source });
            t.assert({
              subject: fact.subject,
              predicate: fact.predicate,
              object: value,
              validFrom: input.validFrom,
              ...given({ statement: input.statement }),
              ...source,
            });
          },
          { actor },
        );
        return showWrite(result);
      },
    }),
    defineTool(frame, {
      name: 'memory_end',
      title: 'End',
      description:
        'Says that something holds no longer, since a moment, and nothing takes its place.' + HELD,
      kind: 'write',
      input: z.strictObject({ fact: factId, at: z.string().describe('When it ended.'), quote }),
      output: WriteShape,
      run: async ({ fact, at, quote: words }) =>
        showWrite(await memory.end({ fact, at, ...said(words) }, { actor })),
    }),
    defineTool(frame, {
      name: 'memory_correct',
      title: 'Correct',
      description:
        'Says that a fact was wrong all along, and what is right. Fields that are null stay as they were.' +
        HELD,
      kind: 'write',
      input: z.strictObject({
        fact: factId,
        object: object.nullable(),
        objectIsEntity: isEntity,
        validFrom: from,
        validTo: to,
        statement,
        quote,
      }),
      output: WriteShape,
      async run({ fact, object: value, objectIsEntity, quote: words, ...rest }) {
        const right = value !== null && objectIsEntity ? { entity: String(value) } : value;
        const result = await memory.correct(
          { was: fact, ...given({ ...rest, object: right }), ...said(words) },
          { actor },
        );
        return showWrite(result);
      },
    }),
  ];
}

interface Evidence {
  readonly session: string;
  readonly seq: number;
  readonly role: 'assistant';
  readonly quote?: string;
}

type Shown = z.input<typeof WriteShape>;
