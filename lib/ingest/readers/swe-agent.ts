import { z } from 'zod';
import type { Reading, SessionInfo } from '../event.js';
import { ContentSchema, textOf } from './content.js';
import { readDocument, unnamed } from './document.js';
import { isFields, labelOf } from './fields.js';
import type { Reader, ReaderOptions } from './reader.js';
import { bad, eventReading, metaOf, shapeProblem, skipped } from './reading.js';

const EntrySchema = z.object({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: ContentSchema.nullish(),
  agent: z.string().nullish(),
  is_demo: z.boolean().nullish(),
  message_type: z.string().nullish(),
  tool_call_ids: z.array(z.string()).nullish(),
});

const StepSchema = z.object({ response: z.string().nullish(), observation: z.string().nullish() });

/** What the agents' messages so far say about the next. */
class Trajectory {
  private mainAgent: string | null = null;
  private hasTask = false;

  constructor(private readonly session: string) {}

  entry(number: number, value: unknown): Reading {
    const parsed = EntrySchema.safeParse(value);
    if (!parsed.success) return bad(number, shapeProblem(parsed.error));
    const { role, content, agent = null, is_demo: isDemo, message_type: kind } = parsed.data;
    this.mainAgent ??= agent;
    if (isDemo === true || kind === 'demonstration') return skipped(number, 'demonstration');
    if (agent !== null && agent !== this.mainAgent) return skipped(number, 'subagent');
    const { text, omitted } = textOf(content ?? '');
    const isObservation = role === 'tool' || kind === 'observation' || this.hasTask;
    if (role === 'user') this.hasTask = true;
    return eventReading(number, {
      session: this.session,
      seq: number - 1,
      at: null,
      // The first prompt is a template around an issue's text; all later ones are what a command printed.
      role: role === 'user' || role === 'tool' ? (isObservation ? 'tool' : 'document') : role,
      text,
      speaker: null,
      turn: this.hasTask ? 1 : null,
      ...metaOf({ agent, omitted, callId: parsed.data.tool_call_ids?.[0] }),
    });
  }
}

/** Old and cut-down files have no history. Each step is then an answer and what came of it. */
function* stepsAsHistory(steps: readonly unknown[]): Iterable<unknown> {
  for (const step of steps) {
    const parsed = StepSchema.safeParse(step);
    yield parsed.success ? { role: 'assistant', content: parsed.data.response ?? '' } : null;
    yield parsed.success ? { role: 'tool', content: parsed.data.observation ?? '' } : null;
  }
}

function* readingsOf(value: unknown, options: ReaderOptions): Iterable<Reading> {
  if (!isFields(value)) return yield bad(1, 'is not a JSON object');
  const { history, trajectory } = value;
  const told = Array.isArray(history) ? 'history' : 'trajectory';
  const entries: unknown = told === 'history' ? history : trajectory;
  if (!Array.isArray(entries)) return yield bad(1, 'has neither a history nor a trajectory');
  const session = options.session ?? options.fileName;
  if (session === undefined) return yield bad(1, unnamed);
  yield { kind: 'session', line: null, session: infoOf(session) };
  const log = new Trajectory(session);
  let number = 0;
  const all: Iterable<unknown> = told === 'history' ? entries : stepsAsHistory(entries);
  for (const entry of all) yield log.entry(++number, entry);
  for (const section of Object.keys(value)) {
    if (section === told) continue;
    const code = section === 'trajectory' || section === 'history' ? 'repeat' : 'bookkeeping';
    yield skipped(++number, code, labelOf(section));
  }
}

const infoOf = (id: string): SessionInfo => ({
  id,
  format: 'swe-agent',
  cwd: null,
  createdAt: null,
  parent: null,
  origin: 'root',
  seedLength: null,
  agent: null,
});

/** SWE-agent's `.traj` files: one JSON document, whose `history` is read. */
export const sweAgent: Reader = {
  name: 'swe-agent',
  detects: (head) => {
    const start = head.join('\n').trimStart();
    // Inside of a string the quotes would be escaped.
    return start.startsWith('{') && /"(?:trajectory|history)"\s*:\s*\[/u.test(start);
  },
  async *read(lines, options = {}) {
    const document = await readDocument(lines, options);
    if ('problem' in document) yield bad(1, document.problem);
    else yield* readingsOf(document.value, options);
  },
};
