import { z } from 'zod';
import type { Scope } from '../engine/vocabulary.js';
import { outcomeText } from './text.js';
import { tool, type Tool } from './tool.js';

const id = z.string().min(1);
const instant = z.string().describe('A date, month, year, or ISO 8601 with offset.');
const quote = z
  .string()
  .optional()
  .describe("The person's own words, exactly as they said them, if they did.");

const said = {
  subject: z.string().min(1).describe('What it is about, by name.'),
  predicate: z
    .string()
    .min(1)
    .describe('A short name of the relation, such as database or prefers.'),
  object: z.string().min(1),
  valid_from: instant.optional().describe('Since when it holds, if that was said.'),
  valid_to: instant.optional().describe('Until when it holds, if that was said.'),
  statement: z.string().optional().describe('The same as one sentence.'),
  quote,
};

/** Without the project: what all projects of the same people see. */
const everywhere = ({ org, user }: Scope): Scope => ({
  org,
  ...(user === undefined ? {} : { user }),
});

const remember = tool({
  name: 'remember',
  description:
    'Keeps one thing for later sessions. Only what will matter again: preferences, decisions, facts of the project. With everywhere it waits for a person, and then counts in all projects.',
  input: z.object({ ...said, everywhere: z.boolean().default(false) }),
  async run(args, { engine, scope, author }) {
    const { subject, predicate, object, statement, valid_from, valid_to } = args;
    const outcome = await engine.remember(
      scope,
      {
        subject,
        predicate,
        object,
        statement,
        validFrom: valid_from,
        validTo: valid_to,
        ...(args.everywhere ? { to: everywhere(scope) } : {}),
      },
      // What a model writes for everybody is its own word, whoever it quotes: somebody has to agree.
      author(args.everywhere ? undefined : args.quote),
    );
    return outcomeText(outcome);
  },
});

const update = tool({
  name: 'update',
  description:
    'Says what holds now instead of what held before. The old fact stays readable as history, ended where the new one begins.',
  input: z.object(said),
  async run({ subject, predicate, object, statement, valid_from, quote }, call) {
    const { engine, scope } = call;
    const by = call.author(quote);
    const before = await engine.facts(scope, { subject, predicate, limit: 2 });
    const [old] = before.length === 1 ? before : [];
    const at = valid_from ?? new Date().toISOString();
    const right = { subject, predicate, object, statement, validFrom: at };
    const ending = old === undefined || old.object === object ? null : old;
    return outcomeText(await engine.update(scope, ending, right, by));
  },
});

const end = tool({
  name: 'end',
  description:
    'Says that something holds no longer, from an instant on. It stays readable as history.',
  input: z.object({
    subject: said.subject,
    predicate: said.predicate,
    object: z.string().optional(),
    at: instant.optional().describe('Default: now.'),
    quote,
  }),
  async run({ subject, predicate, object, at, quote }, { engine, scope, author }) {
    const what = { subject, predicate, object, at: at ?? new Date().toISOString() };
    return outcomeText(await engine.end(scope, what, author(quote)));
  },
});

const correct = tool({
  name: 'correct',
  description:
    'Says that a fact was wrong all along, and what is right. For what changed use update.',
  input: z.object({
    fact: id,
    object: z.string().optional(),
    valid_from: instant.optional(),
    valid_to: instant.optional(),
    quote,
  }),
  async run({ fact, object, valid_from, valid_to, quote }, { engine, scope, author }) {
    const right = { object, validFrom: valid_from, validTo: valid_to };
    return outcomeText(await engine.correct(scope, fact, right, author(quote)));
  },
});

const retract = tool({
  name: 'retract',
  description: 'Takes a fact back, without saying what is right instead. Can be rolled back.',
  input: z.object({ fact: id }),
  async run({ fact }, { engine, scope, author }) {
    return outcomeText(await engine.retract(scope, fact, author(undefined)));
  },
});

const merge = tool({
  name: 'merge',
  description: 'Says that two names are of one and the same thing.',
  input: z.object({ from: z.string().min(1), into: z.string().min(1) }),
  asks: 'Two names would become one in the memory.',
  async run({ from, into }, { engine, scope, author }) {
    return outcomeText(await engine.merge(scope, from, into, author(undefined)));
  },
});

export const writingTools: readonly Tool[] = [remember, update, end, correct, retract, merge];
