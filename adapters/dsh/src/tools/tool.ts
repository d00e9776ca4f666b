import { z } from 'zod';
import type { Config } from '../config.js';
import type { MemoryEngine } from '../engine/engine.js';
import type { Author, Scope } from '../engine/vocabulary.js';
import type { HostAgent, HostContext } from '../host/types.js';

/** What a tool works with. */
export interface ToolCall {
  readonly ctx: HostContext;
  readonly config: Config;
  readonly engine: MemoryEngine;
  readonly scope: Scope;
  readonly agent: HostAgent;
  /** The model that calls, with what the person said last. */
  readonly author: (quote: string | undefined) => Author;
  readonly signal: AbortSignal;
}

export interface Tool {
  /** Without the prefix. */
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Why a person is asked before it runs; `null` where nobody needs to be. */
  readonly asks: string | null;
  run(args: unknown, call: ToolCall): Promise<string>;
}

/** A tool whose arguments are checked before it runs. */
export function tool<S extends z.ZodObject>(definition: {
  readonly name: string;
  readonly description: string;
  readonly input: S;
  readonly asks?: string;
  readonly run: (args: z.output<S>, call: ToolCall) => Promise<string>;
}): Tool {
  const { name, description, input, asks = null, run } = definition;
  return {
    name,
    description,
    asks,
    parameters: parametersOf(input),
    async run(args, call) {
      const checked = input.safeParse(args ?? {});
      if (!checked.success) throw new Error(`INVALID_ARGS: ${z.prettifyError(checked.error)}`);
      return run(checked.data, call);
    },
  };
}

const KEPT = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'description',
]);

/** As JSON Schema, with the words that the host knows. */
function parametersOf(input: z.ZodObject): Readonly<Record<string, unknown>> {
  const schema: unknown = z.toJSONSchema(input, { io: 'input' });
  return plain(schema, false);
}

function plain(node: unknown, isMap: boolean): Readonly<Record<string, unknown>> {
  if (typeof node !== 'object' || node === null) return {};
  return Object.fromEntries(
    Object.entries(node).flatMap(([key, value]): [string, unknown][] => {
      if (!isMap && !KEPT.has(key)) return [];
      if (isMap || key === 'items') return [[key, plain(value, false)]];
      return [[key, key === 'properties' ? plain(value, true) : value]];
    }),
  );
}
