import { PalimpsestError, type Handle } from 'palimpsest';
import { z } from 'zod';

/** What the tools call of a memory: a handle, whose scope is fixed. */
export type ToolMemory = Pick<
  Handle,
  | 'scope'
  | 'search'
  | 'recall'
  | 'profile'
  | 'facts'
  | 'stream'
  | 'history'
  | 'why'
  | 'changes'
  | 'entities'
  | 'assert'
  | 'end'
  | 'correct'
  | 'retract'
  | 'transact'
  | 'forget'
  | 'held'
  | 'approve'
  | 'reject'
  | 'revert'
  | 'snapshot'
  | 'ingest'
>;

/** Verbs whose types tell of the ontology. */
type Typed = 'facts' | 'stream' | 'assert' | 'end' | 'correct' | 'transact';

/** Any handle, whatever its ontology. */
export type AnyHandle = Omit<ToolMemory, Typed> & {
  readonly [verb in Typed]: (...args: never[]) => unknown;
};

/** A handle to which models may say anything: what the ontology does not allow is refused when it is said. */
export const untyped = (memory: AnyHandle): ToolMemory =>
  // The ontology narrows types only: every handle takes any input, and checks it.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  memory as ToolMemory;

/** `read` changes nothing, `write` tells something, `guarded` needs somebody's consent. */
export type ToolKind = 'read' | 'write' | 'guarded';

export interface ToolError {
  /** One of the library's codes. */
  readonly code: string;
  readonly message: string;
  readonly field: string | null;
  readonly hint: string | null;
}

/** What a call came to: errors are data, so that a model can mend its call. */
export type ToolResult =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>>; readonly error: null }
  | { readonly ok: false; readonly value: null; readonly error: ToolError };

export interface RunOptions {
  readonly signal?: AbortSignal | undefined;
}

/** One thing that a model can do with a memory. */
export interface MemoryTool {
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** For models. */
  readonly description: string;
  readonly kind: ToolKind;
  /** Every field is required, and `null` where nothing is meant: strict modes ask for it. */
  readonly input: z.ZodObject;
  /** Of `value`. */
  readonly output: z.ZodObject;
  /** Never rejects. What the input holds is checked here. */
  run(input: unknown, options?: RunOptions): Promise<ToolResult>;
}

/** Asked before a guarded tool runs. Anything but `true` refuses. */
export type Approve = (call: {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}) => boolean | Promise<boolean>;

export interface ToolFrame {
  readonly approve: Approve | undefined;
  readonly onError: ((error: unknown) => void) | undefined;
}

interface Definition<I extends z.ZodObject, V extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly kind: ToolKind;
  readonly input: I;
  readonly output: V;
  readonly run: (input: z.output<I>, options: RunOptions) => Promise<z.input<V>>;
}

/** A tool of its definition: input checked, consent asked for, errors made data. */
export function defineTool<I extends z.ZodObject, V extends z.ZodObject>(
  frame: ToolFrame,
  definition: Definition<I, V>,
): MemoryTool {
  const { name, kind, input, output, run } = definition;
  return Object.freeze({
    ...definition,
    async run(given: unknown, options: RunOptions = {}): Promise<ToolResult> {
      try {
        const said = input.safeParse(given ?? {});
        if (!said.success) return failed(inputError(said.error));
        if (
          kind === 'guarded' &&
          (await frame.approve?.({ tool: name, input: said.data })) !== true
        )
          return failed(notAllowed(name));
        const value = output.parse(await run(said.data, options));
        return { ok: true, value, error: null };
      } catch (error) {
        if (PalimpsestError.isInstance(error)) return failed(errorOf(error));
        frame.onError?.(error);
        return failed({
          code: 'STORE_FAILED',
          message: 'The memory could not answer.',
          field: null,
          hint: 'Go on without it.',
        });
      }
    },
  });
}

const failed = (error: ToolError): ToolResult => ({ ok: false, value: null, error });

const errorOf = ({ code, message, field, hint }: PalimpsestError): ToolError => ({
  code,
  message,
  field: field ?? null,
  hint: hint ?? null,
});

function inputError(error: z.ZodError): ToolError {
  const [issue] = error.issues;
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const field = [...(issue?.path ?? []), ...(unknown === undefined ? [] : [unknown])].join('.');
  return {
    code: 'INVALID_INPUT',
    message: issue?.message ?? 'The input cannot be read.',
    field: field === '' ? null : field,
    hint: 'Give every field, and null for what is not meant.',
  };
}

const notAllowed = (tool: string): ToolError => ({
  code: 'POLICY_REFUSED',
  message: `Nobody agreed to ${tool}.`,
  field: null,
  hint: 'Ask the person whom you work for.',
});

/** Leaves out what is `null`: the library's options are absent or given. */
export function given<T extends Readonly<Record<string, unknown>>>(
  fields: T,
): { [K in keyof T]?: Exclude<T[K], null> } {
  const kept: { [K in keyof T]?: Exclude<T[K], null> } = {};
  for (const key in fields) {
    const value = fields[key];
    // The check is what the type says; the compiler does not narrow by index.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
    if (value !== null) kept[key] = value as Exclude<T[typeof key], null>;
  }
  return kept;
}

/** JSON Schema of a tool's input, as strict function calling takes it. */
export function inputSchema(tool: MemoryTool): Record<string, unknown> & { type: 'object' } {
  return { ...z.toJSONSchema(tool.input, { target: 'draft-7' }), type: 'object' };
}

/** The result as text for a model. */
export const resultText = (result: ToolResult): string =>
  JSON.stringify(result.ok ? result.value : { error: result.error });
