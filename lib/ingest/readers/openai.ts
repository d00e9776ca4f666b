import { z } from 'zod';
import type { Reading, Role, SessionInfo } from '../event.js';
import { ContentSchema, textOf } from './content.js';
import { readDocument, unnamed } from './document.js';
import { type Fields, isFields, stampOf } from './fields.js';
import { personOf } from './person.js';
import type { Line, Reader, ReaderOptions } from './reader.js';
import {
  bad,
  eventReading,
  metaOf,
  objectsIn,
  parseLine,
  shapeProblem,
  skipped,
} from './reading.js';

const ROLE_BY_NAME = {
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
  system: 'system',
  developer: 'system',
} as const satisfies Readonly<Record<string, Role>>;

const MessageSchema = z.looseObject({
  role: z.enum(['user', 'assistant', 'tool', 'function', 'system', 'developer']),
  content: ContentSchema.nullish(),
  name: z.string().nullish(),
  id: z.string().nullish(),
  tool_call_id: z.string().nullish(),
  tool_calls: z
    .array(
      z.looseObject({
        id: z.string().optional(),
        function: z.looseObject({ name: z.string() }).optional(),
      }),
    )
    .nullish(),
  function_call: z.unknown().optional(),
  reasoning_content: z.unknown().optional(),
});

type Message = z.infer<typeof MessageSchema>;

class Conversation {
  private readonly tools = new Map<string, string>();
  private turn = 0;
  private isAnnounced = false;

  constructor(private readonly options: ReaderOptions) {}

  *take(number: number, line: Line): Iterable<Reading> {
    const parsed = parseLine(number, line, this.options);
    if ('outcome' in parsed) yield parsed.outcome;
    else yield* this.message(number, parsed.fields);
  }

  *message(number: number, fields: unknown): Iterable<Reading> {
    const message = MessageSchema.safeParse(fields);
    if (!message.success) return yield bad(number, shapeProblem(message.error));
    const session = this.options.session;
    if (session === undefined) return yield bad(number, unnamed);
    if (!this.isAnnounced) yield { kind: 'session', line: null, session: infoOf(session) };
    this.isAnnounced = true;
    yield this.spoken(number, session, message.data);
  }

  private spoken(number: number, session: string, message: Message): Reading {
    for (const { id, function: called } of message.tool_calls ?? []) {
      if (id !== undefined && called !== undefined) this.tools.set(id, called.name);
    }
    const role = ROLE_BY_NAME[message.role];
    const content = message.content ?? '';
    const said = role === 'user' ? personOf(content) : textOf(content);
    if ('skip' in said) return skipped(number, said.skip);
    const omitted = [...said.omitted, ...besides(message)];
    if (said.text.trim() === '' && omitted.includes('tool_calls')) {
      return skipped(number, 'tool-call');
    }
    if (said.text.trim() === '' && omitted.includes('reasoning')) {
      return skipped(number, 'reasoning');
    }
    if (role === 'user' && said.text.trim() !== '') this.turn += 1;
    const callId = message.tool_call_id;
    return eventReading(number, {
      session,
      // The place among all lines: it does not move when a reader learns to read more of them.
      seq: number - 1,
      at: timeOf(message),
      role,
      text: said.text,
      speaker: role === 'tool' ? null : (message.name ?? null),
      turn: this.turn === 0 ? null : this.turn,
      ...metaOf({
        callId,
        tool: role === 'tool' ? (this.tools.get(callId ?? '') ?? message.name) : null,
        messageId: message.id,
        omitted,
      }),
    });
  }
}

const present = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

function* besides(message: Message): Iterable<string> {
  if ((message.tool_calls ?? []).length > 0 || present(message.function_call)) yield 'tool_calls';
  if (present(message.reasoning_content)) yield 'reasoning';
}

/** No field is standard; `created_at` counts seconds where hosts write it as a number. */
function timeOf(message: Fields): number | null {
  const { timestamp, created_at: created } = message;
  const seconds = typeof created === 'number' && Math.abs(created) < 1e11;
  return stampOf(timestamp) ?? stampOf(seconds ? Math.trunc(created * 1000) : created);
}

const infoOf = (id: string): SessionInfo => ({
  id,
  format: 'openai',
  cwd: null,
  createdAt: null,
  parent: null,
  origin: 'root',
  seedLength: null,
  agent: null,
});

function messagesOf(value: unknown): readonly unknown[] | null {
  if (Array.isArray(value)) return value;
  const messages = isFields(value) ? value['messages'] : null;
  return Array.isArray(messages) ? messages : null;
}

/** Whether the log is one document: an array of messages, or an object that holds one. */
const isDocument = (first: Line): boolean => {
  if (typeof first !== 'string') return false;
  const start = first.trimStart();
  if (start.startsWith('[') || start.trim() === '{') return true;
  return start.startsWith('{') && /^\{\s*"messages"\s*:/u.test(start);
};

/** Arrays of chat messages, as one JSON document or with one message a line. */
export const openai: Reader = {
  name: 'openai',
  detects: (head) => {
    const start = head.join('\n').trimStart();
    if (/^\[\s*\{/u.test(start)) return /"role"\s*:\s*"/u.test(start);
    if (/^\{\s*"messages"\s*:\s*\[/u.test(start)) return true;
    for (const fields of objectsIn(head)) {
      if (typeof fields['role'] === 'string' && 'content' in fields && !('type' in fields))
        return true;
    }
    return false;
  },
  async *read(lines, options = {}) {
    const conversation = new Conversation(options);
    const iterator = lines[Symbol.asyncIterator]();
    const before: Line[] = [];
    let next = await iterator.next();
    while (next.done !== true && typeof next.value === 'string' && next.value.trim() === '') {
      before.push(next.value);
      next = await iterator.next();
    }
    const rest: AsyncIterable<Line> = {
      async *[Symbol.asyncIterator]() {
        try {
          if (next.done !== true) yield next.value;
          for (let more = await iterator.next(); more.done !== true; more = await iterator.next()) {
            yield more.value;
          }
        } finally {
          await iterator.return?.();
        }
      },
    };
    if (next.done !== true && isDocument(next.value)) {
      const document = await readDocument(rest, options);
      if ('problem' in document) return yield bad(1, document.problem);
      const messages = messagesOf(document.value);
      if (messages === null) return yield bad(1, 'holds no array of messages');
      for (const [index, message] of messages.entries()) {
        yield* conversation.message(index + 1, message);
      }
      return;
    }
    let number = 0;
    for (const line of before) yield* conversation.take(++number, line);
    for await (const line of rest) yield* conversation.take(++number, line);
  },
};
