import type { Reading, SessionEvent, SessionInfo } from '../event.js';
import {
  AssistantLineSchema,
  QueuedPromptSchema,
  reasonFor,
  ResultContentSchema,
  UserLineSchema,
} from './claude-code-types.js';
import { blocksOf, type Content, textOf } from './content.js';
import { type Fields, fieldsIn, labelOf, stampOf, stringIn } from './fields.js';
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
import { toolPart } from './wrappers.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu;
const SYNTHETIC_MODEL = '<synthetic>';

type Frame = Pick<SessionEvent, 'session' | 'seq' | 'at'>;

/** What the lines so far say about those that follow. */
class ClaudeLog {
  private readonly announced = new Set<string>();
  /** Message ids of the lines that gave an event. */
  private readonly seen = new Set<string>();
  private readonly tools = new Map<string, string>();
  /** Texts of the answer that is being written, one content block a line. */
  private answer: { id: string; texts: Set<string> } | null = null;
  private turn = 0;

  constructor(private readonly options: ReaderOptions) {}

  *take(number: number, line: Line): Iterable<Reading> {
    const parsed = parseLine(number, line, this.options);
    if ('outcome' in parsed) return yield parsed.outcome;
    const { fields } = parsed;
    const type = stringIn(fields, 'type');
    if (type === null) return yield bad(number, 'has no type');
    const info = this.infoOf(fields);
    if (info !== null && !this.announced.has(info.id)) {
      this.announced.add(info.id);
      yield { kind: 'session', line: null, session: info };
    }
    const reading = this.line(number, fields, type, info);
    if (reading.kind === 'event') {
      const uuid = stringIn(fields, 'uuid');
      if (uuid !== null) this.seen.add(uuid);
      if (reading.event.role === 'user') {
        this.turn += 1;
        yield { ...reading, event: { ...reading.event, turn: this.turn } };
        return;
      }
    }
    yield reading;
  }

  private infoOf(fields: Fields): SessionInfo | null {
    const id =
      stringIn(fields, 'sessionId') ?? stringIn(fields, 'session_id') ?? this.options.session;
    if (id === undefined || this.isForeign(id)) return null;
    // A sub-agent with a file of its own counts its lines anew, so it needs a name of its own.
    const agent = stringIn(fields, 'agentId');
    const isSubagent = fields['isSidechain'] === true && agent !== null;
    const forkedFrom = fieldsIn(fields, 'forkedFrom');
    const parent = forkedFrom === null ? null : stringIn(forkedFrom, 'sessionId');
    return {
      id: isSubagent ? `${id}/agent-${agent}` : id,
      format: 'claude-code',
      cwd: stringIn(fields, 'cwd'),
      createdAt: stampOf(fields['timestamp']),
      parent: isSubagent ? id : parent,
      origin: isSubagent ? 'subagent' : parent === null ? 'root' : 'fork',
      seedLength: null,
      agent: isSubagent ? agent : null,
    };
  }

  /** The host names a file by its session; lines of another one were copied into it. */
  private isForeign(session: string): boolean {
    const file = this.options.fileName;
    return file !== undefined && UUID.test(file) && session !== file;
  }

  private line(number: number, fields: Fields, type: string, info: SessionInfo | null): Reading {
    const isMessage = type === 'user' || type === 'assistant';
    const queued =
      type === 'attachment' ? QueuedPromptSchema.safeParse(fields['attachment']) : null;
    if (!isMessage && queued?.success !== true) {
      return skipped(number, reasonFor(fields, type), labelOf(stringIn(fields, 'subtype') ?? type));
    }
    const named = stringIn(fields, 'sessionId') ?? stringIn(fields, 'session_id');
    if (fields['forkedFrom'] !== undefined || (named !== null && this.isForeign(named))) {
      return skipped(number, 'inherited');
    }
    if (info === null) return bad(number, 'belongs to no session');
    const uuid = stringIn(fields, 'uuid');
    if (uuid !== null && this.seen.has(uuid)) return skipped(number, 'repeat', 'the same message');
    const isSidechain = fields['isSidechain'] === true;
    if (isSidechain && this.options.subagents !== 'read') return skipped(number, 'subagent');
    const frame: Frame = { session: info.id, seq: number - 1, at: stampOf(fields['timestamp']) };
    if (queued?.success === true) {
      return this.person(number, frame, fields, queued.data.prompt, isSidechain);
    }
    if (type === 'assistant') return this.assistant(number, frame, fields);
    return this.user(number, frame, fields, isSidechain);
  }

  private user(number: number, frame: Frame, fields: Fields, isSidechain: boolean): Reading {
    const message = UserLineSchema.safeParse(fields['message']);
    if (!message.success) return bad(number, shapeProblem(message.error));
    const { content } = message.data;
    const results = typeof content === 'string' ? [] : content.filter(isResult);
    if (results.length > 0) return this.results(number, frame, fields, content, results);
    if (fields['isCompactSummary'] === true) return skipped(number, 'summary');
    if (fields['isMeta'] === true || fields['isVisibleInTranscriptOnly'] === true) {
      return skipped(number, 'meta');
    }
    const origin = fieldsIn(fields, 'origin');
    if (origin !== null && origin['kind'] !== 'human') {
      return skipped(number, 'injected', labelOf(origin['kind']));
    }
    // The host writes this prompt itself when a plan was accepted.
    if (stringIn(fields, 'planContent') !== null) return skipped(number, 'injected', 'plan');
    return this.person(number, frame, fields, content, isSidechain);
  }

  private person(
    number: number,
    frame: Frame,
    fields: Fields,
    content: Content,
    isSidechain: boolean,
  ): Reading {
    const said = personOf(content);
    if ('skip' in said) return skipped(number, said.skip);
    return eventReading(number, {
      ...frame,
      role: isSidechain ? 'system' : 'user',
      text: said.text,
      speaker: null,
      turn: this.turnNow(),
      ...metaOf({ messageId: stringIn(fields, 'uuid'), omitted: said.omitted }),
    });
  }

  private results(
    number: number,
    frame: Frame,
    fields: Fields,
    content: Content,
    results: readonly ResultBlock[],
  ): Reading {
    const parts: string[] = [];
    const omitted = blocksOf(content)
      .map((block) => block.type)
      .filter((kind) => kind !== 'tool_result');
    for (const result of results) {
      const output = ResultContentSchema.safeParse(result['content']);
      if (!output.success) return bad(number, `tool_result: ${shapeProblem(output.error)}`);
      const told = textOf(output.data ?? '');
      const { text, removed } = toolPart(told.text);
      if (text.trim() !== '') parts.push(text);
      omitted.push(...told.omitted, ...removed);
    }
    const callId = results.length === 1 ? results[0]?.tool_use_id : undefined;
    return eventReading(number, {
      ...frame,
      role: 'tool',
      text: parts.join('\n'),
      speaker: null,
      turn: this.turnNow(),
      ...metaOf({
        callId,
        tool: callId === undefined ? null : this.tools.get(callId),
        isError: results.some((result) => result['is_error'] === true) ? true : null,
        messageId: stringIn(fields, 'uuid'),
        omitted,
      }),
    });
  }

  private assistant(number: number, frame: Frame, fields: Fields): Reading {
    const parsed = AssistantLineSchema.safeParse(fields['message']);
    if (!parsed.success) return bad(number, shapeProblem(parsed.error));
    const { content, id, model } = parsed.data;
    for (const block of typeof content === 'string' ? [] : content) {
      if (block.type === 'tool_use' && block.id !== undefined && block.name !== undefined) {
        this.tools.set(block.id, block.name);
      }
    }
    if (fields['isApiErrorMessage'] === true || model === SYNTHETIC_MODEL) {
      return skipped(number, 'notice', 'written by the host in the place of an answer');
    }
    const { text, omitted } = textOf(content);
    if (text.trim() === '') {
      if (omitted.includes('tool_use')) return skipped(number, 'tool-call');
      if (omitted.length > 0) return skipped(number, 'reasoning');
    }
    if (id !== undefined) {
      if (this.answer?.id !== id) this.answer = { id, texts: new Set() };
      if (this.answer.texts.has(text))
        return skipped(number, 'repeat', 'the same part of an answer');
      this.answer.texts.add(text);
    }
    return eventReading(number, {
      ...frame,
      role: 'assistant',
      text,
      speaker: null,
      turn: this.turnNow(),
      ...metaOf({ messageId: stringIn(fields, 'uuid'), omitted, model }),
    });
  }

  private turnNow(): number | null {
    return this.turn === 0 ? null : this.turn;
  }
}

type ResultBlock = { readonly type: string; readonly tool_use_id?: string | undefined } & Fields;

const isResult = (block: { readonly type: string }): block is ResultBlock =>
  block.type === 'tool_result';

const TYPES = new Set(['user', 'assistant', 'summary', 'file-history-snapshot', 'queue-operation']);

/** Claude Code's session files: JSONL with one content block or message a line. */
export const claudeCode: Reader = {
  name: 'claude-code',
  detects: (head) => {
    for (const fields of objectsIn(head)) {
      const type = stringIn(fields, 'type');
      const marks = ['sessionId', 'session_id', 'uuid', 'leafUuid', 'snapshot'];
      if (type !== null && TYPES.has(type) && marks.some((mark) => mark in fields)) return true;
    }
    return false;
  },
  async *read(lines, options = {}) {
    const log = new ClaudeLog(options);
    let number = 0;
    for await (const line of lines) yield* log.take(++number, line);
  },
};
