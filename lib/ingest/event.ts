import type { Role } from '../model/entry.js';

export { ROLES, type Role } from '../model/entry.js';

/** Small facts about an event beside its text. */
export interface EventMeta {
  /** The tool call that a result answers. */
  readonly callId?: string;
  /** Name of the tool whose result this is. */
  readonly tool?: string;
  /** Present on the result of a tool that failed. */
  readonly isError?: true;
  readonly model?: string;
  /** The host's own id of the message. */
  readonly messageId?: string;
  /** Which agent of several. */
  readonly agent?: string;
  /** Kinds of content which the same message held and the text leaves out, such as `reasoning` or `image`. */
  readonly omitted?: readonly string[];
}

/** One entry of a session. (session, seq) names it for ever, and is what evidence cites. */
export interface SessionEvent {
  readonly session: string;
  /** Place in the session, from 0; grows, not always without gaps. */
  readonly seq: number;
  /** When it happened, epoch ms, or null where the log does not say. */
  readonly at: number | null;
  readonly role: Role;
  /** Well-formed Unicode without NUL, not empty. */
  readonly text: string;
  /** Name of the speaker, where several share a role. */
  readonly speaker: string | null;
  /** Number of the turn, from 1; null before the first and where the log has none. */
  readonly turn: number | null;
  readonly meta?: EventMeta;
}

export const FORMATS = ['dsh', 'claude-code', 'swe-agent', 'openai', 'plain'] as const;

export type FormatName = (typeof FORMATS)[number];

/** What a log says about its session as a whole. */
export interface SessionInfo {
  readonly id: string;
  readonly format: FormatName;
  /** Working folder, as the host wrote it. */
  readonly cwd: string | null;
  /** Epoch ms. */
  readonly createdAt: number | null;
  /** The session this one was forked from or started by. */
  readonly parent: string | null;
  readonly origin: 'root' | 'subagent' | 'fork';
  /** How many events at the start belong to the parent; null where the log does not say. */
  readonly seedLength: number | null;
  /** The agent or preset that ran the session. */
  readonly agent: string | null;
}

/** Why a line holds no event. */
export const SKIP_REASONS = {
  blank: 'an empty line',
  chunk: 'a piece of a streamed answer, which comes again as a whole message',
  inbox: 'bookkeeping of the queue of prompts, which come again as messages',
  injected: 'context put in by a program, not said by a person',
  command: 'a slash command, a shell command of the user interface, or its output',
  hook: 'output of a hook',
  notice: 'a notice of the host',
  summary: 'a summary of what the log already tells, or its title',
  meta: 'a message that the host marks as not of the conversation',
  subagent: 'of a sub-agent, whose prompts no person wrote',
  inherited: 'copied from the session that this one was forked from',
  reasoning: 'reasoning of the model',
  'tool-call': 'a call of a tool; its result is read',
  interrupted: 'an answer that was cut off',
  repeat: 'something that has been read already',
  demonstration: 'an example for the model',
  bookkeeping: 'bookkeeping of the host',
  'no-text': 'a message without text',
  'unknown-type': 'a kind of line which this reader does not know',
  'unknown-version': 'of a log whose version this reader does not know',
} as const;

export type SkipCode = keyof typeof SKIP_REASONS;

export interface SkipReason {
  readonly code: SkipCode;
  /** The same for people, with what is special about this line. */
  readonly text: string;
}

/**
 * What became of one line. Each line gives exactly one reading that bears its number; a session which
 * no line of its own announces is told by an extra reading with `line: null`, before its first line's.
 *
 * `line` counts from 1. Where a log is one JSON document it counts the document's entries.
 */
export type Reading =
  | { readonly kind: 'session'; readonly line: number | null; readonly session: SessionInfo }
  | { readonly kind: 'event'; readonly line: number; readonly event: SessionEvent }
  | { readonly kind: 'skipped'; readonly line: number; readonly reason: SkipReason }
  | { readonly kind: 'bad'; readonly line: number; readonly problem: string };
