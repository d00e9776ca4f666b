import { z } from 'zod';
import { isGone } from '../host/source.js';
import { eventFrom } from '../host/log.js';
import { scopeOf, writeScope } from '../host/project.js';
import { cut, factLine, factLines } from './text.js';
import { tool, type Tool, type ToolCall } from './tool.js';

const id = z.string().min(1).describe('Id of a fact, as search and list show it.');
const instant = z.string().describe('A date, month, year, or ISO 8601 with offset.');
const limit = z.number().int().min(1).max(50).default(10).describe('1 to 50.');

const search = tool({
  name: 'search',
  description:
    'Looks in the long-term memory of this project for what is believed now, or was at another time. Each line is a fact with its id, when it holds, and the session event it rests on.',
  input: z.object({
    query: z.string().min(1),
    valid_at: instant.optional().describe('When it has to hold. Default: now.'),
    known_at: instant.optional().describe('What was known then. Default: all that is known.'),
    limit,
  }),
  async run({ query, valid_at, known_at, limit }, { engine, scope, signal }) {
    const hits = await engine.search(scope, query, {
      validAt: valid_at,
      knownAt: known_at,
      limit,
      signal,
    });
    return factLines(hits.map(({ fact }) => fact));
  },
});

const list = tool({
  name: 'list',
  description: 'Lists facts, the newest first. For the next page pass the last id as `after`.',
  input: z.object({
    subject: z.string().optional(),
    predicate: z.string().optional(),
    after: id.optional(),
    limit,
  }),
  async run({ subject, predicate, after, limit }, { engine, scope }) {
    const facts = await engine.facts(scope, { subject, predicate, after, limit });
    const more = facts.length === limit ? `\nMay go on: after ${facts.at(-1)?.id}.` : '';
    return factLines(facts) + more;
  },
});

const asOf = tool({
  name: 'as_of',
  description:
    'What was believed at an instant, whatever has been learnt since: `at` for both axes, or each of valid_at and known_at.',
  input: z.object({
    at: instant.optional(),
    valid_at: instant.optional(),
    known_at: instant.optional(),
    subject: z.string().optional(),
    predicate: z.string().optional(),
    limit,
  }),
  async run({ at, valid_at, known_at, subject, predicate, limit }, { engine, scope }) {
    const facts = await engine.facts(scope, {
      validAt: valid_at ?? at,
      knownAt: known_at ?? at,
      subject,
      predicate,
      limit,
    });
    return factLines(facts);
  },
});

const history = tool({
  name: 'history',
  description:
    'Everything that was ever believed of a subject, in the order in which it was learnt.',
  input: z.object({ subject: z.string().min(1), predicate: z.string().optional() }),
  async run(of, { engine, scope }) {
    return factLines(await engine.history(scope, of));
  },
});

const why = tool({
  name: 'why',
  description: 'Why a fact is believed: who said it, where, and what it took the place of.',
  input: z.object({ fact: id }),
  async run({ fact }, { engine, scope }) {
    return cut((await engine.why(scope, fact)).text);
  },
});

const profile = tool({
  name: 'profile',
  description: 'What is known of this project and its people, in short.',
  input: z.object({}),
  async run(_args, { engine, scope, config }) {
    const { text } = await engine.profile(scope, {
      maxTokens: Math.max(200, config.recall.profileTokens),
    });
    return text === '' ? 'Nothing is remembered yet.' : text;
  },
});

const stats = tool({
  name: 'stats',
  description: 'How the memory is: what waits, what failed, what is held for review.',
  input: z.object({}),
  async run(_args, { engine, scope }) {
    const [health, held] = await Promise.all([engine.health(), engine.held(scope)]);
    const { state, queued, running, failed, reason } = health;
    return [
      `extraction ${state}${reason === null ? '' : `: ${reason}`}`,
      `jobs: ${queued} queued, ${running} running, ${failed} failed`,
      `held for review here: ${held.length}`,
    ].join('\n');
  },
});

const review = tool({
  name: 'review',
  description: 'Claims that wait for a person to approve or reject them.',
  input: z.object({}),
  async run(_args, { engine, scope }) {
    const held = await engine.held(scope);
    if (held.length === 0) return 'Nothing waits for review.';
    return cut(held.map(({ id, text, why }) => `${id}: ${text}. ${why}`).join('\n'));
  },
});

const read = tool({
  name: 'read',
  description:
    'Opens what a fact rests on: pass a fact, or a session and the number of an event in it, and read what was said.',
  input: z.object({
    fact: id.optional(),
    session: z.string().optional(),
    seq: z.number().int().optional(),
  }),
  async run({ fact, session, seq }, call) {
    if (session !== undefined && seq !== undefined) return event(call, session, seq);
    if (fact === undefined) throw new Error('INVALID_ARGS: give a fact, or a session and a seq.');
    const { fact: found, claims } = await call.engine.why(call.scope, fact);
    const cited = claims.flatMap(({ evidence }) => evidence).slice(0, 5);
    const lines = [factLine(found)];
    for (const { session, seq } of cited) lines.push(await event(call, session, seq));
    return cut(lines.join('\n'));
  },
});

const GONE = 'the source is gone';

/** What was said, from the host's log. Logs of what this session does not see are gone to it. */
async function event(call: ToolCall, session: string, seq: number): Promise<string> {
  const { ctx, config, scope, signal } = call;
  const name = `${session}#${seq}`;
  try {
    const query = ctx.get('sessionQuery');
    const log = ctx.get('sessionPersistence');
    const found =
      query === undefined
        ? await log?.readFrom(session, seq, signal)
        : await query
            .readEvent({ sessionId: session, seq }, signal)
            .then(({ session, target }) => ({ meta: session, events: [target] }));
    const target = found?.events[0];
    if (found === undefined || target?.seq !== seq) return `${name}: ${GONE}`;
    const theirs = scopeOf(found.meta, { ...config, subagents: true });
    const isOurs =
      theirs !== null && JSON.stringify(writeScope(theirs)) === JSON.stringify(writeScope(scope));
    const said = isOurs
      ? await eventFrom(found.meta, target, { subagents: true, ownTools: config.tools.prefix })
      : null;
    return said === null
      ? `${name}: ${GONE}`
      : `${name} (${said.role}): ${JSON.stringify(said.text)}`;
  } catch (error) {
    if (isGone(error)) return `${name}: ${GONE}`;
    throw error;
  }
}

export const readingTools: readonly Tool[] = [
  search,
  read,
  list,
  asOf,
  history,
  why,
  profile,
  review,
  stats,
];
