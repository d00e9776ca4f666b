import type { Reading, SessionEvent, SessionInfo } from '../event.js';
import { textOf } from './content.js';
import {
  AssistantMessageSchema,
  type DshEvent,
  EventSchema,
  HeaderSchema,
  isPackedType,
  KNOWN_VERSION,
  PackedSchema,
  reasonFor,
  ToolCallSchema,
  ToolResultSchema,
  UserMessageSchema,
} from './dsh-types.js';
import { countIn, type Fields, fieldsIn, isFields, labelOf, stampOf } from './fields.js';
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

/** What the lines so far say about those that follow. */
class DshLog {
  private session: SessionInfo | null = null;
  private rejected = false;
  private nextSeq = 0;
  /** Where each session stands: files may be joined, and hold one of them twice. */
  private readonly reached = new Map<string, number>();
  /** False once a line was lost whose number of events nobody knows. */
  private counted = true;
  private turn: number | null = null;
  private readonly tools = new Map<string, string>();
  private readonly answered = new Set<string>();

  constructor(private readonly options: ReaderOptions) {}

  take(number: number, line: Line): Reading {
    const parsed = parseLine(number, line, this.options);
    const reading = 'outcome' in parsed ? parsed.outcome : this.row(number, parsed.fields);
    if (reading.kind === 'bad') this.counted = false;
    return reading;
  }

  private row(number: number, fields: Fields): Reading {
    if (fields['type'] === 'session') return this.header(number, fields);
    if (this.rejected) return skipped(number, 'unknown-version');
    if (isPackedType(fields['type'])) return this.packed(number, fields);
    const event = EventSchema.safeParse(fields);
    if (!event.success) return bad(number, shapeProblem(event.error));
    const expected = this.nextSeq;
    if (event.data.seq === undefined && !this.counted) {
      return bad(number, 'has no number of its own, and follows a line that was lost');
    }
    const seq = event.data.seq ?? expected;
    if (seq < expected) return skipped(number, 'repeat', `event ${seq}`);
    this.nextSeq = seq + 1;
    if (event.data.seq !== undefined) this.counted = true;
    return this.event(number, seq, event.data);
  }

  private header(number: number, fields: Fields): Reading {
    const header = HeaderSchema.safeParse(fields);
    this.enter(null);
    if (!header.success) return bad(number, shapeProblem(header.error));
    const { id, version, cwd, parentSession, seedLength, agentPreset } = header.data;
    if (version !== KNOWN_VERSION) {
      this.rejected = true;
      return bad(number, `version ${version} of the log is not known to this reader`);
    }
    const isSubagent = header.data.origin === 'subagent' || (header.data.delegationDepth ?? 0) > 0;
    const session: SessionInfo = {
      id,
      format: 'dsh',
      cwd: cwd ?? null,
      createdAt: stampOf(header.data.createdAt),
      parent: parentSession ?? null,
      origin: isSubagent ? 'subagent' : parentSession === undefined ? 'root' : 'fork',
      seedLength: seedLength ?? null,
      agent: agentPreset ?? null,
    };
    this.enter(session);
    return { kind: 'session', line: number, session };
  }

  private enter(session: SessionInfo | null): void {
    this.reached.set(this.session?.id ?? this.options.session ?? '', this.nextSeq);
    this.session = session;
    this.nextSeq = this.reached.get(session?.id ?? this.options.session ?? '') ?? 0;
    this.rejected = false;
    this.counted = true;
    this.turn = null;
    this.tools.clear();
    this.answered.clear();
  }

  private packed(number: number, fields: Fields): Reading {
    const row = PackedSchema.safeParse(fields);
    if (!row.success) return bad(number, shapeProblem(row.error));
    const { data, seq0 } = row.data;
    const events = 'texts' in data ? data.texts.length : data.args.length;
    if (seq0 !== undefined) this.counted = true;
    this.nextSeq = Math.max(this.nextSeq, (seq0 ?? this.nextSeq) + events);
    return skipped(number, 'chunk', `${events} events in one row`);
  }

  private event(number: number, seq: number, event: DshEvent): Reading {
    const data = event.data ?? {};
    if (event.type === 'turn/start') this.turn = countIn(data, 'turn') ?? this.turn;
    if (event.type === 'tool/call') this.remember(data);
    const at = stampOf(event.time);
    if (this.isInherited(seq, at)) return skipped(number, 'inherited', `event ${seq}`);
    if (this.session?.origin === 'subagent' && this.options.subagents !== 'read') {
      return skipped(number, 'subagent');
    }
    const session = this.session?.id ?? this.options.session;
    if (session === undefined)
      return bad(number, 'belongs to no session: no header stands before it');
    const frame: Frame = { session, seq, at };
    switch (event.type) {
      case 'user/message':
        return this.userMessage(number, frame, event);
      case 'assistant/message':
        return this.assistantMessage(number, frame, event);
      case 'tool/result':
        return this.toolResult(number, frame, event);
      case 'turn/end':
        return skipped(number, 'bookkeeping', `turn/end, ${turnEnd(data)}`);
      default:
        return skipped(number, reasonFor(event.type), labelOf(event.type));
    }
  }

  private remember(data: Fields): void {
    const call = ToolCallSchema.safeParse(data);
    if (call.success) this.tools.set(call.data.callId, call.data.name);
  }

  /** Later hosts do not write the seed's length; what is older than its own session was copied. */
  private isInherited(seq: number, at: number | null): boolean {
    if (this.session === null) return false;
    const { seedLength, parent, createdAt } = this.session;
    if (seedLength !== null) return seq < seedLength;
    return parent !== null && at !== null && createdAt !== null && at < createdAt;
  }

  private userMessage(number: number, frame: Frame, event: DshEvent): Reading {
    const message = UserMessageSchema.safeParse(event.data);
    if (!message.success) return bad(number, shapeProblem(message.error));
    const { content, source, id } = message.data;
    if (source?.kind !== 'user') {
      return skipped(number, 'injected', source === undefined ? 'no source' : labelOf(source.kind));
    }
    if (isRestated(event)) return skipped(number, 'repeat', 'shown anew');
    const { text, omitted } = textOf(content);
    return eventReading(number, {
      ...frame,
      // What starts a sub-agent is written by its parent, whatever the source says.
      role: this.session?.origin === 'subagent' ? 'system' : 'user',
      text,
      speaker: null,
      turn: this.turn,
      ...metaOf({ messageId: id, omitted }),
    });
  }

  private assistantMessage(number: number, frame: Frame, event: DshEvent): Reading {
    const parsed = AssistantMessageSchema.safeParse(event.data);
    if (!parsed.success) return bad(number, shapeProblem(parsed.error));
    const { message, interrupted, turn } = parsed.data;
    if (message.source !== undefined && message.source.kind !== 'model') {
      return skipped(number, 'injected', labelOf(message.source.kind));
    }
    if (interrupted !== undefined && interrupted !== false) return skipped(number, 'interrupted');
    if (isRestated(event)) return skipped(number, 'repeat', 'shown anew');
    const { text, omitted } = textOf(message.content);
    if (text.trim() === '' && omitted.includes('tool-call')) return skipped(number, 'tool-call');
    if (text.trim() === '' && omitted.includes('reasoning')) return skipped(number, 'reasoning');
    const model = message.source?.['model'];
    return eventReading(number, {
      ...frame,
      role: 'assistant',
      text,
      speaker: null,
      turn: turn ?? this.turn,
      ...metaOf({
        messageId: message.id,
        omitted,
        model: typeof model === 'string' ? model : null,
      }),
    });
  }

  private toolResult(number: number, frame: Frame, event: DshEvent): Reading {
    const parsed = ToolResultSchema.safeParse(event.data);
    if (!parsed.success) return bad(number, shapeProblem(parsed.error));
    const { message, turn } = parsed.data;
    const callId = message.source?.callId ?? message.content[0]?.toolCallId;
    // A second result of one call only shortens what the model is shown.
    if (isRestated(event) || (callId !== undefined && this.answered.has(callId))) {
      return skipped(number, 'repeat', 'shown anew');
    }
    if (callId !== undefined) this.answered.add(callId);
    const parts = message.content.map((block) => textOf(block.content));
    return eventReading(number, {
      ...frame,
      role: 'tool',
      text: parts.map((part) => part.text).join('\n'),
      speaker: null,
      turn: turn ?? this.turn,
      ...metaOf({
        callId,
        tool: callId === undefined ? null : this.tools.get(callId),
        isError: message.content.some((block) => block.isError === true) ? true : null,
        messageId: message.id,
        omitted: parts.flatMap((part) => part.omitted),
      }),
    });
  }
}

type Frame = Pick<SessionEvent, 'session' | 'seq' | 'at'>;

const isRestated = (event: DshEvent): boolean =>
  event.surfaceOp !== undefined && event.surfaceOp !== null && event.surfaceOp !== 'append';

function turnEnd(data: Fields): string {
  const reason = fieldsIn(data, 'reason');
  if (reason === null) return 'no reason given';
  const by = isFields(reason['reason']) ? undefined : reason['reason'];
  return by === undefined
    ? labelOf(reason['kind'])
    : `${labelOf(reason['kind'])} by ${labelOf(by)}`;
}

/**
 * Session logs of the DeepSeek Harness, version 0: a header line, then events and packed rows.
 * Evidence is (session id, event's `seq`).
 */
export const dsh: Reader = {
  name: 'dsh',
  detects: (head) => {
    for (const fields of objectsIn(head)) {
      if (fields['type'] === 'session') return typeof fields['version'] === 'number';
      const isEvent = typeof fields['type'] === 'string' && fields['type'].includes('/');
      if (isEvent && isFields(fields['data']) && typeof fields['seq'] === 'number') return true;
    }
    return false;
  },
  async *read(lines, options = {}) {
    const log = new DshLog(options);
    let number = 0;
    for await (const line of lines) yield log.take(++number, line);
  },
};
