import { randomUUID } from 'node:crypto';
import type { Scope } from 'palimpsest';
import { guardedTools } from './guarded.js';
import { readTools } from './read.js';
import { untyped, type AnyHandle, type Approve, type MemoryTool } from './tool.js';
import { writeTools, type Cite } from './write.js';

export { remembering, type Memorizer, type RememberingOptions, type Turn } from './remembering.js';
export {
  inputSchema,
  resultText,
  untyped,
  type AnyHandle,
  type Approve,
  type MemoryTool,
  type RunOptions,
  type ToolError,
  type ToolKind,
  type ToolMemory,
  type ToolResult,
} from './tool.js';

export interface ToolsOptions {
  /** A handle: its scope is the tools' scope, and no argument of a call changes it. */
  readonly memory: AnyHandle;
  /** The event that a model is answering, which what it tells is kept with. Default: a session of the tools' own. */
  readonly cite?: Cite | undefined;
  /** A broader scope that the handle sees: adds `memory_share`, which tells it something. By default that waits for a review. */
  readonly shareWith?: Scope | undefined;
  /** Asked before a guarded tool runs. Without it these tools are not offered. */
  readonly approve?: Approve | undefined;
  /** Only these, by name. */
  readonly only?: readonly string[] | undefined;
  /** Who is written into the journal. Default `assistant`. */
  readonly actor?: string | undefined;
  /** Told of what went wrong beyond a refusal. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * What a model can do with a memory: the one list which every adapter renders.
 *
 * @example
 * const tools = memoryTools({ memory: memory.in({ org: 'acme', project: 'shop' }) });
 * const recall = tools.find(({ name }) => name === 'memory_recall');
 */
export function memoryTools(options: ToolsOptions): readonly MemoryTool[] {
  const { only, approve, onError, shareWith, actor = 'assistant' } = options;
  const memory = untyped(options.memory);
  const frame = { approve, onError };
  const all = [
    ...readTools(frame, memory),
    ...writeTools(frame, memory, { cite: options.cite ?? ownSession(), shareWith, actor }),
    ...(approve === undefined ? [] : guardedTools(frame, memory, actor)),
  ];
  const names = new Set(all.map(({ name }) => name));
  const wrong = only?.find((name) => !names.has(name));
  if (wrong !== undefined) {
    throw new TypeError(`There is no tool ${wrong}. Tools here: ${[...names].join(', ')}.`);
  }
  return Object.freeze(only === undefined ? all : all.filter(({ name }) => only.includes(name)));
}

function ownSession(): Cite {
  const session = `tools-${randomUUID()}`;
  let seq = 0;
  return () => ({ session, seq: seq++ });
}
