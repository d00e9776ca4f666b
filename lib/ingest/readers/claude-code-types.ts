import { z } from 'zod';
import type { SkipCode } from '../event.js';
import { ContentSchema } from './content.js';
import { type Fields, stringIn } from './fields.js';

const BY_TYPE: Readonly<Record<string, SkipCode>> = {
  summary: 'summary',
  'custom-title': 'summary',
  'ai-title': 'summary',
  'task-summary': 'summary',
  'queue-operation': 'inbox',
  'last-prompt': 'repeat',
  result: 'repeat',
  stream_event: 'chunk',
  attachment: 'injected',
  progress: 'bookkeeping',
  'file-history-snapshot': 'bookkeeping',
  'agent-name': 'bookkeeping',
  'agent-color': 'bookkeeping',
  'agent-setting': 'bookkeeping',
  tag: 'bookkeeping',
  mode: 'bookkeeping',
  'permission-mode': 'bookkeeping',
  'pr-link': 'bookkeeping',
  'worktree-state': 'bookkeeping',
  'content-replacement': 'bookkeeping',
};

const BY_SUBTYPE: Readonly<Record<string, SkipCode>> = {
  compact_boundary: 'summary',
  microcompact_boundary: 'summary',
  local_command: 'command',
  stop_hook_summary: 'hook',
  hook_started: 'hook',
  hook_response: 'hook',
  init: 'bookkeeping',
  turn_duration: 'bookkeeping',
};

/** Why lines of a type without a message are skipped. */
export function reasonFor(fields: Fields, type: string): SkipCode {
  if (type !== 'system')
    return Object.hasOwn(BY_TYPE, type) ? (BY_TYPE[type] ?? 'notice') : 'unknown-type';
  const subtype = stringIn(fields, 'subtype') ?? '';
  return Object.hasOwn(BY_SUBTYPE, subtype) ? (BY_SUBTYPE[subtype] ?? 'notice') : 'notice';
}

const block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  tool_use_id: z.string().optional(),
  content: z.unknown().optional(),
  is_error: z.boolean().nullish(),
});

const content = z.union([z.string(), z.array(block)]);

export const UserLineSchema = z.object({ role: z.literal('user'), content });

export const AssistantLineSchema = z.object({
  role: z.literal('assistant'),
  id: z.string().optional(),
  model: z.string().optional(),
  content,
});

/** A tool's output inside of its block. */
export const ResultContentSchema = ContentSchema.nullish();

/** What was typed while the agent worked: it is never written as a user's line. */
export const QueuedPromptSchema = z.object({
  type: z.literal('queued_command'),
  commandMode: z.literal('prompt'),
  isMeta: z.literal(false).optional(),
  origin: z.looseObject({ kind: z.literal('human') }),
  prompt: ContentSchema,
});
