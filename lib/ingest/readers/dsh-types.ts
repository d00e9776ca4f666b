import { z } from 'zod';
import type { SkipCode } from '../event.js';
import { ContentSchema } from './content.js';

/** The only version of the log whose roles and sources this project has seen. */
export const KNOWN_VERSION = 0;

const EXACT: Readonly<Record<string, SkipCode>> = {
  'agent/inbox/spliced': 'inbox',
  'assistant/chunk': 'chunk',
  'command/run': 'command',
  'command/done': 'command',
};

const BY_PREFIX: readonly (readonly [string, SkipCode])[] = [
  ['tool/call', 'tool-call'],
  ['tool/code-dispatch', 'tool-call'],
  ['compaction/', 'summary'],
  ['session/title', 'summary'],
  ['turn/', 'bookkeeping'],
  ['step/', 'bookkeeping'],
  ['request/', 'bookkeeping'],
  ['session/', 'bookkeeping'],
  ['approval/', 'bookkeeping'],
  ['permission/', 'bookkeeping'],
  ['sandbox/', 'bookkeeping'],
  ['todo/', 'bookkeeping'],
  ['goal/', 'bookkeeping'],
  ['plan/', 'bookkeeping'],
  ['subagent/', 'bookkeeping'],
  ['tool-workflow/', 'bookkeeping'],
];

/** Why events of a type without words in them are skipped. */
export function reasonFor(type: string): SkipCode {
  if (Object.hasOwn(EXACT, type)) return EXACT[type] ?? 'unknown-type';
  return BY_PREFIX.find(([prefix]) => type.startsWith(prefix))?.[1] ?? 'unknown-type';
}

const count = z.int().nonnegative();

export const HeaderSchema = z.object({
  type: z.literal('session'),
  version: z.number(),
  id: z.string().min(1),
  createdAt: z.number().optional(),
  cwd: z.string().optional(),
  parentSession: z.string().optional(),
  seedLength: count.optional(),
  origin: z.string().optional(),
  delegationDepth: count.optional(),
  agentPreset: z.string().optional(),
});

export const EventSchema = z.object({
  type: z.string(),
  // Logs that were made comparable leave out both; an event's number is then its place.
  seq: count.optional(),
  time: z.number().optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  surfaceOp: z.unknown().optional(),
});

export type DshEvent = z.infer<typeof EventSchema>;

const PACKED_TYPES = new Set(['text-chunks', 'reasoning-chunks', 'tool-call-chunks']);

export const isPackedType = (type: unknown): boolean =>
  typeof type === 'string' && PACKED_TYPES.has(type);

/** A row that stands for as many chunk events as it has texts or pieces of arguments. */
export const PackedSchema = z.object({
  seq0: count.optional(),
  data: z.union([
    z.object({ texts: z.array(z.unknown()).min(1) }),
    z.object({ args: z.array(z.unknown()).min(1) }),
  ]),
});

const source = z.looseObject({ kind: z.string() }).optional();

export const UserMessageSchema = z.object({
  id: z.string().optional(),
  content: ContentSchema,
  source,
});

export const AssistantMessageSchema = z.object({
  turn: count.optional(),
  interrupted: z.unknown().optional(),
  message: z.object({ id: z.string().optional(), content: ContentSchema, source }),
});

export const ToolCallSchema = z.object({ callId: z.string(), name: z.string() });

export const ToolResultSchema = z.object({
  turn: count.optional(),
  message: z.object({
    id: z.string().optional(),
    source: z.looseObject({ kind: z.string(), callId: z.string().optional() }).optional(),
    content: z.array(
      z.object({
        type: z.literal('tool-result'),
        toolCallId: z.string().optional(),
        content: ContentSchema,
        isError: z.boolean().optional(),
      }),
    ),
  }),
});
