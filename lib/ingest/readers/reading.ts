import type { z } from 'zod';
import { isWellFormed } from '../../model/text.js';
import type { EventMeta, Reading, SessionEvent, SkipCode } from '../event.js';
import { SKIP_REASONS } from '../event.js';
import { type Fields, isFields } from './fields.js';
import { DEFAULT_LIMITS, type Line, type ReaderOptions } from './reader.js';

export const skipped = (line: number, code: SkipCode, detail?: string): Reading => ({
  kind: 'skipped',
  line,
  reason: {
    code,
    text: detail === undefined ? SKIP_REASONS[code] : `${SKIP_REASONS[code]} (${detail})`,
  },
});

export const bad = (line: number, problem: string): Reading => ({ kind: 'bad', line, problem });

/** Problems never repeat what the line says: it may be what nobody should read in a report. */
export function shapeProblem(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return 'has the wrong shape';
  // The message would name the key, and keys are the line's words as well.
  if (issue.code === 'unrecognized_keys') return 'has a field which the format does not have';
  return `${issue.path.map(String).join('.') || 'the line'}: ${issue.message}`;
}

function* stringsOf(event: SessionEvent): Iterable<string> {
  yield event.session;
  yield event.text;
  if (event.speaker !== null) yield event.speaker;
  for (const value of Object.values(event.meta ?? {})) {
    if (typeof value === 'string') yield value;
    else if (Array.isArray(value)) yield* value;
  }
}

/** The last door of every reader: what no store could keep unchanged is quarantined here. */
export function eventReading(line: number, event: SessionEvent): Reading {
  if (event.text.trim() === '') return skipped(line, 'no-text');
  for (const text of stringsOf(event)) {
    if (!isWellFormed(text)) return bad(line, 'holds half of a surrogate pair');
    if (text.includes('\0')) return bad(line, 'holds a NUL character');
  }
  return { kind: 'event', line, event };
}

/** Meta without the fields that say nothing. */
export function metaOf(facts: {
  readonly [K in keyof EventMeta]: EventMeta[K] | null | undefined;
}): { readonly meta?: EventMeta } {
  const meta: EventMeta = {
    ...(facts.callId ? { callId: facts.callId } : {}),
    ...(facts.tool ? { tool: facts.tool } : {}),
    ...(facts.isError ? { isError: true } : {}),
    ...(facts.model ? { model: facts.model } : {}),
    ...(facts.messageId ? { messageId: facts.messageId } : {}),
    ...(facts.agent ? { agent: facts.agent } : {}),
    ...(facts.omitted && facts.omitted.length > 0 ? { omitted: [...new Set(facts.omitted)] } : {}),
  };
  return Object.keys(meta).length === 0 ? {} : { meta };
}

export type ParsedLine =
  | { readonly fields: Fields }
  /** The line holds no object, and this is what becomes of it. */
  | { readonly outcome: Reading };

/** A line of JSONL as an object, or the reading that says why it is none. */
export function parseLine(number: number, line: Line, options: ReaderOptions): ParsedLine {
  if (typeof line !== 'string') return { outcome: bad(number, line.problem) };
  if (line.trim() === '') return { outcome: skipped(number, 'blank') };
  const limit = options.maxLineBytes ?? DEFAULT_LIMITS.maxLineBytes;
  // A character is three bytes at most, so that most lines need no count.
  if (line.length * 3 > limit && Buffer.byteLength(line) > limit) {
    return { outcome: bad(number, `is longer than ${limit} bytes`) };
  }
  const value = parseJson(line);
  if (value === undefined) return { outcome: bad(number, 'is not JSON') };
  return isFields(value)
    ? { fields: value }
    : { outcome: bad(number, 'is JSON, but not an object') };
}

/** Undefined for what is no JSON; the parser's own message would quote the text. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** The objects among the first lines of a log, for telling formats apart. */
export function* objectsIn(head: readonly string[]): Iterable<Fields> {
  for (const line of head) {
    const value = parseJson(line);
    if (isFields(value)) yield value;
  }
}
