/**
 * What this plugin uses of its host, as shapes. Nothing of the host is imported, so that one build stands
 * several of its versions; what may be missing in one of them is optional here, and looked for before use.
 */

/** One entry of a session's log. `time` is epoch milliseconds. */
export interface HostEvent {
  readonly type: string;
  readonly seq: number;
  readonly time: number;
  readonly data: unknown;
  /** Anything but `append` shows something anew that was said before. */
  readonly surfaceOp?: unknown;
}

export interface HostHeader {
  readonly version: number;
  readonly id: string;
  readonly createdAt: number;
  readonly cwd?: string;
  readonly parentSession?: string;
  readonly seedLength?: number;
  readonly origin?: string;
  readonly delegationDepth?: number;
  readonly agentPreset?: string;
}

export interface HostMessage {
  readonly id?: string;
  readonly role: string;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly source?: { readonly kind: string; readonly [field: string]: unknown };
}

export interface HostSession {
  readonly id: string;
  readonly header: HostHeader;
  readonly firstLiveSeq?: number;
  /** The log; later hosts have `snapshotEvents` instead. */
  readonly events?: readonly HostEvent[];
  snapshotEvents?(): readonly HostEvent[];
  /** What the model is shown. */
  deriveMessages?(): readonly HostMessage[];
  requestContext?(): { readonly provider: string; readonly model: string } | undefined;
}

export interface HostAgent {
  readonly id: string;
  readonly session: HostSession;
  readonly ctx: HostContext;
  readonly options?: { readonly provider?: string; readonly model?: string };
}

export type PreStep =
  | { readonly kind: 'reject' }
  | { readonly kind: 'enter'; readonly messages: readonly HostMessage[] };

export interface PreStepPayload {
  readonly agent: HostAgent;
  readonly step: number;
  readonly signal: AbortSignal;
}

export type ToolDecision =
  | { readonly kind: 'allow' }
  | { readonly kind: 'deny'; readonly reason: string }
  | { readonly kind: 'ask'; readonly reason?: string };

/** A call of a tool, on its way. */
export interface ToolRun {
  readonly name: string;
  readonly arguments: unknown;
  readonly agent?: HostAgent;
  readonly signal: AbortSignal;
}

export interface HostTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly output: {
    readonly schema: unknown;
    render(
      args: unknown,
      value: unknown,
    ): readonly { readonly type: 'text'; readonly text: string }[];
  };
  execute(args: unknown, run: ToolRun): Promise<unknown>;
}

export interface HostEvents {
  'session/created': (session: HostSession) => void;
  'session/event': (session: HostSession, event: HostEvent) => void;
  'agent/created': (payload: { readonly agent: HostAgent }) => void;
  'agent/session-start': (payload: { readonly agent: HostAgent; readonly source: string }) => void;
  'agent/disposed': (payload: { readonly agent: HostAgent }) => void;
  'agent/pre-step': (payload: PreStepPayload, next: () => Promise<PreStep>) => Promise<PreStep>;
  'tools/pre-execute': (run: ToolRun, next: () => Promise<ToolDecision>) => Promise<ToolDecision>;
  /** Sent by other plugins, such as bridges to chats: turn what waits into memory now. */
  'memory/curate': (request?: { readonly session?: string; readonly cwd?: string }) => void;
}

export interface Persistence {
  readFrom(
    id: string,
    seq: number,
    signal?: AbortSignal,
  ): Promise<{ readonly meta: HostHeader; readonly events: readonly HostEvent[] }>;
  listSnapshots(
    signal?: AbortSignal,
  ): Promise<readonly { readonly header: HostHeader; readonly revision: unknown }[]>;
}

export interface SessionQuery {
  readEvent(
    request: { readonly sessionId: string; readonly seq: number },
    signal?: AbortSignal,
  ): Promise<{ readonly session: HostHeader; readonly target: HostEvent }>;
}

export interface Sessions {
  flush?(session: HostSession): Promise<unknown>;
  list?(): readonly HostSession[];
}

export interface Llm {
  prepareCall(
    config: { readonly provider: string; readonly model: string },
    signal?: AbortSignal,
  ): Promise<{
    readonly config: object;
    stream(
      request: object,
    ): AsyncIterable<{ readonly type: string; readonly [field: string]: unknown }>;
  }>;
}

export interface Commands {
  register(command: {
    readonly name: string;
    readonly description: string;
    readonly input?: { readonly hint: string };
    readonly handler: (call: {
      readonly agent: HostAgent;
      readonly rawInput: string;
      readonly signal: AbortSignal;
    }) => Promise<{ readonly kind: 'success' | 'error'; readonly text: string }>;
  }): () => void;
}

export interface HostServices {
  sessionPersistence: Persistence;
  sessionQuery: SessionQuery;
  sessions: Sessions;
  llm: Llm;
  commands: Commands;
  credentials: { resolve(name: string): Promise<{ readonly value: string } | undefined> };
  settings: {
    register?(
      namespace: string,
      schema: unknown,
      options: { readonly base: unknown },
    ): { get(): unknown; watch(changed: () => void): () => void };
  };
  tools: { register(tool: HostTool): () => void; get?(name: string): unknown };
  systemPrompt: { section(part: { name: string; order: number; text: string }): () => void };
}

/** A context of the host's plugin system, as far as it is used here. */
export interface HostContext {
  on<K extends keyof HostEvents>(
    name: K,
    listener: HostEvents[K],
    options?: { readonly prepend?: boolean },
  ): () => void;
  get<K extends keyof HostServices>(name: K): HostServices[K] | undefined;
  get(name: string): unknown;
  inject(services: readonly string[], run: (ctx: HostContext) => void): unknown;
  provide(name: string, value: unknown): () => unknown;
  effect(run: () => () => void | Promise<void>, label?: string): unknown;
  plugin(plugin: object, config?: unknown): PromiseLike<unknown>;
  waterfall(name: string, ...args: unknown[]): unknown;
  emit(name: string, ...args: unknown[]): void;
  logger(name: string): {
    info(text: string): void;
    warn(text: string): void;
    error(text: string): void;
  };
}
